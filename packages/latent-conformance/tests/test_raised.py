from __future__ import annotations

import asyncio
from typing import Any

import pytest

from latent.conformance.harness import Raised


def test_an_exception_is_made_from_its_name() -> None:
    assert repr(Raised("ValueError", "gone").exception()) == "ValueError('gone')"
    assert repr(Raised("KeyError").exception()) == "KeyError()"
    assert isinstance(Raised("CancelledError").exception(), asyncio.CancelledError)


def test_a_group_holds_its_exceptions() -> None:
    group = Raised("ExceptionGroup", "several", (Raised("ValueError", "one"), Raised("OSError"))).exception()

    assert isinstance(group, ExceptionGroup)
    assert [repr(each) for each in group.exceptions] == ["ValueError('one')", "OSError()"]


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (("SystemExit",), "an exception out of ValueError, .* got 'SystemExit'"),
        (("ExceptionGroup", "none"), "exceptions inside a group"),
        (("ValueError", "", (Raised("OSError"),)), "exceptions inside a group"),
        (("ExceptionGroup", "", (Raised("CancelledError"),)), "no CancelledError"),
    ],
    ids=["unknown", "empty group", "no group", "cancelled"],
)
def test_what_cannot_be_raised_is_refused(wrong: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Raised(*wrong)
