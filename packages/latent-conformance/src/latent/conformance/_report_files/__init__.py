"""The judgement as files: JSON, Markdown, a page, a badge.

All of them are made from the same plain data (`Outcomes`), which is what the JSON file holds and what
travels between the processes of a distributed test run.
"""

from latent.conformance._report_files._build import gathered, kit_version, outcome, refused
from latent.conformance._report_files._outcome import Outcome, Outcomes, outcomes_schema
from latent.conformance._report_files._publication import (
    KINDS,
    Filed,
    Target,
    append_step_summary,
    publish,
    write_report,
)

__all__ = [
    "KINDS",
    "Filed",
    "Outcome",
    "Outcomes",
    "Target",
    "append_step_summary",
    "gathered",
    "kit_version",
    "outcome",
    "outcomes_schema",
    "publish",
    "refused",
    "write_report",
]
