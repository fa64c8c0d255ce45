"""What the command line says about a judgement."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from latent.conformance.harness import Script, ScriptError, load_script

__all__ = ["command_line", "read_script"]

_SCRIPT = pytest.StashKey[Script]()


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


def command_line(config: pytest.Config) -> dict[str, Any]:
    """The options of `check_agent` that the command line gives; it goes before what the author declares."""
    given = {name: config.getoption(f"latent_{name}", None) for name in ("rule", "timeout", "examples")}
    given["script"] = config.stash.get(_SCRIPT, None)
    return {name: value for name, value in given.items() if value is not None}
