"""What a run of `ReActAgent` costs, beside the OpenAI Agents SDK, Pydantic AI and a bare loop.

    python benchmarks/agents.py [--rounds 7] [--no-peers]

Needs `latent-agents`, and for the peers `openai-agents` and `pydantic-ai-slim`. All contenders get the same
deltas from a fake model that answers at once, in shuffled rounds in one process; times are CPU times, and
medians of the rounds; a ratio is the median of the ratios within a round.

The bare loop is the limit: an async generator that reads the same chunks and yields the same kinds of events,
and can do nothing else. With many runs at once the fake model gives up control before each delta.
"""

import argparse
import asyncio
import gc
import os
import random
import statistics
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from latent.agents import ReActAgent
from latent.protocol import LLMCallEnd, LLMCallStart, Message, StepBoundary, TextDelta, ToolCall, ToolResult

QUESTION = "How warm is it in Paris?"
HISTORY = [Message("user", QUESTION)]
DELTA = "a few words of text "
MANY = 200

Run = Callable[[], Awaitable[int]]
"""One run: gives the number of text deltas that came out."""


def text_chunks(count: int) -> list[dict[str, Any]]:
    """The chunks of an answer of `count` deltas, as a server sends them."""
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "fake"}
    deltas: list[tuple[dict[str, Any], str | None]] = [({"content": DELTA}, None) for _ in range(count)]
    return [
        {**head, "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}], "usage": None}
        for delta, reason in [*deltas, ({}, "stop")]
    ]


def call_chunks() -> list[dict[str, Any]]:
    """The chunks of an answer that calls the tool."""
    chunks = text_chunks(1)
    function = {"name": "weather", "arguments": '{"city":"Paris"}'}
    chunks[0]["choices"][0]["delta"] = {
        "tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": function}]
    }
    return chunks


async def weather(city: str) -> str:
    """The weather in a city."""
    return f"20 degrees in {city}"


class FakeModel:
    """Answers with given chunks; the first answer of `turns` to a question, the second to a tool's result."""

    model_id = "fake"

    def __init__(self, *turns: list[dict[str, Any]], yielding: bool = False) -> None:
        self._turns = turns
        self._yielding = yielding

    async def stream(
        self, messages: list[dict[str, Any]], *, tools: Sequence[dict[str, Any]] = (), **options: Any
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield the chunks of the turn that is due."""
        for chunk in self._turns[-1 if messages[-1]["role"] == "tool" else 0]:
            if self._yielding:
                await asyncio.sleep(0)
            yield chunk


async def bare_loop(model: FakeModel) -> AsyncIterator[Any]:
    """The least that gives the same events."""
    rows: list[dict[str, Any]] = [{"role": message.role, "content": message.content} for message in HISTORY]
    for step in range(2):
        yield StepBoundary(step)
        yield LLMCallStart(str(step), QUESTION, "fake", time.time())
        calls = []
        async for chunk in model.stream(rows):
            delta = chunk["choices"][0]["delta"]
            if text := delta.get("content"):
                yield TextDelta(text)
            for part in delta.get("tool_calls") or ():
                calls.append(
                    ToolCall.from_arguments(part["id"], part["function"]["name"], part["function"]["arguments"])
                )
        yield LLMCallEnd(str(step), None, 0, 0, "fake", time.time())
        if not calls:
            return
        for call in calls:
            yield call
            output = await weather("Paris")
            yield ToolResult(call.id, output)
            rows.append({"role": "tool", "content": output, "tool_call_id": call.id})


async def count_of(events: AsyncIterator[Any]) -> int:
    """Consume a stream of ours to its end."""
    count = 0
    async for event in events:
        if type(event) is TextDelta:
            count += 1
    return count


class Bare:
    """The bare loop as a contender."""

    name = "bare loop"

    def run(self, deltas: int, tool: bool, yielding: bool) -> Run:
        """One run over the fake model."""
        turns = [call_chunks(), text_chunks(deltas)] if tool else [text_chunks(deltas)]
        model = FakeModel(*turns, yielding=yielding)
        return lambda: count_of(bare_loop(model))


class Latent:
    """`ReActAgent` as a contender."""

    name = "latent-agents"

    def run(self, deltas: int, tool: bool, yielding: bool) -> Run:
        """One run over the fake model."""
        turns = [call_chunks(), text_chunks(deltas)] if tool else [text_chunks(deltas)]
        agent = ReActAgent("bench", FakeModel(*turns, yielding=yielding), tools=[weather] if tool else [])
        return lambda: count_of(agent.stream(HISTORY))


class OpenAIAgents:
    """The OpenAI Agents SDK as a contender, tracing off, its events built beforehand."""

    name = "openai-agents"

    def run(self, deltas: int, tool: bool, yielding: bool) -> Run:
        """One streamed run over a fake `Model`."""
        import agents  # a peer, imported where it is measured

        agent = agents.Agent(
            name="bench",
            model=_openai_model(deltas, tool, yielding),
            tools=[agents.function_tool(weather)] if tool else [],
        )
        config = agents.RunConfig(tracing_disabled=True)

        async def once() -> int:
            count = 0
            result = agents.Runner.run_streamed(agent, QUESTION, run_config=config)
            async for event in result.stream_events():
                if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
                    count += 1
            return count

        return once


def _openai_model(deltas: int, tool: bool, yielding: bool) -> Any:
    from agents import Model
    from openai.types import responses as r

    def completed(item: Any) -> Any:
        response = r.Response.model_construct(id="r", created_at=1.0, model="fake", object="response", output=[item])
        return r.ResponseCompletedEvent(response=response, sequence_number=0, type="response.completed")

    text = r.ResponseOutputText(text=DELTA * deltas, type="output_text", annotations=[])
    message = r.ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[text])
    call = r.ResponseFunctionToolCall(
        id="f", call_id="c1", type="function_call", name="weather", arguments='{"city":"Paris"}', status="completed"
    )
    delta = r.ResponseTextDeltaEvent.model_construct(
        content_index=0, delta=DELTA, item_id="m", output_index=0, sequence_number=0, logprobs=[],
        type="response.output_text.delta",
    )  # fmt: skip

    class Fake(Model):
        async def get_response(self, *args: Any, **kwargs: Any) -> Any:
            raise NotImplementedError

        async def stream_response(self, instructions: Any, given: Any, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
            answers = not tool or (isinstance(given, list) and any("output" in item for item in given))
            for event in [delta] * (deltas if answers else 0):
                if yielding:
                    await asyncio.sleep(0)
                yield event
            yield completed(message if answers else call)

    return Fake()


class PydanticAI:
    """Pydantic AI as a contender, over `Agent.iter`, the cheaper of its ways to stream."""

    name = "pydantic-ai"

    def run(self, deltas: int, tool: bool, yielding: bool) -> Run:
        """One streamed run over a `FunctionModel`."""
        import pydantic_ai as p  # a peer, imported where it is measured
        from pydantic_ai.models.function import DeltaToolCall, FunctionModel

        async def answer(messages: Any, info: Any) -> AsyncIterator[Any]:
            if tool and not any(part.part_kind == "tool-return" for part in messages[-1].parts):
                yield {0: DeltaToolCall(name="weather", json_args='{"city":"Paris"}', tool_call_id="c1")}
                return
            for _ in range(deltas):
                if yielding:
                    await asyncio.sleep(0)
                yield DELTA

        agent = p.Agent(FunctionModel(stream_function=answer), tools=[weather] if tool else [])

        async def once() -> int:
            count = 0
            async with agent.iter(QUESTION) as run:
                async for node in run:
                    if not (p.Agent.is_model_request_node(node) or p.Agent.is_call_tools_node(node)):
                        continue
                    async with node.stream(run.ctx) as events:
                        async for event in events:
                            count += isinstance(event, (p.PartStartEvent, p.PartDeltaEvent))
            return count

        return once


Contender = Bare | Latent | OpenAIAgents | PydanticAI


def timed(loop: asyncio.AbstractEventLoop, run: Run, at_once: int, repeat: int) -> float:
    """CPU microseconds of one run."""

    async def all_runs() -> None:
        for _ in range(repeat):
            if at_once == 1:
                await run()
            else:
                await asyncio.gather(*(run() for _ in range(at_once)))

    gc.collect()
    began = time.process_time()
    loop.run_until_complete(all_runs())
    return (time.process_time() - began) / (at_once * repeat) * 1e6


CASES: dict[str, tuple[int, bool, int]] = {
    "1 delta": (1, False, 1),
    f"{MANY + 1} deltas": (MANY + 1, False, 1),
    "a tool, 1 delta": (1, True, 1),
    "1 delta, 100 at once": (1, False, 100),
    "1 delta, 1000 at once": (1, False, 1000),
}
"""By name: deltas, whether a tool is called, runs at once."""


def measure(contenders: Sequence[Contender], rounds: int) -> dict[tuple[str, str], list[float]]:
    """Microseconds by contender and case, one figure for each round."""
    loop = asyncio.new_event_loop()
    runs = {
        (contender.name, case): contender.run(deltas, tool, at_once > 1)
        for contender in contenders
        for case, (deltas, tool, at_once) in CASES.items()
    }
    figures: dict[tuple[str, str], list[float]] = {key: [] for key in runs}
    for (_, case), run in runs.items():
        assert loop.run_until_complete(run()) >= CASES[case][0]  # every delta comes out
    for _ in range(rounds):
        for key in random.sample(list(runs), len(runs)):
            cheap = key[0] in (Bare.name, Latent.name)
            at_once = CASES[key[1]][2]
            repeat = 1 if at_once > 1 and not cheap else max(1, (400 if cheap else 10) // at_once)
            figures[key].append(timed(loop, runs[key], at_once, repeat))
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()
    return figures


def growth_over(count: int) -> int:
    """Bytes of resident memory that `count` runs add after as many runs to warm up."""
    agent_run = Latent().run(3, True, False)
    loop = asyncio.new_event_loop()

    async def many() -> None:
        for _ in range(count):
            await agent_run()

    loop.run_until_complete(many())
    gc.collect()
    before = _resident()
    loop.run_until_complete(many())
    gc.collect()
    loop.close()
    return _resident() - before


def _resident() -> int:
    with open("/proc/self/statm") as statm:  # noqa: PTH123 - no file, a figure of the kernel
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def per_delta(figures: dict[tuple[str, str], list[float]], name: str) -> list[float]:
    """Microseconds of one more delta, round by round."""
    few, many = figures[name, "1 delta"], figures[name, f"{MANY + 1} deltas"]
    return [(b - a) / MANY for a, b in zip(few, many, strict=True)]


def ratio(above: Sequence[float], below: Sequence[float]) -> float:
    """The median of the ratios within a round."""
    return statistics.median(a / b for a, b in zip(above, below, strict=True))


def goals(figures: dict[tuple[str, str], list[float]], peers: Sequence[Contender]) -> Iterator[tuple[str, float, bool]]:
    """Each goal: what it says, the figure, whether it is met."""
    ours = per_delta(figures, Latent.name)
    value = ratio(ours, per_delta(figures, Bare.name))
    yield "a delta, times the bare loop (at most 4)", value, value <= 4
    value = ratio(figures[Latent.name, "1 delta, 1000 at once"], figures[Latent.name, "1 delta, 100 at once"])
    yield "a run of 1000 at once, times one of 100 (at most 1.3)", value, value <= 1.3
    for peer in peers:
        least = 4 if peer.name == OpenAIAgents.name else 20
        value = ratio(per_delta(figures, peer.name), ours)
        yield f"a delta of {peer.name}, times ours (at least {least})", value, value >= least
        value = ratio(figures[peer.name, "1 delta"], figures[Latent.name, "1 delta"])
        yield f"a short run of {peer.name}, times ours (at least 20)", value, value >= 20


def report(figures: dict[tuple[str, str], list[float]], contenders: Sequence[Contender]) -> None:
    """Print the medians."""
    cases = list(CASES)
    print(f"Python {sys.version.split()[0]}; CPU microseconds for one run, medians")
    print(f"{'':16}" + "".join(f"{case:>24}" for case in [*cases, "one more delta"]))
    for contender in contenders:
        medians = [statistics.median(figures[contender.name, case]) for case in cases]
        medians.append(statistics.median(per_delta(figures, contender.name)))
        print(f"{contender.name:16}" + "".join(f"{median:24.2f}" for median in medians))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--no-peers", action="store_true", help="measure against the bare loop alone")
    options = parser.parse_args()
    here = Path(__file__).resolve().parent
    sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != here]  # a peer has this file's name
    peers: list[Contender] = [] if options.no_peers else [OpenAIAgents(), PydanticAI()]
    contenders: list[Contender] = [Bare(), Latent(), *peers]
    figures = measure(contenders, options.rounds)
    report(figures, contenders)
    for said, value, is_met in goals(figures, peers):
        print(f"{'met   ' if is_met else 'MISSED'} {said}: {value:.2f}")
    grown = growth_over(10_000) / 2**20
    print(f"{'met   ' if grown < 1 else 'MISSED'} memory that 10,000 runs add, in MiB (below 1): {grown:.2f}")


if __name__ == "__main__":
    main()
