"""Calls that run side by side."""

import asyncio
import contextvars

import pytest

from latent.agents import ToolRetry
from latent.agents.tools import ToolBatch, ToolBox
from latent.protocol import Message, RetrieverEnd, RetrieverStart, ToolCall, ToolResult
from latent.retriever import retriever

VAR = contextvars.ContextVar("var", default="unset")


def call(id, tool, **arguments):
    return ToolCall.from_arguments(id, tool, arguments)


async def run(tools, calls, unrunnable=None):
    batch = ToolBatch(ToolBox(tools), calls, unrunnable or {})
    return [event async for event in batch.events()], batch.messages()


class Unprintable:
    def __str__(self):
        raise ValueError("no text")


@pytest.mark.asyncio
async def test_results_come_as_they_finish_and_rows_in_the_order_of_the_calls():
    gates = {name: asyncio.Event() for name in "abc"}

    async def step(name: str, then: str | None = None) -> str:
        await gates[name].wait()
        if then:
            gates[then].set()
        return name

    gates["c"].set()
    calls = [call("1", "step", name="a"), call("2", "step", name="b", then="a"), call("3", "step", name="c", then="b")]
    events, rows = await run([step], calls)

    assert events == [ToolResult("3", "c"), ToolResult("2", "b"), ToolResult("1", "a")]
    assert rows == [
        Message("tool", "a", tool_call_id="1"),
        Message("tool", "b", tool_call_id="2"),
        Message("tool", "c", tool_call_id="3"),
    ]


@pytest.mark.asyncio
@pytest.mark.parametrize("output", [None, "", [], 0, False, {"a": 1}])
async def test_every_output_is_a_result_and_stays_native(output):
    def give():
        return output

    assert await run([give], [call("1", "give")]) == (
        [ToolResult("1", output)],
        [Message("tool", str(output), tool_call_id="1")],
    )


class Stop(BaseException):
    pass


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("raised", "error"),
    [
        (ValueError("bad"), "ValueError: bad"),
        (ValueError(), "ValueError"),
        (ToolRetry("try x"), "try x"),
        (ToolRetry(), "ToolRetry"),
        (asyncio.CancelledError(), "CancelledError"),
        (BaseExceptionGroup("g", [ValueError("x")]), "ExceptionGroup: g (1 sub-exception)"),
        (BaseExceptionGroup("g", [asyncio.CancelledError()]), "BaseExceptionGroup: g (1 sub-exception)"),
        (Stop(), "Stop"),
        (GeneratorExit(), "GeneratorExit"),
        (Exception(Unprintable()), "Exception"),
    ],
)
@pytest.mark.parametrize("threaded", [False, True])
async def test_whatever_a_tool_raises_is_the_error_of_its_result(raised, error, threaded):
    if threaded:

        def fail():
            raise raised
    else:

        async def fail():
            raise raised

    async def other() -> str:
        return "ok"

    events, rows = await run([fail, other], [call("1", "fail"), call("2", "other")])

    assert sorted(events, key=lambda event: event.tool_call_id) == [ToolResult("1", error=error), ToolResult("2", "ok")]
    assert [row.content for row in rows] == [error, "ok"]


@pytest.mark.asyncio
async def test_a_tool_that_cancels_its_own_task_fails_alone():
    async def leave() -> None:
        asyncio.current_task().cancel()
        await asyncio.sleep(0)

    events, _ = await run([leave], [call("1", "leave")])

    assert events == [ToolResult("1", error="CancelledError")]


@pytest.mark.asyncio
async def test_a_call_whose_task_is_cancelled_before_it_runs_is_answered():
    async def never() -> None:
        raise AssertionError

    before = asyncio.all_tasks()
    batch = ToolBatch(ToolBox([never]), [call("1", "never")], {})

    async def consume():
        return [event async for event in batch.events()]

    consumer = asyncio.ensure_future(consume())
    await asyncio.sleep(0)
    for task in asyncio.all_tasks() - before - {consumer}:
        task.cancel()

    assert await consumer == [ToolResult("1", error="CancelledError")]


@pytest.mark.asyncio
async def test_an_output_that_cannot_be_shown_is_an_error():
    def give():
        return Unprintable()

    events, rows = await run([give], [call("1", "give")])

    assert events == [ToolResult("1", error="ValueError: no text")]
    assert rows == [Message("tool", "ValueError: no text", tool_call_id="1")]


@pytest.mark.asyncio
async def test_unknown_tools_and_unrunnable_calls_are_answered_and_nothing_runs():
    ran = []

    def f():
        ran.append(1)

    events, _ = await run([f], [call("1", "g"), call("2", "f")], {"2": "because"})

    assert events == [
        ToolResult("1", error="There is no tool 'g'; the tools are: f"),
        ToolResult("2", error="because"),
    ]
    assert ran == []


@pytest.mark.asyncio
async def test_tools_see_the_callers_context_and_keep_their_own_changes():
    VAR.set("caller")

    async def coroutine() -> str:
        seen = VAR.get()
        VAR.set("tool")
        return seen

    def thread() -> str:
        seen = VAR.get()
        VAR.set("thread")
        return seen

    events, _ = await run([coroutine, thread], [call("1", "coroutine"), call("2", "thread")])

    assert [event.output for event in events] == ["caller", "caller"]
    assert VAR.get() == "caller"


@pytest.mark.asyncio
async def test_closing_cancels_what_runs_and_waits_for_it():
    ended = []

    async def quick() -> None: ...

    async def slow() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("slow")

    batch = ToolBatch(ToolBox([quick, slow]), [call("1", "quick"), call("2", "slow")], {})
    events = batch.events()
    assert await anext(events) == ToolResult("1", None)

    await events.aclose()

    assert ended == ["slow"]
    assert asyncio.all_tasks() == {asyncio.current_task()}


def test_two_tools_of_one_name_are_refused():
    def f(): ...

    with pytest.raises(ValueError, match="'f' twice"):
        ToolBox([f, f])


@pytest.mark.asyncio
async def test_retrievals_of_a_batch_outside_any_run_are_reported_too():
    @retriever
    def look(query: str):
        return [query]

    events, _ = await run([look], [call("1", "look", query="q")])

    assert [type(event) for event in events] == [RetrieverStart, RetrieverEnd, ToolResult]
