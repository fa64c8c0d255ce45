"""The buffered view, at the path where its documentation first had it; new code imports from `latent.protocol`."""

from latent.protocol import InvokeResult, Step

__all__ = ["InvokeResult", "Step"]
