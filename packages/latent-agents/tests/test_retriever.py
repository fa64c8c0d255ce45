"""Retriever pairs: where they show, and that they always close."""

import asyncio
import contextvars
import threading
from collections import namedtuple

import pytest

from latent.agents import BaseAgent, ReActAgent, ScriptedModel, ScriptedTurn
from latent.protocol import (
    Error,
    Message,
    RetrieverEnd,
    RetrieverStart,
    StepBoundary,
    ToolCall,
)
from latent.retriever import CURRENT_COLLECTOR, retriever, with_retrievals

HI = [Message("user", "hi")]
PAIR = (RetrieverStart, RetrieverEnd)


async def retrieved(work):
    """The retriever events of a tool that does `work`, with ids by order of appearance and no times."""

    async def use() -> str:
        await work()
        return "used"

    turns = [ScriptedTurn(tool_calls=[ToolCall.from_arguments("1", "use", None)]), "done"]
    agent = ReActAgent("a", ScriptedModel(turns), tools=[use])
    return plain([event async for event in agent.stream(HI)])


def plain(events):
    events = [event for event in events if isinstance(event, PAIR)]
    ids = {run_id: at for at, run_id in enumerate(dict.fromkeys(event.run_id for event in events))}
    assert all(event.timestamp > 0 for event in events)
    return [
        ("start", ids[event.run_id], event.name, event.query, ids.get(event.parent_run_id))
        if isinstance(event, RetrieverStart)
        else ("end", ids[event.run_id], event.name, event.documents, ids.get(event.parent_run_id))
        for event in events
    ]


class Library:
    @retriever
    async def search(self, query: str, *, limit: int = 2):
        return [query] * limit

    @retriever(name="shelf")
    def walk(self, where: str):
        yield from [where, where]

    @retriever
    async def stroll(self, where: str):
        yield where


@pytest.mark.asyncio
async def test_functions_methods_and_generators_report_their_pair():
    library = Library()

    async def work():
        assert await library.search("a") == ["a", "a"]
        assert await library.search(limit=1, query="b") == ["b"]
        assert list(library.walk("c")) == ["c", "c"]
        assert [document async for document in library.stroll("d")] == ["d"]
        assert await asyncio.to_thread(retriever(lambda query: (query,)), "e") == ("e",)

    assert await retrieved(work) == [
        ("start", 0, "search", "a", None),
        ("end", 0, "search", ["a", "a"], None),
        ("start", 1, "search", "b", None),
        ("end", 1, "search", ["b"], None),
        ("start", 2, "shelf", "c", None),
        ("end", 2, "shelf", ["c", "c"], None),
        ("start", 3, "stroll", "d", None),
        ("end", 3, "stroll", ["d"], None),
        ("start", 4, "<lambda>", "e", None),
        ("end", 4, "<lambda>", ["e"], None),
    ]


@pytest.mark.asyncio
async def test_nested_queries_name_their_parent_and_parallel_ones_do_not_mix():
    gates = {"a": asyncio.Event(), "b": asyncio.Event()}

    @retriever
    async def inner(query):
        await gates[query].wait()
        return [query]

    @retriever
    async def outer(query):
        return await inner(query)

    async def work():
        both = asyncio.gather(outer("a"), outer("b"))
        await asyncio.sleep(0)
        gates["b"].set()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        gates["a"].set()
        await both

    assert await retrieved(work) == [
        ("start", 0, "outer", "a", None),
        ("start", 1, "inner", "a", 0),
        ("start", 2, "outer", "b", None),
        ("start", 3, "inner", "b", 2),
        ("end", 3, "inner", ["b"], 2),
        ("end", 2, "outer", ["b"], None),
        ("end", 1, "inner", ["a"], 0),
        ("end", 0, "outer", ["a"], None),
    ]


@retriever
def failing(query):
    raise ValueError("x")


@retriever
async def failing_later(query):
    raise ValueError("x")


@retriever
def failing_midway(query):
    yield "d"
    raise ValueError("x")


@retriever
async def failing_midway_later(query):
    yield "d"
    raise ValueError("x")


async def call(function):
    if function is failing_midway:
        list(function("q"))
    elif function is failing_midway_later:
        assert [document async for document in function("q")]
    elif function is failing_later:
        await function("q")
    else:
        function("q")


@pytest.mark.asyncio
@pytest.mark.parametrize("function", [failing, failing_later, failing_midway, failing_midway_later])
async def test_a_query_that_fails_ends_without_documents_and_raises(function):
    async def work():
        with pytest.raises(ValueError, match="x"):
            await call(function)

    name = function.__name__
    assert await retrieved(work) == [("start", 0, name, "q", None), ("end", 0, name, [], None)]


@pytest.mark.asyncio
async def test_a_generator_left_early_ends_with_what_it_gave():
    closed = []

    async def work():
        documents = retriever(iter_documents)("q")
        assert next(documents) == "q0"
        documents.close()
        assert closed == [True]

    def iter_documents(query):
        try:
            for at in range(10):
                yield f"{query}{at}"
        finally:
            closed.append(True)

    assert (await retrieved(work))[-1] == ("end", 0, "iter_documents", ["q0"], None)


Row = namedtuple("Row", "content score")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("found", "documents"),
    [
        (None, []),
        ("one", ["one"]),
        (["x" * 9000], ["x" * 500]),
        (["d"] * 5000, ["d"] * 100),
        ([{"text": "t"}, {"page_content": "p"}, ("scored", 0.5), Row("c", 1), 3], ["t", "p", "scored", "c", "3"]),
        ({"text": "single"}, ["single"]),
        ((), []),
    ],
)
async def test_previews_are_bounded_texts(found, documents):
    async def work():
        assert retriever(lambda query: found)("q") is found

    assert (await retrieved(work))[1][3] == documents


@pytest.mark.asyncio
async def test_an_iterator_that_is_returned_keeps_its_documents():
    async def work():
        assert list(retriever(lambda query: iter("ab"))("q")) == ["a", "b"]

    assert (await retrieved(work))[1][3] == []


@pytest.mark.asyncio
async def test_outside_a_run_the_function_works_and_nothing_is_kept():
    library = Library()

    assert CURRENT_COLLECTOR.get() is None
    assert await library.search("a") == ["a", "a"]
    assert list(library.walk("c")) == ["c", "c"]
    with pytest.raises(TypeError, match="search"):
        await library.search()


@pytest.mark.asyncio
async def test_events_come_while_the_query_still_runs():
    gate = asyncio.Event()

    @retriever
    async def search(query: str):
        await gate.wait()
        return [query]

    turns = [ScriptedTurn(tool_calls=[ToolCall.from_arguments("1", "search", {"query": "q"})]), "done"]
    agent = ReActAgent("a", ScriptedModel(turns), tools=[search])
    seen = []
    async for event in agent.stream(HI):
        seen.append(type(event))
        if isinstance(event, RetrieverStart):
            assert not gate.is_set()
            gate.set()

    assert RetrieverEnd in seen


@pytest.mark.asyncio
async def test_a_query_that_outlives_its_run_is_closed_in_the_stream():
    began, gate, threads = threading.Event(), threading.Event(), []

    @retriever
    def search(query):
        began.set()
        gate.wait()

    def use() -> None:
        threads.append(threading.Thread(target=contextvars.copy_context().run, args=(search, "q")))
        threads[0].start()
        began.wait()

    turns = [ScriptedTurn(tool_calls=[ToolCall.from_arguments("1", "use", None)]), "done"]
    events = [event async for event in ReActAgent("a", ScriptedModel(turns), tools=[use]).stream(HI)]
    gate.set()
    threads[0].join()

    assert plain(events) == [("start", 0, "search", "q", None), ("end", 0, "search", [], None)]
    assert isinstance(events[-1], RetrieverEnd)


@pytest.mark.asyncio
async def test_the_queries_of_a_child_agent_stay_in_its_stream():
    @retriever
    async def search(query: str):
        return [query]

    call = ToolCall.from_arguments("1", "search", {"query": "q"})
    child = ReActAgent("child", ScriptedModel([ScriptedTurn(tool_calls=[call]), "x"]), tools=[search])
    seen = []

    @retriever
    async def ask_child(query):
        seen.extend([event async for event in child.stream(HI)])

    assert await retrieved(lambda: ask_child("outer")) == [
        ("start", 0, "ask_child", "outer", None),
        ("end", 0, "ask_child", [], None),
    ]
    assert plain(seen) == [("start", 0, "search", "q", None), ("end", 0, "search", ["q"], None)]
    assert all(event.parent_run_id is None for event in seen if isinstance(event, PAIR))


@pytest.mark.asyncio
async def test_any_stream_can_carry_retriever_events():
    @retriever
    async def search(query):
        return [query]

    async def own():
        yield StepBoundary(0)
        await search("a")
        held = retriever(lambda query: iter_one())("b")
        next(held)
        yield Error("x")

    @retriever
    def iter_one():
        yield 1

    events = [event async for event in with_retrievals(own())]

    assert isinstance(events[0], StepBoundary)
    assert events[-1] == Error("x")
    assert [step[0] for step in plain(events)].count("start") == [step[0] for step in plain(events)].count("end")
    assert CURRENT_COLLECTOR.get() is None


@pytest.mark.asyncio
async def test_events_of_an_agents_own_tasks_after_its_run_are_dropped():
    gate = asyncio.Event()
    tasks = []

    @retriever
    async def search(query):
        await gate.wait()

    class Careless(BaseAgent):
        async def run(self, messages, config):
            yield StepBoundary(0)
            tasks.append(asyncio.ensure_future(search("late")))
            await asyncio.sleep(0)

    events = [event async for event in Careless("c").stream(HI)]
    gate.set()
    await asyncio.gather(*tasks)

    assert plain(events) == [("start", 0, "search", "late", None), ("end", 0, "search", [], None)]
