"""What the distribution offers, and what importing it costs."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

PUBLIC = [
    "latent.agents",
    "latent.agents.invoke",
    "latent.agents.models",
    "latent.agents.observability",
    "latent.agents.observability.sink_middleware",
    "latent.agents.observability.sinks",
    "latent.agents.observability.tracer",
    "latent.agents.tools",
    "latent.retriever",
]
OPTIONAL = ["litellm", "httpx2", "structlog", "opentelemetry", "pydantic"]


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_there_and_listed_once(name):
    module = importlib.import_module(name)

    assert len(set(module.__all__)) == len(module.__all__)
    assert all(hasattr(module, public) for public in module.__all__)


def test_everything_imports_without_the_optional_packages():
    hidden = "; ".join(f"sys.modules[{name!r}] = None" for name in OPTIONAL)
    program = f"import sys; {hidden}; import {', '.join(PUBLIC)}"

    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_optional_packages_are_not_imported_before_they_are_used():
    program = f"import sys; import {', '.join(PUBLIC)}; print([name for name in {OPTIONAL!r} if name in sys.modules])"
    printed = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)

    assert printed.stdout.strip() == "[]"


def test_the_namespace_stays_a_namespace_and_the_packages_are_typed():
    for name in ("latent.agents", "latent.retriever"):
        (folder,) = map(Path, importlib.import_module(name).__path__)

        assert (folder / "py.typed").exists()
        assert not (folder.parent / "__init__.py").exists()
        assert not (folder.parent / "py.typed").exists()
