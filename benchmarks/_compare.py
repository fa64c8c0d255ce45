"""Side by side in one run: paired rounds in shuffled order, medians, and ratios within a round."""

from __future__ import annotations

import gc
import platform
import random
import time
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any

__all__ = ["Rounds", "facts", "machine", "paired", "table"]


class Rounds:
    """The seconds that each contender took, round by round."""

    def __init__(self, seconds: dict[str, list[float]]) -> None:
        self.seconds = seconds

    def median(self, name: str) -> float:
        return median(self.seconds[name])

    def ratio(self, name: str, to: str) -> float:
        """How many times the time of `to` the contender takes: the median of the ratios within a round."""
        pairs = zip(self.seconds[name], self.seconds[to], strict=True)
        return median(one / other for one, other in pairs)


def paired(contenders: Mapping[str, Callable[[], object]], *, rounds: int, repeat: int = 1) -> Rounds:
    """Time all contenders in each round, in a new order, in CPU time, with the cyclic collector off."""
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    shuffled = random.Random(0)
    for contender in contenders.values():
        contender()
    for _ in range(rounds):
        for name in shuffled.sample(list(contenders), len(contenders)):
            seconds[name].append(_timed(contenders[name], repeat))
    return Rounds(seconds)


def _timed(contender: Callable[[], object], repeat: int) -> float:
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        for _ in range(repeat):
            contender()
        return (time.process_time() - start) / repeat
    finally:
        gc.enable()


def facts(*distributions: str) -> dict[str, Any]:
    """What this runs on: Python, the system, the processor, and the versions of the distributions."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": platform.system(),
        "processor": f"{len(models)} x {models[0]}" if models else platform.processor() or platform.machine(),
        "versions": {name: _version(name) for name in distributions},
    }


def machine(*distributions: str) -> str:
    """`facts` as two lines."""
    told = facts(*distributions)
    held = ", ".join(f"{name} {version}" for name, version in told["versions"].items())
    return f"{told['python']}, {told['system']}, {told['processor']}\n{held}"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "(not installed)"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A plain text table, its first column to the left, the others to the right."""
    lines = [list(head), *(list(row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join(
        "  ".join(
            [line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))]
        )
        for line in lines
    )
