"""A Sphinx extension: runs what the pages show a run of, so that they show what is really printed."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from difflib import unified_diff
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent
FIRST_AGENT = DOCS / "tutorials" / "first_agent"
SHOWN = DOCS / "_generated"


@dataclass(frozen=True)
class Judgement:
    """A run of the kit over an agent that a page shows."""

    source: str
    """The agent's file, from the root of the repository."""
    module: str
    """The name that the file has for the reader."""
    breaks: str | None = None
    """The MUST rule that it breaks, where it breaks one."""


JUDGEMENTS = {
    "react": Judgement("examples/react_agent.py", "react_agent"),
    "broken_react": Judgement("examples/broken_react_agent.py", "broken_react_agent", breaks="STEP-4"),
    "first_broken": Judgement("docs/tutorials/first_agent/broken.py", "my_agent", breaks="TOOL-6"),
    "first_mended": Judgement("docs/tutorials/first_agent/mended.py", "my_agent"),
    "flattening": Judgement("docs/guides/flattening/agent.py", "my_agent", breaks="TOOL-16"),
    "pydantic_ai": Judgement("examples/pydantic_ai_agent.py", "pydantic_ai_agent"),
}


@cache
def judged(judgement: Judgement) -> str:
    """What the kit says of the agent at the end of the run, from the line with its name."""
    with TemporaryDirectory() as folder:
        shutil.copyfile(ROOT / judgement.source, Path(folder, f"{judgement.module}.py"))
        options = ["-q", "-p", "no:asyncio", "--latent-conformance"]
        told = ran(["-m", "pytest", *options, f"--latent-agent={judgement.module}:make_agent"], folder)
    _, begun, rest = told.partition(f"{judgement.module}:make_agent: ")
    if not begun:
        raise RuntimeError(f"Expected a judgement of {judgement.source}, got {told}")
    lines = rest.splitlines()
    end = next(at for at, line in enumerate(lines) if line.startswith("=====") or " passed" in line)
    return begun + "\n".join(lines[:end]).rstrip() + "\n"


def explained() -> str:
    """What the kit says of a rule."""
    return ran(["-m", "latent.conformance", "explain", "TOOL-6"], str(DOCS))


def asked() -> str:
    """What the first agent says when it is asked."""
    with TemporaryDirectory() as folder:
        shutil.copyfile(FIRST_AGENT / "mended.py", Path(folder, "my_agent.py"))
        shutil.copyfile(FIRST_AGENT / "ask.py", Path(folder, "ask.py"))
        return ran(["ask.py"], folder)


def mended() -> str:
    """What has to change in the first agent."""
    broken, sound = ((FIRST_AGENT / f"{name}.py").read_text(encoding="utf-8") for name in ("broken", "mended"))
    return "".join(unified_diff(broken.splitlines(True), sound.splitlines(True), "my_agent.py", "my_agent.py"))


def ran(command: list[str], folder: str) -> str:
    """What Python prints for the command."""
    done = subprocess.run([sys.executable, *command], cwd=folder, capture_output=True, text=True, check=False)
    return lasting(done.stdout + done.stderr)


def lasting(text: str) -> str:
    """The text with the ids and times of one run, so that two builds of the pages are equal."""
    ids: dict[str, str] = {}
    pattern = r"(?<![0-9a-f])[0-9a-f]{16,32}(?![0-9a-f])"
    text = re.sub(pattern, lambda found: ids.setdefault(found[0], f"{len(ids):016x}"), text)
    return re.sub(r"timestamp=\d{10}(\.\d+)?", "timestamp=1767225600.0", text)


def write(*_: Any) -> None:
    """Write all of it to where the pages include it from."""
    SHOWN.mkdir(exist_ok=True)
    told = {name: judged(judgement) for name, judgement in JUDGEMENTS.items()}
    for name, text in {**told, "explain": explained(), "ask": asked(), "mend": mended()}.items():
        (SHOWN / f"{name}.txt").write_text(text, encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True}
