"""Whether an agent hands text on while its model still speaks."""

from __future__ import annotations

import asyncio

import latent.conformance._scripts as scripts
from latent.conformance._driving._closing import closing
from latent.conformance._driving._turns import let_others_run
from latent.conformance._staging._stage import Stage
from latent.protocol import TextDelta

__all__ = ["streams"]

_SETTLED = 50


async def streams(stage: Stage) -> bool:
    """Whether text came while the model was held behind its first words; what else goes wrong is no matter here."""
    conversation = stage.play(scripts.HELD_MODEL)
    spoke = False

    async def consume() -> None:
        nonlocal spoke
        stream = stage.make().stream(conversation.messages)
        async with closing(stream):
            async for event in stream:
                if isinstance(event, TextDelta):
                    spoke = True
                    return

    task = asyncio.ensure_future(consume())
    await conversation.gate("model reached").wait(stage.limits.grace)
    await let_others_run(_SETTLED)  # what is on its way through a queue comes too
    spoke_early = spoke
    await stage.bounded(task, 0)
    stage.watch.complaints()
    return spoke_early
