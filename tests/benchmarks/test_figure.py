"""What is said about a figure. Nothing here measures."""

import pytest
from _compare import Rounds
from _figure import Figure, against, beside, printed

TIMES = Rounds({"latent": [2.0, 4.0, 6.0], "limit": [1.0, 4.0, 2.0], "peer": [10.0, 40.0, 90.0]})


def test_a_cost_is_ours_times_the_limit_within_a_round() -> None:
    assert against(TIMES, "encode", limit="limit", unit=("ms", 1e3), at_most=3) == Figure(
        name="encode", unit="ms", ours=4e3, peer="limit", theirs=2e3, ratio=2.0, at_most=3
    )


def test_a_gain_is_the_peer_times_ours_within_a_round() -> None:
    assert beside(TIMES, "encode", peer="peer", unit=("ms", 1e3), at_least=5) == Figure(
        name="encode", unit="ms", ours=4e3, peer="peer", theirs=4e4, ratio=10.0, at_least=5
    )


@pytest.mark.parametrize(
    ("goal", "ratio", "said", "met"),
    [
        ({"at_most": 3}, 3.0, "<= 3", True),
        ({"at_most": 3}, 3.1, "<= 3", False),
        ({"at_least": 2.5}, 2.5, ">= 2.5", True),
        ({"at_least": 2.5}, 2.4, ">= 2.5", False),
        ({}, 1.0, "", None),
        ({"at_most": 1}, None, "<= 1", True),
    ],
)
def test_a_goal_is_met_or_missed(goal: dict[str, float], ratio: float | None, said: str, met: bool | None) -> None:
    figure = Figure(name="a", unit="s", ours=0.5, ratio=ratio, **goal)

    assert (figure.goal, figure.met) == (said, met)
    assert figure.plain()["met"] is met


def test_the_table_has_a_line_for_each_figure() -> None:
    figures = [
        Figure(name="a", unit="ns", ours=1234.5, peer="limit", theirs=617.25, ratio=2.0, at_most=1.5),
        Figure(name="memory", unit="MiB", ours=0.25, at_most=1),
        Figure(name="b", unit="ns", ours=3.0),
    ]

    lines = [line.split() for line in printed(figures).splitlines()]

    assert lines[0] == ["unit", "ours", "theirs", "peer", "ratio", "goal"]
    assert lines[2:] == [
        ["a", "ns", "1234", "617.2", "limit", "2", "<=", "1.5", "MISSED"],
        ["memory", "MiB", "0.25", "<=", "1", "met"],
        ["b", "ns", "3"],
    ]
