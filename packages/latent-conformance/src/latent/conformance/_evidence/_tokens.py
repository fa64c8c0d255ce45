"""The tokens that a run tells against those that the model told."""

from __future__ import annotations

from collections import Counter

from latent.conformance._catalogue._rule import Level
from latent.conformance._evidence._run import Run
from latent.conformance._verdict._declarations import Declarations
from latent.conformance._verdict._ledger import Ledger
from latent.conformance.harness import Turn
from latent.protocol import LLMCallEnd, Usage

__all__ = ["tokens_told"]

_FROM_CACHE = (
    "Put what the model read from a cache (prompt_tokens_details.cached_tokens) into Usage.cache_read_input_tokens, "
    "or leave both cache fields 0: they are parts of input_tokens, and cost another price."
)


def tokens_told(ledger: Ledger, declared: Declarations, run: Run) -> None:
    """Hold the ends of the model's calls, and the `Usage` events, against what the model told."""
    turns = [turn for turn in _answered(run) if turn.tokens]
    wanted = Counter(_told(turn) for turn in turns)
    if not wanted or run.failed or any(turn.fails for turn in run.turns):
        return
    ends = [event for event in run.events if isinstance(event, LLMCallEnd)]
    got = Counter((end.input_tokens, end.output_tokens) for end in ends)
    silent = not any(end.input_tokens or end.output_tokens for end in ends)
    if silent and declared.capabilities is not None and "usage" not in declared.capabilities:
        return
    ledger.met("USAGE-7")
    if silent and "usage" not in ledger.served:  # an agent that tells tokens elsewhere has the wrong ones here
        ledger.breach("USAGE-7", f"Expected the tokens that the model told, {sorted(wanted)}, got none")
        return
    ledger.met("USAGE-5", any(turn.tells_often for turn in turns))
    if wanted - got:
        ledger.breach("USAGE-5", f"Expected LLMCallEnd with (input, output) tokens {sorted(wanted)}, got {sorted(got)}")
        return
    spent = [event for event in run.events if isinstance(event, Usage)]
    if 0 < len(spent) < wanted.total():
        message = f"Expected one Usage for each of {wanted.total()} calls that told tokens, got {len(spent)}"
        ledger.breach("USAGE-3", message, index=run.place(spent[0]), level=Level.SHOULD)
    _cached(ledger, run, turns, spent)


def _cached(ledger: Ledger, run: Run, turns: list[Turn], spent: list[Usage]) -> None:
    """Whether each `Usage` says of its call what the model said of its cache: the same, or nothing."""
    for event in spent:
        tokens = [turn.tokens for turn in turns if _told(turn) == (event.input_tokens, event.output_tokens)]
        read = {each.cached for each in tokens if each is not None}
        got = (event.cache_read_input_tokens, event.cache_creation_input_tokens)
        if read and any(got) and got not in {(each, 0) for each in read}:
            message = f"Expected {max(read)} tokens of the input as read from a cache, and none as written to it"
            found = f"{message}, got {got[0]} and {got[1]}"
            ledger.breach("USAGE-5", found, index=run.place(event), hint=_FROM_CACHE)
            return


def _answered(run: Run) -> list[Turn]:
    """The turns that were played with their usage."""
    return [turn for request, turn in run.answered if request.told_usage]


def _told(turn: Turn) -> tuple[int, int]:
    return (turn.tokens.input, turn.tokens.output) if turn.tokens else (0, 0)
