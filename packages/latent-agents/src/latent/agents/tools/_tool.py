"""One tool."""

from __future__ import annotations

from asyncio import timeout as time_limit
from asyncio import to_thread
from collections.abc import Callable
from inspect import getdoc, isasyncgenfunction, isawaitable, iscoroutinefunction, isgeneratorfunction, unwrap
from re import fullmatch
from typing import Any, overload

from msgspec import ValidationError
from msgspec.json import Decoder
from msgspec.structs import asdict

from latent.agents.tools._parameters import arguments_struct
from latent.agents.tools._retry import ToolRetry
from latent.agents.tools._schema import from_pydantic, parameters_schema

__all__ = ["Tool", "tool"]


class Tool:
    """A function that a model may call, with the schema of its parameters.

    Everything is read from the function once, here: the name, the first paragraph of the docstring,
    the annotations. `timeout` bounds one call, in seconds. Calling the tool calls the function. Raises `TypeError`
    for a signature that JSON arguments cannot serve, `ValueError` for a name that providers refuse.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        description: str | None = None,
        timeout: float | None = None,
    ) -> None:
        if not callable(function):
            raise TypeError(f"Expected a function as a tool, got `{type(function).__name__}`")
        self.name = name or str(getattr(function, "__name__", type(function).__name__))
        if not fullmatch(r"[A-Za-z0-9_-]{1,64}", self.name):
            raise ValueError(f"Expected a tool name of 1 to 64 letters, digits, _ and -, got {self.name!r}")
        if timeout is not None and timeout <= 0:
            raise ValueError(f"Expected a timeout above 0 seconds, got {timeout!r} for tool {self.name!r}")
        plain = unwrap(function)
        if isasyncgenfunction(plain) or isgeneratorfunction(plain):
            raise TypeError(f"Expected a function that returns its result, got the generator {self.name!r}")
        self.function = function
        self.description = description if description is not None else _first_paragraph(function)
        self.timeout = timeout
        called = getattr(function, "__call__", None)  # noqa: B004 - its kind is asked for, not whether there is one
        self._is_async = iscoroutinefunction(function) or iscoroutinefunction(called)
        try:
            arguments = arguments_struct(function, self.name)
            self.parameters: dict[str, Any] = parameters_schema(arguments)
            self._decoder = Decoder(arguments, dec_hook=from_pydantic)
        except (NotImplementedError, TypeError) as error:
            raise TypeError(f"Expected parameters with a JSON form on tool {self.name!r}, got: {error}") from error

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the function gives."""
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"Tool({self.name!r})"

    @property
    def definition(self) -> dict[str, Any]:
        """The entry of a request's `tools`."""
        function = {"name": self.name, "description": self.description, "parameters": self.parameters}
        return {"type": "function", "function": function}

    async def run(self, arguments: str) -> Any:
        """Check the arguments, run the function, give its output.

        A sync function runs in a thread, with the caller's context; a thread cannot be stopped, so
        after a timeout it runs on and its output is dropped. Raises `ToolRetry` for arguments that do
        not fit and for a timeout, and whatever the function raises.
        """
        given = self._given(arguments)
        if self.timeout is None:
            return await self._output(given)
        try:
            async with time_limit(self.timeout) as clock:
                return await self._output(given)
        except TimeoutError as error:
            if clock.expired():
                raise ToolRetry(f"{self.name} took longer than {self.timeout:g} seconds") from error
            raise

    async def _output(self, given: dict[str, Any]) -> Any:
        if self._is_async:
            return await self.function(**given)
        output = await to_thread(_called, self.function, given)
        return await output if isawaitable(output) else output

    def _given(self, arguments: str) -> dict[str, Any]:
        try:
            return asdict(self._decoder.decode(arguments))
        except (ValidationError, RecursionError) as error:
            raise ToolRetry(f"Invalid arguments for {self.name}: {error}. Correct them and call again.") from error


@overload
def tool(function: Callable[..., Any], /) -> Tool: ...


@overload
def tool(
    *, name: str | None = None, description: str | None = None, timeout: float | None = None
) -> Callable[[Callable[..., Any]], Tool]: ...


def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    timeout: float | None = None,
) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Make a `Tool` of a function: `@tool`, or `@tool(name=…, description=…, timeout=seconds)`."""

    def make(function: Callable[..., Any]) -> Tool:
        return Tool(function, name=name, description=description, timeout=timeout)

    return make if function is None else make(function)


def _called(function: Callable[..., Any], given: dict[str, Any]) -> Any:
    try:
        return function(**given)
    except StopIteration as error:  # no future can carry it, so that the waiter would wait for ever
        raise RuntimeError("the tool raised StopIteration") from error


def _first_paragraph(function: Callable[..., Any]) -> str:
    text = getdoc(function) or ""
    return " ".join(text.split("\n\n", 1)[0].split())
