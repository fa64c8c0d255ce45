"""The chat as a program: lines in, lines out."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

import chat
import pytest

from latent.agents import EchoModel, ReActAgent

CHAT = Path(__file__).parents[2] / "examples" / "chat.py"


def talk(*lines: str, options: tuple[str, ...] = ()) -> str:
    """What the chat prints for these lines, its prompts left out."""
    command = [sys.executable, str(CHAT), *options]
    said = "".join(f"{line}\n" for line in lines)
    done = subprocess.run(command, input=said, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.replace("> ", "")


def test_the_chat_answers_offline() -> None:
    assert talk("Hello there", "And now?", "/quit", "Never read") == "Hello there\nAnd now?\n"


def test_the_end_of_the_input_ends_the_chat() -> None:
    assert talk("Hello") == "Hello\n\n"


def test_an_empty_line_is_no_question_and_an_unknown_command_is_told() -> None:
    assert talk("", "   ", "/help", "/quit") == "(there are /reset and /quit)\n"


@pytest.mark.parametrize("options", [("--base-url", "ftp://example.org"), ("--unknown",)])
def test_wrong_arguments_are_a_usage_error(options: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, str(CHAT), *options], capture_output=True, text=True, check=False, timeout=60
    )

    assert done.returncode == 2
    assert "Traceback" not in done.stderr


class Server:
    """A chat-completions server: answers with what it was told, but for `wait`, `fail` and `clock`."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        self.waiting, self.over = Event(), Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                rows = body["messages"]
                server.asked.append([f"{row['role']}: {row['content']}" for row in rows])
                self.answer(rows[-1])

            def answer(self, row: dict[str, Any]) -> None:
                match row["content"]:
                    case "wait":
                        server.waiting.set()
                        server.over.wait(30)
                    case "fail":
                        self.send(400, json.dumps({"error": {"message": "no luck"}}))
                    case "clock":
                        call = {"index": 0, "id": "c1", "type": "function"}
                        self.send_delta({"tool_calls": [{**call, "function": {"name": "clock", "arguments": "{}"}}]})
                    case content:
                        self.send_delta({"content": "It is late" if row["role"] == "tool" else f"You said {content}"})

            def send_delta(self, delta: dict[str, Any]) -> None:
                chunk = {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
                self.send(200, f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n")

            def send(self, status: int, body: str) -> None:
                self.send_response(status)
                self.send_header("content-type", "application/json" if status == 400 else "text/event-stream")
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    @property
    def options(self) -> tuple[str, ...]:
        return ("--base-url", f"http://127.0.0.1:{self._server.server_address[1]}/v1", "--model", "small")

    def stop(self) -> None:
        self.over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.stop()


def test_a_question_takes_the_conversation_with_it_until_the_reset(server: Server) -> None:
    printed = talk("one", "two", "/reset", "three", "/quit", options=server.options)

    assert printed == "You said one\nYou said two\n(a new conversation)\nYou said three\n"
    assert server.asked == [["user: one"], ["user: one", "assistant: You said one", "user: two"], ["user: three"]]


def test_the_tools_that_were_called_are_shown(server: Server) -> None:
    assert talk("clock", "/quit", options=server.options) == "[clock {}]\nIt is late\n"


def test_a_failed_answer_is_told_and_leaves_the_conversation_as_it_was(server: Server) -> None:
    first, second, third = talk("one", "fail", "two", "/quit", options=server.options).splitlines()

    assert (first, third) == ("You said one", "You said two")
    assert second.startswith("(failed: ")
    assert "no luck" in second
    assert server.asked[-1] == ["user: one", "assistant: You said one", "user: two"]


def test_control_c_gives_up_the_answer_and_not_the_chat(server: Server) -> None:
    command = [sys.executable, "-u", str(CHAT), *server.options]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as program:
        assert program.stdin is not None
        program.stdin.write("wait\n")
        program.stdin.flush()
        assert server.waiting.wait(30)
        program.send_signal(signal.SIGINT)
        printed, errors = program.communicate("two\n/quit\n", timeout=60)

    assert (program.returncode, printed.replace("> ", ""), errors) == (0, "(given up)\nYou said two\n", "")
    assert server.asked[-1] == ["user: two"]


def test_control_c_at_the_prompt_gives_a_new_prompt(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed: list[str | type[BaseException]] = [KeyboardInterrupt, "Hello", EOFError]

    def read(prompt: str) -> str:
        line = typed.pop(0)
        if isinstance(line, str):
            return line
        raise line

    monkeypatch.setattr("builtins.input", read)
    chat.chat(ReActAgent(name="echo", model=EchoModel()))

    assert capsys.readouterr().out == "\nHello\n\n"
