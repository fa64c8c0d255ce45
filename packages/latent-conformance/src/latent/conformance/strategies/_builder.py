"""From any list of operations to a valid trace: what an operation needs is begun, what is in its way is ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from latent.protocol import (
    AgentEvent,
    Error,
    GuidelineMatched,
    JourneyCompleted,
    JourneyStepAdvanced,
    LLMCallEnd,
    LLMCallStart,
    Metadata,
    PhaseCompleted,
    PhaseRouted,
    PhaseStarted,
    ReasoningDelta,
    RetrieverEnd,
    RetrieverStart,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
    UnknownEvent,
    Usage,
    VerificationResult,
)

__all__ = ["TraceBuilder"]

_OUTPUTS: tuple[object, ...] = ("found", None, "", 0, False, [], {"rows": [1, 2.5, None]}, "日本")
_ARGUMENTS = ("{}", '{"q": "rain"}', '{"deep": {"list": [1, null]}}', ' {"raw_arguments": "{\\"q\\""} ')


class _Phase(NamedTuple):
    """An open phase, and where it began: phases inside it count their starts anew."""

    name: str
    at: int


class TraceBuilder:
    """Writes one run. Every public method is an operation; `n` picks among its variants."""

    def __init__(self, texts: Sequence[str], first: int) -> None:
        self.events: list[AgentEvent] = []
        self._texts = texts
        self._next = first
        self._made = 0
        self._clock = 0.0
        self._opened = self._filled = self._spoke = self._results = self._canned = False
        self._calling: list[str] = []
        self._waiting: list[str] = []
        self._queries: list[str] = []
        self._phases: list[_Phase] = []
        self._starts: Counter[tuple[int | None, str]] = Counter()
        self._journey = 0
        self._rejected = self._came_to_something = False
        self.over = False

    def finish(self) -> list[AgentEvent]:
        """Close what is open, and give the trace."""
        if not self.over:
            self._come_to_something()
            if self._rejected:
                self.step(0)
            self._settle()
            while self._queries:
                self.retrieved(0)
            while self._phases:
                self.phase_completed(0)
        return self.events

    # Steps and calls of the model

    def step(self, n: int) -> None:
        """Open a step."""
        self._settle()
        self.events.append(StepBoundary(self._next, ("plan", None, None, None)[n % 4]))
        self._next += 1
        self._opened = True
        self._filled = self._spoke = self._results = self._canned = self._rejected = False

    def canned(self, n: int) -> None:
        """A step that answers without the model."""
        self._settle()
        self.events += [StepBoundary(self._next, "fast_response"), TextDelta(self._text())]
        self._next += 1
        self._opened = self._filled = self._spoke = self._canned = self._came_to_something = True
        self._results = self._rejected = False

    def model(self, n: int) -> None:
        """Begin a call of the model, which gives the step's answer."""
        if self._calling:
            return
        if not self._opened or self._canned or self._results or self._waiting:
            self.step(1)
        self._begin_call(n)

    def aside(self, n: int) -> None:
        """A whole call of the model that serves the step: a matcher, a verifier, a failed attempt."""
        if not self._opened or self._canned:
            self.step(1)
        self._begin_call(n)
        self._end_call(self._calling.pop(), n, spent=False)

    def text(self, n: int) -> None:
        """A chunk of the answer."""
        self.model(n)
        self.events.append(TextDelta(self._text()))
        self._spoke = True

    def reasoning(self, n: int) -> None:
        """A chunk of reasoning."""
        self.model(n)
        self.events.append(ReasoningDelta(self._text()))

    def model_done(self, n: int) -> None:
        """End a call of the model."""
        if self._calling:
            self._end_call(self._calling.pop(n % len(self._calling)), n, spent=n % 3 != 0)

    # Tools

    def tool(self, n: int) -> None:
        """The model calls a tool."""
        self.model(n)
        call = self._id("c")
        # After a result, a call with the same arguments would look like the answered one over again.
        arguments = {"n": self._made} if n % 2 or self._results else None
        self.events.append(
            ToolCall.from_arguments(call, ("search", "read_file")[n % 2], arguments or _ARGUMENTS[n // 2 % 4])
        )
        self._waiting.append(call)

    def tool_done(self, n: int) -> None:
        """A tool finishes, well or badly; any of those that run."""
        if self._waiting:
            call = self._waiting.pop(n % len(self._waiting))
            failed = n % 5 == 4
            output = None if failed else _OUTPUTS[n % len(_OUTPUTS)]
            self.events.append(ToolResult(call, output, "ValueError" if failed else None))
            self._results = True

    # Markers

    def retrieve(self, n: int) -> None:
        """A retriever's query begins, inside another one or not."""
        query = self._id("q")
        parent = self._queries[-1] if self._queries and n % 2 else None
        self.events.append(RetrieverStart(query, self._text(), None, self._time(n), parent))
        self._queries.append(query)

    def retrieved(self, n: int) -> None:
        """A query ends."""
        if self._queries:
            query = self._queries.pop(n % len(self._queries))
            self.events.append(RetrieverEnd(query, [self._text()] * (n % 3), None, self._time(n)))

    def phase(self, n: int) -> None:
        """A phase begins, inside the open one."""
        name = f"phase {n % 4}"
        if all(name != each.name for each in self._phases):
            self._begin_phase(name)

    def phase_again(self, n: int) -> None:
        """The open phase failed, and is tried again."""
        if self._phases:
            self._begin_phase(self._phases.pop().name)

    def phase_completed(self, n: int) -> None:
        """The open phase ends."""
        if self._phases:
            if self._opened and not self._filled:
                self.text(n)
            self.events.append(PhaseCompleted(self._phases.pop().name, self._text() if n % 2 else None))

    def route(self, n: int) -> None:
        """The open phase ends, and the pipeline goes on with another one."""
        if self._phases:
            last, following = self._phases[-1].name, f"route {self._id('p')}"
            if n % 2:
                self._phases.pop()  # it failed
            else:
                self.phase_completed(n)
            self.events.append(PhaseRouted(last, following, None))
            self._begin_phase(following)

    def guideline(self, n: int) -> None:
        """A guideline matches, and the model is called with it."""
        if self._calling or self._results or self._waiting or self._canned:
            self.step(1)
        self.events.append(GuidelineMatched(self._id("g"), "asked", "answer"))
        self.model(n)

    def journey(self, n: int) -> None:
        """The journey goes on, or ends."""
        if n % 4 == 3:
            self.events.append(JourneyCompleted(f"journey {self._id('j')}", ""))
        else:
            self._journey += n % 3
            self.events.append(JourneyStepAdvanced("journey", f"step {self._journey}", self._journey, ""))

    def verify(self, n: int) -> None:
        """The answer is verified; after a rejection the run goes on."""
        if self._spoke:
            self._rejected = n % 2 == 1
            self.events.append(VerificationResult(not self._rejected, "again" if self._rejected else None))

    def metadata(self, n: int) -> None:
        """Attributes for a trace, or an event of a later version."""
        odd = UnknownEvent("later_event", b'{"n":1}')
        self.events.append(odd if n % 3 == 2 else Metadata({"n": n}, "turn"))
        self._filled |= n % 3 == 2

    def error(self, n: int) -> None:
        """The run fails; queries and phases may be open, and calls that wait for their tool are answered."""
        self._come_to_something()
        while self._calling:
            self.model_done(0)
        self.events += [ToolResult(call, None, "the run failed") for call in self._waiting]
        self.events.append(Error("failed"))
        self.over = True

    # What operations share

    def _come_to_something(self) -> None:
        """Have a step with content: a run without one shows too little to be a pass."""
        if not self._came_to_something:
            self.text(0)

    def _settle(self) -> None:
        """End what belongs to the step, and make sure that it has content."""
        if not self._opened:
            return
        while self._calling:
            self.model_done(1)
        while self._waiting:
            self.tool_done(1)
        if not self._filled:
            self._begin_call(0)
            self.model_done(1)

    def _begin_call(self, n: int) -> None:
        run = self._id("r")
        self.events.append(LLMCallStart(run, "in", ("m", None)[n % 2], self._time(n)))
        self._calling.append(run)
        self._filled = self._came_to_something = True

    def _end_call(self, run: str, n: int, *, spent: bool) -> None:
        tokens = (n * 7, n)
        self.events.append(LLMCallEnd(run, None, *tokens, ("openai/m-2026", None)[n % 2], self._time(n)))
        if spent:
            self.events.append(Usage(*tokens, ("m", None)[n % 2], n, n * 2))

    def _begin_phase(self, name: str) -> None:
        around = self._phases[-1].at if self._phases else None
        self._phases.append(_Phase(name, len(self.events)))
        self.events.append(PhaseStarted(name, self._starts[around, name]))
        self._starts[around, name] += 1

    def _id(self, prefix: str) -> str:
        self._made += 1
        return f"{prefix}{self._made}"

    def _text(self) -> str:
        self._made += 1
        return self._texts[self._made % len(self._texts)]

    def _time(self, n: int) -> float:
        """A time that never goes back, or none."""
        self._clock += n * 0.5
        return self._clock if n % 3 else 0.0
