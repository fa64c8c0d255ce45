"""Join what the scripts kept into one JSON file, draw it, and say what was found.

    python benchmarks/_results.py benchmarks/results --date 2026-01-31T12:00:00Z

Reads the file that each script left in the folder's `parts`. Writes `benchmarks.json`, whose `format` rises when its
layout changes, and `benchmarks.svg`, a bar for each figure that has a goal: how much of the goal is used up, so that
what is left of the line is met.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from matplotlib import pyplot

FORMAT = 1
MET, MISSED = "#2f7d5b", "#b3402a"


def joined(parts: list[dict[str, Any]], date: str) -> dict[str, Any]:
    """One document out of the scripts' parts: what it ran on once, and the figures by script."""
    about = {name: parts[0][name] for name in ("python", "system", "processor")}
    versions = {name: version for part in parts for name, version in part["versions"].items()}
    own = ("script", "quick", "seconds", "processor_seconds", "load", "figures")
    scripts = [{name: part[name] for name in own} for part in parts]
    return {
        "format": FORMAT,
        "date": date,
        **about,
        "versions": dict(sorted(versions.items())),
        **{name: round(sum(part[name] for part in parts), 1) for name in ("seconds", "processor_seconds")},
        "scripts": scripts,
    }


def used(figure: dict[str, Any]) -> float:
    """The part of the goal that the figure uses up: at most 1 where it is met."""
    value = figure["ours"] if figure["ratio"] is None else figure["ratio"]
    if figure["at_most"] is not None:
        return float(value / figure["at_most"])
    return float(figure["at_least"] / value)


def draw(document: dict[str, Any], path: Path) -> None:
    judged = [
        (f"{script['script']}: {figure['name']} ({figure['peer'] or 'alone'}, {figure['goal']})", figure)
        for script in document["scripts"]
        for figure in script["figures"]
        if figure["goal"]
    ]
    titles, figures = zip(*reversed(judged), strict=True)
    colours = [MET if figure["met"] else MISSED for figure in figures]
    with pyplot.rc_context({"svg.hashsalt": "latent", "svg.fonttype": "none", "font.size": 8}):
        canvas, axes = pyplot.subplots(figsize=(10, 1 + 0.22 * len(judged)), layout="constrained")
        axes.barh(range(len(figures)), [used(figure) for figure in figures], color=colours)
        axes.set_yticks(range(len(figures)), titles)
        axes.axvline(1, color="black", linewidth=1)
        axes.set_xlabel("part of the goal that is used up: left of the line it is met")
        axes.set_title(f"{document['python']}, {document['processor']}, {document['date']}")
        canvas.savefig(path, metadata={"Date": None})
        pyplot.close(canvas)


def summary(document: dict[str, Any]) -> str:
    figures = [figure for script in document["scripts"] for figure in script["figures"]]
    judged = [figure for figure in figures if figure["met"] is not None]
    missed = [
        f"  missed: {figure['name']}, {figure['peer'] or 'alone'}: "
        f"{figure['ours'] if figure['ratio'] is None else figure['ratio']:.3g}, goal {figure['goal']}"
        for figure in judged
        if not figure["met"]
    ]
    head = (
        f"{len(figures)} figures in {document['seconds']:.0f} s; {len(judged) - len(missed)} of {len(judged)} goals met"
    )
    return "\n".join([head, *missed])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--date", required=True, help="when the run was, as ISO 8601")
    options = parser.parse_args()
    paths = sorted((options.folder / "parts").glob("*.json"))
    if not paths:
        parser.error(f"expected files of figures in {options.folder / 'parts'}, found none")
    document = joined([json.loads(path.read_text(encoding="utf-8")) for path in paths], options.date)
    kept, drawn = (options.folder / f"benchmarks.{form}" for form in ("json", "svg"))
    kept.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    draw(document, drawn)
    print(summary(document))
    print(f"kept in {kept} and {drawn}")


if __name__ == "__main__":
    main()
