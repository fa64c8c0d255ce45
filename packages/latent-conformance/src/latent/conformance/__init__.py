"""The conformance kit: what an agent promises, checked.

Point it at an agent (`check_agent`, or a test class made from `AgentConformance`), at a recorded stream
(`check_events`), at the rows of a history (`check_history`), or at a live system (`Monitor`). A
`Report` says which rules hold, which are broken and where, and how to mend that.
"""

from latent.conformance._catalogue import RULES
from latent.conformance._catalogue._rule import Door, How, Level, Rule
from latent.conformance._driving._factory import AgentFactory, FactoryError
from latent.conformance._driving._played import Played
from latent.conformance._judging._suite import acheck_agent, check_agent
from latent.conformance._library import (
    Frame,
    RetrieverDecorator,
    RunCollector,
    check_consumer,
    check_conversation_id,
    check_framing,
    check_metadata,
    check_metrics,
    check_otel_sink,
    check_retriever,
    check_sink,
    check_sink_middleware,
    check_trimmer,
    check_usage,
)
from latent.conformance._passive._bare_history import check_history
from latent.conformance._passive._monitor import ConformanceError, Monitor
from latent.conformance._passive._recording import assert_conforms, check_events
from latent.conformance._pytest._testcase import AgentConformance
from latent.conformance._report_files import write_report
from latent.conformance._verdict._declarations import BASE_CAPABILITIES, CAPABILITIES, DeclarationOptions, Declarations
from latent.conformance._verdict._report import Report, Status, Verdict
from latent.conformance._verdict._violation import Violation
from latent.conformance.harness import Harness

__all__ = [
    "BASE_CAPABILITIES",
    "CAPABILITIES",
    "RULES",
    "AgentConformance",
    "AgentFactory",
    "ConformanceError",
    "DeclarationOptions",
    "Declarations",
    "Door",
    "FactoryError",
    "Frame",
    "Harness",
    "How",
    "Level",
    "Monitor",
    "Played",
    "Report",
    "RetrieverDecorator",
    "Rule",
    "RunCollector",
    "Status",
    "Verdict",
    "Violation",
    "acheck_agent",
    "assert_conforms",
    "check_agent",
    "check_consumer",
    "check_conversation_id",
    "check_events",
    "check_framing",
    "check_history",
    "check_metadata",
    "check_metrics",
    "check_otel_sink",
    "check_retriever",
    "check_sink",
    "check_sink_middleware",
    "check_trimmer",
    "check_usage",
    "write_report",
]
