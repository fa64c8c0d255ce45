"""Whatever stands in a stream is a finding; nothing of it is a crash of the kit."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from cases._passive import PLAIN, TOOLS
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from latent.conformance import Monitor, check_events, check_history
from latent.conformance.strategies import traces
from latent.conformance.strategies._events import EVENTS
from latent.protocol import AgentEvent, Error, FunctionCall, Message, TextDelta, ToolCall, ToolResult

QUICK = settings(deadline=None, database=None, derandomize=True, max_examples=150)


class Bomb:
    """Raises at every touch."""

    def _fail(self, *args: object) -> Any:
        raise RuntimeError("touched")

    __eq__ = __ne__ = __lt__ = __bool__ = __len__ = __iter__ = __repr__ = __str__ = __hash__ = _fail
    __getattribute__ = __format__ = __contains__ = __getitem__ = __int__ = __float__ = __index__ = _fail


class Text(str):
    """Text whose methods are hostile."""

    __slots__ = ()
    __eq__ = __len__ = __hash__ = __repr__ = __str__ = __format__ = startswith = isascii = Bomb._fail  # type: ignore[assignment]


class Number(int):
    __add__ = __eq__ = __lt__ = __hash__ = __repr__ = __index__ = Bomb._fail  # type: ignore[assignment]


class Items(list[object]):
    __iter__ = __eq__ = __len__ = __repr__ = Bomb._fail  # type: ignore[assignment]


class Pretender:
    """Claims to be an event."""

    @property
    def __class__(self) -> Any:  # type: ignore[override]
        return TextDelta


class TextDeltaTwin:
    text = "Hello"


TextDeltaTwin.__name__ = "TextDelta"


class Odd(type):
    """A metaclass whose methods are hostile."""

    __hash__ = __eq__ = __repr__ = __str__ = __instancecheck__ = __subclasscheck__ = Bomb._fail  # type: ignore[assignment]
    __name__ = __module__ = __mro__ = property(Bomb._fail)  # type: ignore[assignment]


class OfAnOddClass(metaclass=Odd): ...


async def coroutine() -> None: ...


def endless() -> Any:
    cycle: list[Any] = []
    cycle.append(cycle)
    return cycle


def deep(levels: int = 100_000) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


ODD = [
    None,
    True,
    7,
    -1,
    10**5000,
    1e308 * 10,
    "",
    "\ud800",
    b"x",
    Bomb(),
    OfAnOddClass(),
    OfAnOddClass,
    Text("hostile"),
    Number(3),
    Items(["a"]),
    endless(),
    {"a": {1: {2}}},
    ("a",),
    object,
    TextDelta,
    FunctionCall("f", None),  # type: ignore[arg-type]
    FunctionCall(Bomb(), Bomb()),  # type: ignore[arg-type]
    Exception("x"),
]
FOREIGN = [*ODD, Pretender(), TextDeltaTwin(), type("Odd", (), {}), iter([]), AgentEvent, deep()]


MIXTURE = [*FOREIGN, *TOOLS, Error("x")]
KINDS = [pytest.param(kind, id=kind.__name__) for kind in EVENTS if issubclass(kind, AgentEvent)]
NO_LISTS = [None, 7, object(), Bomb, Bomb(), "text", {"a": 1}, b"x"]


# By position, because pytest itself looks at the values of its parameters.
@pytest.mark.parametrize("pick", range(len(FOREIGN)))
def test_foreign_object_is_a_finding(pick: int) -> None:
    item = FOREIGN[pick]
    report = check_events([*PLAIN, item])

    assert report.internal_errors == ()
    assert [(each.rule, each.index) for each in report.violations] == [("PROTO-4", 5)]
    assert all(isinstance(row, str) and len(row) < 200 for row in report.violations[0].excerpt)


def test_twin_from_another_module_is_named_as_such() -> None:
    (found,) = check_events([*PLAIN, TextDeltaTwin()]).violations

    assert found.message == f"Expected an event of latent.protocol, got a TextDelta of another module ({__name__!r})"


BESIDE = """
from latent.protocol import AgentEvent
class Mark(AgentEvent, frozen=True): ...
from latent.conformance import check_events
mine = type("Mark", (), {"__repr__": lambda self: "a mark"})()
print(check_events([mine]).violations[0].message)
"""


def test_an_event_of_an_authors_own_has_no_twins() -> None:
    done = subprocess.run([sys.executable, "-c", BESIDE], capture_output=True, check=False, text=True)

    assert (done.stdout, done.stderr) == ("Expected an event of latent.protocol, got Mark a mark\n", "")


def test_stream_that_was_not_awaited_is_named_as_such() -> None:
    waiting = coroutine()
    (found,) = check_events([*PLAIN, waiting]).violations
    waiting.close()

    assert found.message.endswith("got a coroutine, which was not awaited or iterated")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pick", range(len(ODD)))
def test_any_value_in_any_field_is_no_crash(kind: Any, pick: int) -> None:
    value = ODD[pick]
    for name in kind.__struct_fields__:
        fields = dict.fromkeys(kind.__struct_fields__, "x") | {name: value}
        try:
            event = kind(**fields)
        except (TypeError, ValueError, RuntimeError):  # Metadata checks what it is given
            continue
        for trace in ([event], [*PLAIN, event], [*TOOLS, event, *PLAIN], [*PLAIN, Error("x"), event]):
            report = check_events(trace)
            assert report.internal_errors == ()
            monitor = Monitor()
            for each in trace:
                monitor.feed(each)
            assert monitor.report().internal_errors == ()


@pytest.mark.parametrize("kind", KINDS)
def test_event_made_without_its_constructor_is_a_finding(kind: type[AgentEvent]) -> None:
    report = check_events([*PLAIN, kind.__new__(kind)])

    assert report.internal_errors == ()
    assert report.verdict == "fail" or not kind.__struct_fields__ or kind.__name__ == "UnknownEvent"


@given(st.lists(st.integers(0, len(MIXTURE) - 1), max_size=12))
@QUICK
def test_any_mixture_is_no_crash(picks: list[int]) -> None:
    items = [MIXTURE[pick] for pick in picks]
    for complete in (True, False):
        assert check_events(items, complete=complete).internal_errors == ()
    assert check_history(items).internal_errors == ()


@given(traces(), st.randoms(use_true_random=False))
@QUICK
def test_any_order_of_events_is_no_crash(trace: list[AgentEvent], random: Any) -> None:
    random.shuffle(trace)

    assert check_events(trace).internal_errors == ()


@pytest.mark.parametrize("pick", range(len(NO_LISTS)))
def test_what_is_no_list_of_events_fails_and_does_not_raise(pick: int) -> None:
    report = check_events(NO_LISTS[pick])

    assert report.internal_errors == ()
    assert (report.verdict, {each.rule for each in report.violations}) == ("fail", {"PROTO-4"})


def test_iterator_that_raises_is_judged_as_far_as_it_came() -> None:
    def events() -> Any:
        yield from PLAIN
        raise LookupError("gone")

    (found,) = check_events(events()).violations

    assert (found.rule, found.index) == ("PROTO-4", 5)
    assert found.message.endswith("got generator, which raises LookupError")


def test_async_stream_is_told_to_be_collected() -> None:
    async def events() -> Any:
        yield PLAIN[0]

    (found,) = check_events(events()).violations  # type: ignore[arg-type]

    assert found.message.endswith("got async_generator (collect an async stream first)")


class Chunk(TextDelta, frozen=True):
    """An event of an author's own, that is a text delta."""

    note: Any = None


class Custom(AgentEvent, frozen=True):
    value: Any = None


class Broken(TextDelta, frozen=True):
    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError("touched")


def test_events_of_an_authors_own_are_accepted_for_what_they_are() -> None:
    trace = [PLAIN[0], Custom(), PLAIN[1], Chunk("Hello", 1), Custom(2), *PLAIN[3:]]

    report = check_events(trace)

    assert report.violations == ()
    assert report.exercised["TEXT-8"] == 1
    assert {each.rule for each in check_events([*trace, Chunk("")]).violations} == {"CALL-4", "TEXT-8"}


def test_event_whose_fields_cannot_be_read_is_a_finding() -> None:
    report = check_events([*PLAIN[:2], Broken("x"), *PLAIN[3:]])

    assert report.internal_errors == ()
    assert [(each.rule, each.message) for each in report.violations] == [
        ("PROTO-5", "Expected TextDelta.text as a str, got RuntimeError when it is read")
    ]


def test_outputs_that_cannot_be_printed_or_compared_are_no_crash() -> None:
    for output in (Bomb(), endless(), deep(), float("nan"), 10**5000):
        report = check_events([*TOOLS[:4], ToolResult("c", output), *TOOLS[5:]])
        assert report.internal_errors == ()
        assert {each.rule for each in report.violations} <= {"PROTO-9"}


def test_nested_arguments_beyond_what_can_be_read_are_no_fault() -> None:
    text = '{"a":' * 20_000 + "1" + "}" * 20_000

    report = check_events([*TOOLS[:2], ToolCall("c", FunctionCall("f", text)), *TOOLS[3:]])

    assert (report.internal_errors, report.violations) == ((), ())


def test_failure_inside_the_kit_is_the_kits_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("latent.conformance._observers.tools.ToolObserver._fresh", fail)

    report = check_events(TOOLS)

    assert report.internal_errors == ("event 2: ZeroDivisionError: a bug",)
    assert report.verdict != "pass"


class NoClass:
    __class__ = property(lambda self: 1 / 0)  # type: ignore[assignment,misc]


class NoEquality:
    def __eq__(self, other: object) -> bool:
        raise TypeError("the truth of several values is unclear")

    __hash__ = None  # type: ignore[assignment]


class NoText(str):
    def __bool__(self) -> bool:
        raise ValueError("no")

    __len__ = __hash__ = __eq__ = encode = __bool__  # type: ignore[assignment]


class NoList(list[object]):
    def __iter__(self) -> Any:
        raise ValueError("no")

    __len__ = __eq__ = __iter__


@pytest.mark.parametrize("make", [NoClass, NoEquality, lambda: NoText("x"), lambda: NoList([1])])
def test_a_foreign_object_anywhere_in_a_history_is_no_crash(make: Callable[[], Any]) -> None:
    foreign = make()
    call = ToolCall("c", FunctionCall("f", "{}"))
    fields = ("role", "content", "tool_calls", "tool_call_id")
    calls = [
        *(replace(call, **{name: foreign}) for name in ("id", "function", "type")),
        *(
            ToolCall("c", FunctionCall(**{"name": "f", "arguments": "{}", name: foreign}))
            for name in ("name", "arguments")
        ),
        foreign,
    ]
    histories: list[list[Any]] = [
        [foreign],
        *(
            [Message(**{"role": role, "content": "x", name: foreign})]
            for role in ("assistant", "tool")
            for name in fields
        ),
        *([{"role": role, "content": "x", name: foreign}] for role in ("assistant", "tool") for name in fields),
        *([Message("assistant", "", tool_calls=[each])] for each in calls),
        *([{"role": "assistant", "tool_calls": [each]}] for each in calls),
    ]

    assert [check_history(rows).internal_errors for rows in histories] == [()] * len(histories)
