"""The conformance kit: what an agent promises, checked.

Point it at a recorded stream (`check_events`), at the rows of a history (`check_history`), or at a live
system (`Monitor`). A `Report` says which rules hold, which are broken and where, and how to mend that.
"""

from latent.conformance._catalogue import RULES
from latent.conformance._declarations import BASE_CAPABILITIES, CAPABILITIES, Declarations
from latent.conformance._history import check_history
from latent.conformance._monitor import ConformanceError, Monitor
from latent.conformance._recording import assert_conforms, check_events
from latent.conformance._report import Report, Status, Verdict
from latent.conformance._rule import Door, How, Level, Rule
from latent.conformance._violation import Violation

__all__ = [
    "BASE_CAPABILITIES",
    "CAPABILITIES",
    "RULES",
    "ConformanceError",
    "Declarations",
    "Door",
    "How",
    "Level",
    "Monitor",
    "Report",
    "Rule",
    "Status",
    "Verdict",
    "Violation",
    "assert_conforms",
    "check_events",
    "check_history",
]
