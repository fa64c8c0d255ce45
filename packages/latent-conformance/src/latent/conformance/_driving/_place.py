"""Where in an author's own code something was raised, and why at times."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from traceback import walk_tb
from typing import TypeVar

from latent.conformance._driving._watchdog import LoopBlockedError

__all__ = ["place_of", "tried", "unset"]

_T = TypeVar("_T")

_RUNNERS = frozenset({"_pytest", "pluggy", "pytest", "pytest_timeout"})
"""What may raise in the middle of an author's code, and is not it."""
_INSTALLED = tuple({sysconfig.get_path(name) for name in ("purelib", "platlib")})


def place_of(raised: BaseException | None) -> str:
    """`" (from make in agents.py, line 12)"`, the innermost line of its author's; `""` for none."""
    if isinstance(raised, SyntaxError) and raised.filename:
        return f" ({_short(raised.filename)}, line {raised.lineno})"
    frames = walk_tb(raised.__traceback__) if raised is not None else ()
    lines = [(frame.f_code, line) for frame, line in frames if not _is_foreign(str(frame.f_globals.get("__name__")))]
    own = [(code, line) for code, line in lines if not code.co_filename.startswith(_INSTALLED)] or lines
    if not own:
        return ""
    code, line = own[-1]
    within = "" if code.co_qualname == "<module>" else f"from {code.co_qualname} in "
    return f" ({within}{_short(code.co_filename)}, line {line})"


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


def _is_foreign(module: str) -> bool:
    root = module.partition(".")[0]
    return module.startswith("latent.conformance.") or root in sys.stdlib_module_names or root in _RUNNERS


def _short(name: str) -> str:
    path = Path(name)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else name
