"""Lets autodoc read this repository's docstrings and types as their authors wrote them."""

from __future__ import annotations

import re
from ast import ImportFrom, parse
from dataclasses import Field, is_dataclass
from importlib import import_module
from inspect import Parameter, get_annotations, getsource, isclass, signature
from types import UnionType
from typing import Any, get_args, get_type_hints

from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.inspect import stringify_signature
from sphinx.util.typing import stringify_annotation

__all__ = ["PUBLIC", "setup"]

PUBLIC = (
    "latent.events",
    "latent.protocol",
    "latent.agents",
    "latent.agents.invoke",
    "latent.agents.models",
    "latent.agents.observability",
    "latent.agents.observability.sink_middleware",
    "latent.agents.observability.sinks",
    "latent.agents.observability.tracer",
    "latent.agents.tools",
    "latent.retriever",
    "agentloop",
    "agentloop.adapters",
    "agentloop.adapters.latent",
    "agentloop.transcript",
    "latent.conformance",
    "latent.conformance.harness",
    "latent.conformance.strategies",
)
"""Every module whose `__all__` is public. Imported here, before autodoc sets `TYPE_CHECKING` to import them."""

_MODULES = {name: import_module(name) for name in PUBLIC}
_CLASSES = {each for module in _MODULES.values() for each in vars(module).values() if isclass(each)}
_HINTS = {kind: get_type_hints(kind) for kind in _CLASSES}
"""Taken before autodoc adds to the classes what stands under `if TYPE_CHECKING` in their sources."""
_CODE_SPAN = re.compile(r"(?<![`\\])`(?!`)([^`]+)`(?!`)")
_NAME = re.compile(r"[A-Za-z_][\w.]*")


class _Made:
    """Stands for a default that is made anew each time."""

    def __repr__(self) -> str:
        return "..."


def setup(app: Sphinx) -> None:
    """Register the hooks with autodoc."""
    _simplify_annotations()
    app.connect("autodoc-process-docstring", _code_spans)
    app.connect("autodoc-process-signature", _readable_signature)
    app.connect("autodoc-skip-member", _skip_member)


def _simplify_annotations() -> None:
    """Show fields by type: constraints print as objects, and the classes are built already."""
    for kind in _CLASSES:
        if hasattr(kind, "model_fields") or hasattr(kind, "__struct_fields__"):
            own = get_annotations(kind)
            kind.__annotations__ = {name: hint for name, hint in _HINTS[kind].items() if name in own}
    for module in _MODULES.values():
        constrained = {name: value for name, value in vars(module).items() if hasattr(value, "__metadata__")}
        vars(module).update({name: get_args(value)[0] for name, value in constrained.items()})
    vars(import_module("latent.events._facade"))["Field"] = Field  # autodoc looks up what only type checkers import


def _code_spans(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Code stands in single backticks, as in Markdown; reStructuredText wants to know what it is."""
    if what == "data":
        lines[:] = _data_docstring(name)
    text = _CODE_SPAN.sub(_role, "\n".join(lines))
    lines[:] = text.split("\n")


def _data_docstring(name: str) -> list[str]:
    """What stands under a variable or an alias where it is defined: autodoc looks only where it is imported from."""
    module, _, own = name.rpartition(".")
    for node in parse(getsource(import_module(module))).body:
        if isinstance(node, ImportFrom) and own in [each.name for each in node.names]:
            return _data_docstring(f"{node.module}.{own}")
    return ModuleAnalyzer.for_module(module).find_attr_docs().get(("", own), [])


def _role(span: re.Match[str]) -> str:
    code = " ".join(span[1].split())
    role = f":py:obj:`{code}`" if _NAME.fullmatch(code) else f"``{code}``"
    before = "\\ " if span.start() and span.string[span.start() - 1].isalnum() else ""
    after = "\\ " if span.string[span.end() : span.end() + 1].isalnum() else ""
    return f"{before}{role}{after}"


def _readable_signature(  # noqa: PLR0913 - Sphinx calls it with these
    app: Sphinx, what: str, name: str, obj: Any, options: object, arguments: str | None, returns: str | None
) -> tuple[str | None, str | None] | None:
    if isclass(obj):
        if getattr(obj, "_is_protocol", False) or hasattr(obj, "__members__"):
            return "", None  # what these are called with says nothing
        if hasattr(obj, "model_fields") or hasattr(obj, "__struct_fields__") or is_dataclass(obj):
            arguments = _fields(obj)
    return arguments and _aliased(arguments), returns and _aliased(returns)


def _fields(kind: type[Any]) -> str:
    """The constructor, from the types of the fields; a default that a factory makes is shown as `...`."""
    hints = _HINTS.get(kind, {})
    own = signature(kind)
    shown = [
        parameter.replace(
            annotation=hints.get(parameter.name, Parameter.empty),
            default=_Made() if "factory" in repr(parameter.default).lower() else parameter.default,
        )
        for parameter in own.parameters.values()
    ]
    return stringify_signature(own.replace(parameters=shown, return_annotation=own.empty), unqualified_typehints=True)


def _alias_names() -> dict[str, str]:
    """How autodoc spells out each public alias of a type -> the alias."""
    spelled = {}
    for module in _MODULES.values():
        for name in module.__all__:
            value = getattr(module, name)
            if isinstance(value, UnionType) or hasattr(value, "__origin__"):
                spelled[stringify_annotation(value, "smart")] = name
                spelled[stringify_annotation(value, "fully-qualified-except-typing")] = name
    return dict(sorted(spelled.items(), key=lambda item: -len(item[0])))


_ALIASES = _alias_names()


def _aliased(text: str) -> str:
    for spelled, name in _ALIASES.items():
        text = text.replace(spelled, name)
    return text


def _skip_member(app: Sphinx, what: str, name: str, obj: object, skip: bool, options: object) -> bool | None:
    return True if name == "model_config" else None
