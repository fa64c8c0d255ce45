from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from latent.conformance import _scripts
from latent.conformance._verdict._declarations import CAPABILITIES
from latent.conformance.harness import (
    Deed,
    Script,
    ScriptError,
    asks,
    decode_script,
    encode_script,
    load_script,
    planned,
    save_script,
    says,
)
from latent.conformance.strategies import scripts

QUICK = settings(deadline=None, database=None, derandomize=True, max_examples=60)
FIXED = [getattr(_scripts, name) for name in _scripts.__all__ if isinstance(getattr(_scripts, name), Script)]
TURN = {"pieces": [{"kind": "text", "text": "a"}]}


@settings(QUICK)
@given(scripts(capabilities=CAPABILITIES))
def test_a_script_comes_back_as_it_was(script: Script) -> None:
    assert decode_script(encode_script(script)) == script


@pytest.mark.parametrize(
    "script", [*FIXED, *_scripts.ODD, *_scripts.NO_OBJECTS, *_scripts.MENDABLE], ids=lambda script: script.name
)
def test_every_script_of_the_kit_comes_back_as_it_was(script: Script) -> None:
    assert decode_script(encode_script(script)) == script


def test_a_script_is_saved_as_plain_ascii_and_loaded(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    save_script(_scripts.CHARACTERS, path)

    assert path.read_bytes().isascii()
    assert load_script(path) == _scripts.CHARACTERS
    save_script(_scripts.CHARACTERS, str(path))
    assert load_script(str(path)) == _scripts.CHARACTERS


def test_defaults_are_left_out_and_pieces_say_what_they_are() -> None:
    script = Script("two words", (says("a", "b", tokens=None),))

    assert json.loads(encode_script(script)) == {
        "latent_script": 1,
        "name": "two words",
        "turns": [
            {
                "pieces": [
                    {"kind": "text", "text": "a"},
                    {"kind": "text", "text": "b"},
                    {"kind": "finish", "reason": "stop"},
                ]
            }
        ],
    }


@pytest.mark.parametrize("value", [float("nan"), (1, 2), {1: 2}, {3}, b"bytes"], ids=repr)
def test_a_value_that_json_cannot_carry_is_refused(value: object) -> None:
    script = Script("odd", (asks(planned("t1")), says("a")), {"t1": Deed(value=value)})

    with pytest.raises(ScriptError, match="'odd'"):
        encode_script(script)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"latent_script": 2}, "of version 1, got version 2"),
        ({"name": 7}, r"Expected a Script at \$: Expected `str`, got `int` - at `\$.name`"),
        ({"turns": None}, r"Expected `array`, got `null` - at `\$.turns`"),
        ({"speed": 1}, "unknown field `speed`"),
        (
            {"turns": [TURN, {"pieces": [{"kind": "song"}]}]},
            r"a kind out of .* \$.turns\[1\].pieces\[0\], got 'song'",
        ),
        ({"turns": [{"pieces": [{"kind": "text", "txt": "a"}]}]}, r"fields of a Text at \$.*, got \['txt'\]"),
        ({"turns": [{"pieces": [{"kind": "text"}]}]}, r"Expected a Text at \$.*missing required field `text`"),
        ({"deeds": {"t1": {"error": {"kind": "Oops"}}}}, r"Expected a Deed at \$.deeds.t1: .* got 'Oops'"),
        ({"deeds": {"t1": {"valeu": 1}}}, r"fields of a Deed at \$.deeds.t1, got \['valeu'\]"),
    ],
    ids=["version", "name", "turns", "unknown", "kind", "field", "missing", "exception", "deed"],
)
def test_a_form_that_is_no_script_is_told_where(change: dict[str, Any], reason: str, tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text(json.dumps({"latent_script": 1, "name": "a", "turns": [TURN], **change}))

    with pytest.raises(ScriptError, match=reason) as raised:
        load_script(path)
    assert str(path) in str(raised.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '"latent_script"', "\ufeff{}"])
def test_what_is_no_json_object_of_ours_is_refused(text: str) -> None:
    with pytest.raises(ScriptError, match="Expected a script"):
        decode_script(text)
