"""Where in an author's own code something was raised, and why at times."""

from __future__ import annotations

from collections.abc import Callable
from traceback import walk_tb
from typing import TypeVar

from latent.conformance._driving._frames import innermost, short
from latent.conformance._driving._watchdog import LoopBlockedError

__all__ = ["place_of", "tried", "unset"]

_T = TypeVar("_T")


def place_of(raised: BaseException | None) -> str:
    """`" (from make in agents.py, line 12)"`, the innermost line of its author's; `""` for none."""
    if isinstance(raised, SyntaxError) and raised.filename:
        return f" ({short(raised.filename)}, line {raised.lineno})"
    line = innermost(walk_tb(raised.__traceback__) if raised is not None else ())
    if line is None:
        return ""
    within = f"from {line.within} in " if line.within else ""
    return f" ({within}{line.file}, line {line.number})"


def tried(call: Callable[[], _T]) -> tuple[_T | None, BaseException | None]:
    """What an author's code gives, or whatever it raises instead; only what others raise in it goes on."""
    try:
        return call(), None
    except (KeyboardInterrupt, LoopBlockedError):
        raise
    except BaseException as raised:  # an author's code may raise what is no Exception, too
        return None, raised


def unset(raised: BaseException) -> str:
    """A hint for a look into the environment in vain; `""` for all else."""
    modules = [frame.f_globals.get("__name__") for frame, _ in walk_tb(raised.__traceback__)]
    if not isinstance(raised, KeyError) or modules[-1:] != ["os"]:
        return ""
    return f": set the environment variable {raised.args[0]}; harness.model and harness.base_url need no key"
