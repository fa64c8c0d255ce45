"""Prove that what is installed came from the given wheels, not from a stranger's package of the same name."""

from __future__ import annotations

import base64
import hashlib
import importlib
import importlib.metadata
import sys
import zipfile
from pathlib import Path

IMPORTS = {
    "latent-protocol": ["latent.events", "latent.protocol"],
    "latent-agents": ["latent.agents", "latent.retriever"],
    "agentloop": ["agentloop"],
    "latent-conformance": ["latent.conformance", "latent_conformance_plugin"],
}


def digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def check(wheel: Path) -> None:
    name = wheel.name.split("-")[0].replace("_", "-")
    installed = importlib.metadata.distribution(name)
    files = {str(file): file for file in installed.files or ()}
    with zipfile.ZipFile(wheel) as archive:
        members = [member for member in archive.namelist() if not member.endswith("/RECORD")]
        for member in members:
            present = Path(str(installed.locate_file(files[member]))).read_bytes()
            assert digest(present) == digest(archive.read(member)), f"{name}: {member} is not the one in {wheel.name}"
    for module in IMPORTS.pop(name):
        found = importlib.import_module(module).__file__ or ""
        own = {str(installed.locate_file(member)) for member in members}
        assert found in own, f"{module} is imported from elsewhere than {name}"
    print(f"{name} {installed.version}: {len(members)} files, each as in {wheel.name}")


for argument in sys.argv[1:]:
    check(Path(argument))
assert not IMPORTS, f"no wheel was given for {sorted(IMPORTS)}"
latent = importlib.import_module("latent")
assert getattr(latent, "__file__", None) is None, "`latent` is a namespace, but some package fills it"
