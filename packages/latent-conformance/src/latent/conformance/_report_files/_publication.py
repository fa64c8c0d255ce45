"""Where the judgement is written to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from msgspec import json

from latent.conformance._catalogue._rule import Door
from latent.conformance._report_files._badge import badge
from latent.conformance._report_files._build import gathered, outcome
from latent.conformance._report_files._markdown import markdown
from latent.conformance._report_files._outcome import Outcomes
from latent.conformance._report_files._page import page
from latent.conformance._verdict._report import Report

__all__ = ["KINDS", "Filed", "Target", "append_step_summary", "publish", "write_report"]


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

    def write(self, outcomes: Outcomes) -> None:
        """Write the file, its folder too where there is none; raises `OSError`."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(KINDS[self.kind](outcomes), encoding="utf-8", newline="\n")


@dataclass(frozen=True, slots=True)
class Filed:
    """What became of one file."""

    name: str
    """What was asked for."""
    problem: str = ""
    """Why it could not be written; empty where it was."""

    def __str__(self) -> str:
        return f"could not be written: {self.name}: {self.problem}" if self.problem else f"written: {self.name}"


def publish(targets: Iterable[Target], outcomes: Outcomes) -> Iterator[Filed]:
    """Write each file."""
    for target in targets:
        name = f"{target.kind}:{target.path}"
        try:
            target.write(outcomes)
        except OSError as error:
            yield Filed(name, error.strerror or str(error))
        else:
            yield Filed(name)


def write_report(report: Report, target: str, *, name: str = "agent") -> None:
    """Write a report to the file that `KIND:PATH` names; the kind is `json`, `md`, `html` or `badge` (an SVG).

    `name` says what was judged. Raises `ValueError` for a target that is none, and `OSError`.
    """
    Target.of(target).write(gathered([outcome(report, name, _AGAIN[report.door])]))


_AGAIN: Mapping[Door, Callable[[str], str]] = {
    Door.RECORDING: lambda rule: f"latent-conformance explain {rule}",
    Door.BLACK_BOX: lambda rule: f"check_agent(factory, rule={rule!r})",
    Door.HARNESS: lambda rule: f"check_agent(factory, rule={rule!r})",
}
"""What leads back to one rule, in Python where an agent was driven."""


def append_step_summary(path: Path, outcomes: Outcomes) -> Filed:
    """Add the Markdown to the summary of a step of a CI run."""
    name = f"GITHUB_STEP_SUMMARY={path}"
    try:
        with path.open("a", encoding="utf-8", newline="\n") as summary:
            summary.write(markdown(outcomes))
    except OSError as error:
        return Filed(name, error.strerror or str(error))
    return Filed(name)
