"""The configuration that parts, messages and what they hold share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict

__all__ = ["FrozenModel"]


class FrozenModel(BaseModel):
    """A frozen value that refuses unknown fields.

    Nested JSON objects are copied when the value is built. They stay plain dicts, so that they can be passed as
    they are; whoever wants to change one takes `copy.deepcopy` of it first.
    """

    # Instances of a subclass are read again as the class the field names: what the subclass adds could not be
    # written and read back, so it is refused as an unknown field.
    model_config = ConfigDict(frozen=True, extra="forbid", revalidate_instances="subclass-instances")

    _unhashable: ClassVar[frozenset[str]] = frozenset({"arguments", "raw"})

    def __hash__(self) -> int:
        """Hash the fields that can be hashed; JSON objects only take part in equality."""
        values = self.__dict__
        return hash((type(self), *(values[name] for name in values if name not in self._unhashable)))

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Copy the value; unlike Pydantic's own method, `update` is checked as at construction."""
        if update is None:
            return super().model_copy(deep=deep)
        return type(self)(**{**self.__dict__, **update})
