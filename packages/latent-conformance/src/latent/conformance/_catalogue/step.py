"""Segmentation."""

from __future__ import annotations

from latent.conformance._catalogue._row import row
from latent.conformance._catalogue._rule import Door, How, Level, Rule

__all__ = ["ROWS"]

ROWS: tuple[Rule, ...] = (
    row(
        "STEP-1",
        "No model call, text, reasoning, tool call, tool result or usage comes before the first StepBoundary.",
        "Yield StepBoundary as the first event of the loop's first iteration, before the model is called.",
        yields_to=("PROTO-4",),
    ),
    row(
        "STEP-2",
        "A step is opened once: no two StepBoundary events have the same number within one loop.",
        "Yield StepBoundary in one place, at the top of the loop, and raise the number there; where each phase counts "
        "on its own, declare step_scope='phase'.",
    ),
    row(
        "STEP-3",
        "Step numbers are consecutive.",
        "Count iterations in a variable of the run, one up for each StepBoundary.",
        level=Level.SHOULD,
        yields_to=("STEP-2",),
    ),
    row(
        "STEP-4",
        "Each iteration of the loop, that is each main call of the model, has a StepBoundary of its own.",
        "Yield a StepBoundary before each main call of the model, also before the call that follows tool results; a "
        "verifier or a matcher gets harness.aux_model.",
        how=How.SCRIPT,
        yields_to=("PROTO-4", "TOOL-4"),
    ),
    row(
        "STEP-5",
        "No step is empty, unless the run fails or is cancelled in it.",
        "Yield StepBoundary only when an iteration really begins: check the loop's limit and its end first.",
        yields_to=("STEP-2", "PHASE-7", "PROTO-4"),
        presumes=("STEP-1",),
    ),
    row(
        "STEP-6",
        "InvokeResult.steps has one Step for each StepBoundary, with its number, in its order.",
        "Build the result with latent.protocol.collect, or make one Step for each StepBoundary, and copy its number.",
        how=How.INVOKE,
        yields_to=("STEP-8",),
        presumes=("WRAP-1",),
    ),
    row(
        "STEP-7",
        "An event stands in the step it belongs to: the result of a call comes before the next StepBoundary.",
        "Wait for every tool of the step and yield its result before the next StepBoundary.",
        needs=("tools",),
        yields_to=("CALL-5",),
    ),
    row(
        "STEP-8",
        "The label of a StepBoundary never changes the segmentation.",
        "Keep the label out of every decision that invoke takes: a labelled step is a step like any other.",
        how=How.INVOKE,
        shown_by=Door.CHANCE,
    ),
    row(
        "STEP-9",
        "A stream with content has a StepBoundary, unless the agent declares a segmentation of its own.",
        "Yield StepBoundary at the start of each iteration, or override invoke and declare own_segmentation=True.",
        yields_to=("PROTO-4",),
        presumes=("STEP-1",),
    ),
)
