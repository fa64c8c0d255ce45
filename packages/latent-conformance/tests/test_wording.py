from __future__ import annotations

import json
from typing import Any

import pytest

from latent.conformance._evidence._wording import tells

VALUES: list[Any] = [0, False, True, 2.5, -3, 1e21, 2**53, {}, {"a": [1, {"b": None}]}, [1, "two"], "two", [], "", None]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_str_repr_json_and_a_sentence_tell_any_output(value: Any) -> None:
    assert [tells(row, value) for row in (str(value), repr(value), json.dumps(value), f"It gave {value}.")] == [
        True
    ] * 4


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_an_empty_row_tells_no_more_than_that_there_is_nothing(value: Any) -> None:
    assert tells(" ", value) == (value in ("", None, []))


@pytest.mark.parametrize(
    ("row", "value"), [("done", 0), ("10", 0), ("done", False), ("ok", True), ("[2]", [1]), ('{"a": 2}', {"a": [1]})]
)
def test_a_word_in_its_place_or_another_value_tells_nothing(row: str, value: Any) -> None:
    assert not tells(row, value)
