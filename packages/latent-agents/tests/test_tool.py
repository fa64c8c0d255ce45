"""Tools out of functions: the schema, the check of arguments, the call."""

import asyncio
import enum
import functools
import json
from typing import Annotated, Any, Literal

import msgspec
import pydantic
import pytest

from latent.agents import Tool, ToolRetry, tool


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Place(msgspec.Struct):
    city: str
    near: "Place | None" = None


class Point(msgspec.Struct):
    x: float
    y: float = 0.0


class Person(pydantic.BaseModel):
    name: str = pydantic.Field(min_length=1)
    at: "Spot | None" = None


class Tree(pydantic.BaseModel):
    branches: "list[Tree]" = []


class Spot(pydantic.BaseModel):
    x: int


def schema_of(function):
    return Tool(function).parameters


def test_the_definition_is_what_a_request_carries():
    @tool
    def look(query: str, limit: int = 3) -> list[str]:
        """Look things
        up.

        More that the model need not see.
        """
        return [query] * limit

    assert look.definition == {
        "type": "function",
        "function": {
            "name": "look",
            "description": "Look things up.",
            "parameters": {
                "type": "object",
                "properties": {"query": {"type": "string"}, "limit": {"type": "integer", "default": 3}},
                "required": ["query"],
                "additionalProperties": False,
            },
        },
    }
    assert look("a", limit=2) == ["a", "a"]


def test_a_function_without_parameters_has_an_empty_object():
    def now() -> str:
        return ""

    assert schema_of(now) == {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


def test_constraints_of_every_dialect_reach_the_schema():
    def find(
        a: Annotated[str, "What to find"],
        b: Annotated[int, msgspec.Meta(ge=1, description="How many")],
        c: Annotated[int, pydantic.Field(le=9, description="At most")] = 5,
    ) -> None: ...

    assert schema_of(find)["properties"] == {
        "a": {"type": "string", "description": "What to find"},
        "b": {"type": "integer", "minimum": 1, "description": "How many"},
        "c": {"type": "integer", "maximum": 9, "description": "At most", "default": 5},
    }


@pytest.mark.asyncio
async def test_constraints_inside_other_types_count_too():
    small = Annotated[int, pydantic.Field(le=9)]

    def find(
        a: list[small], b: dict[str, small | None], c: small | str, d: Annotated[tuple[small, ...], "Some"]
    ) -> Any:
        return a, b, c, d

    finding = Tool(find)
    given = {"a": [1], "b": {"x": None}, "c": "y", "d": [2, 3]}
    assert finding.parameters["properties"]["a"]["items"] == {"type": "integer", "maximum": 9}
    assert finding.parameters["properties"]["d"]["description"] == "Some"
    assert await finding.run(json.dumps(given)) == ([1], {"x": None}, "y", (2, 3))
    for name, wrong in {"a": [10], "b": {"x": 10}, "c": 10, "d": [1, 10]}.items():
        with pytest.raises(ToolRetry, match=rf"Expected `int` <= 9 - at `\$\.{name}"):
            await finding.run(json.dumps({**given, name: wrong}))


def test_enums_literals_optionals_and_structs_are_written_out():
    def paint(
        colour: Colour, size: Literal["s", "m"], at: Point | None = None, tags: list[str] | None = None
    ) -> None: ...

    properties = schema_of(paint)["properties"]

    assert properties["colour"]["enum"] == ["blue", "red"]
    assert properties["colour"]["type"] == "string"
    assert properties["size"] == {"type": "string", "enum": ["m", "s"]}
    assert properties["at"] == {
        "anyOf": [
            {
                "title": "Point",
                "type": "object",
                "properties": {"x": {"type": "number"}, "y": {"type": "number", "default": 0.0}},
                "required": ["x"],
            },
            {"type": "null"},
        ],
        "default": None,
    }
    assert properties["tags"]["anyOf"] == [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]


def test_a_type_that_contains_itself_keeps_a_reference_to_a_definition():
    def go(to: Place) -> None: ...

    schema = schema_of(go)

    assert schema["$defs"]["Place"]["properties"]["near"]["anyOf"] == [{"$ref": "#/$defs/Place"}, {"type": "null"}]


@pytest.mark.asyncio
async def test_pydantic_models_are_described_checked_and_built():
    def greet(person: Person) -> Person:
        return person

    greeting = Tool(greet)
    assert greeting.parameters["properties"]["person"]["properties"]["name"]["minLength"] == 1
    assert "$ref" not in repr(greeting.parameters)

    assert await greeting.run('{"person": {"name": "Ada", "at": {"x": 1}}}') == Person(name="Ada", at=Spot(x=1))
    with pytest.raises(ToolRetry) as raised:
        await greeting.run('{"person": {"name": "", "at": {}}}')
    faults = "name: String should have at least 1 character; at.x: Field required - at `$.person`"
    assert str(raised.value) == f"Invalid arguments for greet: {faults}. Correct them and call again."


@pytest.mark.asyncio
async def test_a_pydantic_model_that_contains_itself_keeps_a_reference_to_a_definition():
    def count(tree: Tree, other: Tree | None = None) -> int:
        return len(tree.branches)

    counting = Tool(count)
    branches = {"type": "array", "title": "Branches", "items": {"$ref": "#/$defs/Tree"}, "default": []}
    tree = {"type": "object", "title": "Tree", "properties": {"branches": branches}}
    assert counting.parameters["$defs"] == {"Tree": tree}
    assert counting.parameters["properties"]["tree"]["title"] == "Tree"
    assert await counting.run('{"tree": {"branches": [{}, {"branches": [{}]}]}}') == 2


def test_two_types_of_one_name_of_which_one_contains_itself_are_refused():
    class Struct(msgspec.Struct, tag=False):
        x: int

    Struct.__name__ = Struct.__qualname__ = "Tree"

    def count(tree: Tree, other: Struct) -> None: ...

    with pytest.raises(TypeError, match="two types of the name 'Tree'"):
        Tool(count)


@pytest.mark.asyncio
async def test_arguments_arrive_typed_and_defaults_as_the_objects_they_are():
    default = object()

    async def take(colour: Colour, at: Point, extra: Any = default) -> tuple[Any, ...]:
        return colour, at, extra

    assert await Tool(take).run('{"colour": "red", "at": {"x": 1}}') == (Colour.RED, Point(1.0), default)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ('{"n": "x"}', r"Expected `int`, got `str` - at `\$\.n`"),
        ("{}", "missing required field `n`"),
        ('{"n": 1, "m": 2}', "unknown field `m`"),
        ('{"n": true}', "Expected `int`, got `bool`"),
    ],
)
async def test_arguments_that_do_not_fit_are_explained(arguments, said):
    def double(n: int) -> int:
        return 2 * n

    with pytest.raises(ToolRetry, match=rf"^Invalid arguments for double: .*{said}"):
        await Tool(double).run(arguments)


@pytest.mark.asyncio
async def test_methods_partials_and_callable_objects_are_tools():
    class Shop:
        def price(self, item: str) -> str:
            return item + "!"

        async def __call__(self, item: str) -> str:
            return item + "?"

    def join(a: str, b: str) -> str:
        return a + b

    shop = Shop()
    assert await Tool(shop.price).run('{"item": "x"}') == "x!"
    assert await Tool(shop, name="shop").run('{"item": "x"}') == "x?"
    assert await Tool(functools.partial(join, b="-"), name="join").run('{"a": "x"}') == "x-"


@pytest.mark.asyncio
async def test_a_sync_function_that_returns_an_awaitable_is_awaited():
    async def inner(x: int) -> int:
        return x

    def outer(x: int) -> Any:
        return inner(x)

    assert await Tool(outer).run('{"x": 1}') == 1


@pytest.mark.asyncio
async def test_a_sync_wrapper_around_an_async_function_is_what_counts():
    async def inner(x: int) -> int:
        return x

    @functools.wraps(inner)
    def finished(x: int) -> int:
        return asyncio.run(inner(x=x)) + 1

    @functools.wraps(inner)
    def begun(x: int) -> Any:
        return inner(x)

    assert [await Tool(function).run('{"x": 1}') for function in (finished, begun)] == [2, 1]


@pytest.mark.asyncio
async def test_a_tool_that_takes_too_long_asks_for_a_retry():
    @tool(timeout=0.001)
    async def wait() -> None:
        await asyncio.Event().wait()

    with pytest.raises(ToolRetry, match=r"wait took longer than 0\.001 seconds"):
        await wait.run("{}")


@pytest.mark.asyncio
async def test_a_timeout_that_the_tool_raises_itself_is_its_own():
    @tool(timeout=60)
    async def wait() -> None:
        raise TimeoutError("mine")

    with pytest.raises(TimeoutError, match="mine"):
        await wait.run("{}")


@pytest.mark.asyncio
async def test_stop_iteration_in_a_thread_does_not_hang():
    def exhausted() -> None:
        next(iter([]))

    with pytest.raises(RuntimeError, match="StopIteration"):
        await Tool(exhausted).run("{}")


def test_what_cannot_be_a_tool_is_refused_when_it_is_built():
    def spread(*args: int) -> None: ...

    def open_ended(**more: int) -> None: ...

    def by_position(a: int, /) -> None: ...

    def of_objects(a: object) -> None: ...

    def unresolved(a: "Missing") -> None: ...  # noqa: F821 - there is none, which is the matter

    def series():
        yield 1

    for function, said in [
        (spread, r"\*args"),
        (open_ended, r"\*\*more"),
        (by_position, "`a`"),
        (of_objects, "object"),
        (unresolved, "Missing"),
        (series, "generator"),
        (3, "`int`"),
    ]:
        with pytest.raises(TypeError, match=said):
            Tool(function)
    for kwargs in [{}, {"name": "a b"}, {"name": "x" * 65}, {"name": "ok", "timeout": 0}]:
        with pytest.raises(ValueError, match="Expected a"):
            Tool(lambda: None, **kwargs)


def test_names_of_the_enclosing_function_resolve():
    class Local(msgspec.Struct):
        a: int

    def use(x: Local) -> Local:
        return Local(x.a)

    assert schema_of(use)["properties"]["x"]["properties"] == {"a": {"type": "integer"}}
