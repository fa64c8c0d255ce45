"""What a caller may give as a model."""

from __future__ import annotations

from collections.abc import Callable

from latent.agents.models._litellm import LiteLLMModel
from latent.agents.models._port import Model

__all__ = ["check_available", "resolve_model"]


def resolve_model(model: Model | str) -> Model:
    """The model itself, or LiteLLM's model of that name for a plain string.

    Raises `TypeError` for anything else, `ValueError` for an empty name.
    """
    if isinstance(model, str):
        return LiteLLMModel(model)
    if not callable(getattr(model, "stream", None)) or not hasattr(model, "model_id"):
        raise TypeError(f"Expected a model with `model_id` and `stream`, or its name, got `{type(model).__name__}`")
    return model


def check_available(model: Model) -> None:
    """Have a model that cannot work at all say so; most have nothing to say."""
    check: Callable[[], None] | None = getattr(model, "check_available", None)
    if check is not None:
        check()
