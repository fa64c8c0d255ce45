"""What an agent is built on to be judged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from latent.conformance.harness._conversation import Conversation
from latent.conformance.harness._model import AuxiliaryModel, HarnessModel
from latent.conformance.harness._playback import Playback
from latent.conformance.harness._script import Script
from latent.conformance.harness._tools import HarnessTool, harness_tools
from latent.protocol import Message

if TYPE_CHECKING:
    from latent.conformance.harness._server import LoopbackServer

__all__ = ["Harness"]


class Harness:
    """A scripted model, in process and on loopback, and the tools that go with it.

    An author builds the agent on `tools` and on `model`, or on `base_url`, `api_key` and `model_id`;
    `play` then begins a conversation, whose `messages` are for the agent. Usable as a context
    manager; `close` ends the server. With `odd_wire` the server also writes what only some servers do.
    """

    api_key = "latent-conformance"
    """Any key will do."""
    model_id = "latent-scripted"
    """The model's name, in process and on loopback."""
    aux_model_id = "latent-auxiliary"
    """The name of the auxiliary model, in process and on loopback."""
    max_iterations = 8
    """The limit to give to the agent's loop."""

    def __init__(self, *, patience: float = 10.0, grace: float = 2.0, odd_wire: bool = False) -> None:
        self.playback = Playback(patience=patience, grace=grace)
        """What plays the scripts."""
        self.model = HarnessModel(self.playback, self.model_id)
        """The model port: `stream(messages, *, tools=(), **options)` yields chat-completion chunks as dicts.

        It plays the turns of the main loop, one for each request. A later phase for which the script has no turn
        gets a plain answer of its own.
        """
        self.aux_model = AuxiliaryModel(self.playback, self.aux_model_id)
        """The model port for calls beside the main loop (a verifier, a matcher, a phase's own): it takes no turn.

        It says `aux_answer`; its calls are announced like any other, but for those of an agent inside a tool.
        """
        self.tools: tuple[HarnessTool, ...] = harness_tools(self.playback)
        """Plain annotated async functions; the agent gets all of them."""
        self.tool_names = tuple(tool.__name__ for tool in self.tools)
        """Their names."""
        self._odd_wire = odd_wire
        self._server: LoopbackServer | None = None

    @property
    def aux_answer(self) -> str:
        """What the auxiliary model says, `"yes"` unless the author sets what the agent's verifier wants to hear."""
        return self.playback.aux_answer

    @aux_answer.setter
    def aux_answer(self, text: str) -> None:
        self.playback.aux_answer = text

    @property
    def base_url(self) -> str:
        """Where the same model answers in the OpenAI chat-completions wire form, streaming or not.

        The server is started at the first look. Raises `ModuleNotFoundError` without the extra `http`.
        """
        if self._server is None:
            self._server = _server(self, odd_wire=self._odd_wire)
        return self._server.base_url

    @property
    def serves(self) -> bool:
        """Whether somebody has looked at `base_url`, so that the server is up."""
        return self._server is not None

    def play(self, script: Script, *, token: str | None = None, earlier: Sequence[Message] = ()) -> Conversation:
        """Begin a conversation in which the model and the tools follow `script`; raises `TypeError` for no script."""
        if not isinstance(script, Script):
            raise TypeError(f"Expected a Script, got {script!r}")
        return self.playback.open(script, token=token, earlier=earlier)

    def close(self) -> None:
        """Let go of everything that waits, and end the server."""
        self.playback.release()
        if self._server is not None:
            self._server.close()
            self._server = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


def _server(harness: Harness, *, odd_wire: bool) -> LoopbackServer:
    try:
        from latent.conformance.harness._server import LoopbackServer  # needs an optional extra
    except ModuleNotFoundError as missing:
        needed = "harness.base_url needs starlette and uvicorn: pip install 'latent-conformance[http]'"
        raise ModuleNotFoundError(needed, name=missing.name) from missing
    return LoopbackServer(harness.playback, harness.model_id, harness.aux_model_id, odd_wire=odd_wire)
