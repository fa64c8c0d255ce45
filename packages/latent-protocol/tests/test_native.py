from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latent.events._native import is_native, native_copy
from latent.protocol import ToolResult, WireError

VALUES = st.from_type(ToolResult).map(lambda result: result.output)
ODD = st.sampled_from([math.nan, math.inf, b"x", (), {1}, {1: 2}, object()])


@given(VALUES)
def test_native_value_is_told_and_copied(value: Any) -> None:
    assert is_native(value)
    assert native_copy(value, "$") == value


@given(VALUES, ODD, st.lists(st.sampled_from(["list", "dict"]), max_size=5))
def test_odd_value_is_found_at_any_depth(value: Any, odd: Any, around: list[str]) -> None:
    path = ""
    for container in around:
        odd, path = ([value, odd], f"[1]{path}") if container == "list" else ({"k": value, "o": odd}, f".o{path}")

    assert not is_native(odd)
    with pytest.raises(WireError) as caught:
        native_copy(odd, "$")
    assert caught.value.path == f"${path}"


def test_copy_shares_no_container() -> None:
    value = {"a": [{}]}
    copied = native_copy(value, "$")
    copied["a"][0]["x"] = 1

    assert value == {"a": [{}]}
