"""That every benchmark runs, keeps what it prints, and can be joined and drawn. No time is judged."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SCRIPTS = sorted(path.stem for path in BENCHMARKS.glob("[!_]*.py"))


def program(script: str, *arguments: str, **env: str) -> str:
    command = [sys.executable, str(BENCHMARKS / f"{script}.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, env=os.environ | env)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all scripts, run quickly, kept their figures, and what they printed beside them."""
    folder = tmp_path_factory.mktemp("results")
    (folder / "parts").mkdir()
    for script in SCRIPTS:
        printed = program(script, "--quick", BENCH_RESULTS=str(folder / "parts"))
        (folder / f"{script}.txt").write_text(printed, encoding="utf-8")
    return folder


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_keeps_the_figures_that_it_prints(folder: Path, script: str) -> None:
    part = json.loads((folder / "parts" / f"{script}.json").read_text(encoding="utf-8"))
    printed = (folder / f"{script}.txt").read_text(encoding="utf-8")

    assert part["script"] == script
    assert part["quick"]
    assert part["figures"]
    assert f"\n{len(part['figures'])} figures in " in printed
    assert [figure["name"] for figure in part["figures"] if f"\n{figure['name']} " not in printed] == []
    assert "(not installed)" not in part["versions"].values()


def test_the_parts_are_joined_and_drawn(folder: Path) -> None:
    told = program("_results", str(folder), "--date", "2026-01-31T12:00:00Z")
    document: dict[str, Any] = json.loads((folder / "benchmarks.json").read_text(encoding="utf-8"))
    drawn = (folder / "benchmarks.svg").read_text(encoding="utf-8")
    figures = [figure for script in document["scripts"] for figure in script["figures"]]

    assert (document["format"], document["date"]) == (1, "2026-01-31T12:00:00Z")
    assert [script["script"] for script in document["scripts"]] == SCRIPTS
    assert told.startswith(f"{len(figures)} figures in ")
    assert [figure["name"] for figure in figures if figure["goal"] and figure["name"] not in drawn] == []


def test_nothing_to_join_is_a_usage_error(tmp_path: Path) -> None:
    command = [sys.executable, str(BENCHMARKS / "_results.py"), str(tmp_path), "--date", "2026-01-31"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)

    assert done.returncode == 2
    assert "found none" in done.stderr
