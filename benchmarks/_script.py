"""What every benchmark does around its measuring: read the options, say what it runs on, print, and keep."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from _compare import facts, machine
from _figure import Figure, printed

__all__ = ["KEPT_IN", "run"]

KEPT_IN = "BENCH_RESULTS"
"""The environment variable that names the folder where each script keeps its figures, for `_results.py`."""

Measure = Callable[[int, bool], Iterator[Figure]]
"""Takes the number of rounds and whether to be quick."""


def run(measure: Measure, about: str, *, rounds: int, distributions: tuple[str, ...]) -> None:
    """Measure, as the command line says; `about` is the script's docstring."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--quick", action="store_true", help="only see that it runs: the figures mean nothing")
    options = parser.parse_args()
    print(machine(*distributions), end="\n\n", flush=True)
    began, spent, load = time.monotonic(), sum(os.times()[:4]), os.getloadavg()[0]
    figures = list(measure(1 if options.quick else options.rounds, options.quick))
    # Where other work goes on, only the processor time says how long this takes.
    seconds, spent = time.monotonic() - began, sum(os.times()[:4]) - spent
    print(printed(figures))
    took = f"{seconds:.0f} s, {spent:.0f} s of processor time"
    print(f"\n{len(figures)} figures in {took}; load of the machine at the beginning {load:.1f}", flush=True)
    if folder := os.environ.get(KEPT_IN):
        script = Path(sys.argv[0]).stem
        part = {
            "script": script,
            "quick": options.quick,
            "seconds": round(seconds, 1),
            "processor_seconds": round(spent, 1),
            "load": load,
            **facts(*distributions),
            "figures": [figure.plain() for figure in figures],
        }
        Path(folder, f"{script}.json").write_text(json.dumps(part, indent=1), encoding="utf-8")
