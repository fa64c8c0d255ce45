"""Where the judgement is written to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from msgspec import json

from latent.conformance._report_files._badge import badge
from latent.conformance._report_files._markdown import markdown
from latent.conformance._report_files._outcome import Outcomes
from latent.conformance._report_files._page import page

__all__ = ["KINDS", "Target", "append_step_summary", "publish"]


def _json(outcomes: Outcomes) -> str:
    return json.format(json.encode(outcomes)).decode() + "\n"


KINDS: Mapping[str, Callable[[Outcomes], str]] = {"json": _json, "md": markdown, "html": page, "badge": badge}
"""What a file may be, and what makes it."""


@dataclass(frozen=True, slots=True)
class Target:
    """A file to write."""

    kind: str
    path: Path

    @classmethod
    def of(cls, text: str) -> Self:
        """The target that `KIND:PATH` names; raises `ValueError` that says which kinds there are."""
        kind, _, path = text.partition(":")
        if kind not in KINDS or not path:
            *most, last = KINDS
            raise ValueError(f"Expected KIND:PATH with {', '.join(most)} or {last} as the kind, got {text!r}")
        return cls(kind, Path(path))


def publish(targets: Iterable[Target], outcomes: Outcomes) -> Iterator[str]:
    """Write each file, its folder too where there is none; gives what could not be written, and why."""
    for target in targets:
        try:
            target.path.parent.mkdir(parents=True, exist_ok=True)
            target.path.write_text(KINDS[target.kind](outcomes), encoding="utf-8", newline="\n")
        except OSError as error:
            yield f"{target.kind}:{target.path}: {error.strerror or error}"


def append_step_summary(path: Path, outcomes: Outcomes) -> Iterator[str]:
    """Add the Markdown to the summary of a step of a CI run; gives what could not be written, and why."""
    try:
        with path.open("a", encoding="utf-8", newline="\n") as summary:
            summary.write(markdown(outcomes))
    except OSError as error:
        yield f"GITHUB_STEP_SUMMARY={path}: {error.strerror or error}"
