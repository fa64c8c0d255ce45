"""The decorator."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from functools import wraps
from inspect import Signature, isasyncgenfunction, isawaitable, iscoroutinefunction, isgeneratorfunction, signature
from typing import Any, TypeVar, cast, overload

from latent.retriever._query import Query

__all__ = ["retriever"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


@overload
def retriever(function: _Function, /) -> _Function: ...


@overload
def retriever(*, name: str | None = None) -> Callable[[_Function], _Function]: ...


def retriever(
    function: _Function | None = None, /, *, name: str | None = None
) -> _Function | Callable[[_Function], _Function]:
    """Report each call of a retrieval function as a pair of `RetrieverStart` and `RetrieverEnd`.

    `@retriever` or `@retriever(name=…)`, on a function or a method that is sync, async, a generator
    or an async generator of documents. The query is the argument named `query`, else the first one.
    The events go to the stream of the run in which the function is called, also from a thread; outside
    any run nothing is reported. A call that fails ends its pair without documents, and the exception
    goes on. The pair of a generator is open while the generator is.
    """

    def decorate(function: _Function) -> _Function:
        label = name or str(getattr(function, "__name__", type(function).__name__))
        shape = signature(function)
        if isasyncgenfunction(function):
            made: Any = _async_generator(function, label, shape)
        elif isgeneratorfunction(function):
            made = _generator(function, label, shape)
        elif iscoroutinefunction(function):
            made = _coroutine(function, label, shape)
        else:
            made = _plain(function, label, shape)
        return cast("_Function", made)

    return decorate if function is None else decorate(function)


def _plain(function: Callable[..., Any], label: str, shape: Signature) -> Callable[..., Any]:
    @wraps(function)
    def retrieve(*args: Any, **kwargs: Any) -> Any:
        query = _begun(label, shape, args, kwargs)
        try:
            with query:
                found = function(*args, **kwargs)
        except BaseException:
            query.fail()
            raise
        return _awaited(found, query) if isawaitable(found) else _ended(found, query)

    return retrieve


def _coroutine(function: Callable[..., Any], label: str, shape: Signature) -> Callable[..., Any]:
    @wraps(function)
    async def retrieve(*args: Any, **kwargs: Any) -> Any:
        return await _awaited(function(*args, **kwargs), _begun(label, shape, args, kwargs))

    return retrieve


def _generator(function: Callable[..., Any], label: str, shape: Signature) -> Callable[..., Any]:
    @wraps(function)
    def retrieve(*args: Any, **kwargs: Any) -> Generator[Any, None, None]:
        documents = function(*args, **kwargs)
        query = _begun(label, shape, args, kwargs)
        try:
            while True:
                with query:
                    try:
                        document = next(documents)
                    except StopIteration:
                        break
                query.add(document)
                yield document
        except Exception:
            query.fail()
            raise
        finally:
            documents.close()
            query.end()

    return retrieve


def _async_generator(function: Callable[..., Any], label: str, shape: Signature) -> Callable[..., Any]:
    @wraps(function)
    async def retrieve(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, None]:
        documents = function(*args, **kwargs)
        query = _begun(label, shape, args, kwargs)
        try:
            while True:
                with query:
                    try:
                        document = await anext(documents)
                    except StopAsyncIteration:
                        break
                query.add(document)
                yield document
        except (Exception, CancelledError):
            query.fail()
            raise
        finally:
            await documents.aclose()
            query.end()

    return retrieve


async def _awaited(found: Awaitable[Any], query: Query) -> Any:
    try:
        with query:
            documents = await found
    except BaseException:
        query.fail()
        raise
    return _ended(documents, query)


def _ended(documents: Any, query: Query) -> Any:
    query.add_all(documents)
    query.end()
    return documents


def _begun(label: str, shape: Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Query:
    query = Query(label)
    query.begin(_asked(shape, args, kwargs))
    return query


def _asked(shape: Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """The text of the query; nothing where the call does not fit, which the function itself reports."""
    try:
        given = shape.bind(*args, **kwargs).arguments
    except TypeError:
        return ""
    named = [value for key, value in given.items() if key not in ("self", "cls")]
    value = given["query"] if "query" in given else next(iter(named), "")
    try:
        return value if isinstance(value, str) else str(value)
    except Exception:  # an argument that cannot be shown must not break the retrieval
        return type(value).__name__
