"""What holds for the reference pages."""

import ast
import inspect
import re
import sys
import typing
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = [
    path
    for src in ROOT.glob("packages/*/src")
    for path in [*src.glob("latent/**/*.py"), *src.glob("agentloop/**/*.py")]
    if not any(part.startswith("_") and part != "__init__.py" for part in path.relative_to(src).parts)
]


def module_of(path: Path) -> str:
    parts = path.relative_to(next(each for each in path.parents if each.name == "src")).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def exported(path: Path) -> list[str]:
    """The names in a module's `__all__`."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return []


PUBLIC = {module_of(path): exported(path) for path in sorted(SOURCES)}
DOCUMENTED = [
    name
    for page in sorted(ROOT.glob("docs/reference/*.md"))
    for name in re.findall(r"^\.\. auto(?!module)\w+:: (\S+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
]


def found(name: str) -> object:
    module, _, own = name.rpartition(".")
    return getattr(import_module(module), own)


@pytest.mark.parametrize("module", PUBLIC)
def test_every_public_name_is_on_a_reference_page(module: str) -> None:
    shown = [(name.rpartition(".")[2], found(name)) for name in DOCUMENTED]
    names = PUBLIC[module]

    missing = [
        name for name in names if not any(name == own and found(f"{module}.{name}") is each for own, each in shown)
    ]
    assert missing == []


def test_nothing_private_is_on_a_reference_page() -> None:
    private = [name for name in DOCUMENTED if name.rpartition(".")[2] not in PUBLIC.get(name.rpartition(".")[0], [])]

    assert private == []


def test_nothing_is_on_two_reference_pages() -> None:
    assert sorted(DOCUMENTED) == sorted(set(DOCUMENTED))


def written(thing: object) -> Iterator[tuple[str, dict[str, object]]]:
    """The annotations of a public function or class, each with the names around it."""
    if inspect.isclass(thing):
        around = vars(sys.modules[thing.__module__])
        for name, annotation in vars(thing).get("__annotations__", {}).items():
            if not name.startswith("_"):
                yield annotation, around
        for name, own in vars(thing).items():
            if not name.startswith("_") or name == "__init__":
                yield from written(own.fget if isinstance(own, property) else getattr(own, "__func__", own))
    elif inspect.isfunction(thing):
        yield from ((annotation, thing.__globals__) for annotation in thing.__annotations__.values())


def is_ours(name: str, value: object) -> bool:
    """Whether a name in an annotation is a type of ours.

    What is in capitals and functions are no types, and `Annotated` is somebody's type with conditions.
    """
    if inspect.isclass(value):
        return value.__module__.startswith(("latent.", "agentloop"))
    others = isinstance(value, (FunctionType, ModuleType, typing.TypeVar)) or getattr(typing, name, None) is value
    return not (others or name.isupper() or typing.get_origin(value) is typing.Annotated)


@pytest.mark.parametrize("module", PUBLIC)
def test_what_a_public_signature_names_can_be_imported(module: str) -> None:
    known = {id(found(f"{each}.{name}")) for each, names in PUBLIC.items() for name in names}

    hidden = {
        f"{name}: {node.id}"
        for name in PUBLIC[module]
        for annotation, around in written(found(f"{module}.{name}"))
        if isinstance(annotation, str)
        for node in ast.walk(ast.parse(annotation, mode="eval"))
        if isinstance(node, ast.Name) and node.id in around and is_ours(node.id, around[node.id])
        if id(around[node.id]) not in known
    }
    assert hidden == set()
