"""The thin shell around the segmenter: consume a stream, and close what was consumed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

from latent.events import AgentEvent
from latent.protocol._agent import StreamWrapper
from latent.protocol._invoke import InvokeResult
from latent.protocol._segment import Segmenter

__all__ = ["collect"]


async def collect(stream: AsyncIterator[AgentEvent], *, stream_wrapper: StreamWrapper | None = None) -> InvokeResult:
    """Run `stream` to its end and give its buffered view; all that an agent's `invoke` needs.

    `stream_wrapper` is called once, and what it returns is what is consumed. The wrapper's iterator
    and then the stream are closed before this returns, raises or is cancelled (specification,
    clause 13.8). A failed run is told by `result.error` and does not raise (11.12). Raises
    `ProtocolError` where the stream has no steps to tell apart, and whatever the stream or the wrapper
    raises.
    """
    async with AsyncExitStack() as closing:
        consumed = _closed_by(closing, stream)
        if stream_wrapper is not None:
            consumed = _closed_by(closing, stream_wrapper(consumed))
        segmenter = Segmenter()
        async for event in consumed:
            segmenter.feed(event)
        return segmenter.finish()


def _closed_by(closing: AsyncExitStack, source: AsyncIterator[AgentEvent]) -> AsyncIterator[AgentEvent]:
    """The iterator of `source`, closed on every way out; a plain iterator class need not offer `aclose`."""
    iterator = aiter(source)
    aclose = getattr(iterator, "aclose", None)
    if aclose is not None:
        closing.push_async_callback(aclose)
    return iterator
