"""Text and reasoning."""

from __future__ import annotations

from latent.conformance._catalogue._row import row
from latent.conformance._catalogue._rule import Door, How, Level, Rule

__all__ = ["ROWS"]

ROWS: tuple[Rule, ...] = (
    row(
        "TEXT-1",
        "InvokeResult.text is the text of the last step, joined from its deltas.",
        "Derive the text from the last Step once the stream has ended, never from a buffer that is cleared on the way.",
        how=How.INVOKE,
        yields_to=("TEXT-3", "TEXT-4", "PHASE-6", "WRAP-3"),
        presumes=("WRAP-1",),
    ),
    row(
        "TEXT-2",
        "Step.text and Step.reasoning are the deltas of that step, joined.",
        "Collect the deltas of each step apart and join them when the step ends, adding and dropping nothing.",
        how=How.INVOKE,
        yields_to=("TEXT-3", "WRAP-3"),
        presumes=("WRAP-1",),
    ),
    row(
        "TEXT-3",
        "The text of earlier steps stays in their Step and is no part of InvokeResult.text.",
        "Take the last step's text alone as the answer, and leave every other text in its own Step.",
        how=How.INVOKE,
        needs=("tools",),
        shown_by=Door.HARNESS,
        yields_to=("PHASE-6", "WRAP-3"),
        presumes=("WRAP-1",),
    ),
    row(
        "TEXT-4",
        "A last step without text gives the empty text: no placeholder, no earlier text, no tool's output.",
        "Return the last step's text as it is, also where it is empty; callers can look into the steps.",
        how=How.INVOKE,
        shown_by=Door.HARNESS,
        yields_to=("WRAP-3",),
        presumes=("WRAP-1",),
    ),
    row(
        "TEXT-5",
        "Deltas are increments: joined they are the model's text, and no event repeats what was already sent.",
        "Yield the new characters of each chunk as they are, and not the whole message again when it is complete.",
        how=How.SCRIPT,
        presumes=("STEP-4", "STEP-1", "STEP-9", "TEXT-6"),
        yields_to=("PROTO-5", "STEP-4"),
    ),
    row(
        "TEXT-8",
        "No delta is empty.",
        "Skip chunks without text before an event is made of them.",
        level=Level.SHOULD,
        presumes=("TEXT-6", "TEXT-9"),
    ),
    row(
        "TEXT-9",
        "Characters survive: no lone surrogate and no replacement character that the model did not send.",
        "Change no character; decode bytes with an incremental decoder, and hold half of a surrogate pair back until "
        "the other half comes.",
        how=How.SCRIPT,
        presumes=("STEP-4", "PROTO-5", "TEXT-5"),
    ),
    row(
        "TEXT-10",
        "No text comes after Error.",
        "Flush buffered text before Error is yielded, and return directly after it.",
        shown_by=Door.CHANCE,
        yields_to=("PHASE-8",),
    ),
)
