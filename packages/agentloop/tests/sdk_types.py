"""The official SDKs' own request types as judges of what an adapter sends: unknown and missing fields are refused."""

import sys
import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any, is_typeddict

import pytest
from pydantic import ConfigDict, TypeAdapter
from typing_extensions import is_typeddict as is_typeddict_extension


def _strict(package: str) -> None:
    for name, module in list(sys.modules.items()):
        if name.startswith(package):
            for value in list(vars(module).values()):
                if is_typeddict(value) or is_typeddict_extension(value):
                    value.__pydantic_config__ = ConfigDict(extra="forbid", arbitrary_types_allowed=True)


@cache
def _adapter(api: str) -> TypeAdapter[Any]:
    types: Any
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if api == "chat":
            types = pytest.importorskip("openai.types.chat")
            _strict("openai.types")
            return _list_of(types.ChatCompletionMessageParam)
        if api == "responses":
            types = pytest.importorskip("openai.types.responses")
            _strict("openai.types")
            return _list_of(types.ResponseInputItemParam)
        if api == "messages":
            types = pytest.importorskip("anthropic.types")
            _strict("anthropic.types")
            return _list_of(types.MessageParam)
        types = pytest.importorskip("google.genai.types")
        return _list_of(types.Content)


def _list_of(item: Any) -> TypeAdapter[Any]:
    listed: Any = list
    return TypeAdapter(listed[item])


def accept(api: str, wire: list[dict[str, Any]]) -> None:
    """Raise unless the SDK for `api` accepts `wire` as what a request carries."""
    _exhaust(_adapter(api).validate_python(wire))


def _exhaust(value: Any) -> None:
    # Pydantic checks the items of an `Iterable` only when they are taken.
    if isinstance(value, dict):
        for item in value.values():
            _exhaust(item)
    elif isinstance(value, list | tuple) or (isinstance(value, Iterator) and not isinstance(value, str)):
        for item in value:
            _exhaust(item)
