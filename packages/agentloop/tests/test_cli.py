import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from agentloop._cli import main
from agentloop.transcript import (
    Citation,
    HostedToolPart,
    Message,
    Origin,
    Source,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
    from_jsonl,
    repair,
    to_jsonl,
)

from .sdk_types import accept
from .strategies import messages

CALL = ToolCallPart(call_id="c1", tool_name="weather", arguments={"city": "Zürich"})
RESULT = ToolResultPart(call_id="c1", tool_name="weather", content="sunny")
SAFE = [
    Message(role="user", content=(TextPart(text="Weather?"),)),
    Message(role="assistant", content=(CALL,)),
    Message(role="user", content=(RESULT,)),
    Message(role="assistant", content=(TextPart(text="Sunny."),)),
]
UNSAFE = [SAFE[0], SAFE[1], SAFE[0]]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "chat.jsonl"


def _write(file: Path, conversation: list[Message], *, before: str = "", after: str = "") -> str:
    file.write_text(before + to_jsonl(conversation) + after, encoding="utf-8", newline="\n")
    return str(file)


def test_check_says_that_a_transcript_is_safe(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", _write(file, SAFE)]) == 0
    assert capsys.readouterr() == (f"{file}: 4 messages, safe to send\n", "")


def test_check_names_line_message_and_call_of_every_fault(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = _write(file, [*UNSAFE, SAFE[2]], before="\n\n")

    assert main(["check", name]) == 1

    assert capsys.readouterr().out.splitlines() == [
        f"{file}:5: message 2: Expected results for calls 'c1' of message 1, got none",
        f"{file}:6: message 3: Expected results for calls of message 2 only, got results for 'c1'",
    ]


def test_check_names_every_line_that_cannot_be_read(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = _write(file, SAFE, before="{\n", after='{"role":"user","content":[{"type":"text","text":5}]}\n')

    assert main(["check", name]) == 1

    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{file}:1: Invalid JSON")
    assert second == f"{file}:6: content.0.text.text: Input should be a valid string"


def test_a_byte_order_mark_inside_a_file_is_damage(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text("\ufeff" + to_jsonl(SAFE[:1]) + "\ufeff" + to_jsonl(SAFE[:1]), encoding="utf-8")

    assert main(["check", str(file)]) == 1

    (problem,) = capsys.readouterr().out.splitlines()
    assert problem.startswith(f"{file}:2: Invalid JSON")


def test_a_file_of_rubbish_is_summed_up(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_bytes(b"\xff\n" * 1_000)

    assert main(["check", str(file)]) == 1

    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 21
    assert lines[-1] == f"{file}: 980 more lines cannot be read"


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_a_transcript_without_messages(
    file: Path, data: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_bytes(data)

    assert main(["check", str(file)]) == 0
    assert "0 messages" in capsys.readouterr().out


def test_show_prints_every_kind_of_part(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parts = (
        ThinkingPart(text="Hm."),
        ThinkingPart(text=""),
        HostedToolPart(kind="web_search", query="q", error="timeout", sources=(Source(url="u", title="T"),)),
        TextPart(text="Café open.", citations=(Citation(url="u", start=0, end=4), Citation(url="v", cited_text="c"))),
        CALL.model_copy(update={"arguments": {}, "raw_arguments": "{", "parse_error": "broken"}),
    )
    conversation = [
        Message(role="assistant", content=parts, origin=Origin(provider="p", api="a", model="m")),
        Message(role="user", content=(RESULT.model_copy(update={"is_error": True}), TextPart(text="two\nlines"))),
    ]

    assert main(["show", _write(file, conversation)]) == 0

    assert capsys.readouterr().out == (
        f"── {file}:1 assistant (p a m)\n"
        "(thinking) Hm.\n"
        "(thinking) not shown by the provider\n"
        "⚙ web_search: q failed: timeout\n"
        "  T <u>\n"
        "Café open.\n"
        "  [Café] <u>\n"
        "  [c] <v>\n"
        "→ weather c1: {}\n"
        "  cannot be parsed: broken\n"
        "  sent as: {\n"
        "\n"
        f"── {file}:2 user\n"
        "← weather c1 failed: sunny\n"
        "two\n"
        "lines\n"
        "\n"
    )


def test_show_does_not_obey_control_characters(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "\x1b[2Jgone\rback\u202eevil\x9b31m\u2028"

    main(["show", _write(file, [Message(role="user", content=(TextPart(text=text),))])])

    assert capsys.readouterr().out.splitlines()[1] == r"\x1b[2Jgone\rback\u202eevil\x9b31m\u2028"


def test_show_cuts_long_texts_unless_asked_not_to(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = _write(file, [Message(role="user", content=(TextPart(text="x" * 2_500),))])

    main(["show", name])
    assert "x" * 2_000 + "… (500 more characters)\n" in capsys.readouterr().out
    main(["show", name, "--full"])
    assert "x" * 2_500 + "\n" in capsys.readouterr().out


def test_show_prints_what_can_be_read_of_a_damaged_file(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", _write(file, SAFE[:1], before="{\n")]) == 1

    out, err = capsys.readouterr()
    assert f"── {file}:2 user\nWeather?\n" in out
    assert err.startswith(f"{file}:1: Invalid JSON")


def test_repair_writes_what_is_safe_and_reports_the_lines(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = _write(file, UNSAFE, before="\n")
    before = file.read_bytes()

    assert main(["repair", name]) == 0

    out, err = capsys.readouterr()
    assert from_jsonl(out).messages == repair(UNSAFE)[0]
    assert err.splitlines() == [
        f"{file}:3: message 1: added error result for a call without one (call 'c1')",
        f"{file}: 1 changes",
    ]
    assert file.read_bytes() == before


def test_repair_writes_a_new_file_and_overwrites_none(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = _write(file, UNSAFE)
    before = file.read_bytes()
    new = file.with_name("new.jsonl")

    assert main(["repair", name, "--output", str(new)]) == 0
    assert main(["check", str(new)]) == 0
    for existing in (name, str(new)):
        written = Path(existing).read_bytes()
        assert main(["repair", name, "--output", existing]) == 2
        assert Path(existing).read_bytes() == written
    assert file.read_bytes() == before
    assert "File exists" in capsys.readouterr().err


def test_repair_leaves_a_damaged_file_alone_unless_told(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = _write(file, SAFE, after='{"role":"us')
    before = file.read_bytes()
    new = file.with_name("new.jsonl")

    assert main(["repair", name, "--output", str(new)]) == 1
    assert not new.exists()
    assert main(["repair", name, "--drop-unreadable", "--output", str(new)]) == 0

    assert from_jsonl(new.read_bytes()).messages == SAFE
    assert file.read_bytes() == before
    assert f"{file}:5: Invalid JSON" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("wire", "api"),
    [
        ("openai-chat", "chat"),
        ("openai-responses", "responses"),
        ("anthropic", "messages"),
        ("gemini", "generate_content"),
    ],
)
def test_convert_prints_what_the_sdk_accepts(
    file: Path, wire: str, api: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["convert", _write(file, SAFE), "--to", wire]) == 0

    sent: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    accept(api, sent)
    assert len(sent) == 4


def test_convert_replays_to_the_provider_and_model_it_is_told(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raw = {"role": "assistant", "content": "Hi", "reasoning_content": "Hm."}
    origin = Origin(provider="deepseek", api="chat", model="m", raw=(raw,))
    name = _write(file, [Message(role="assistant", content=(TextPart(text="Hi"),), origin=origin)])

    shown = []
    for options in (["--provider", "deepseek"], ["--provider", "deepseek", "--model", "n"], []):
        main(["convert", name, "--to", "openai-chat", *options])
        shown.append("reasoning_content" in capsys.readouterr().out)

    assert shown == [True, False, False]


def test_convert_refuses_what_is_unsafe_with_its_line(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", _write(file, UNSAFE, before="\n"), "--to", "anthropic"]) == 1

    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"{file}:4: message 2: Expected results for calls 'c1'")


@pytest.mark.parametrize("command", ["check", "show", "repair", "convert"])
def test_a_file_that_cannot_be_opened_is_named(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rest = ["--to", "gemini"] if command == "convert" else []

    assert main([command, str(tmp_path / "none"), *rest]) == 2
    assert main([command, str(tmp_path), *rest]) == 2

    assert capsys.readouterr().err == (
        f"agentloop: {tmp_path / 'none'}: No such file or directory\nagentloop: {tmp_path}: Is a directory\n"
    )


@pytest.mark.parametrize(
    "arguments",
    [[], ["mend", "x"], ["check"], ["convert", "x"], ["convert", "x", "--to", "telex"], ["check", "x", "y"]]
    + [["convert", "x", "--to", "gemini", option, ""] for option in ("--provider", "--model")],
)
def test_wrong_usage_exits_with_two(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(arguments)

    assert exit_.value.code == 2
    assert "usage: agentloop" in capsys.readouterr().err


def test_standard_input_is_read_and_the_module_runs_under_any_locale() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "agentloop", "show", "-"],
        input=to_jsonl([Message(role="user", content=(TextPart(text="é😀"),))]).encode(),
        capture_output=True,
        env={"PYTHONIOENCODING": "ascii", "PYTHONPATH": ":".join(sys.path)},
        check=False,
    )

    assert (ended.returncode, ended.stderr) == (0, b"")
    assert ended.stdout == b"\\u2500\\u2500 <stdin>:1 user\n\\xe9\\U0001f600\n\n"


def test_repair_writes_utf_8_under_any_locale() -> None:
    line = to_jsonl([Message(role="user", content=(TextPart(text="é😀"),))]).encode()

    ended = subprocess.run(
        [sys.executable, "-m", "agentloop", "repair", "-"],
        input=line,
        capture_output=True,
        env={"PYTHONIOENCODING": "ascii", "PYTHONPATH": ":".join(sys.path)},
        check=False,
    )

    assert ended.stdout == line


@given(messages)
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_message_can_be_shown_and_repaired(tmp_path: Path, message: Message) -> None:
    file = tmp_path / "any.jsonl"
    name = _write(file, [message])
    out = io.StringIO()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", out)
        assert main(["show", name]) == 0
        assert main(["repair", name]) == 0
