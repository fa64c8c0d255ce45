from __future__ import annotations

import copy
import pickle

import pytest

from latent.protocol import AgentError, InvokeResult, ProtocolError, Step, WireError


def test_wire_error_says_what_where_and_on_which_line() -> None:
    assert str(WireError("Expected `str`")) == "Expected `str`"
    assert str(WireError("Expected `str`", path="$.data.text")) == "Expected `str` - at `$.data.text`"
    assert str(WireError("Expected `str`", path="$", line=3)) == "Expected `str` - at `$` (line 3)"
    assert issubclass(WireError, ValueError)


def test_protocol_error_names_the_rule() -> None:
    error = ProtocolError("STEP-1", "Expected a StepBoundary")

    assert (error.rule, str(error)) == ("STEP-1", "STEP-1: Expected a StepBoundary")
    assert isinstance(error, ValueError)


def test_agent_error_carries_the_whole_result() -> None:
    result = InvokeResult("part", [Step(0, text="part")], error="out of steps")

    assert (AgentError(result).result, str(AgentError(result))) == (result, "out of steps")


@pytest.mark.parametrize(
    "error",
    [WireError("r", path="$.x", line=2), ProtocolError("STEP-1", "r"), AgentError(InvokeResult("", [], "e"))],
)
def test_errors_survive_copy_and_pickle(error: Exception) -> None:
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(twin) is type(error)
        assert vars(twin) == vars(error)
        assert str(twin) == str(error)
