"""Scripts: whole conversations, with what the model and the tools do in them."""

from __future__ import annotations

from collections.abc import Collection

from hypothesis import strategies as st

from latent.conformance._generator._calls import drawn_calls
from latent.conformance._generator._choices import DrawFn, among, chunks, first_of, maybe, rarely
from latent.conformance._generator._said import CALL_LAYOUTS, ENDINGS, USUAL, Said, written
from latent.conformance._verdict._declarations import BASE_CAPABILITIES, Declarations
from latent.conformance.harness import Fail, Script, Tokens

__all__ = ["conversations", "scripts"]

_MOST_TURNS = 3
"""Turns that call tools; far fewer than an agent has that was built on the harness's limit."""
_MOST_CALLS = 3
_FAILURES = (
    *("ModelError", "TimeoutError", "ConnectionError", "ValueError"),
    *("RuntimeError", "OSError", "KeyError", "LookupError"),
)
"""What a model in process raises."""


def scripts(*, capabilities: Collection[str] = BASE_CAPABILITIES) -> st.SearchStrategy[Script]:
    """Conversations for an agent that can do what `capabilities` name; others play no part.

    `tools` brings calls, `parallel_tools` several in a turn, `reasoning` and `think_tags` what they say.
    Without `odd_wire` a script stays within what the vendor's wire allows. A model may break down in the last
    turn, arguments may be none, and answers may be cut off. Failures shrink towards fewer turns, fewer
    pieces, plain text and plain values. Raises `ValueError` and `TypeError` for unknown capabilities.
    """
    return conversations(capabilities).map(written)


def conversations(capabilities: Collection[str]) -> st.SearchStrategy[tuple[Said, ...]]:
    """What the model does in the turns of a conversation for such an agent; `written` makes a script of it."""
    able = Declarations.of(capabilities=capabilities).capabilities
    assert able is not None
    return _conversations(able)


@st.composite
def _conversations(draw: DrawFn, able: frozenset[str]) -> tuple[Said, ...]:
    most = _MOST_TURNS if "tools" in able else 0
    return (*draw(st.lists(_calling(able), max_size=most)), draw(_answering(able)))


@st.composite
def _calling(draw: DrawFn, able: frozenset[str]) -> Said:
    """A turn that calls tools."""
    most = _MOST_CALLS if "parallel_tools" in able else 1
    odd = "odd_wire" in able
    return Said(
        reasoning=draw(chunks()) if "reasoning" in able and maybe(draw) else (),
        texts=draw(chunks()) if maybe(draw) else (),
        calls=draw(st.lists(drawn_calls(), min_size=1, max_size=most)),
        switches=(maybe(draw), maybe(draw), maybe(draw)) if most > 1 else (),
        after=draw(chunks()) if rarely(draw) else (),
        layout=among(draw, CALL_LAYOUTS) if odd and maybe(draw) else "usual",
        ending=among(draw, ENDINGS) if odd and maybe(draw) else "usual",
        tokens=draw(_tokens()),
    )


@st.composite
def _answering(draw: DrawFn, able: frozenset[str]) -> Said:
    """The last turn: an answer, or a failure somewhere in it."""
    fails = rarely(draw)
    thought = "".join(draw(chunks())) if "think_tags" in able and not fails and maybe(draw) else None
    return Said(
        reasoning=draw(chunks()) if "reasoning" in able and maybe(draw) else (),
        texts=draw(chunks(least=0 if fails or rarely(draw) else 1)),
        ending=among(draw, ENDINGS) if "odd_wire" in able and maybe(draw) else "usual",
        finish="length" if rarely(draw) else "usual",
        tokens=draw(_tokens()),
        failure=Fail(raises=among(draw, _FAILURES), told=maybe(draw) and "odd_wire" in able) if fails else None,
        thought=thought,
    )


@st.composite
def _tokens(draw: DrawFn) -> Tokens:
    if not rarely(draw):
        return USUAL
    cached, more, output = (first_of(draw, (0, 1, 30, 1000)) for _ in range(3))
    return Tokens(1 + cached + more, 1 + output, cached)
