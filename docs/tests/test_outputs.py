"""What the pages say about the runs that they show."""

import re

import pytest
from sitegen import outputs


@pytest.mark.parametrize("name", outputs.JUDGEMENTS)
def test_an_agent_on_a_page_breaks_the_rule_that_the_page_is_about_and_no_other(name: str) -> None:
    judgement = outputs.JUDGEMENTS[name]
    told = outputs.judged(judgement)
    verdict = "FAIL" if judgement.breaks else "PASS"
    broken = re.findall(r"^(\S+) MUST \(fail\)", told, re.MULTILINE)

    assert told.startswith(f"{judgement.module}:make_agent: {verdict}\n")
    assert broken == [judgement.breaks] * (judgement.breaks is not None)


def test_the_first_agent_mended_has_no_finding_left() -> None:
    assert "found:" not in outputs.judged(outputs.JUDGEMENTS["first_mended"])


def test_the_first_agent_answers_when_it_is_asked() -> None:
    assert outputs.asked().splitlines()[-2:] == [
        "The answer: It is open.",
        "The rows to keep: ['assistant', 'tool', 'assistant']",
    ]


def test_the_rule_of_the_first_finding_is_explained() -> None:
    assert outputs.explained().startswith("TOOL-6 MUST\n")


@pytest.mark.parametrize("time", ["1796010294....", "1796010421.25)", "1796010421)"])
def test_ids_and_times_of_a_run_do_not_show(time: str) -> None:
    told = outputs.lasting(f"run_id='llm_be8876fc0aefb8b9', timestamp={time}")

    assert told.startswith("run_id='llm_0000000000000000', timestamp=1767225600.0")
