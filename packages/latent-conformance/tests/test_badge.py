from __future__ import annotations

from xml.etree.ElementTree import fromstring

import pytest
from cases.outcomes import broken, everything, passing, told

from latent.conformance import check_events
from latent.conformance._report_files import Outcome, gathered, refused
from latent.conformance._report_files._badge import badge

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(
    ("agents", "message"),
    [
        ([passing()], "pass, 29 rules"),
        ([broken()], "fail, 1 rule broken"),
        ([told(check_events([]))], "incomplete"),
        ([refused("lost", "no such module")], "fail"),
        ([passing(), broken(), passing()], "fail, 2 of 3 agents pass"),
        ([passing(), told(check_events([]))], "incomplete, 1 of 2 agents pass"),
    ],
    ids=["pass", "fail", "incomplete", "refused", "several", "one of them incomplete"],
)
def test_a_badge_says_what_was_found(agents: list[Outcome], message: str) -> None:
    drawn = fromstring(badge(gathered(agents)))

    assert [text.text for text in drawn.iter(f"{SVG}text")] == ["latent conformance", message]
    assert drawn.findtext(f"{SVG}title") == drawn.get("aria-label") == f"latent conformance: {message}"


def test_each_verdict_has_its_colour() -> None:
    fills = {
        fromstring(badge(gathered([each]))).find(f"{SVG}path").get("fill")
        for each in (passing(), broken(), told(check_events([])))
    }  # type: ignore[union-attr]

    assert len(fills) == 3


def test_a_badge_is_a_document_whatever_the_agents_are_called() -> None:
    assert fromstring(badge(everything())).tag == f"{SVG}svg"
