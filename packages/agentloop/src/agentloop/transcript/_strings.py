"""Strings that UTF-8 can carry: the check every text field makes, and the repair callers may ask for."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

__all__ = ["NonEmpty", "Text", "clean_text", "is_unicode"]


def is_unicode(text: str) -> bool:
    """Whether `text` holds no lone surrogate, so that it has a UTF-8 form."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def clean_text(text: str) -> str:
    """Return `text` in the form every field of a transcript accepts.

    Surrogate pairs become the character they stand for, and lone surrogates become U+FFFD. Everything else,
    control characters included, is kept. Tool runners call this on output that may have been decoded with
    `surrogateescape`; stream assemblers call it on text whose pairs arrived in two pieces.
    """
    if is_unicode(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _refuse_surrogates(value: object) -> object:
    if not isinstance(value, str):
        return value
    if not is_unicode(value):
        raise PydanticCustomError(
            "lone_surrogate", "Expected text that UTF-8 can carry, got a lone surrogate (clean_text() replaces it)"
        )
    # A subclass (an enum member among them) would not come back from JSON as what it was.
    return value if type(value) is str else str.__str__(value)


class _Unicode:
    """Adds the surrogate check to values from Python; the JSON parser refuses lone surrogates by itself."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema = handler(source)
        return core_schema.json_or_python_schema(
            json_schema=schema,
            python_schema=core_schema.no_info_before_validator_function(_refuse_surrogates, schema),
        )


Text = Annotated[str, Field(strict=True), _Unicode()]
NonEmpty = Annotated[str, Field(strict=True, min_length=1), _Unicode()]
