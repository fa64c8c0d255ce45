"""Sentences of the specification that bind beside the one that a rule is named for: what judges each, or why nothing.

A clause that begins with a rule's id and level is bound to that rule by its number. What else in the
text says MUST or SHOULD stands here, by its clause and its first words.
"""

from __future__ import annotations

from typing import NamedTuple


class Weaker(NamedTuple):
    """A finding of this rule at the level SHOULD, which a case shows."""

    rule: str


SENTENCES: dict[tuple[str, str], Weaker | str] = {
    ("", "MUST: breaking it"): "says what the word means",
    ("", "SHOULD: quality"): "says what the word means",
    ("1.3", "Both SHOULD be"): Weaker("PROTO-3"),
    ("1.9", "For the encoder"): "the encoder is no agent: the tests of latent-protocol hold it to clause 18.4",
    ("2.12", "`VerificationResult` and `Metadata`"): Weaker("STEP-1"),
    (
        "3.5",
        "In a step of the main model",
    ): "the broken agents of TEXT-5, TEXT-6 and TEXT-4 that speak beside the model hold it",
    ("3.7", "An agent that claims"): (
        "tags in a text may be meant to be read: only an agent with the capability think_tags is put to the test"
    ),
    ("4.2", "Within the run"): Weaker("TOOL-2"),
    ("4.9", "Calls SHOULD"): Weaker("TOOL-9"),
    ("5.3", "Where an exception"): Weaker("CALL-3"),
    ("6.3", "A model call has"): Weaker("USAGE-3"),
    ("14.3", "On every other row"): (
        "by clause 14.12 an empty list counts as absent wherever rows are sent or checked, so that none does harm"
    ),
}
