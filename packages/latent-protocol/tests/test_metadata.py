from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from enum import StrEnum
from typing import Any

import msgspec
import pytest

from latent.protocol import Metadata, MetadataAttributes


class Tier(StrEnum):
    GOLD = "gold"


GOOD = {"s": "x", "b": True, "i": -(2**63), "j": 2**63 - 1, "f": 0.5, "empty": ""}

BAD: list[tuple[object, object, type[Exception], str]] = [
    ("k", None, TypeError, "leave absent values out"),
    ("k", [1], TypeError, "`list`"),
    ("k", ("a",), TypeError, "`tuple`"),
    ("k", {"a": 1}, TypeError, "`dict`"),
    ("k", b"x", TypeError, "`bytes`"),
    ("k", object(), TypeError, "`object`"),
    ("k", float("nan"), ValueError, "finite float"),
    ("k", float("inf"), ValueError, "finite float"),
    ("k", 2**63, ValueError, "64 bits"),
    ("k", -(2**63) - 1, ValueError, "64 bits"),
    ("", "x", ValueError, "at least one character"),
    (5, "x", TypeError, "got `int`"),
    (None, "x", TypeError, "got `NoneType`"),
]


def test_attributes_are_a_checked_copy() -> None:
    given = dict(GOOD)
    event = Metadata(given)
    given["late"] = "x"

    assert event.attributes == GOOD
    assert isinstance(event.attributes, MetadataAttributes)
    assert (event.target, Metadata({}, "step").target) == ("turn", "step")


def test_checked_attributes_are_taken_as_they_are() -> None:
    attributes = MetadataAttributes(GOOD)

    assert Metadata(attributes).attributes is attributes
    assert MetadataAttributes() == {}
    assert MetadataAttributes([("a", 1)]) == {"a": 1}


@pytest.mark.parametrize(("key", "value", "error", "reason"), BAD)
def test_other_attributes_raise_and_the_key_is_named(key: Any, value: Any, error: type[Exception], reason: str) -> None:
    for build in (Metadata, MetadataAttributes):
        with pytest.raises(error) as caught:
            build({"fine": 1, key: value})

        assert reason in str(caught.value)
        assert type(caught.value) is error
        if key == "k":
            assert "'k'" in str(caught.value)


@pytest.mark.parametrize("value", ["null", "[]", "1e999", "99999999999999999999"])
def test_other_attributes_raise_when_they_are_decoded(value: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(f'{{"attributes":{{"k":{value}}}}}', type=Metadata)


@pytest.mark.parametrize("target", ["run", "", None, 5])
def test_other_targets_raise(target: Any) -> None:
    with pytest.raises(ValueError, match="Expected `target` to be 'turn' or 'step', got"):
        Metadata({}, target)


@pytest.mark.parametrize("attributes", [None, "text", 5, [("a", 1)]])
def test_attributes_that_are_no_mapping_raise(attributes: Any) -> None:
    with pytest.raises(TypeError, match="Expected `attributes` as a mapping, got"):
        Metadata(attributes)


def test_member_of_an_enum_becomes_what_it_stands_for() -> None:
    assert type(Metadata({"tier": Tier.GOLD}).attributes["tier"]) is str


MUTATORS: list[Callable[[MetadataAttributes], object]] = [
    lambda a: a.__setitem__("x", 1),
    lambda a: a.__delitem__("s"),
    lambda a: a.__ior__({"x": 1}),
    lambda a: a.update(x=1),
    lambda a: a.setdefault("x", 1),
    lambda a: a.setdefault("s", 1),
    lambda a: a.pop("s"),
    lambda a: a.popitem(),
    lambda a: a.clear(),
]


@pytest.mark.parametrize("mutate", MUTATORS)
def test_attributes_cannot_be_changed(mutate: Callable[[MetadataAttributes], object]) -> None:
    attributes = MetadataAttributes(GOOD)

    with pytest.raises(TypeError, match="immutable"):
        mutate(attributes)
    assert attributes == GOOD


def test_attributes_survive_copy_and_pickle() -> None:
    event = Metadata(GOOD, "step")

    for twin in (pickle.loads(pickle.dumps(event)), copy.copy(event), copy.deepcopy(event)):
        assert twin == event
        assert type(twin.attributes) is MetadataAttributes
    assert copy.deepcopy(event.attributes) == GOOD
    assert event.attributes | {"more": None} == GOOD | {"more": None}  # a plain dict again
