"""From `package.module:factory` to the factory."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from operator import attrgetter
from pathlib import Path
from types import ModuleType

from latent.conformance._driving._factory import AgentFactory, FactoryError
from latent.conformance._driving._place import place_of, unset
from latent.conformance._driving._watchdog import LoopBlockedError, limited

__all__ = ["locate"]

_FORM = "package.module:factory or path/to/file.py:factory"


def locate(spec: str, folder: Path, *, limit: float = 60.0) -> AgentFactory:
    """The factory that `package.module:factory` or `path/to/file.py:factory` names, as seen from `folder`.

    A module may take `limit` seconds to import. Raises `FactoryError` that says what is wrong, and where.
    """
    place, _, name = spec.rpartition(":")
    if not name or not (place.endswith(".py") or all(part.isidentifier() for part in place.split("."))):
        raise FactoryError(f"Expected {_FORM}, got {spec!r}")
    if not all(part.isidentifier() for part in name.split(".")):
        raise FactoryError(f"Expected the name of a factory behind the colon, got {name!r}")
    path = (folder / place).resolve() if place.endswith(".py") else None
    if path is not None and not path.is_file():
        raise FactoryError(f"Expected the file of the factory, got {place!r}: there is no {path}")
    module = _imported(place, path, folder, limit)
    try:
        found: object = attrgetter(name)(module)
    except AttributeError as missing:
        near = get_close_matches(name, [each for each, value in vars(module).items() if callable(value)])
        hint = f": did you mean {' or '.join(near)}?" if near else ""
        raise FactoryError(f"Expected a factory {name!r} in {place}, got none ({missing}){hint}") from missing
    if not callable(found):
        made = ": write a function that returns it" if hasattr(found, "stream") else ""
        raise FactoryError(f"Expected a factory, got a `{type(found).__name__}`{made}")
    return found


def _imported(name: str, path: Path | None, folder: Path, limit: float) -> ModuleType:
    here = str(folder if path is None else path.parent)
    if here not in sys.path:
        sys.path.insert(0, here)  # as `python -m` and `python file.py` do
    try:
        with limited(limit):
            return import_module(name) if path is None else _from_file(path)
    except KeyboardInterrupt:
        raise
    except LoopBlockedError as blocked:
        got = f"no end{place_of(blocked)}: do in the factory what takes long"
        raise FactoryError(f"Expected {name} to import within {limit:g} s, got {got}") from blocked
    except BaseException as raised:  # whatever an author's module raises, its author has to read it
        raise FactoryError(f"Expected {name} to import, got {_described(raised, name, here)}") from raised


def _described(raised: BaseException, name: str, folder: str) -> str:
    what = f"{type(raised).__name__}: {raised}"
    if isinstance(raised, ModuleNotFoundError) and raised.name and f"{name}.".startswith(f"{raised.name}."):
        return f"{what} (looked in {folder} and along the import path; a file is given as path/to/file.py:factory)"
    if isinstance(raised, ImportError) and "relative import" in str(raised):
        return f"{what}{place_of(raised)}: give a module of a package as package.module:factory"
    where = "" if isinstance(raised, SyntaxError) else place_of(raised)  # a syntax error tells its own place
    return f"{what}{where}{unset(raised)}"


def _from_file(path: Path) -> ModuleType:
    """The module in a file, under the file's name unless another file has that already."""
    name = path.stem
    if name in sys.modules:
        if getattr(sys.modules[name], "__file__", None) == str(path):
            return sys.modules[name]
        name = f"{name}@{path}"
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]  # half a module is none
        raise
    return module
