"""What the pages take from the code."""

import re

import pytest
from sitegen.accessible import mended
from sitegen.diagram import Box, Row, drawn
from sitegen.lifecycles import END, explore
from sitegen.lives import LIFECYCLES

MACHINES = {lifecycle.title: explore(lifecycle) for lifecycle in LIFECYCLES}


@pytest.mark.parametrize("title", MACHINES)
def test_every_state_says_what_each_event_does(title: str) -> None:
    machine = MACHINES[title]
    for state, moves in machine.moves.items():
        refused = machine.refusals[state]
        events = {*moves, *refused}
        assert events == ({*machine.lifecycle.kinds, END} if state != "over" else set())
        assert not moves.keys() & refused.keys()


@pytest.mark.parametrize("title", MACHINES)
def test_nothing_but_the_end_follows_a_failure(title: str) -> None:
    assert MACHINES[title].moves["failed"] == {END: "over"}


def test_a_tool_call_is_answered_once_and_in_its_step() -> None:
    machine = MACHINES["A tool call"]

    assert machine.moves["running"] == {"ToolResult": "answered", "Error": "failed"}
    assert machine.refusals["answered"] == {"ToolCall": "TOOL-5", "ToolResult": "TOOL-4"}
    assert machine.refusals["running"]["next step"] == "TOOL-4"


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(each * 2 for each in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (each / 12.92 if each <= 0.03928 else ((each + 0.055) / 1.055) ** 2.4 for each in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_the_texts_of_a_picture_stand_out_in_light_and_in_dark() -> None:
    style = drawn([Box("a", [Row("b")])], alt="a box")
    schemes = [dict(re.findall(r"--dg-(\w+):(#\w+)", block)) for block in re.findall(r"\.dg\{(--[^}]*)\}", style)]
    assert len(schemes) == 4
    for scheme in schemes:
        for text in ("fg", "soft", "bad"):
            for ground in ("paper", "head"):
                light, dark = sorted((luminance(scheme[text]), luminance(scheme[ground])), reverse=True)
                assert (light + 0.05) / (dark + 0.05) >= 4.5, (text, ground)


def test_a_mended_page_stays_as_it_is() -> None:
    signature = '<dt class="sig sig-object"><dl>\n<dd>a</dd>\n</dl></dt>'
    page = f'<aside class="toc-drawer"><pre>x</pre>{signature}<dl><dd>b</dd></dl>'
    once = mended(page)

    assert once.count("<dl>") == 1
    assert mended(once) == once
