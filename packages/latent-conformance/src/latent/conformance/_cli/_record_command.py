"""`latent-conformance record`."""

from __future__ import annotations

import errno
import os
import sys
from argparse import ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from difflib import get_close_matches
from pathlib import Path
from shlex import quote
from typing import IO, Any

import latent.conformance._scripts as scripts
from latent.conformance._cli._recorder import Recorder
from latent.conformance._cli._said import USAGE, say
from latent.conformance._driving._factory import FactoryError
from latent.conformance._driving._locate import locate
from latent.conformance._judging._suite import PROMPTS
from latent.conformance.harness import Script

__all__ = ["SCRIPTS", "add_record"]

_WHOLE, _BROKEN_OFF, _INTERRUPTED = 0, 1, 130

_PLAYED: tuple[Script, ...] = (
    *(scripts.TALK, scripts.ANSWER, scripts.THINKING, scripts.THINKING_TO_CALL, scripts.BATCH, scripts.AFTERTHOUGHT),
    *(scripts.ONE_FAILS, scripts.RAISING, scripts.UNKNOWN_TOOL, scripts.MALFORMED, scripts.CUT_OFF, scripts.NATIVE),
    *(scripts.CHARACTERS, scripts.MUTE_END, scripts.FAILS_AT_ONCE, scripts.FAILS_MIDWAY, scripts.FAILS_LATER),
    scripts.ENDLESS,
)
"""What can be recorded; the first is what is played where none is named."""
SCRIPTS = {script.name.replace(",", "").replace(" ", "-"): script for script in _PLAYED}
"""What `--script` names."""

_ABOUT = """\
Build an agent, stream one run of it, and write each event down as it comes, as
JSON Lines. A factory with a parameter gets the harness, whose model plays a
script; any other builds an agent with a model of its own."""
_EPILOG = f"""\
scripts:
{chr(10).join(f"  {name}" for name in SCRIPTS)}

Exit codes: 0 the run ended, 1 it broke off (what came is kept), 2 wrong use,
130 interrupted."""


def add_record(commands: Any) -> None:
    """Add the command to those of a parser."""
    record = commands.add_parser(
        "record",
        help="stream one run of an agent, and write it down (JSON Lines)",
        description=_ABOUT,
        epilog=_EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    record.add_argument(
        "agent", metavar="MODULE:FACTORY", help="the factory that builds the agent; also path/to/file.py:FACTORY"
    )
    record.add_argument(
        "--prompt", action="append", metavar="TEXT", help="what an agent with its own model is asked; repeatable"
    )
    record.add_argument(
        "--script",
        metavar="NAME",
        help=f"what the kit's model plays, out of those that --help lists ({next(iter(SCRIPTS))})",
    )
    record.add_argument("-o", "--output", metavar="FILE.jsonl", help="where to write (default: the standard output)")
    record.add_argument(
        "--timeout", type=_seconds, default=60.0, metavar="SECONDS", help="how long to wait for an event (60)"
    )
    record.set_defaults(run=_record)


def _seconds(text: str) -> float:
    with suppress(ValueError):
        if 0 < (seconds := float(text)) < float("inf"):
            return seconds
    raise ArgumentTypeError(f"Expected a number of seconds above 0, got {text!r}")


def _record(options: Namespace) -> int:
    recorder: Recorder | None = None
    try:
        with _output(options.output) as write:
            recorder = Recorder(locate(options.agent, Path.cwd()), write, timeout=options.timeout)
            if recorder.takes_harness:
                recorder.play(_script(options))
            else:
                recorder.ask(_prompts(options))
    except (FactoryError, _UsageError) as wrong:
        return say(f"{options.agent}: {wrong}", USAGE)
    except OSError as wrong:
        return say(f"{options.output or 'standard output'}: {wrong.strerror or wrong}", USAGE)
    except KeyboardInterrupt:
        count = 0 if recorder is None else recorder.events
        return say(f"interrupted{_kept(options, count, whole=False)}", _INTERRUPTED)
    if recorder.failure is not None:
        return say(f"{recorder.failure}{_kept(options, recorder.events, whole=False)}", _BROKEN_OFF)
    return say(f"recorded{_kept(options, recorder.events, whole=True)}", _WHOLE)


class _UsageError(ValueError):
    """Options that do not go together."""


def _script(options: Namespace) -> Script:
    if options.prompt:
        raise _UsageError("Expected no --prompt, for the factory takes the harness: its script says what is asked")
    name = options.script or next(iter(SCRIPTS))
    if name not in SCRIPTS:
        near = get_close_matches(name, SCRIPTS)
        hint = f"did you mean {' or '.join(near)}?" if near else f"it is one of {', '.join(SCRIPTS)}"
        raise _UsageError(f"Expected the name of a script, got {name!r}: {hint}")
    return SCRIPTS[name]


def _prompts(options: Namespace) -> list[str]:
    if options.script:
        raise _UsageError("Expected no --script, for the factory takes no harness: its agent has a model of its own")
    return options.prompt or list(PROMPTS)


class _File:
    """The recording in a file, which is opened at once, and loses what it held when the first event comes."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._is_new = not self._path.exists()
        self._file = self._path.open("ab", buffering=0)
        self._begun = False

    def write(self, line: bytes) -> None:
        if not self._begun and os.fstat(self._file.fileno()).st_size:
            self._file.truncate(0)
        self._begun = True
        self._file.write(line)

    def close(self) -> None:
        self._file.close()
        if self._is_new and not self._begun:
            self._path.unlink()


@contextmanager
def _output(path: str | None) -> Iterator[Callable[[bytes], object]]:
    """How to write a line; what the agent prints meanwhile goes to the standard error."""
    if path is not None:
        file = _File(path)
        try:
            with redirect_stdout(sys.stderr):
                yield file.write
        finally:
            file.close()
        return
    own = _own_stdout()

    def write(line: bytes) -> None:
        own.write(line)
        own.flush()

    with redirect_stdout(sys.stderr):
        yield write


def _own_stdout() -> IO[bytes]:
    """The standard output, out of the reach of whatever writes to its number from here on, child processes too."""
    stdout = sys.__stdout__
    if sys.stdout is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    if stdout is None or sys.stdout is not stdout:
        return sys.stdout.buffer  # somebody in this process listens to it
    stdout.flush()
    own = os.fdopen(os.dup(stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), stdout.fileno())
    return own


def _kept(options: Namespace, count: int, *, whole: bool) -> str:
    """What there is of the recording, and what to do with it."""
    events = f"{count} event{'' if count == 1 else 's'}"
    if options.output is None:
        return f": {events}"
    if not count:
        return f": {events}, and nothing was written to {options.output}"
    partial = "" if whole else "--partial "
    return f": {events} in {options.output}, for `latent-conformance check {partial}{quote(options.output)}`"
