"""The buffered view beside the agents that give it: the same objects as in `latent.protocol`."""

from latent.protocol import InvokeResult, Step

__all__ = ["InvokeResult", "Step"]
