"""What makes a Struct usable where a dataclass or a pydantic field is expected.

The types are msgspec Structs, but their users call `dataclasses.fields`, `asdict`, `replace` and
`is_dataclass`, and put them into pydantic models. Both are answered here, on demand, so that importing
the types imports neither `dataclasses` nor pydantic.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from msgspec import NODEFAULT, Struct, convert
from msgspec.json import schema_components
from msgspec.structs import FieldInfo
from msgspec.structs import fields as struct_fields

from latent.events._native import native_copy

if TYPE_CHECKING:
    from dataclasses import Field

    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core.core_schema import CoreSchema, SerializationInfo

__all__ = ["DataclassFacade", "plain_value"]


class DataclassFacade:
    """A mixin without fields: its Struct subclasses answer to `dataclasses` and to pydantic."""

    __slots__ = ()

    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @classmethod
    def _from_plain(cls, value: object) -> object:
        return convert(value, cls)

    @classmethod
    def _to_plain(cls, value: object) -> Any:
        return plain_value(value)

    @classmethod
    def _plain_schema(cls) -> dict[str, Any]:
        (root,), components = schema_components([cls])
        schema = _inlined(root, components)
        assert isinstance(schema, dict)
        return schema

    @classmethod
    def __get_pydantic_core_schema__(cls, source: type[Any], handler: GetCoreSchemaHandler) -> CoreSchema:
        # Only pydantic calls this, so it is there.
        from pydantic_core import PydanticSerializationUnexpectedValue, core_schema

        def validate(value: object) -> object:
            return value if isinstance(value, cls) else cls._from_plain(value)

        def serialize(value: object, info: SerializationInfo) -> object:
            if not isinstance(value, cls):  # in a union another type may fit
                raise PydanticSerializationUnexpectedValue(f"Expected `{cls.__name__}`, got `{type(value).__name__}`")
            plain = cls._to_plain(value)
            return native_copy(plain, "$") if info.mode_is_json() else plain

        return core_schema.no_info_plain_validator_function(
            validate,
            serialization=core_schema.plain_serializer_function_ser_schema(serialize, info_arg=True),
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return cls._plain_schema()


class _Fields:
    """Answers `__dataclass_fields__`, worked out from the Struct when somebody asks."""

    def __get__(self, instance: object, owner: type[Any]) -> dict[str, Field[Any]]:
        if not issubclass(owner, Struct):
            raise AttributeError("__dataclass_fields__")  # the mixin itself is no dataclass
        return _dataclass_fields(owner)


class _Params:
    """Answers `__dataclass_params__`: printers read `repr`, and only `@dataclass` itself reads `frozen`."""

    repr = False

    @property
    def frozen(self) -> bool:
        raise TypeError("a subclass of a latent type takes no @dataclass: write the annotated fields alone")


if not TYPE_CHECKING:
    DataclassFacade.__dataclass_fields__ = _Fields()
    DataclassFacade.__dataclass_params__ = _Params()


@cache
def _dataclass_fields(owner: type[Struct]) -> dict[str, Field[Any]]:
    from dataclasses import fields, make_dataclass  # whoever asks for them has imported it

    described = [(info.name, info.type, _field(info)) for info in struct_fields(owner)]
    twin = make_dataclass(owner.__name__, described, kw_only=True)
    return {each.name: each for each in fields(twin)}


def _field(info: FieldInfo) -> Any:
    from dataclasses import field

    if info.default is not NODEFAULT:
        return field(default=info.default)
    return field() if info.default_factory is NODEFAULT else field(default_factory=info.default_factory)


def plain_value(value: object) -> Any:
    """`value` with every type of ours in it turned into a dict of its fields; all else stays as it is.

    A type that leaves absent fields out of its JSON leaves them out here too.
    """
    match value:
        case Struct():
            items = {info.name: plain_value(getattr(value, info.name)) for info in struct_fields(value)}
            sparse = value.__struct_config__.omit_defaults
            return {name: item for name, item in items.items() if not (sparse and item is None)}
        case dict():
            return {key: plain_value(item) for key, item in value.items()}
        case list():
            return [plain_value(item) for item in value]
        case _:
            return value


def _inlined(schema: object, components: dict[str, Any]) -> object:
    """The schema with every `$ref` replaced by what it names; none of our types refers to itself."""
    match schema:
        case {"$ref": str(ref)}:
            return _inlined(components[ref.rpartition("/")[2]], components)
        case dict():
            return {key: _inlined(item, components) for key, item in schema.items()}
        case list():
            return [_inlined(item, components) for item in schema]
        case _:
            return schema
