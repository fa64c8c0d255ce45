"""What a run of `ReActAgent` costs, beside the OpenAI Agents SDK, Pydantic AI and a bare loop.

    python benchmarks/agents.py [--rounds 7] [--quick]

Needs `latent-agents`, `openai-agents` and `pydantic-ai-slim`. All contenders get the same
deltas from a fake model that answers at once, in shuffled rounds in one process; times are CPU times, and
medians of the rounds; a ratio is the median of the ratios within a round.

The bare loop is the limit: an async generator that reads the same chunks and yields the same kinds of events,
and can do nothing else. With many runs at once the fake model gives up control before each delta.
"""

import asyncio
import gc
import os
import random
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from _compare import Rounds
from _figure import Figure, against, beside
from _script import run

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


def timed(loop: asyncio.AbstractEventLoop, run_once: Run, at_once: int, repeat: int) -> float:
    """CPU microseconds of one run."""

    async def all_runs() -> None:
        for _ in range(repeat):
            if at_once == 1:
                await run_once()
            else:
                await asyncio.gather(*(run_once() for _ in range(at_once)))

    gc.collect()
    began = time.process_time()
    loop.run_until_complete(all_runs())
    return (time.process_time() - began) / (at_once * repeat) * 1e6


def timed_cases(
    contenders: Sequence[Contender], cases: Mapping[str, tuple[int, bool, int]], rounds: int
) -> dict[tuple[str, str], list[float]]:
    """Microseconds by contender and case, one figure for each round."""
    loop = asyncio.new_event_loop()
    runs = {
        (contender.name, case): contender.run(deltas, tool, at_once > 1)
        for contender in contenders
        for case, (deltas, tool, at_once) in cases.items()
    }
    figures: dict[tuple[str, str], list[float]] = {key: [] for key in runs}
    for (_, case), run_once in runs.items():
        assert loop.run_until_complete(run_once()) >= cases[case][0]  # every delta comes out
    for _ in range(rounds):
        for key in random.sample(list(runs), len(runs)):
            cheap = key[0] in (Bare.name, Latent.name)
            at_once = cases[key[1]][2]
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


def case_figures(figures: Mapping[tuple[str, str], list[float]], cases: Sequence[str]) -> Iterator[Figure]:
    """The goals speak of one more delta and of short runs; the other cases stand beside them."""
    names = {name: "latent" if name == Latent.name else name for name, _ in figures}
    by_case = {case: Rounds({to: figures[name, case] for name, to in names.items()}) for case in cases}
    few, many = (by_case[case].seconds for case in cases[:2])
    one_more = Rounds({n: [(b - a) / MANY for a, b in zip(few[n], many[n], strict=True)] for n in names.values()})
    unit = ("us", 1.0)
    yield against(one_more, "one more delta", limit=Bare.name, unit=unit, at_most=4)
    for peer, at_least in ((OpenAIAgents.name, 4), (PydanticAI.name, 20)):
        yield beside(one_more, "one more delta", peer=peer, unit=unit, at_least=at_least)
    for case, times in by_case.items():
        yield against(times, f"a run: {case}", limit=Bare.name, unit=unit)
        for peer in (OpenAIAgents.name, PydanticAI.name):
            yield beside(times, f"a run: {case}", peer=peer, unit=unit, at_least=20 if case == cases[0] else None)


def measure(rounds: int, quick: bool) -> Iterator[Figure]:
    here = Path(__file__).resolve().parent
    sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != here]  # a peer has this file's name
    hundred, many = (10, 20) if quick else (100, 1000)
    cases = {
        "1 delta": (1, False, 1),
        f"{MANY + 1} deltas": (MANY + 1, False, 1),
        "a tool, 1 delta": (1, True, 1),
        f"1 delta, {hundred} at once": (1, False, hundred),
        f"1 delta, {many} at once": (1, False, many),
    }
    figures = timed_cases([Bare(), Latent(), OpenAIAgents(), PydanticAI()], cases, rounds)
    yield from case_figures(figures, list(cases))
    fewer, more = (figures[Latent.name, f"1 delta, {count} at once"] for count in (hundred, many))
    crowds = Rounds({"latent": more, f"{hundred} at once": fewer})
    yield against(crowds, f"a run of {many} at once", limit=f"{hundred} at once", unit=("us", 1.0), at_most=1.3)
    count = 100 if quick else 10_000
    yield Figure(name=f"memory that {count:,} runs add", unit="MiB", ours=growth_over(count) / 2**20, at_most=1)


if __name__ == "__main__":
    run(measure, __doc__, rounds=7, distributions=("latent-agents", "openai-agents", "pydantic-ai-slim"))
