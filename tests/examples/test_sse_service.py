"""The service over a real connection; what the agent does next is behind a gate that the test opens."""

import asyncio
import socket
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import httpx2
import pytest
import uvicorn
from sse_service import create_app

from latent.protocol import AgentEvent, Error, StepBoundary, TextDelta, ToolResult, decode_event

pytestmark = pytest.mark.asyncio


class GatedAgent:
    """Says who asked, waits for the gate of that name, and says the rest."""

    def __init__(self) -> None:
        self.gates: dict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self.began: dict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self.closed: dict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self.tasks: dict[str, asyncio.Task[Any] | None] = {}

    async def stream(self, messages: list[Any], *, config: Any = None) -> AsyncIterator[AgentEvent]:
        if not messages:
            raise ValueError("Expected a message")
        name = str(messages[-1].content)
        self.tasks[name] = asyncio.current_task()
        self.began[name].set()
        try:
            match name:
                case "broken at once":
                    raise RuntimeError("the password is secret")
                case "silent":
                    await self.gates[name].wait()
                case "says nothing":
                    return
            yield StepBoundary(0)
            yield TextDelta(f"Hello {name}\u2028")
            match name:
                case "broken later":
                    raise RuntimeError("the password is secret")
                case "not for JSON":
                    yield ToolResult("call", output={1, 2})
            await self.gates[name].wait()
            yield TextDelta(" and goodbye")
        finally:
            self.closed[name].set()

    async def invoke(self, messages: list[Any], **options: Any) -> Any:
        raise NotImplementedError


Client = httpx2.AsyncClient


@asynccontextmanager
async def serving(agent: Any, *, heartbeat: float = 60) -> AsyncIterator[Client]:
    """A client of the service, which afterwards has left no task behind."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        app = create_app(agent, heartbeat=heartbeat)
        config = uvicorn.Config(app, lifespan="off", log_config=None, timeout_graceful_shutdown=5)
        server = uvicorn.Server(config)
        served = asyncio.create_task(server.serve(sockets=[listening]))
        base_url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        try:
            async with httpx2.AsyncClient(base_url=base_url, trust_env=False, timeout=10) as client:
                yield client
        finally:
            server.should_exit = True
            await served
    assert asyncio.all_tasks() == {asyncio.current_task()}


def asking(client: Client, name: str) -> AbstractAsyncContextManager[httpx2.Response]:
    return client.stream("POST", "/runs", json={"messages": [{"role": "user", "content": name}]})


async def soon(event: asyncio.Event) -> None:
    await asyncio.wait_for(event.wait(), 10)


async def blocks(response: httpx2.Response) -> AsyncIterator[str]:
    """What the service sends, by its blank lines."""
    lines: list[str] = []
    async for line in response.aiter_lines():
        if line:
            lines.append(line)
        elif lines:
            yield "\n".join(lines)
            lines = []


def event_of(block: str) -> AgentEvent:
    name, data = block.split("\n")
    return decode_event(f'{{"event":"{name.removeprefix("event: ")}","data":{data.removeprefix("data: ")}}}')


async def test_the_events_come_as_the_agent_gives_them() -> None:
    agent = GatedAgent()
    agent.gates["Ann"].set()
    async with serving(agent) as client, asking(client, "Ann") as response:
        events = [event_of(block) async for block in blocks(response)]

        assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert events == [StepBoundary(0), TextDelta("Hello Ann\u2028"), TextDelta(" and goodbye")]


async def test_an_event_is_sent_before_the_next_one_is_there() -> None:
    agent = GatedAgent()
    async with serving(agent) as client, asking(client, "Ann") as response:
        coming = blocks(response)

        assert event_of(await anext(coming)) == StepBoundary(0)
        assert event_of(await anext(coming)) == TextDelta("Hello Ann\u2028")
        agent.gates["Ann"].set()
        assert event_of(await anext(coming)) == TextDelta(" and goodbye")


async def test_a_client_that_leaves_has_its_run_closed_while_the_others_go_on() -> None:
    agent = GatedAgent()
    async with serving(agent) as client, asking(client, "Ann") as staying:
        heard = blocks(staying)
        await anext(heard)
        async with asking(client, "Bob") as leaving:
            await anext(blocks(leaving))
            assert not agent.closed["Bob"].is_set()
        await soon(agent.closed["Bob"])

        assert not agent.closed["Ann"].is_set()
        agent.gates["Ann"].set()
        assert [event_of(block) async for block in heard] == [TextDelta("Hello Ann\u2028"), TextDelta(" and goodbye")]


async def test_a_client_that_leaves_before_the_first_event_has_its_run_closed() -> None:
    agent = GatedAgent()
    async with serving(agent) as client:

        async def ask() -> None:
            async with asking(client, "silent"):
                raise AssertionError("nothing was to come")

        waiting = asyncio.create_task(ask())
        await soon(agent.began["silent"])
        waiting.cancel()
        await asyncio.wait([waiting])

        await soon(agent.closed["silent"])


async def test_the_task_of_a_run_that_was_left_ends() -> None:
    agent = GatedAgent()
    async with serving(agent) as client:
        async with asking(client, "Bob") as leaving:
            await anext(blocks(leaving))
        task = agent.tasks["Bob"]
        assert task is not None
        done, _ = await asyncio.wait([task], timeout=10)

        assert done == {task}


async def test_a_silent_run_is_kept_open_by_comments() -> None:
    agent = GatedAgent()
    async with serving(agent, heartbeat=0.001) as client, asking(client, "Ann") as response:
        coming = blocks(response)
        comments = 0
        events: list[AgentEvent] = []
        async for block in coming:
            if block.startswith(":"):
                comments += 1
            else:
                events.append(event_of(block))
            if comments == 3:
                agent.gates["Ann"].set()

        assert comments >= 3
        assert events == [StepBoundary(0), TextDelta("Hello Ann\u2028"), TextDelta(" and goodbye")]


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ("{", 400, "truncated"),
        ("[]", 400, "Expected `object`"),
        ("{}", 400, 'Expected {"messages"'),
        ('{"messages": ["Hello"]}', 400, 'Expected {"messages"'),
        ('{"messages": [{"content": "Hello"}]}', 400, "role"),
        ('{"messages": []}', 422, "Expected a message"),
    ],
)
async def test_a_request_that_cannot_be_run_gets_a_status(body: str, status: int, said: str) -> None:
    async with serving(GatedAgent()) as client:
        response = await client.post("/runs", content=body)

        assert response.status_code == status
        assert said in response.json()["error"]


async def test_a_run_that_breaks_before_its_first_event_gets_a_status_and_keeps_its_reason() -> None:
    async with serving(GatedAgent()) as client:
        response = await client.post("/runs", json={"messages": [{"role": "user", "content": "broken at once"}]})

        assert (response.status_code, response.json()) == (500, {"error": "The agent could not begin"})


@pytest.mark.parametrize("name", ["broken later", "not for JSON"])
async def test_a_run_that_breaks_later_ends_in_an_error(name: str) -> None:
    async with serving(GatedAgent()) as client, asking(client, name) as response:
        events = [event_of(block) async for block in blocks(response)]

        assert events == [StepBoundary(0), TextDelta(f"Hello {name}\u2028"), Error("The run failed")]


async def test_a_run_without_an_event_is_an_empty_answer() -> None:
    async with serving(GatedAgent()) as client, asking(client, "says nothing") as response:
        assert (response.status_code, [block async for block in blocks(response)]) == (200, [])


class Plain:
    """An iterator class: two events, and then nothing for ever."""

    def __init__(self, *, ends: bool) -> None:
        self.due: list[AgentEvent] = [StepBoundary(0), TextDelta("Hello")]
        self.ends = ends

    def __aiter__(self) -> "Plain":
        return self

    async def __anext__(self) -> AgentEvent:
        if self.due:
            return self.due.pop(0)
        if not self.ends:
            await asyncio.Event().wait()
        raise StopAsyncIteration


class Closable(Plain):
    def __init__(self) -> None:
        super().__init__(ends=False)
        self.closed = asyncio.Event()

    async def aclose(self) -> None:
        self.closed.set()


class PlainAgent(GatedAgent):
    def __init__(self, run: Plain) -> None:
        super().__init__()
        self.run = run

    def stream(self, messages: list[Any], *, config: Any = None) -> Any:
        return self.run


async def test_an_iterator_without_aclose_is_served_too() -> None:
    async with serving(PlainAgent(Plain(ends=True))) as client, asking(client, "Ann") as response:
        events = [event_of(block) async for block in blocks(response)]

        assert events == [StepBoundary(0), TextDelta("Hello")]


async def test_an_iterator_class_is_closed_when_its_client_leaves() -> None:
    run = Closable()
    async with serving(PlainAgent(run)) as client:
        async with asking(client, "Ann") as leaving:
            await anext(blocks(leaving))
        await soon(run.closed)
