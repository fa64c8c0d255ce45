"""Code of the cases, as its author wrote it."""

from __future__ import annotations

from inspect import getsource, isclass, isfunction
from textwrap import dedent
from typing import Any

from cases.agent import SoundAgent

__all__ = ["methods_instead", "source"]


def source(thing: Any) -> list[str]:
    """The lines of a class or a function; of anything else, nothing."""
    if not isclass(thing) and (not isfunction(thing) or thing.__name__ == "<lambda>"):
        return []
    return dedent(getsource(thing)).rstrip().splitlines()


def methods_instead(broken: Any, sound: Any) -> list[str]:
    """What `sound` has in place of the methods that its subclass `broken` changes; else the whole of it."""
    if not isclass(broken) or not isclass(sound) or not issubclass(broken, sound):
        return source(sound) if sound is not SoundAgent else []
    names = [name for name in vars(broken) if name in vars(sound) and not name.startswith("__module")]
    methods = [getattr(vars(sound)[name], "fget", vars(sound)[name]) for name in names]
    return "\n\n".join("\n".join(source(method)) for method in methods if isfunction(method)).splitlines()
