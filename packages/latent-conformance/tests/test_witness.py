from __future__ import annotations

import pytest

from latent.conformance._evidence._made import same_native
from latent.conformance._evidence._run import parsed


@pytest.mark.parametrize("value", [None, "", [], {}, 0, False, 1.5, [1, {"a": [None, True]}]])
def test_a_value_is_itself(value: object) -> None:
    assert same_native(value, value)


@pytest.mark.parametrize(
    ("one", "other"),
    [(0, False), (1, True), (1, 1.0), ("1", 1), ([], ()), ({"a": 0}, {"a": False}), ([1], [1, 2]), (None, "")],
)
def test_values_that_python_takes_for_equal_or_turns_into_text_are_told_apart(one: object, other: object) -> None:
    assert not same_native(one, other)
    assert not same_native(other, one)


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('"{\\"a\\": 1}"', {"a": 1}),
        ({"a": 1}, {"a": 1}),
        ('{"a": ', '{"a": '),
        ("", ""),
        (None, None),
    ],
)
def test_arguments_are_read_however_they_are_wrapped(arguments: object, value: object) -> None:
    assert parsed(arguments) == value
