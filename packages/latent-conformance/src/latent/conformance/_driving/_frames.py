"""Which line of a stack is the author's own."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path
from types import FrameType
from typing import NamedTuple

__all__ = ["Line", "innermost", "is_foreign", "short"]

_RUNNERS = frozenset({"_pytest", "pluggy", "pytest", "pytest_timeout"})
"""What may be in the middle of an author's code, and is not it."""
_INSTALLED = tuple({sysconfig.get_path(name) for name in ("purelib", "platlib")})


class Line(NamedTuple):
    """A line of code."""

    file: str
    number: int
    within: str
    """The function; `""` for the module itself."""

    def __str__(self) -> str:
        """`agents.py, line 12, in Agent.stream`."""
        within = f", in {self.within}" if self.within else ""
        return f"{self.file}, line {self.number}{within}"


def innermost(frames: Iterable[tuple[FrameType, int]]) -> Line | None:
    """The author's last line among frames from the outermost on; where there is none, an installed package's."""
    lines = [(frame.f_code, number) for frame, number in frames if not is_foreign(frame)]
    own = [(code, number) for code, number in lines if not code.co_filename.startswith(_INSTALLED)] or lines
    if not own:
        return None
    code, number = own[-1]
    return Line(short(code.co_filename), number, "" if code.co_qualname == "<module>" else code.co_qualname)


def is_foreign(frame: FrameType) -> bool:
    """Whether it runs code of the kit, of Python or of what runs tests."""
    module = str(frame.f_globals.get("__name__"))
    root = module.partition(".")[0]
    return module.startswith("latent.conformance.") or root in sys.stdlib_module_names or root in _RUNNERS


def short(name: str) -> str:
    """A file's name, from the current folder where it lies in it."""
    path = Path(name)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else name
