"""The command line: `check`, `record`, `explain` and `rules`."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from difflib import get_close_matches
from pathlib import Path
from shlex import join
from typing import BinaryIO

from latent.conformance._catalogue import RULES
from latent.conformance._catalogue._named import rule_named
from latent.conformance._catalogue._rule import Door, Rule
from latent.conformance._cli._record_command import add_record
from latent.conformance._cli._said import USAGE, heard, say
from latent.conformance._passive._reading import TAGS, read_events
from latent.conformance._passive._recording import check_events
from latent.conformance._report_files import Target, gathered, kit_version, outcome, publish
from latent.protocol import UnknownEvent, WireError

__all__ = ["command_parser", "main"]

_EXITS = {"pass": 0, "fail": 1, "incomplete": 3}

_DOORS = {
    Door.RECORDING: "a recording",
    Door.BLACK_BOX: "any agent",
    Door.HARNESS: "an agent on the kit's harness",
    Door.CHANCE: "whatever comes to it",
}


_VERDICTS = "Exit codes: 0 pass, 1 fail, 2 wrong use, 3 incomplete."
_REPORT = "write the judgement to a file as json, md, html or badge; repeatable"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; gives the exit code: 0 pass, 1 fail, 2 usage, 3 incomplete."""
    given = sys.argv[1:] if arguments is None else arguments
    return heard(lambda: _run(given))


def _run(given: Sequence[str]) -> int:
    options = command_parser().parse_args(given)
    options.command = join(["latent-conformance", *given])
    code: int = options.run(options)
    return code


def command_parser() -> ArgumentParser:
    """What the command takes; the reference is written from it."""
    parser = ArgumentParser(
        prog="latent-conformance",
        description="Record runs of agents, judge recordings, and look up the rules.",
        epilog=f"{_VERDICTS} `record` has its own: 0 the run ended, 1 it broke off, 2 wrong use, 130 interrupted. "
        "To judge a live agent: pytest --latent-conformance --latent-agent=MODULE:FACTORY",
    )
    version = kit_version() or "of a source tree, not installed"
    parser.add_argument("--version", action="version", version=f"latent-conformance {version}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    about = "Judge a recorded run: one event a line, as `record` and `latent.protocol.encode_events` write them."
    check = commands.add_parser("check", help="judge a recorded run (JSON Lines)", description=about, epilog=_VERDICTS)
    check.add_argument("file", metavar="FILE.jsonl", help="the recording, or - for the standard input")
    check.add_argument("--partial", action="store_true", help="the recording was cut off")
    check.add_argument("--capability", action="append", metavar="NAME", help="what the run must show; repeatable")
    check.add_argument("--external-tool", action="append", default=[], metavar="NAME", help="a tool run elsewhere")
    check.add_argument("--own-segmentation", action="store_true", help="steps are told apart in another way")
    check.add_argument("--step-scope", choices=("run", "phase"), default="run", help="where step numbers are unique")
    check.add_argument("--parallel-phases", action="store_true", help="phases may overlap")
    check.add_argument("--deviation", action="append", default=[], metavar="RULE=REASON", help="a known deviation")
    check.add_argument("--report", action="append", default=[], metavar="KIND:PATH", help=_REPORT)
    check.set_defaults(run=_check)
    add_record(commands)
    about = "Say what a rule means, where the specification has it, and how to mend what breaks it."
    explain = commands.add_parser("explain", help="say what a rule means, and how to mend it", description=about)
    explain.add_argument("rule", metavar="RULE", help="its id, as in STEP-4")
    explain.set_defaults(run=_explain)
    about = "List all rules: the id, how binding it is, and what it says."
    rules = commands.add_parser("rules", help="list all rules", description=about)
    rules.set_defaults(run=_rules)
    return parser


def _check(options: Namespace) -> int:
    with ExitStack() as opened:
        try:
            targets = list(map(Target.of, options.report))
            lines: BinaryIO = (
                sys.stdin.buffer if options.file == "-" else opened.enter_context(Path(options.file).open("rb"))
            )
            events = list(read_events(lines, complete=not options.partial))
            report = check_events(
                events,
                complete=not options.partial,
                capabilities=options.capability,
                external_tools=options.external_tool,
                own_segmentation=options.own_segmentation,
                step_scope=options.step_scope,
                parallel_phases=options.parallel_phases,
                known_deviations=dict(map(_deviation, options.deviation)),
            )
        except (OSError, WireError, ValueError, TypeError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else error
            return say(f"{options.file}: {reason}", USAGE)
    print(f"{options.file}: {len(events)} event{'' if len(events) == 1 else 's'}")
    print(report)
    for line in _passed_over(events):
        print(line)
    told = outcome(report, options.file, lambda rule: str(options.command))
    filed = list(publish(targets, gathered([told])))
    for each in filed:
        if each.problem:
            say(str(each), USAGE)
        else:
            print(each)
    return USAGE if any(each.problem for each in filed) else _EXITS[report.verdict]


def _passed_over(events: Sequence[object]) -> Iterator[str]:
    """The events that the protocol does not have, each tag once: the author's own, or misspelt."""
    for tag, count in Counter(event.event for event in events if isinstance(event, UnknownEvent)).items():
        near = get_close_matches(tag, TAGS.values(), n=1)
        hint = f": did you mean {near[0]!r}?" if near else ""
        times = f", {count} times" if count > 1 else ""
        yield f"passed over: {tag!r}{times}, which is no event of the protocol{hint}"


def _deviation(text: str) -> tuple[str, str]:
    rule, _, reason = text.partition("=")
    return rule, reason


def _explain(options: Namespace) -> int:
    try:
        rule = rule_named(options.rule)
    except ValueError as wrong:
        return say(str(wrong), USAGE)
    print("\n".join(_explained(rule)))
    return 0


def _explained(rule: Rule) -> list[str]:
    lines = [
        f"{rule.id} {rule.level}",
        f"  says:     {rule.sentence}",
        f"  mend:     {rule.remedy}",
        f"  clause:   {rule.clause} of the specification, since version {rule.since} of the protocol",
    ]
    if rule.gap:
        lines.append(f"  judged:   by nothing. {rule.gap}")
    else:
        lines += [f"  seen in:  {rule.how.seen_in}", f"  shown by: {_DOORS[rule.shown_by]}"]
    if rule.needs:
        lines.append(f"  needs:    {', '.join(sorted(rule.needs))}")
    if rule.yields_to:
        lines.append(f"  silent:   where {', '.join(rule.yields_to)} names the cause")
    if rule.presumes:
        lines.append(f"  presumes: {', '.join(rule.presumes)}")
    if rule.about == "library":
        lines.append("  about:    a library's helper, never in an agent's verdict")
    return lines


def _rules(options: Namespace) -> int:
    for rule in RULES.values():
        print(f"{rule.id:<9} {rule.level:<6} {rule.sentence}")
    return 0
