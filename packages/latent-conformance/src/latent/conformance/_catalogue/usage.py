"""Rows of family USAGE."""

from __future__ import annotations

from latent.conformance._rule import Rule

__all__ = ["ROWS"]

ROWS: tuple[Rule, ...] = ()
