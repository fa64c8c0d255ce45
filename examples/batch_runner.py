"""Run an agent over a data set, and go on where it was stopped.

    python examples/batch_runner.py examples/prompts.jsonl results.jsonl --at-once 4
    python examples/batch_runner.py examples/prompts.jsonl results.jsonl --retry-failed

Needs latent-agents and tqdm. The data set is JSON Lines, `{"id": "1", "prompt": "..."}`; each result is a line
`{"id", "error", "result"}`, written as soon as its run is over. A second start runs only what has no result; a last
line that a crash tore is cut off, and its run done again. A run that fails is recorded with what it gave until then,
and done again under `--retry-failed`; of several results for one id the last one counts. Exit status: 0 when every
prompt has an answer, 1 when a run failed, 130 when stopped.
"""

import argparse
import asyncio
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, TypeVar

import msgspec
from tqdm import tqdm

from latent.agents import EchoModel, ReActAgent
from latent.protocol import AgentError, AgentProtocol, InvokeResult, Message


class Prompt(msgspec.Struct, frozen=True):
    id: str
    prompt: str


class Outcome(msgspec.Struct, frozen=True):
    id: str
    error: str | None
    result: InvokeResult


Row = TypeVar("Row", Prompt, Outcome)


async def run_batch(agent: AgentProtocol, prompts: Sequence[Prompt], results: BinaryIO, *, at_once: int) -> None:
    """Run all prompts, `at_once` of them at a time, and write each outcome when it is there.

    What the agent reports as failed is an outcome. Any other exception is a fault of the program: it stops the batch,
    and the runs under way with it.
    """
    waiting = iter(prompts)
    with tqdm(total=len(prompts), unit="run", disable=None) as progress:  # None: no bar where nobody sees it

        async def work() -> None:
            for prompt in waiting:  # shared: each worker takes the next one
                outcome = await run_one(agent, prompt)
                results.write(msgspec.json.encode(outcome) + b"\n")
                results.flush()
                progress.update()

        async with asyncio.TaskGroup() as workers:
            for _ in range(min(at_once, len(prompts))):
                workers.create_task(work())


async def run_one(agent: AgentProtocol, prompt: Prompt) -> Outcome:
    try:
        return Outcome(prompt.id, None, await agent.invoke([Message("user", prompt.prompt)]))
    except AgentError as failure:
        return Outcome(prompt.id, failure.result.error, failure.result)


def read_prompts(path: Path) -> list[Prompt]:
    """Raises `ValueError` with the line of what is no prompt, or has an id that another one has."""
    prompts: dict[str, Prompt] = {}
    for number, prompt in rows(path.read_bytes(), path, Prompt):
        if prompt.id in prompts:
            raise ValueError(f"{path}:{number}: expected an id of its own, got {prompt.id!r} once more")
        prompts[prompt.id] = prompt
    return list(prompts.values())


def read_outcomes(path: Path) -> dict[str, Outcome]:
    """The last outcome for each id; cuts off a torn last line. Raises `ValueError` for any other damage."""
    if not path.exists():
        return {}
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if whole != data:
        with path.open("r+b") as file:
            file.truncate(len(whole))
    return {outcome.id: outcome for _, outcome in rows(whole, path, Outcome)}


def rows(data: bytes, path: Path, kind: type[Row]) -> Iterator[tuple[int, Row]]:
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            row = msgspec.json.decode(line, type=kind)
        except msgspec.DecodeError as error:
            raise ValueError(f"{path}:{number}: {error}") from None
        yield number, row


def is_due(outcome: Outcome | None, *, retry_failed: bool) -> bool:
    return outcome is None or (retry_failed and outcome.error is not None)


def make_agent() -> AgentProtocol:
    """The agent to run; put your own here."""
    return ReActAgent(name="echo", model=EchoModel())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prompts", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--at-once", type=int, default=4, metavar="N")
    parser.add_argument("--retry-failed", action="store_true")
    options = parser.parse_args()
    if options.at_once < 1:
        parser.error(f"expected --at-once of at least 1, got {options.at_once}")
    try:
        prompts, before = read_prompts(options.prompts), read_outcomes(options.results)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    due = [each for each in prompts if is_due(before.get(each.id), retry_failed=options.retry_failed)]
    with options.results.open("ab") as results:
        try:
            asyncio.run(run_batch(make_agent(), due, results, at_once=options.at_once))
        except KeyboardInterrupt:
            print("Stopped: what is done is kept, and the same command goes on with the rest")
            return 130
    return summary(prompts, read_outcomes(options.results))


def summary(prompts: Sequence[Prompt], outcomes: dict[str, Outcome]) -> int:
    failed = [outcome for prompt in prompts if (outcome := outcomes[prompt.id]).error is not None]
    print(f"{len(prompts)} prompts: {len(prompts) - len(failed)} answered, {len(failed)} failed")
    for outcome in failed:
        print(f"failed: {outcome.id}: {outcome.error}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
