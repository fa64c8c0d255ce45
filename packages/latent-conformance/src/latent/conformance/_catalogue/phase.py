"""Phases of a pipeline."""

from __future__ import annotations

from latent.conformance._catalogue._row import row
from latent.conformance._catalogue._rule import Door, How, Level, Rule

__all__ = ["ROWS"]

_PHASES = ("phases",)

ROWS: tuple[Rule, ...] = (
    row(
        "PHASE-1",
        "PhaseCompleted closes exactly one open PhaseStarted of the same name.",
        "Yield PhaseCompleted once, with the name under which the phase was started, when its attempt succeeded.",
        needs=_PHASES,
        yields_to=("PROTO-4",),
    ),
    row(
        "PHASE-2",
        "Every PhaseStarted is closed, unless the run fails or is cancelled.",
        "Yield PhaseCompleted on every way out of a phase that succeeded, early returns included.",
        level=Level.SHOULD,
        needs=_PHASES,
        yields_to=("PROTO-4",),
    ),
    row(
        "PHASE-3",
        "retry_count is 0 when a phase first starts, and one more at each further start.",
        "Count the starts of each phase apart, from 0, also where the attempt before was completed.",
        needs=_PHASES,
    ),
    row(
        "PHASE-4",
        "PhaseRouted leads from the phase that ended last to the one that starts next.",
        "Yield PhaseRouted between the end of one phase and the start of the next, with their two names.",
        level=Level.SHOULD,
        needs=_PHASES,
    ),
    row(
        "PHASE-5",
        "Phases do not overlap: an outer phase closes after its inner ones.",
        "Wait for the inner phases before PhaseCompleted of the outer one, or declare parallel_phases=True.",
        level=Level.SHOULD,
        needs=_PHASES,
    ),
    row(
        "PHASE-6",
        "The text of a pipeline's result is that of its last step, not a concatenation over phases.",
        "Inherit invoke, or take the last step's text and leave the text of every phase in its own Step.",
        how=How.INVOKE,
        needs=_PHASES,
        yields_to=("WRAP-3",),
    ),
    row(
        "PHASE-7",
        "Markers do not break the segmentation: no step holds markers alone.",
        "Yield markers before the StepBoundary of the iteration they announce, or after its content.",
        needs=_PHASES,
        yields_to=("STEP-2",),
    ),
    row(
        "PHASE-8",
        "A failed phase that the pipeline survives is not reported with Error, which ends the run.",
        "Hold the Error of a phase back while the pipeline retries or routes on, and yield it only when the run fails.",
        needs=_PHASES,
        shown_by=Door.CHANCE,
    ),
)
