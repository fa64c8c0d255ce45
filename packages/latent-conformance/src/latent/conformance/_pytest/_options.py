"""What the command line says about a judgement."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import pytest

from latent.conformance._catalogue._named import agent_rule
from latent.conformance.harness import Script, ScriptError, load_script

__all__ = ["command_line", "read_rule", "read_script"]

_SCRIPT = pytest.StashKey[Script]()
_RULE = pytest.StashKey[str]()
_SETTLED: Mapping[str, Callable[[str], float]] = {"timeout": float, "examples": int}
"""What settings of pytest can hold, `latent_timeout` and so on, which the plugin has looked at by then."""


def read_script(config: pytest.Config) -> None:
    """Read the file of `--latent-script`; raises `UsageError` that says what is wrong with it."""
    if (given := config.getoption("latent_script")) is None:
        return
    try:
        config.stash[_SCRIPT] = load_script(Path(config.invocation_params.dir, given))
    except OSError as wrong:
        raise pytest.UsageError(f"--latent-script={given}: {wrong.strerror or wrong}") from wrong
    except ScriptError as wrong:
        raise pytest.UsageError(f"--latent-script: {wrong}") from wrong


def read_rule(config: pytest.Config) -> str | None:
    """The id that `--latent-rule` gives; raises `UsageError` where it is none of a rule about agents, or several."""
    given = config.getoption("latent_rule")
    if not given:
        return None
    if len({*given}) > 1:
        raise pytest.UsageError(
            f"--latent-rule: Expected one rule, got {' and '.join(given)}: judge one after the other"
        )
    try:
        config.stash[_RULE] = agent_rule(given[0]).id
    except ValueError as wrong:
        raise pytest.UsageError(f"--latent-rule: {wrong}") from wrong
    return config.stash[_RULE]


def command_line(config: pytest.Config, declared: Collection[str]) -> dict[str, Any]:
    """The options of `check_agent` that the command line gives; it goes before what the author declares.

    What it does not give, and the author did not declare either, stands in the settings.
    """
    given = {name: config.getoption(f"latent_{name}", None) for name in ("timeout", "examples")}
    given["rule"] = config.stash.get(_RULE, None)
    given["script"] = config.stash.get(_SCRIPT, None)
    settled = {
        name: read(text)
        for name, read in _SETTLED.items()
        if name not in declared and (text := config.getini(f"latent_{name}"))
    }
    return settled | {name: value for name, value in given.items() if value is not None}
