from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from latent.conformance._cli._main import main
from latent.conformance._cli._record_command import SCRIPTS
from latent.protocol import TextDelta, decode_events

CASES = Path(__file__).parent
AGENTS = """
import asyncio
import subprocess
import time
from cases.agent import sound
from cases.first_agents import Parrot, Raising, Awaited, InterruptedMidway, WaitsMidway, Sleeps, nothing
from latent.protocol import StepBoundary, TextDelta, ToolResult

class Loud(Parrot):
    async def stream(self, messages, *, config=None):
        print("noise")
        subprocess.run(["echo", "more noise"], check=True)
        async for event in super().stream(messages, config=config):
            yield event

class Foreign(Parrot):
    async def stream(self, messages, *, config=None):
        yield TextDelta("so far")
        yield "text"

class NoJson(Parrot):
    async def stream(self, messages, *, config=None):
        yield TextDelta("so far")
        yield ToolResult("c", {1})

class Fails(Parrot):
    async def stream(self, messages, *, config=None):
        yield TextDelta("so far")
        raise OSError("no route")
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "agents.py").write_text(AGENTS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "agents", raising=False)
    return tmp_path


def texts(file: Path) -> list[str]:
    return [event.text for event in decode_events(file.read_bytes()) if isinstance(event, TextDelta)]


@pytest.mark.parametrize("name", SCRIPTS)
def test_what_is_recorded_can_be_checked(folder: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["record", "agents:sound", "--script", name, "-o", "run.jsonl"]) == 0

    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.endswith("in run.jsonl, for `latent-conformance check run.jsonl`\n")
    assert main(["check", "run.jsonl"]) == 0


def test_an_agent_with_its_own_model_is_asked_the_prompts(folder: Path) -> None:
    assert main(["record", "agents:Parrot", "--prompt", "One", "--prompt", "Two", "-o", "run.jsonl"]) == 0
    assert texts(folder / "run.jsonl") == ["You said: Two"]


def test_the_standard_output_holds_the_events_alone(folder: Path) -> None:
    command = [sys.executable, "-m", "latent.conformance", "record", "agents.py:Loud"]
    path = os.pathsep.join([str(CASES), os.environ.get("PYTHONPATH", "")])

    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, check=True)

    assert len(list(decode_events(done.stdout))) == 2
    assert done.stderr.splitlines() == [b"noise", b"more noise", b"latent-conformance: recorded: 2 events"]


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        ("Foreign", "event 1: Expected an event, got 'text'; the last event was TextDelta(text='so far')"),
        ("NoJson", "event 1: ToolResult(tool_call_id='c', output={1}, error=None) cannot be written: Expected a JSON"),
        ("Fails", "the agent raised OSError('no route') (from Fails.stream in agents.py, line 29); the last event"),
        ("WaitsMidway", "the agent gave nothing for 0.5 s; the last event was StepBoundary"),
        ("Sleeps", "the agent blocked the event loop (from Sleeps.stream in "),
    ],
)
def test_a_run_that_breaks_off_keeps_what_came(
    folder: Path, agent: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["record", f"agents:{agent}", "--timeout", "0.5", "-o", "run.jsonl"]) == 1

    told = capsys.readouterr().err
    assert reason in told
    assert told.endswith(": 1 event in run.jsonl, for `latent-conformance check --partial run.jsonl`\n")
    assert len(list(decode_events((folder / "run.jsonl").read_bytes()))) == 1


@pytest.mark.parametrize(
    ("options", "code", "reason"),
    [
        (["agents:nothing"], 2, "agents:nothing: Expected an agent with stream and invoke from the factory nothing"),
        (["agents:lost"], 2, "agents:lost: Expected a factory 'lost' in agents, got none"),
        (["agents:sound", "--prompt", "Hi"], 2, "Expected no --prompt, for the factory takes the harness"),
        (["agents:Parrot", "--script", "answer"], 2, "Expected no --script, for the factory takes no harness"),
        (
            ["agents:sound", "--script", "?"],
            2,
            "the name of a script, got '?': it is one of tools-one-by-one, answer, ",
        ),
        (["agents:sound", "--script", "answr"], 2, "the name of a script, got 'answr': did you mean answer?"),
        (["agents:Raising"], 1, "the agent raised OSError('no route to the model') (from Raising.stream in "),
        (["agents:Awaited"], 1, "Expected stream(messages) to give an async iterator, got a coroutine: write"),
    ],
)
def test_what_gives_no_event_leaves_an_earlier_recording_alone(
    folder: Path, options: list[str], code: int, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "run.jsonl").write_text("earlier")

    assert main(["record", *options, "-o", "run.jsonl"]) == code
    assert main(["record", *options, "-o", "other.jsonl"]) == code
    assert (folder / "run.jsonl").read_text() == "earlier"
    assert not (folder / "other.jsonl").exists()
    assert reason in capsys.readouterr().err


def test_an_earlier_recording_is_replaced_whole(folder: Path) -> None:
    (folder / "run.jsonl").write_text("earlier\n" * 1000)

    assert main(["record", "agents:Parrot", "-o", "run.jsonl"]) == 0
    assert len((folder / "run.jsonl").read_text().splitlines()) == 2


def test_a_file_that_cannot_be_written_is_told_before_the_agent_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["record", "agents:Parrot", "-o", "nowhere/run.jsonl"]) == 2
    assert capsys.readouterr().err == "latent-conformance: nowhere/run.jsonl: No such file or directory\n"


@pytest.mark.skipif(sys.platform == "win32", reason="an interrupt is no signal there")
def test_an_interrupt_keeps_what_came(folder: Path) -> None:
    command = [sys.executable, "-m", "latent.conformance", "record", "agents:WaitsMidway", "-o", "run.jsonl"]
    path = os.pathsep.join([str(CASES), os.environ.get("PYTHONPATH", "")])
    heard = signal.signal(signal.SIGINT, signal.default_int_handler)  # where it is ignored, the command ignores it too
    try:
        running = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": path}, stderr=subprocess.PIPE, text=True)
    finally:
        signal.signal(signal.SIGINT, heard)
    while not ((folder / "run.jsonl").exists() and (folder / "run.jsonl").stat().st_size):
        assert running.poll() is None
    running.send_signal(signal.SIGINT)
    _, told = running.communicate(timeout=60)

    assert running.returncode == 130
    assert told.endswith("interrupted: 1 event in run.jsonl, for `latent-conformance check --partial run.jsonl`\n")
    assert "Traceback" not in told
    assert main(["check", "--partial", "run.jsonl"]) in (0, 3)


def test_an_interrupt_is_no_exception_in_the_midst_of_the_agent(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    heard = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert main(["record", "agents:InterruptedMidway", "-o", "run.jsonl"]) == 130
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, heard)

    kept = "interrupted: 1 event in run.jsonl, for `latent-conformance check --partial run.jsonl`"
    assert capsys.readouterr().err == f"latent-conformance: {kept}\n"


@pytest.mark.parametrize("command", [[], ["check"], ["record"], ["explain"], ["rules"]])
def test_each_command_has_help(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*command, "--help"])

    assert ended.value.code == 0
    assert len(capsys.readouterr().out.splitlines()) > 5
