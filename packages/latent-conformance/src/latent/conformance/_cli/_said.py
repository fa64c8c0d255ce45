"""What the command says, and what becomes of it where nobody takes it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress

__all__ = ["USAGE", "heard", "say"]

USAGE = 2
"""The exit code of wrong use, and of a place that cannot be written to."""


def say(text: str, code: int) -> int:
    """Say it on the standard error; gives the exit code."""
    print(f"latent-conformance: {text}", file=sys.stderr)
    return code


def heard(run: Callable[[], int]) -> int:
    """Run a command; gives its exit code, or that of wrong use where its standard output cannot be written to."""
    try:
        try:
            return run()
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except OSError as wrong:
        _let_go()
        return say(f"standard output: {wrong.strerror or wrong}", USAGE)


def _let_go() -> None:
    """What is left over goes nowhere: Python would try it once more at its end, and complain."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
