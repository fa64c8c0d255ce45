"""Writes the pages of the rules where something that they come from has changed since they were written."""

from __future__ import annotations

import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import latent.conformance
import latent.protocol

__all__ = ["write_rules"]


def write_rules(docs: Path) -> None:
    """Write `rules.md` and `rules/`, in a process of its own, which finds the tables of the kit's tests."""
    cases = docs.parent / "packages" / "latent-conformance" / "tests"
    kept, key = docs / "_generated" / "rules.key", _key(docs, cases)
    if (docs / "rules.md").exists() and kept.exists() and kept.read_text(encoding="utf-8") == key:
        return
    found = [str(docs), str(cases), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(found)}
    subprocess.run([sys.executable, "-m", "sitegen.rules"], cwd=docs, env=environment, check=True)
    kept.parent.mkdir(exist_ok=True)
    kept.write_text(key, encoding="utf-8")


def _key(docs: Path, cases: Path) -> str:
    """A digest of every source that has a say in the pages."""
    packages = [Path(module.__file__ or "").parent for module in (latent.conformance, latent.protocol)]
    folders = [docs / "sitegen", cases / "cases", *packages]
    files = sorted(path for folder in folders for path in folder.rglob("*") if path.suffix in (".py", ".css"))
    return sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
