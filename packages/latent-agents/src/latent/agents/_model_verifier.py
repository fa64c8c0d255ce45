"""A verifier that asks a model."""

from __future__ import annotations

from latent.agents._call import ModelCall
from latent.agents._closing import closing
from latent.agents._previews import content_text
from latent.agents.models import Model, resolve_model
from latent.protocol import Message, VerificationResult
from latent.retriever import own_collector

__all__ = ["ModelVerifier"]

_ACCEPT = "ACCEPT"
_TASK = (
    "You judge whether an answer is right and complete. "
    f"Say {_ACCEPT} and nothing else where it is, and otherwise say what has to be mended."
)


class ModelVerifier:
    """A `verifier` for `ReActAgent`: accepts an answer where the model says so, else hands on what it says.

    `criteria` are added to what the model is told. Its call shows in the step whose answer it judges.
    """

    def __init__(self, model: Model | str, *, criteria: str | None = None) -> None:
        self._model = resolve_model(model)
        self._task = f"{_TASK}\n\n{criteria}" if criteria else _TASK

    async def __call__(self, messages: list[Message], text: str) -> VerificationResult:
        """Judge `text` as the answer to the conversation. Raises what the model raises."""
        said = [f"{message.role}: {content_text(message.content)}" for message in messages]
        question = "\n".join(["Conversation:", *said, "", "Answer:", text])
        call = ModelCall(self._model, [Message("system", self._task), Message("user", question)])
        collector = own_collector()
        async with closing(call.accounting()) as events:
            async for event in events:
                collector.put(event)
        verdict = call.response.text.strip()
        if verdict.upper().startswith(_ACCEPT):
            return VerificationResult(accepted=True)
        return VerificationResult(accepted=False, feedback=verdict or None)
