"""What goes wrong with a run, as exceptions.

ValueError
  latent.events.WireError    a text is no event, or an event has no JSON form
  ProtocolError              a stream breaks a rule, and there is no way to go on
RuntimeError
  AgentError                 a run failed; what it gave until then is in `result`
"""

from __future__ import annotations

from latent.protocol._invoke import InvokeResult

__all__ = ["AgentError", "ProtocolError"]


class ProtocolError(ValueError):
    """The stream breaks the rule named by `rule`, so that a buffered view would be a guess."""

    def __init__(self, rule: str, reason: str) -> None:
        super().__init__(rule, reason)
        self.rule = rule
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.rule}: {self.reason}"


class AgentError(RuntimeError):
    """A run ended in `Error`. `result` is complete, and its `error` holds the message."""

    def __init__(self, result: InvokeResult) -> None:
        super().__init__(result)
        self.result = result

    def __str__(self) -> str:
        return self.result.error or "the run failed"
