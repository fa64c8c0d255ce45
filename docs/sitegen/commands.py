"""Commands, pytest options and fixtures, from the parsers and functions themselves."""

from __future__ import annotations

from argparse import ArgumentParser, _SubParsersAction
from inspect import cleandoc
from typing import Any, cast

import latent_conformance_plugin
import pytest

from agentloop._cli._main import command_parser as agentloop_parser
from latent.conformance._cli._main import command_parser as conformance_parser

__all__ = ["agentloop_commands", "conformance_commands", "pytest_fixtures", "pytest_options"]


def agentloop_commands() -> str:
    """The command `agentloop`."""
    return _command(agentloop_parser())


def conformance_commands() -> str:
    """The command `latent-conformance`."""
    return _command(conformance_parser())


def pytest_options() -> str:
    """What the plugin adds to pytest."""
    seen = _Options()
    latent_conformance_plugin.pytest_addoption(cast(pytest.Parser, seen))
    return "\n".join(["| option | what it does |", "|---|---|", *seen.rows])


def pytest_fixtures() -> str:
    """The plugin's fixtures, by their docstrings."""
    fixtures = {name: each for name, each in vars(latent_conformance_plugin).items() if name.startswith("latent_")}
    rows = [f"| `{name}` | {' '.join(cleandoc(each.__doc__ or '').split())} |" for name, each in fixtures.items()]
    return "\n".join(["| fixture | what it gives |", "|---|---|", *rows])


class _Options:
    """Takes the place of pytest's parser, and keeps what is added to it."""

    def __init__(self) -> None:
        self.rows: list[str] = []

    def getgroup(self, name: str, description: str = "") -> _Options:
        return self

    def addoption(self, name: str, *, help: str, **settings: Any) -> None:
        shown = f"{name}={settings['metavar']}" if "metavar" in settings else name
        self.rows.append(f"| `{shown}` | {help} |")

    def addini(self, name: str, help: str, **settings: Any) -> None:
        self.rows.append(f"| `{name}` in the ini file | {help} |")


def _command(parser: ArgumentParser) -> str:
    lines = [f"## {parser.prog}", "", f"{parser.description} {parser.epilog}", ""]
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            helps = {each.dest: each.help for each in action._choices_actions}
            for name, command in action.choices.items():
                lines += [f"### `{parser.prog} {name}`", "", f"{_sentence(helps[name])}", "", *_arguments(command), ""]
    return "\n".join(lines)


def _sentence(text: str | None) -> str:
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _arguments(command: ArgumentParser) -> list[str]:
    rows = []
    for action in command._actions[1:]:  # the first is --help
        shown = " ".join(action.option_strings[-1:])
        if action.nargs != 0:
            value = action.metavar or "|".join(map(str, action.choices or [action.dest.upper()]))
            shown = f"{shown} {value}".strip()
        needed = " (required)" if action.required and action.option_strings else ""
        rows.append(f"| `{shown.replace('|', chr(92) + '|')}` | {action.help}{needed} |")
    return ["| argument | what it does |", "|---|---|", *rows] if rows else []
