"""The tokens of one step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TypeAlias

from latent.conformance._observers._observer import UNCOUNTED, Place
from latent.protocol import LLMCallEnd, Usage

__all__ = ["StepUsage", "same_model"]

_Tokens: TypeAlias = tuple[int, int]
"""Input and output."""


class StepUsage:
    """USAGE-1, -3 and -4. `Usage` names no call, so a step's are compared as a whole, never by position."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._all = self._in_calls = self._compared = 0
        self._calling = False
        """Whether the run tells of its model calls at all; an agent that does not breaks another rule."""
        self._start()

    def _start(self) -> None:
        self._starts = 0
        self._beyond = False
        """Whether the step has more of them than are remembered, so that nothing is said of it."""
        self._ends: list[_Tokens] = []
        self._spent: list[tuple[_Tokens, int]] = []
        """Tokens and index of each Usage."""
        self._models: set[str] = set()
        """What the step's calls name."""
        self._named: dict[str, int] = {}
        """What its Usage name, and where first."""

    def started(self, model_id: str | None) -> None:
        """A call began."""
        self._starts += 1
        if model_id:
            self._models.add(model_id)

    def ended(self, event: LLMCallEnd) -> None:
        """A call ended."""
        self._ends.append((event.input_tokens, event.output_tokens))
        if event.model_id:
            self._models.add(event.model_id)
        self._stay_within_memory()

    def spent(self, event: Usage) -> None:
        """A Usage came."""
        self._all += 1
        cached = event.cache_creation_input_tokens + event.cache_read_input_tokens
        if cached > event.input_tokens:
            message = f"Expected at most input_tokens ({event.input_tokens}) of cached tokens, got {cached}"
            self._place.breach("USAGE-1", message)
        self._spent.append(((event.input_tokens, event.output_tokens), self._place.index))
        if event.model_id:
            self._named.setdefault(event.model_id, self._place.index)
        self._stay_within_memory()

    def _stay_within_memory(self) -> None:
        limit = self._place.memory
        if limit is not None and max(len(self._spent), len(self._ends)) > limit:
            self._start()
            self._beyond = True

    def close(self, *, calling: bool) -> None:
        """The step is over; `calling` says that one of its calls has no end."""
        calls = max(self._starts, len(self._ends))
        self._calling = self._calling or bool(calls)
        if self._beyond or (not calls and not self._spent):
            self._start()
            return
        if self._calling and not calls and UNCOUNTED not in self._spent[0][0]:
            message = "Expected a Usage in the step of its model call, got one in a step without a call"
            self._place.breach_at("USAGE-4", message, self._spent[0][1], self._place.step)
        if calls and self._spent:
            self._in_calls += len(self._spent)
            if len(self._spent) > calls:
                message = f"Expected at most {calls} Usage in a step with that many model calls, got {len(self._spent)}"
                self._place.breach_at("USAGE-3", message, self._spent[calls][1], self._place.step)
            elif not calling:
                self._compare()
            self._compare_models()
        self._start()

    def _compare(self) -> None:
        self._compared += len(self._spent)
        given = Counter(self._ends)
        for tokens, index in self._spent:
            if UNCOUNTED in tokens:
                continue
            if given[tokens]:
                given[tokens] -= 1
                continue
            if any(UNCOUNTED in each for each in self._ends):
                continue
            ends = ", ".join(f"{each[0]}+{each[1]}" for each in self._ends[:5]) or "none"
            message = f"Expected the tokens of an LLMCallEnd of the step ({ends}), got {tokens[0]}+{tokens[1]}"
            self._place.breach_at("USAGE-4", message, index, self._place.step)
            return

    def _compare_models(self) -> None:
        for name, index in self._named.items() if self._models else ():
            if name not in self._models and not any(same_model(name, each) for each in self._models):
                known = ", ".join(sorted(each[:60] for each in self._models)[:5])
                message = f"Expected the model_id of a call of the step ({known}), got {name[:60]!r}"
                self._place.breach_at("CALL-9", message, index, self._place.step)
                return

    def counts(self) -> Mapping[str, int]:
        """Rule id -> how often its trigger was met."""
        return {"USAGE-1": self._all, "USAGE-3": self._in_calls, "USAGE-4": self._compared}


def same_model(first: str, second: str) -> bool:
    """Whether two names can be of one model: with a provider in front (`openai/`) or a date at the end."""
    if first == second:
        return True
    one, other = (name.rpartition("/")[2].casefold() for name in (first, second))
    return one.startswith(other) or other.startswith(one)
