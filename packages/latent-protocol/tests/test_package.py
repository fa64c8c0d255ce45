"""What the distribution promises as a whole: its names, its layout and what importing it costs."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from importlib.metadata import requires, version
from pathlib import Path
from types import ModuleType

import pytest

import latent
import latent.events
import latent.protocol

HEAVY = {
    "asyncio", "dataclasses", "hypothesis", "importlib.metadata", "inspect", "jsonschema", "litellm", "logging",
    "opentelemetry", "pydantic", "uuid",
}  # fmt: skip


def loaded(code: str) -> set[str]:
    """The modules that are there after `code` ran in an interpreter of its own."""
    report = f"{code}\nimport sys, json; print(json.dumps(sorted(sys.modules)))"
    # Without the site module, whose .pth files may import anything.
    path = [entry for entry in sys.path if entry]
    start = f"import sys; sys.path[:] = {path!r}\n"
    return set(json.loads(subprocess.check_output([sys.executable, "-S", "-c", start + report], text=True)))


def test_importing_loads_msgspec_and_nothing_heavy() -> None:
    limit = loaded("import contextlib, functools, math\nimport msgspec, msgspec.json, msgspec.structs")
    more = loaded("import latent.protocol") - limit

    assert more & HEAVY == set()
    assert {name.partition(".")[0] for name in more} == {"latent"}


@pytest.mark.parametrize("package", [latent.events, latent.protocol])
def test_all_is_what_there_is(package: ModuleType) -> None:
    public = {name for name, value in vars(package).items() if name[0] != "_" and not inspect.ismodule(value)}

    assert public == set(package.__all__)
    assert package.__all__ == sorted(package.__all__, key=lambda name: (not name.isupper(), name))


def test_protocol_hands_on_every_event_as_it_is() -> None:
    for name in latent.events.__all__:
        assert getattr(latent.protocol, name) is getattr(latent.events, name)


def test_every_public_name_is_documented() -> None:
    plain = {"PROTOCOL_VERSION", "AnyEvent", "EncHook", "MetadataValue", "StreamWrapper"}

    for name in set(latent.protocol.__all__) - plain:
        assert getattr(latent.protocol, name).__doc__, name


def test_namespace_stays_open_to_other_distributions() -> None:
    assert latent.__file__ is None
    for package in (latent.events, latent.protocol):
        folder = Path(package.__file__ or "").parent
        assert (folder / "py.typed").exists()
        assert not (folder.parent / "__init__.py").exists()
        assert not (folder.parent / "py.typed").exists()


def test_distribution_is_ours_and_needs_msgspec_alone() -> None:
    assert version("latent-protocol").split(".")[0] == "1"
    assert [each for each in requires("latent-protocol") or [] if "extra ==" not in each] == ["msgspec>=0.21"]
