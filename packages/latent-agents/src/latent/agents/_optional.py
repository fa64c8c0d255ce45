"""Packages that may be absent."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["optional_module"]


def optional_module(name: str) -> Any:
    """The module, or `None` where it is not installed."""
    try:
        return import_module(name)
    except ModuleNotFoundError:
        return None
