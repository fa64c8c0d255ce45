"""The commands and their exit codes."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from io import TextIOWrapper
from typing import TextIO

from agentloop._cli._file import TranscriptFile, read_file, write_new
from agentloop._cli._show import shown
from agentloop.adapters import Adapter, AnthropicAdapter, GeminiAdapter, OpenAIChatAdapter, OpenAIResponsesAdapter
from agentloop.transcript import Transcript, TranscriptError, repair, to_jsonl
from agentloop.transcript._invariants import find_faults

__all__ = ["command_parser", "main"]

_ADAPTERS: dict[str, Callable[..., Adapter]] = {
    "openai-chat": OpenAIChatAdapter,
    "openai-responses": OpenAIResponsesAdapter,
    "anthropic": AnthropicAdapter,
    "gemini": GeminiAdapter,
}
_SHOWN = 2_000
_NAMED = 20
_EXIT_CODES = "Exit codes: 0 all is well, 1 the transcript is unsafe or damaged, 2 wrong usage or no such file."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command `agentloop` and return its exit code: 0 well, 1 unsafe or damaged, 2 usage."""
    options = command_parser().parse_args(arguments)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    run: Callable[[argparse.Namespace, TranscriptFile], int] = options.run
    try:
        code = run(options, read_file(options.file))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The reader has gone: what is left to flush at exit must not raise again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        print(f"agentloop: {error.filename or options.file}: {error.strerror or error}", file=sys.stderr)
        return 2


def command_parser() -> argparse.ArgumentParser:
    """What the command takes; the reference is written from it."""
    parser = argparse.ArgumentParser(
        prog="agentloop", description="Work on transcripts kept as JSON Lines.", epilog=_EXIT_CODES
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {version('agentloop')}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    check = commands.add_parser("check", help="say what is unsafe to send, and in which line")
    check.set_defaults(run=_check)
    show = commands.add_parser("show", help="print a transcript for reading, with tools and citations")
    show.add_argument("--full", action="store_true", help=f"do not cut texts at {_SHOWN} characters")
    show.set_defaults(run=_show)
    mend = commands.add_parser("repair", help="write the transcript in a form that is safe to send")
    mend.add_argument("--drop-unreadable", action="store_true", help="leave out lines that cannot be read")
    mend.set_defaults(run=_repair)
    convert = commands.add_parser("convert", help="print the messages of a request as JSON")
    convert.add_argument("--to", required=True, choices=_ADAPTERS, help="the wire to write")
    convert.add_argument("--provider", type=_name, help="the provider that is asked, instead of the wire's vendor")
    convert.add_argument("--model", type=_name, help="the model that is asked; thinking of other models is left out")
    convert.set_defaults(run=_convert)
    for command in (check, show, mend, convert):
        command.add_argument("file", metavar="FILE", help="the transcript, or - for standard input")
        command.epilog = _EXIT_CODES
    for command in (mend, convert):
        command.add_argument("--output", metavar="NEW", help="a file that does not exist, instead of standard output")
    return parser


def _name(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("Expected a name, got an empty one")
    return text


def _check(options: argparse.Namespace, file: TranscriptFile) -> int:
    if _report_unreadable(file, sys.stdout):
        return 1
    count = 0
    for fault in find_faults(file.messages):
        print(f"{file.place(fault.message_index)}: {fault}")
        count += 1
    if not count:
        print(f"{file.name}: {len(file.messages)} messages, safe to send")
    return 1 if count else 0


def _show(options: argparse.Namespace, file: TranscriptFile) -> int:
    for index, message in enumerate(file.messages):
        for line in shown(file.place(index), message, None if options.full else _SHOWN):
            print(line)
    return 1 if _report_unreadable(file) else 0


def _repair(options: argparse.Namespace, file: TranscriptFile) -> int:
    if _report_unreadable(file) and not options.drop_unreadable:
        return 1
    repaired, report = repair(file.messages)
    _write(options, [to_jsonl(repaired)])
    for change in report:
        print(f"{file.place(change.message_index)}: {change}", file=sys.stderr)
    print(f"{file.name}: {len(report) + len(file.unreadable)} changes", file=sys.stderr)
    return 0


def _convert(options: argparse.Namespace, file: TranscriptFile) -> int:
    if _report_unreadable(file):
        return 1
    make = _ADAPTERS[options.to]
    adapter = make(model=options.model) if options.provider is None else make(options.provider, options.model)
    try:
        wire = adapter.to_wire(Transcript(messages=file.messages))
    except TranscriptError as error:
        print(f"{file.place(error.message_index)}: {error}", file=sys.stderr)
        return 1
    _write(options, [json.dumps(wire, ensure_ascii=False, indent=2), "\n"])
    return 0


def _report_unreadable(file: TranscriptFile, to: TextIO | None = None) -> bool:
    for problem in file.unreadable[:_NAMED]:
        print(problem, file=to or sys.stderr)
    if len(file.unreadable) > _NAMED:
        print(f"{file.name}: {len(file.unreadable) - _NAMED} more lines cannot be read", file=to or sys.stderr)
    return bool(file.unreadable)


def _write(options: argparse.Namespace, pieces: Iterable[str]) -> None:
    if options.output is not None:
        write_new(options.output, pieces)
        return
    if isinstance(sys.stdout, TextIOWrapper):
        # The locale must change neither the text nor the ends of lines.
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    sys.stdout.writelines(pieces)
