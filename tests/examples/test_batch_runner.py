"""The batch in one process with agents that the test holds, and as a program."""

import asyncio
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
from batch_runner import Outcome, Prompt, is_due, read_outcomes, read_prompts, run_batch
from hypothesis import given, settings
from hypothesis import strategies as st

from latent.protocol import AgentError, InvokeResult, Message, Step

EXAMPLES = Path(__file__).parents[2] / "examples"
PROMPTS = [Prompt(str(at), f"prompt {at}") for at in range(6)]


class CountingAgent:
    """Answers with the prompt, notes what it was asked, and fails where it is told to."""

    def __init__(self, failing: frozenset[str] = frozenset()) -> None:
        self.failing = failing
        self.asked: list[str] = []

    def stream(self, messages: list[Message], **options: Any) -> Any:
        raise NotImplementedError

    async def invoke(self, messages: list[Message], **options: Any) -> InvokeResult:
        text = str(messages[0].content)
        self.asked.append(text)
        if text in self.failing:
            raise AgentError(InvokeResult("", [Step(0, text="so far")], error="no luck"))
        await self.answering(text)
        return answer(text)

    async def answering(self, text: str) -> None:
        await asyncio.sleep(0)


def answer(text: str) -> InvokeResult:
    return InvokeResult(text, [Step(0, text=text)])


def run(agent: CountingAgent, path: Path, *, at_once: int = 2, retry_failed: bool = False) -> None:
    before = read_outcomes(path)
    due = [prompt for prompt in PROMPTS if is_due(before.get(prompt.id), retry_failed=retry_failed)]
    with path.open("ab") as results:
        asyncio.run(run_batch(agent, due, results, at_once=at_once))


ANSWERED = {prompt.id: Outcome(prompt.id, None, answer(prompt.prompt)) for prompt in PROMPTS}


def test_every_prompt_gets_its_outcome(tmp_path: Path) -> None:
    run(CountingAgent(), tmp_path / "results")

    assert read_outcomes(tmp_path / "results") == ANSWERED


def test_as_many_runs_as_allowed_go_at_once_and_never_more(tmp_path: Path) -> None:
    class Meeting(CountingAgent):
        """Answers when three are there."""

        barrier = asyncio.Barrier(3)
        here = most = 0

        async def answering(self, text: str) -> None:
            self.here += 1
            self.most = max(self.most, self.here)
            await self.barrier.wait()
            self.here -= 1

    agent = Meeting()
    run(agent, tmp_path / "results", at_once=3)

    assert agent.most == 3
    assert read_outcomes(tmp_path / "results") == ANSWERED


def test_a_stopped_batch_keeps_what_is_done_and_goes_on_with_the_rest(tmp_path: Path) -> None:
    class Stuck(CountingAgent):
        async def answering(self, text: str) -> None:
            if text == "prompt 3":
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(Stuck(), tmp_path / "results", at_once=1)
    kept = read_outcomes(tmp_path / "results")
    agent = CountingAgent()
    run(agent, tmp_path / "results")

    assert list(kept) == ["0", "1", "2"]
    assert agent.asked == ["prompt 3", "prompt 4", "prompt 5"]
    assert read_outcomes(tmp_path / "results") == ANSWERED


@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_a_file_torn_anywhere_is_mended_by_the_next_start(data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "results")
        run(CountingAgent(), path)
        whole = path.read_bytes()
        torn = whole[: data.draw(st.integers(0, len(whole)), label="bytes kept")]
        path.write_bytes(torn)
        agent = CountingAgent()
        run(agent, path)

        assert len(agent.asked) == len(PROMPTS) - torn.count(b"\n")
        assert read_outcomes(path) == ANSWERED
        assert path.read_bytes().count(b"\n") == len(PROMPTS)


def test_a_failed_run_is_kept_with_what_it_gave_and_done_again_only_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "results"
    run(CountingAgent(frozenset({"prompt 1", "prompt 4"})), path)
    failed = read_outcomes(path)
    idle, retrying = CountingAgent(), CountingAgent(frozenset({"prompt 4"}))
    run(idle, path)
    run(retrying, path, retry_failed=True)

    assert failed["1"] == Outcome("1", "no luck", InvokeResult("", [Step(0, text="so far")], error="no luck"))
    assert idle.asked == []
    assert retrying.asked == ["prompt 1", "prompt 4"]
    assert read_outcomes(path) == {**ANSWERED, "4": failed["4"]}


def test_a_fault_of_the_program_stops_the_batch(tmp_path: Path) -> None:
    class Faulty(CountingAgent):
        async def answering(self, text: str) -> None:
            if text == "prompt 1":
                raise TypeError("no such thing")

    with pytest.raises(ExceptionGroup) as caught:
        run(Faulty(), tmp_path / "results", at_once=1)

    assert [str(error) for error in caught.value.exceptions] == ["no such thing"]
    assert list(read_outcomes(tmp_path / "results")) == ["0"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '{"id": "1", "prompt": "a"}\n{"id": "1", "prompt": "b"}\n',
            ":2: expected an id of its own, got '1' once more",
        ),
        ('\n{"id": "1"}\n', ":2: Object missing required field `prompt`"),
        ("{\n", ":1: Input data was truncated"),
    ],
)
def test_a_data_set_that_is_wrong_is_refused_with_the_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "prompts"
    path.write_text(text)

    with pytest.raises(ValueError, match="prompts:") as caught:
        read_prompts(path)
    assert str(caught.value) == f"{path}{said}"


def test_damage_inside_the_results_is_an_error_and_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "results"
    path.write_bytes(b"{}\n" + msgspec.json.encode(ANSWERED["1"]) + b"\n")
    before = path.read_bytes()

    with pytest.raises(ValueError, match=":1: Object missing required field `id`"):
        read_outcomes(path)
    assert path.read_bytes() == before


def program(*arguments: object, code: str | None = None) -> subprocess.CompletedProcess[str]:
    how = ["-c", code] if code else [EXAMPLES / "batch_runner.py"]
    command = [sys.executable, *map(str, [*how, *arguments])]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, cwd=EXAMPLES)


def test_the_program_runs_as_it_stands_and_a_second_start_has_nothing_to_do(tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"
    first = program("prompts.jsonl", results)
    written = results.read_bytes()
    second = program("prompts.jsonl", results)

    assert (first.returncode, first.stdout, first.stderr) == (0, "8 prompts: 8 answered, 0 failed\n", "")
    assert (second.returncode, second.stdout, second.stderr) == (0, "8 prompts: 8 answered, 0 failed\n", "")
    assert results.read_bytes() == written
    assert sorted(read_outcomes(results)) == list("12345678")


STOPPED = """
import asyncio, os, signal, sys
import batch_runner
from latent.agents import FunctionModel, ReActAgent

async def answer(messages, tools):
    if "Tuesday" in messages[-1]["content"]:
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.Event().wait()
    return "yes"

batch_runner.make_agent = lambda: ReActAgent(name="stopped", model=FunctionModel(answer))
sys.argv[0] = "batch_runner.py"
sys.exit(batch_runner.main())
"""


def test_control_c_keeps_what_is_done_and_says_how_to_go_on(tmp_path: Path) -> None:
    stopped = program("prompts.jsonl", tmp_path / "results", "--at-once", 1, code=STOPPED)

    assert (stopped.returncode, stopped.stderr) == (130, "")
    assert stopped.stdout == "Stopped: what is done is kept, and the same command goes on with the rest\n"
    assert sorted(read_outcomes(tmp_path / "results")) == list("12345")


FAILING = """
import sys
import batch_runner
from latent.agents import FunctionModel, ReActAgent

async def answer(messages, tools):
    if "spiders" in messages[-1]["content"]:
        raise RuntimeError("eight and eight")
    return "yes"

batch_runner.make_agent = lambda: ReActAgent(name="failing", model=FunctionModel(answer))
sys.argv[0] = "batch_runner.py"
sys.exit(batch_runner.main())
"""


def test_the_program_names_what_failed(tmp_path: Path) -> None:
    failing = program("prompts.jsonl", tmp_path / "results", code=FAILING)
    again = program("prompts.jsonl", tmp_path / "results", "--retry-failed")

    assert (failing.returncode, failing.stderr) == (1, "")
    assert failing.stdout == "8 prompts: 7 answered, 1 failed\nfailed: 2: RuntimeError: eight and eight\n"
    assert (again.returncode, again.stdout) == (0, "8 prompts: 8 answered, 0 failed\n")


@pytest.mark.parametrize("arguments", [("missing.jsonl", "results"), ("prompts.jsonl", "results", "--at-once", "0")])
def test_wrong_arguments_are_a_usage_error(arguments: tuple[str, ...]) -> None:
    assert program(*arguments).returncode == 2
