"""The calls of one response, run side by side."""

from __future__ import annotations

from asyncio import CancelledError, Task, create_task, wait
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextvars import Context, copy_context
from functools import partial
from typing import Any

from latent.agents._previews import failure_text, preview
from latent.agents.tools._box import ToolBox
from latent.agents.tools._retry import ToolRetry
from latent.protocol import AgentEvent, Message, ToolCall, ToolResult
from latent.retriever import CURRENT_COLLECTOR, Collector, own_collector

__all__ = ["ToolBatch"]


class ToolBatch:
    """Runs the calls of one response at once: results as they finish, rows in the order of the calls.

    Each call runs in a task of its own, in a copy of the caller's context. Whatever a tool raises is
    the error of its result; only `KeyboardInterrupt` and `SystemExit` go on.
    """

    def __init__(self, tools: ToolBox, calls: Sequence[ToolCall], unrunnable: Mapping[str, str]) -> None:
        self._tools = tools
        self._calls = calls
        self._unrunnable = unrunnable
        self._finished: deque[ToolResult] = deque()
        self._texts: dict[str, str] = {}
        self._rows: dict[str, Message] = {}

    async def events(self) -> AsyncIterator[AgentEvent]:
        """Run everything, once: the results in order of completion, and what retrievers report meanwhile.

        Closing it cancels the calls that still run and waits for them.
        """
        collector = own_collector()
        context = copy_context()
        context.run(CURRENT_COLLECTOR.set, collector)
        tasks = [self._start(call, context, collector) for call in self._calls]
        try:
            while len(self._rows) < len(self._calls):
                if collector.reports:  # what a call reported comes before its result
                    for reported in collector.take():
                        yield reported
                elif self._finished:
                    yield self._kept(self._finished.popleft())
                else:
                    await collector.wait()
        finally:
            running = [task for task in tasks if not task.done()]
            for task in running:
                task.cancel()
            if running:
                await wait(running)

    def messages(self) -> list[Message]:
        """The rows to append to the history, in the order of the calls."""
        return [self._rows[call.id] for call in self._calls]

    def _start(self, call: ToolCall, context: Context, collector: Collector) -> Task[Any]:
        task = create_task(self._run(call), context=context.copy())
        task.add_done_callback(partial(self._end, call.id, collector))
        return task

    async def _run(self, call: ToolCall) -> Any:
        if (reason := self._unrunnable.get(call.id)) is not None:
            raise ToolRetry(reason)
        tool = self._tools.get(call.function.name)
        if tool is None:
            raise ToolRetry(_unknown(call.function.name, self._tools.names))
        output = await tool.run(call.function.arguments)
        self._texts[call.id] = str(output)  # one that cannot be shown fails here, where a call waits for it
        return output

    def _end(self, call_id: str, collector: Collector, task: Task[Any]) -> None:
        """Note the result; a tool may raise anything, its own `CancelledError` included."""
        failure = CancelledError() if task.cancelled() else task.exception()
        if failure is None:
            self._finished.append(ToolResult(call_id, task.result()))
        else:
            self._finished.append(ToolResult(call_id, error=failure_text(failure)))
        collector.wake()

    def _kept(self, result: ToolResult) -> ToolResult:
        content = result.error if result.error is not None else self._texts.pop(result.tool_call_id)
        self._rows[result.tool_call_id] = Message("tool", content, tool_call_id=result.tool_call_id)
        return result


def _unknown(name: str, names: list[str]) -> str:
    known = ", ".join(names) if names else "none"
    return preview(f"There is no tool {name!r}; the tools are: {known}", 2000)
