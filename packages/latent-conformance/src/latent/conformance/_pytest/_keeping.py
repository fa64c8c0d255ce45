"""Where scripts are kept that show what is wrong with an agent."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import Path

import pytest

from latent.conformance._verdict._report import Report
from latent.conformance._verdict._violation import Violation
from latent.conformance.harness import save_script

__all__ = ["kept_scripts"]

_UNSAFE = re.compile(r"[^\w.-]+")
"""What is better not in the name of a file."""


def kept_scripts(report: Report, name: str, command: str, config: pytest.Config) -> Mapping[str, str]:
    """Write each generated script that broke a rule into a file, and give for the rule the command that plays it.

    With `--latent-conformance` alone, and below pytest's cache directory: without a cache nothing is written.
    """
    cache = getattr(config, "cache", None)
    if cache is None or not config.getoption("latent_conformance") or config.getoption("latent_script"):
        return {}
    generated = [found for found in report.violations if found.conversation]
    if not generated:
        return {}
    try:
        folder = Path(cache.mkdir("latent-conformance"))
        paths = {found.rule: _written(found, name, folder, config) for found in generated}
    except OSError:  # a directory that cannot be written to is no fault of the agent
        return {}
    return {rule: f"{command} --latent-script={shlex.quote(path)}" for rule, path in paths.items()}


def _written(found: Violation, name: str, folder: Path, config: pytest.Config) -> str:
    """The path of the file, from where pytest was started."""
    assert found.script is not None
    path = folder / f"{_UNSAFE.sub('-', name)}-{found.rule}.json"
    save_script(found.script, path)
    here = config.invocation_params.dir
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
