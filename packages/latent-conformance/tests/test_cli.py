from __future__ import annotations

import json
import os
import subprocess
import sys
from errno import ENOSPC
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path

import pytest
from cases._passive import PLAIN, TOOLS, answer

from latent.conformance import RULES
from latent.conformance._cli._main import main
from latent.protocol import AgentEvent, Error, encode_events


def recorded(folder: Path, events: list[AgentEvent], *more: bytes) -> str:
    file = folder / "run.jsonl"
    file.write_bytes(encode_events(events) + b"".join(more))
    return str(file)


def test_sound_recording_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = recorded(tmp_path, TOOLS)

    assert main(["check", file]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [f"{file}: 10 events", "PASS", ""]
    assert lines[3].startswith("rules: ")


def test_broken_recording_fails_and_names_the_rule(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", recorded(tmp_path, [*PLAIN, answer()])]) == 1

    out = capsys.readouterr().out
    assert "TOOL-3 MUST (fail)" in out
    assert RULES["TOOL-3"].remedy[:40] in out


def test_the_judgement_of_a_recording_can_be_filed(tmp_path: Path) -> None:
    file, report = recorded(tmp_path, [*PLAIN, answer()]), tmp_path / "new" / "report.json"

    command = ["check", file, "--external-tool", "a b", f"--report=json:{report}"]
    assert main([*command, f"--report=html:{tmp_path / 'page.html'}"]) == 1
    (agent,) = json.loads(report.read_text(encoding="utf-8"))["agents"]
    assert (agent["name"], agent["verdict"], agent["door"]) == (file, "fail", "recording")
    again = f"latent-conformance check {file} --external-tool 'a b' --report=json:{report}"
    assert agent["findings"][0]["again"].startswith(again)
    assert "TOOL-3" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_report_that_cannot_be_written_is_wrong_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = recorded(tmp_path, TOOLS)

    assert main(["check", file, f"--report=json:{file}/x"]) == 2
    assert f"could not be written: json:{file}/x: " in capsys.readouterr().err
    assert main(["check", file, "--report=pdf:x"]) == 2
    assert "Expected KIND:PATH" in capsys.readouterr().err


def test_empty_recording_is_incomplete(tmp_path: Path) -> None:
    assert main(["check", recorded(tmp_path, [])]) == 3


def test_partial_bears_a_run_and_a_line_that_were_cut_off(tmp_path: Path) -> None:
    file = recorded(tmp_path, TOOLS[:4], b'{"event":"tool_resu')

    assert main(["check", file]) == 2
    assert main(["check", "--partial", file]) == 0


def test_declarations_are_options(tmp_path: Path) -> None:
    file = recorded(tmp_path, TOOLS[:4])

    assert main(["check", file]) == 1
    assert main(["check", file, "--external-tool", "search"]) == 0
    assert main(["check", file, "--deviation", "TOOL-4=the run was stopped"]) == 0
    assert main(["check", file, "--external-tool", "search", "--capability", "phases"]) == 3
    assert main(["check", file, "--capability", "flying"]) == 2
    assert main(["check", file, "--deviation", "TOOL-4"]) == 2


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        (b'{"event":"text_delta","data":{"text":5}}\n', "PROTO-5"),
        (b'{"event":"text_delta","data":{}}\n', "PROTO-5"),
        (b'{"event":"step_boundary","data":{"step":"1"}}\n', "PROTO-5"),
        (b'{"event":"tool_call","data":{"id":null,"function":{"name":"f","arguments":"{}"}}}\n', "TOOL-1"),
        (b'{"event":"tool_call","data":{"id":"x","function":{"name":"f","arguments":{}}}}\n', "TOOL-6"),
        (b'{"event":"llm_call_end","data":{"run_id":"r","input_tokens":1.5}}\n', "CALL-8"),
        (b'{"event":"text_delta","data":{"text":"\\ud800"}}\n', "TEXT-9"),
        (b'{"event":"text_delta","data":{"text":"a\\udc00b"}}\n', "TEXT-9"),
        (b'{"event":"reasoning_delta","data":{"text":"\\ud83d and more"}}\n', "TEXT-9"),
        (b'{"event":"metadata","data":{"attributes":{"a":null}}}\n', "PROTO-5"),
        (b'{"event":"metadata","data":{"attributes":{"a":1},"target":"run"}}\n', "PROTO-5"),
        (b'{"event":"metadata","data":{"target":"turn"}}\n', "PROTO-5"),
    ],
)
def test_field_of_another_type_is_a_finding(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: bytes, rule: str
) -> None:
    assert main(["check", recorded(tmp_path, PLAIN, line)]) == 1
    assert f"{rule} MUST (fail)" in capsys.readouterr().out


@pytest.mark.parametrize("line", [b"x\n", b"[1]\n", b"{}\n", b'{"event":1}\n', b"\xff\xfe\n", b"[" * 9999 + b"\n"])
def test_line_that_is_no_event_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str], line: bytes) -> None:
    file = recorded(tmp_path, PLAIN, line, b'{"event":"error","data":{"message":"x"}}\n')

    assert main(["check", file]) == 2

    captured = capsys.readouterr()
    assert captured.out == ""
    assert "(line 6)" in captured.err
    assert len(captured.err.splitlines()) == 1


@pytest.mark.parametrize(
    "line",
    [
        b'{"event":"tool_result","data":{"tool_call_id":"c","output":"\\ud800"}}\n',
        b'{"event":"later","data":{"\\ud800":1}}\n',
    ],
)
def test_half_a_character_outside_of_a_delta_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: bytes
) -> None:
    file = recorded(tmp_path, PLAIN, line)

    assert main(["check", file]) == 2
    told = "Expected text with whole characters, got the lone surrogate '\\ud800' (line 6)"
    assert capsys.readouterr().err == f"latent-conformance: {file}: {told}\n"


def test_half_a_character_is_shown_in_every_file(tmp_path: Path) -> None:
    file = recorded(tmp_path, PLAIN, b'{"event":"text_delta","data":{"text":"\\ud800"}}\n')
    reports = [f"--report={kind}:{tmp_path / kind}" for kind in ("json", "md", "html", "badge")]

    assert main(["check", file, *reports]) == 1
    assert ["TEXT-9" in (tmp_path / kind).read_text("utf-8") for kind in ("json", "md", "html")] == [True] * 3


@pytest.mark.parametrize(
    ("encoding", "got"),
    [
        ("utf-8-sig", "a byte order mark before it"),
        ("utf-16", "a file in UTF-16"),
        ("utf-16-le", "zero bytes in it, as UTF-16 without a mark has them"),
    ],
)
def test_file_in_another_encoding_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], encoding: str, got: str
) -> None:
    file = tmp_path / "run.jsonl"
    file.write_bytes(encode_events(PLAIN).decode().encode(encoding))

    assert main(["check", str(file)]) == 2
    expected = f"Expected UTF-8 without a byte order mark, got {got}: save it as plain UTF-8 (line 1)"
    assert capsys.readouterr().err == f"latent-conformance: {file}: {expected}\n"


def test_file_that_is_not_there_is_named_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "none.jsonl"

    assert main(["check", str(path)]) == 2
    assert main(["check", str(tmp_path)]) == 2
    assert capsys.readouterr().err.splitlines() == [
        f"latent-conformance: {path}: No such file or directory",
        f"latent-conformance: {tmp_path}: Is a directory",
    ]


def test_dash_is_the_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(encode_events(PLAIN))))

    assert main(["check", "-"]) == 0


def test_later_events_are_taken_as_they_are(tmp_path: Path) -> None:
    assert main(["check", recorded(tmp_path, PLAIN, b'\n{"event":"later","data":{"n":1}}\n')]) == 0


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_is_explained(rule: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", rule.lower()]) == 0

    out = capsys.readouterr().out
    assert out.startswith(f"{rule} {RULES[rule].level}\n")
    assert RULES[rule].sentence in out
    assert RULES[rule].remedy in out
    assert RULES[rule].gap in out
    assert ("shown by:" in out) != bool(RULES[rule].gap)


def test_unknown_rule_is_answered_with_those_that_are_near(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "TOL-4"]) == 2
    assert "did you mean" in capsys.readouterr().err


def test_rules_lists_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(RULES)


@pytest.mark.parametrize("arguments", [[], ["judge"], ["check"], ["check", "x", "--step-scope", "turn"]])
def test_wrong_use_exits_with_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)

    assert caught.value.code == 2


def test_module_is_the_command(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "latent.conformance", "check", recorded(tmp_path, [*PLAIN, answer()])]

    done = subprocess.run(command, capture_output=True, check=False, text=True)

    assert (done.returncode, done.stderr) == (1, "")


class _Full(StringIO):
    """What cannot take anything; pytest's own stand-in for the standard output always can."""

    def flush(self) -> None:
        raise OSError(ENOSPC, "No space left on device")


@pytest.mark.parametrize("command", ["rules", "explain", "check", "--help"])
def test_standard_output_that_takes_nothing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    monkeypatch.setattr(sys, "stdout", _Full())
    given = {"check": [recorded(tmp_path, PLAIN)], "explain": ["STEP-1"]}.get(command, [])

    assert main([command, *given]) == 2
    assert capsys.readouterr().err == "latent-conformance: standard output: No space left on device\n"


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("command", [["rules"], ["explain", "STEP-1"], ["check", "run.jsonl"]])
def test_reader_that_goes_away_is_named_once(tmp_path: Path, command: list[str], unbuffered: str) -> None:
    recorded(tmp_path, PLAIN)
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "latent.conformance", *command],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        check=False,
    )
    os.close(writing)

    assert (done.returncode, done.stderr) == (2, "latent-conformance: standard output: Broken pipe\n")


def test_a_recording_of_one_event_is_counted_in_the_singular(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["check", recorded(tmp_path, [Error("no key")])])

    assert capsys.readouterr().out.startswith(f"{tmp_path / 'run.jsonl'}: 1 event\n")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (b'"""An agent."""\nimport os\n', 1),
        (b'{\n  "format": "latent-conformance-report",\n  "version": 1\n}\n', 1),
        (b"\n\n# notes\n", 3),
        (b"{}\n", 1),
    ],
)
def test_file_that_is_no_recording_is_told_what_one_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: bytes, line: int
) -> None:
    file = tmp_path / "other"
    file.write_bytes(text)

    assert main(["check", str(file)]) == 2
    told = capsys.readouterr().err
    first = text.split()[0].decode()
    assert told.startswith(
        f"latent-conformance: {file}: Expected a recording, one event a line as `record` writes them"
    )
    assert first[:3] in told
    assert told.endswith(f"(line {line})\n")


def test_recording_that_was_torn_is_told_how_it_is_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = recorded(tmp_path, PLAIN, b'{"event":"usage","dat')

    assert main(["check", file]) == 2
    assert "where the recording was cut off, --partial leaves its last line out" in capsys.readouterr().err
    assert main(["check", file, "--partial"]) == 0


def test_line_that_is_wrong_amid_a_recording_is_not_taken_for_a_torn_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", recorded(tmp_path, PLAIN, b'{"event":7}\n')]) == 2
    assert "--partial" not in capsys.readouterr().err


def test_event_that_the_protocol_does_not_have_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    unknown = b'{"event":"text_dleta","data":{"text":"a"}}\n' * 2 + b'{"event":"mood","data":{}}\n'

    assert main(["check", recorded(tmp_path, PLAIN, unknown)]) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "passed over: 'text_dleta', 2 times, which is no event of the protocol: did you mean 'text_delta'?",
        "passed over: 'mood', which is no event of the protocol",
    ]


def test_the_version_is_told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("latent.conformance._cli._main.kit_version", lambda: "1.2.3")

    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out == "latent-conformance 1.2.3\n"


def test_no_standard_output_is_no_reason_to_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)

    assert main(["check", recorded(tmp_path, PLAIN)]) == 0
