"""What a model wrote as arguments."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latent.agents._assembly._arguments import read_arguments


@pytest.mark.parametrize("text", ["", "  ", "null", '""', '"null"'])
def test_nothing_is_no_arguments(text):
    assert read_arguments(text) == ("{}", None)


@pytest.mark.parametrize("text", ['{"a": 1}', " { } ", '{"n": 123456789012345678901234567890}'])
def test_an_object_stays_as_it_was_written(text):
    assert read_arguments(text) == (text, None)


@given(st.dictionaries(st.text(), st.integers() | st.text()), st.integers(1, 2))
def test_an_object_inside_a_string_is_taken_out(value, layers):
    text = json.dumps(value)
    wrapped = text
    for _ in range(layers):
        wrapped = json.dumps(wrapped)

    assert read_arguments(wrapped) == (text, None)


@pytest.mark.parametrize(
    "text", ["{", '{"a": 1', "[1]", "3", "true", '"text"', '{"a": NaN}', "{'a': 1}", "[" * 100_000]
)
def test_everything_else_is_kept_raw_and_named_wrong(text):
    arguments, problem = read_arguments(text)

    assert json.loads(arguments) == {"raw_arguments": text}
    assert problem


@given(st.text(st.characters(codec="utf-8")))
def test_the_result_is_always_the_json_of_an_object(text):
    arguments, _ = read_arguments(text)

    assert isinstance(json.loads(arguments), dict)
