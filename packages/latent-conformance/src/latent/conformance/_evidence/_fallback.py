"""Whether a run got its answer from elsewhere when its model had failed."""

from __future__ import annotations

from collections.abc import Sequence

from latent.conformance._evidence._run import Run
from latent.conformance._evidence._serving import text_of
from latent.protocol import LLMCallEnd, LLMCallStart, PhaseCompleted, PhaseRouted, PhaseStarted, StepBoundary

__all__ = ["answered_elsewhere", "glued_to"]


def answered_elsewhere(run: Run) -> bool:
    """Whether another model gave the answer in a call of its own, or a phase to which the failed one led (11.16)."""
    return _by_another_model(run) or _by_another_phase(run.events)


def glued_to(run: Run) -> str | None:
    """What stands before the answer of another model in the text of its step, where something does."""
    if not _by_another_model(run):
        return None
    opened = max((at for at, event in enumerate(run.events) if isinstance(event, StepBoundary)), default=0)
    text = text_of(run.events[opened:])
    return text if text.strip() != run.aux_answer.strip() else None


def _by_another_model(run: Run) -> bool:
    """Whether the last call that was told is one of the auxiliary model, and its words are the last of the run."""
    last = max((at for at, event in enumerate(run.events) if isinstance(event, LLMCallStart)), default=None)
    if last is None or not run.aux:
        return False
    call, *rest = run.events[last:]
    ended = any(isinstance(each, LLMCallEnd) and each.run_id == getattr(call, "run_id", None) for each in rest)
    said = text_of(rest).strip()
    return ended and bool(said) and said == run.aux_answer.strip()


def _by_another_phase(events: Sequence[object]) -> bool:
    """Whether the last route leads away from a phase that was never completed, to one that was, and has a text."""
    at, route = next(
        ((at, event) for at, event in reversed([*enumerate(events)]) if isinstance(event, PhaseRouted)), (0, None)
    )
    if route is None or route.from_phase == route.to_phase:
        return False
    before, behind = events[:at], events[at:]
    began = sum(isinstance(each, PhaseStarted) and each.phase_name == route.from_phase for each in before)
    ended = sum(isinstance(each, PhaseCompleted) and each.phase_name == route.from_phase for each in events)
    done = any(isinstance(each, PhaseCompleted) and each.phase_name == route.to_phase for each in behind)
    return began > ended and done and bool(text_of(behind).strip())
