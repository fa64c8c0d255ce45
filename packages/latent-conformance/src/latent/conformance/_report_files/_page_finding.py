"""A broken rule on the page: what was found of it, drawn where its stream was kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element

from latent.conformance._report_files._outcome import Finding, RuleOutcome, Stream
from latent.conformance._timeline import Mark, draw, lay_out
from latent.conformance._timeline._markup import Child, element
from latent.conformance._verdict._excerpt import cut
from latent.conformance._verdict._report import standing

__all__ = ["Run", "broken_rule"]

_MOST_OTHERS = 20
"""How many further findings of one rule are listed."""
_LONGEST = 4000


class Run(NamedTuple):
    """A stream that is drawn."""

    stream: Stream
    events: Sequence[object]
    """Its events as objects again."""


def broken_rule(rule: RuleOutcome, findings: Sequence[Finding], run: Run | None, name: str) -> Element:
    """Everything about one broken rule; `run` is that of the first finding, and `name` begins the ids in it."""
    first = findings[0]
    return element(
        "article",
        element(
            "h3",
            element("span", rule.rule, class_="rule"),
            " ",
            element("span", first.level, class_="level"),
            " ",
            element("span", standing(rule.status, rule.level, first.level), class_=f"status {rule.status}"),
        ),
        element("p", rule.sentence, class_="sentence"),
        element("dl", *_facts(rule, first, f"{name}-event-marked")),
        *_pictures(rule.rule, findings, run, name),
        element("dl", *_ways(first)),
        *_others(rule, findings[1:]),
        id=name,
    )


def _facts(rule: RuleOutcome, found: Finding, mark: str) -> Iterator[Child]:
    if rule.status == "deviation" and rule.reason:
        yield from _fact("Known", rule.reason)
    yield from _fact("Found", cut(found.message, _LONGEST))
    if found.place:
        drawn = found.stream is not None and found.index is not None
        yield from _fact("Where", element("a", found.place, href=f"#{mark}") if drawn else found.place)


def _ways(found: Finding) -> Iterator[Child]:
    yield from _fact("Mend", found.hint)
    yield from _fact("Again", element("code", found.again))
    if found.replay:
        yield from _fact("Replay", element("code", found.replay))


def _fact(term: str, *told: Child) -> Iterator[Element]:
    yield element("div", element("dt", term), element("dd", *told))


def _pictures(rule: str, findings: Sequence[Finding], run: Run | None, name: str) -> Iterator[Element]:
    """The run of the first finding with all that the rule has against it; else the excerpt."""
    first = findings[0]
    if run is None:
        if first.excerpt:
            yield element("pre", "\n".join(first.excerpt), tabindex="0", role="region", aria_label="The place")
        return
    stream = run.stream
    marks = [Mark(each.index, rule, cut(each.message, _LONGEST)) for each in findings if each.stream == first.stream]
    drawn = lay_out(run.events, dict.fromkeys(marks))
    title = "The stream" if stream.scenario is None else f"The stream of the scenario {stream.scenario!r}"
    yield draw(drawn, name=f"{name}-event", title=title)
    if stream.script:
        yield element(
            "details",
            element("summary", "What the kit played"),
            element("pre", stream.script, tabindex="0", role="region", aria_label="The script"),
        )


def _others(rule: RuleOutcome, others: Sequence[Finding]) -> Iterator[Element]:
    number = len(others) + rule.omitted
    if not number:
        return
    listed = [
        element("li", element("span", place or "the run as a whole", class_="place"), f" {cut(message, _LONGEST)}")
        for place, message in ((each.place, each.message) for each in others[:_MOST_OTHERS])
    ]
    if number > len(listed):
        listed.append(element("li", f"{number - len(listed):,} more"))
    summary = f"{number:,} more {'finding' if number == 1 else 'findings'} of the same kind"
    yield element("details", element("summary", summary), element("ul", *listed))
