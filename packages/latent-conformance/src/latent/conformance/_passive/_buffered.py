"""One `invoke`: the events that its wrapper handed on, against the result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from latent.conformance._observers._fields import FIELDS, repaired
from latent.conformance._passive._expected import Row, Run, folded, row_of
from latent.conformance._passive._history import Fault, judge_rows, pairing_faults
from latent.conformance._verdict._declarations import Declarations
from latent.conformance._verdict._excerpt import shortened
from latent.conformance._verdict._ledger import Ledger
from latent.protocol import InvokeResult, Message, Step, ToolCall

__all__ = ["check_invoked"]


def check_invoked(
    ledger: Ledger,
    declared: Declarations,
    events: Sequence[object],
    result: object,
    history: Sequence[object],
    *,
    received: Sequence[object] | None = None,
) -> None:
    """Hold `result` against `events`, what the stream wrapper handed on, and `history`, what the run was given.

    `result` is what `invoke` returned, or the `result` of the `AgentError` it raised; anything but an
    `InvokeResult` is left to PROTO-3. `received` is what the wrapper was given, where it handed on
    something else (WRAP-3). The events themselves are the checker's business, not judged here.
    """
    if not isinstance(result, InvokeResult) or not isinstance(result.steps, list):
        return
    if not all(map(_is_sound, events)):
        return  # the checker has named what is wrong with them, and what comes of it would only echo that
    try:
        _Comparison(ledger, declared, folded(events), result).run(events, history, received)
    except Exception as error:  # whatever the result holds, a failure in here is the kit's own
        ledger.crash("check_invoked", error)


class _Comparison:
    """What the result should hold, beside what it holds."""

    def __init__(self, ledger: Ledger, declared: Declarations, expected: Run, result: InvokeResult) -> None:
        self._ledger = ledger
        self._declared = declared
        self._expected = expected
        self._result = result
        self._steps = [step for step in result.steps if isinstance(step, Step)]
        self._calls: dict[str | None, ToolCall] = {call.id: call for call in reversed(expected.calls)}
        self._answered = {row.id for row in expected.results}
        self._last = expected.steps[-1].number if expected.steps else None

    def run(self, events: Sequence[object], history: Sequence[object], received: Sequence[object] | None) -> None:
        self._ledger.met("WRAP-1")
        if not events and (self._result.text or self._steps):
            message = "Expected the result to come from what stream_wrapper returned, got one without it being read"
            self._ledger.breach("WRAP-1", message)
            return
        if received is not None and list(map(id, received)) != list(map(id, events)):
            self._ledger.met("WRAP-3")
            if self._reflects(folded(received)) and not self._reflects(self._expected):
                message = "Expected the result of what stream_wrapper handed on, got that of what it was given"
                self._ledger.breach("WRAP-3", message)
                return
        if self._declared.own_segmentation:
            self._compare_tools(self._expected.calls, self._expected.results, self._steps, None)
        elif self._same_steps():
            self._compare_text()
            self._compare_steps()
        self._judge_history(history)

    def _reflects(self, run: Run) -> bool:
        return self._result.text == run.text and [step.text for step in self._steps] == [
            step.text for step in run.steps
        ]

    # Steps

    def _same_steps(self) -> bool:
        expected = [step.number for step in self._expected.steps]
        got = [step.step for step in self._result.steps if isinstance(step, Step)]
        self._ledger.met("STEP-6", len(expected))
        labelled = {step.number for step in self._expected.steps if step.label is not None}
        if labelled:
            self._ledger.met("STEP-8", len(labelled))
        if got == expected and len(got) == len(self._result.steps):
            return True
        message = f"Expected the steps {shortened(expected)}, one for each StepBoundary, got {shortened(got)}"
        if labelled and got == [number for number in expected if number not in labelled]:
            self._ledger.breach("STEP-8", message)
        else:
            self._ledger.breach("STEP-6", message)
        return False

    # Text

    def _compare_text(self) -> None:
        ledger, steps = self._ledger, self._expected.steps
        if not steps:
            return
        text, earlier = steps[-1].text, [step.text for step in steps[:-1] if step.text]
        got, last = self._result.text, self._last
        ledger.met("TEXT-1", 1 if text else 0)
        ledger.met("TEXT-3", len(earlier))
        ledger.met("TEXT-4", 0 if text else 1)
        ledger.met("PHASE-6", int(self._expected.phases and bool(earlier)))
        if got == text:
            return
        message = f"Expected the text of the last step, {shortened(text)}, got {shortened(got)}"
        if not text:
            ledger.breach("TEXT-4", message, step=last)
        elif isinstance(got, str) and any(each in got for each in earlier):
            ledger.breach("PHASE-6" if self._expected.phases else "TEXT-3", message, step=last)
        else:
            ledger.breach("TEXT-1", message, step=last)

    def _compare_steps(self) -> None:
        for expected, got in zip(self._expected.steps, self._steps, strict=True):
            self._ledger.met("TEXT-2", int(bool(expected.text)) + int(bool(expected.reasoning)))
            if got.text != expected.text:
                lost = not got.text and expected is not self._expected.steps[-1]
                message = f"Expected Step.text {shortened(expected.text)}, got {shortened(got.text)}"
                self._ledger.breach("TEXT-3" if lost else "TEXT-2", message, step=expected.number)
            elif got.reasoning != expected.reasoning:
                message = f"Expected Step.reasoning {shortened(expected.reasoning)}, got {shortened(got.reasoning)}"
                self._ledger.breach("TEXT-2", message, step=expected.number)
            self._compare_tools(expected.calls, expected.results, [got], expected.number)

    # Tools

    def _compare_tools(
        self, calls: list[ToolCall], results: list[Row], steps: Iterable[Step], number: int | None
    ) -> None:
        ledger = self._ledger
        got_calls = [call for step in steps for call in _listed(step.tool_calls)]
        ledger.met("TOOL-11", len(calls))
        if got_calls != calls:
            message = f"Expected the tool calls of the stream, {_ids(calls)}, got {_ids(got_calls)}"
            ledger.breach("TOOL-11", message, step=number)
        rows = [row for step in steps for row in _listed(step.tool_messages)]
        judge_rows(ledger, [row for row in rows if _is_tool_row(row)], number)
        got = [row_of(row) for row in rows if isinstance(row, Message) and _is_tool_row(row)]
        ledger.met("TOOL-12", len(results))
        if fault := _row_fault(results, got):
            ledger.breach("TOOL-12", fault, step=number)
        elif len(results) > 1:
            self._compare_order(calls, got, number)

    def _compare_order(self, calls: list[ToolCall], got: list[Row], number: int | None) -> None:
        self._ledger.met("TOOL-13")
        place: dict[str | None, int] = {call.id: at for at, call in reversed(list(enumerate(calls)))}
        in_order = sorted(got, key=lambda row: place.get(row.id, len(calls)))
        if [row.id for row in in_order] != [row.id for row in got]:
            message = f"Expected rows in the order of the calls, {_ids(in_order)}, got {_ids(got)}"
            self._ledger.breach("TOOL-13", message, step=number)

    # History

    def _judge_history(self, history: Sequence[object]) -> None:
        """What a step adds to a history in two lines: the calls' row, then the results' rows, after what was given."""
        known = len(pairing_faults(history))
        rows = list(history)
        origins: list[Step | None] = [None] * len(rows)
        for step in self._steps:
            self._judge_kept_text(step)
            if step.tool_calls or step.tool_messages:
                added = [Message(role="assistant", content=step.text, tool_calls=step.tool_calls or None)]
                judge_rows(self._ledger, added, step.step)
                rows += [*added, *_listed(step.tool_messages)]
                origins += [step] * (len(rows) - len(origins))
                self._ledger.met("MSG-1")
        found: set[int] = set()
        for fault in pairing_faults(rows)[known:]:
            origin = origins[fault.index]
            if not self._excused(fault) and id(origin) not in found:
                found.add(id(origin))
                self._ledger.breach("MSG-1", fault.sentence, step=None if origin is None else origin.step)

    def _excused(self, fault: Fault) -> bool:
        """A call that nobody had to answer: of a tool run elsewhere, or in a run that failed."""
        call = self._calls.get(fault.id)
        if call is None or call.id in self._answered:
            return False
        return self._expected.failed or call.function.name in self._declared.external_tools

    def _judge_kept_text(self, step: Step) -> None:
        if not step.text:
            return
        self._ledger.met("MSG-7")
        try:
            rows = step.to_messages()
        except Exception as error:  # a field of another type, or a method of the agent's own
            message = f"Expected to_messages() to return, got {type(error).__name__}"
            self._ledger.breach("MSG-7", message, step=step.step)
            return
        kept = [row.content for row in rows if isinstance(row, Message) and row.role == "assistant"]
        if step.text not in kept:
            message = f"Expected to_messages() to keep the step's text, {shortened(step.text)}, got {shortened(kept)}"
            self._ledger.breach("MSG-7", message, step=step.step)


def _is_sound(event: object) -> bool:
    """Whether the fields of an event are of their types; what is no event is not looked at here."""
    base = next((kind for kind in type(event).__mro__ if kind in FIELDS), None)
    if base is None:
        return True
    return not repaired(event, base)[1]


def _row_fault(expected: list[Row], got: list[Row]) -> str | None:
    """How the tool rows differ from those of the results, whatever their order."""
    lacking, surplus = Counter(expected), Counter(got)
    lacking.subtract(Counter(got))
    surplus.subtract(Counter(expected))
    missing = next((row for row, times in lacking.items() if times > 0), None)
    added = next((row for row, times in surplus.items() if times > 0), None)
    if missing is None and added is None:
        return None
    if missing is None:
        return f"Expected one row for each result, got one more: {shortened(added)}"
    return f"Expected {shortened(missing)}, got {'no such row' if added is None else shortened(added)}"


def _is_tool_row(row: object) -> bool:
    return getattr(row, "role", None) == "tool"


def _listed(value: object) -> list[object]:
    return list(value) if isinstance(value, (list, tuple)) else []


def _ids(items: Iterable[object]) -> str:
    return shortened([getattr(item, "id", None) for item in items])
