"""Tool calls in pieces, in every layout that servers are known to send."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latent.agents._assembly._fragments import CallFragments

CALLS = [("a", "look", '{"x": [1, {"y": "}"}]}'), ("b", "look", '{"x": 2}'), ("c", "stop", "{}")]


def fragment(index=None, id=None, name=None, arguments=None):
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    made = {"index": index, "id": id, "function": function}
    return {key: value for key, value in made.items() if value is not None}


def assembled(fragments):
    calls = CallFragments()
    for piece in fragments:
        calls.feed(piece)
    return [(call.name, call.arguments) for call in calls.calls]


def pieces(draw, text):
    at = sorted(draw(st.lists(st.integers(1, max(1, len(text) - 1)), max_size=4, unique=True)))
    return [text[a:b] for a, b in zip([0, *at], [*at, len(text)], strict=True)]


def interleaved(draw, sequences):
    """The sequences merged at random, each in its own order, their first entries in the order given."""
    firsts, rests = [sequence[0] for sequence in sequences], [sequence[1:] for sequence in sequences]
    merged = []
    while any(rests):
        merged.append(rests[draw(st.sampled_from([at for at, rest in enumerate(rests) if rest]))].pop(0))
    return firsts + merged


@given(st.data())
def test_the_vendors_layout_may_interleave(data):
    sequences = []
    for index, (call_id, name, arguments) in enumerate(CALLS):
        first, *rest = pieces(data.draw, arguments)
        sequences.append([fragment(index, call_id, name, first), *(fragment(index, arguments=piece) for piece in rest)])

    assert assembled(interleaved(data.draw, sequences)) == [call[1:] for call in CALLS]


@given(st.data(), st.booleans(), st.booleans())
def test_ids_and_names_may_be_repeated(data, with_index, with_name):
    sequences = []
    for index, (call_id, name, arguments) in enumerate(CALLS):
        first, *rest = pieces(data.draw, arguments)
        at = index if with_index else None
        again = name if with_name else None
        sequences.append([fragment(at, call_id, name, first), *(fragment(at, call_id, again, piece) for piece in rest)])

    assert assembled(interleaved(data.draw, sequences)) == [call[1:] for call in CALLS]


@given(st.data())
def test_a_constant_id_does_not_join_calls_of_different_index(data):
    sequences = []
    for index, (_, name, arguments) in enumerate(CALLS):
        first, *rest = pieces(data.draw, arguments)
        sequences.append([fragment(index, "same", name, first), *(fragment(index, "same", None, p) for p in rest)])

    assert assembled(interleaved(data.draw, sequences)) == [call[1:] for call in CALLS]


@given(st.data())
def test_calls_on_one_index_are_told_apart_by_their_ids(data):
    sequence = []
    for call_id, name, arguments in CALLS:
        first, *rest = pieces(data.draw, arguments)
        sequence += [fragment(0, call_id, name, first), *(fragment(0, None, None, piece) for piece in rest)]

    assert assembled(sequence) == [call[1:] for call in CALLS]


@pytest.mark.parametrize("index", [0, None])
@pytest.mark.parametrize("id", ["same", None])
def test_whole_calls_without_their_own_index_or_id_are_told_apart(index, id):
    assert assembled([fragment(index, id, *call[1:]) for call in CALLS]) == [call[1:] for call in CALLS]


def test_a_new_id_with_each_fragment_does_not_open_calls():
    sequence = [fragment(0, "1", "f", '{"a"'), fragment(0, "2", None, ": 1"), fragment(0, "3", "", "}")]

    assert assembled(sequence) == [("f", '{"a": 1}')]


def test_fragments_without_anything_to_tell_them_apart_follow_each_other():
    assert assembled([fragment(None, "1", "f", '{"a"'), fragment(arguments=": 1}")]) == [("f", '{"a": 1}')]


def test_a_call_sent_once_more_is_one_call():
    whole = fragment(0, "1", "f", '{"a": 1}')

    assert assembled([whole, whole, fragment(0, "1", "f", ""), fragment(0, None, None, "")]) == [("f", '{"a": 1}')]


def test_an_id_and_a_name_may_come_after_the_call_began():
    assert assembled([fragment(0, None, None, "{"), fragment(0, "1"), fragment(0, None, "f", "}")]) == [("f", "{}")]


def test_arguments_as_an_object_are_encoded():
    assert assembled([fragment(0, "1", "f", {"a": [1]})]) == [("f", '{"a":[1]}')]


@pytest.mark.parametrize(
    "odd", [{}, {"index": 0}, {"function": None}, {"index": "x", "id": None, "function": {"name": None}}]
)
def test_an_empty_fragment_is_no_call(odd):
    assert assembled([odd]) == []


def test_calls_without_arguments_on_one_index_are_told_apart_by_their_ids():
    assert assembled([fragment(0, "1", "f", ""), fragment(0, "2", "f", "")]) == [("f", ""), ("f", "")]
