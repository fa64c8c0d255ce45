"""What the pytest plugin of latent-conformance costs a test run that does not ask for it.

    python benchmarks/startup.py [--rounds 15] [--quick]

pytest on an empty test file, with the plugin loaded and with `-p no:latent_conformance`, hypothesis installed beside
it; in CPU time of whole processes, in shuffled rounds: once with the compiled files of all modules there, once
with none, as in a fresh container. Nothing here passes or fails. Takes a minute or two.
"""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from _compare import Rounds
from _figure import Figure, against
from _script import run

WAYS: dict[str, list[str]] = {"latent": [], "without it": ["-p", "no:latent_conformance"]}


def started(folder: Path, options: list[str], setting: Mapping[str, str]) -> float:
    """The seconds that one run of pytest takes."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, "test_empty.py"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, env={**os.environ, **setting}, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 5, done.stdout.decode() + done.stderr.decode()  # there is no test
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def side_by_side(folder: Path, setting: Mapping[str, str], rounds: int) -> Rounds:
    seconds: dict[str, list[float]] = {name: [] for name in WAYS}
    shuffled = random.Random(0)
    for options in WAYS.values():
        started(folder, options, setting)
    for _ in range(rounds):
        for name in shuffled.sample(list(WAYS), len(WAYS)):
            seconds[name].append(started(folder, WAYS[name], setting))
    return Rounds(seconds)


def measure(rounds: int, quick: bool) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "test_empty.py").touch()
        nowhere = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPYCACHEPREFIX": str(folder / "none")}
        settings = {"compiled": {"PYTHONDONTWRITEBYTECODE": ""}, "not compiled": nowhere}
        for name in ("compiled",) if quick else settings:
            setting = settings[name]
            times = side_by_side(folder, setting, rounds)
            yield against(times, f"pytest, {name}", limit="without it", unit=("ms", 1e3), at_most=1.05)


if __name__ == "__main__":
    run(measure, __doc__, rounds=15, distributions=("latent-conformance", "pytest", "hypothesis"))
