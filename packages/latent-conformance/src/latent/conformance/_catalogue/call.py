"""Calls of the model."""

from __future__ import annotations

from latent.conformance._catalogue._row import row
from latent.conformance._catalogue._rule import Door, Level, Rule

__all__ = ["ROWS"]

ROWS: tuple[Rule, ...] = (
    row(
        "CALL-1",
        "LLMCallStart.run_id is a non-empty string, unique in the run.",
        "Make a fresh id (uuid4) for each call of the model, retries included.",
        shown_by=Door.HARNESS,
        yields_to=("CALL-10",),
    ),
    row(
        "CALL-2",
        "Every LLMCallEnd closes exactly one earlier, still open LLMCallStart with the same run_id.",
        "Keep the run_id of the start in a variable of the call and yield one LLMCallEnd with it.",
        shown_by=Door.HARNESS,
        yields_to=(
            "CALL-10",
            "PROTO-4",
        ),
    ),
    row(
        "CALL-3",
        "Every LLMCallStart is ended, also when the call fails, is retried, or Error follows.",
        "Yield LLMCallEnd on every way out of the call: after the last chunk, and in the handler of its failure.",
        shown_by=Door.HARNESS,
        yields_to=("CALL-10", "PROTO-4", "ERR-1"),
    ),
    row(
        "CALL-4",
        "The deltas of a model call lie between its start and its end.",
        "Yield deltas as they arrive, after LLMCallStart, and LLMCallEnd after the last of them.",
        level=Level.SHOULD,
        yields_to=("PROTO-4", "CALL-2"),
        presumes=("TEXT-4", "TEXT-5", "TEXT-6", "ERR-3"),
    ),
    row(
        "CALL-5",
        "LLMCallStart and LLMCallEnd of a call stand in the same step.",
        "Yield StepBoundary before LLMCallStart, and LLMCallEnd before the next StepBoundary.",
        shown_by=Door.HARNESS,
        yields_to=("CALL-10",),
    ),
    row(
        "CALL-6",
        "Timestamps of model calls do not go back, and no call ends before it starts.",
        "Take both from time.time() at the moment of the event, not from a field shared by several calls.",
        level=Level.SHOULD,
        yields_to=("CALL-2",),
    ),
    row(
        "CALL-8",
        "input_tokens and output_tokens are whole numbers of at least 0.",
        "Convert what the provider reports with int(), and report 0 where it gives nothing.",
        shown_by=Door.HARNESS,
        yields_to=("CALL-10",),
    ),
    row(
        "CALL-9",
        "LLMCallStart, LLMCallEnd and Usage of a call agree on model_id, where they give it.",
        "Fill model_id of all three from the same value.",
        level=Level.SHOULD,
    ),
    row(
        "CALL-11",
        "input_preview and output_preview are bounded: at most 10,000 characters.",
        "Cut previews to a few hundred characters.",
        level=Level.SHOULD,
    ),
)
