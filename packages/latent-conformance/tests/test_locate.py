from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from latent.conformance import FactoryError
from latent.conformance._driving._locate import locate

AGENTS = """
import os

def make(harness):
    return harness

class Family:
    @staticmethod
    def make(harness):
        return harness

class Agent:
    def stream(self, messages): ...

agent = Agent()
nothing = 7
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with modules, as its user stands in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = set(sys.modules)
    (tmp_path / "first_agents.py").write_text(AGENTS)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def module(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize("spec", ["first_agents:make", "first_agents:Family.make", "first_agents.py:make"])
def test_a_factory_is_found_by_module_by_file_and_by_dotted_name(folder: Path, spec: str) -> None:
    assert locate(spec, folder)("harness") == "harness"


def test_a_file_is_seen_from_the_folder_and_its_neighbours_from_it(folder: Path) -> None:
    module(folder, "deep/near.py", "word = 'near'")
    module(folder, "deep/of_file.py", "from near import word\ndef make(): return word")

    assert locate("deep/of_file.py:make", folder)() == "near"
    assert locate("../deep/of_file.py:make", folder / "deep")() == "near"


def test_a_module_of_a_folder_below_is_named_with_dots(folder: Path) -> None:
    module(folder, "deep_folder/of_module.py", "def make(): return 'deep'")

    assert locate("deep_folder.of_module:make", folder)() == "deep"


def test_two_files_of_one_name_are_two_modules(folder: Path) -> None:
    for name in ("one", "two"):
        module(folder, f"{name}/same.py", f"def make(): return {name!r}")

    found = [locate(f"{name}/same.py:make", folder)() for name in ("one", "two", "one", "two")]

    assert found == ["one", "two", "one", "two"]


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("first_agents", "Expected package.module:factory or path/to/file.py:factory, got 'first_agents'"),
        ("first_agents:", "Expected package.module:factory or path/to/file.py:factory, got 'first_agents:'"),
        (".first_agents:make", "Expected package.module:factory or path/to/file.py:factory, got '.first_agents:make'"),
        ("deep/first_agents:make", "or path/to/file.py:factory, got 'deep/first_agents:make'"),
        (":make", "Expected package.module:factory or path/to/file.py:factory, got ':make'"),
        ("first_agents:make it", "Expected the name of a factory behind the colon, got 'make it'"),
        ("nowhere:make", "Expected nowhere to import, got ModuleNotFoundError: No module named 'nowhere' (looked in "),
        ("nowhere.deep:make", "got ModuleNotFoundError: No module named 'nowhere' (looked in "),
        ("nowhere.py:make", "Expected the file of the factory, got 'nowhere.py': there is no "),
        ("first_agents:made", "Expected a factory 'made' in first_agents, got none (module 'first_agents' has no"),
        ("first_agents:made", "has no attribute 'made'): did you mean make?"),
        ("first_agents:Family.lost", "Expected a factory 'Family.lost' in first_agents, got none"),
        ("first_agents:nothing", "Expected a factory, got a `int`"),
        ("first_agents:agent", "Expected a factory, got a `Agent`: write a function that returns it"),
    ],
)
def test_what_is_not_found_is_told_with_what_to_do(folder: Path, spec: str, reason: str) -> None:
    with pytest.raises(FactoryError) as raised:
        locate(spec, folder)

    assert reason in str(raised.value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("\nraise RuntimeError('cannot start')", "got RuntimeError: cannot start (bad_start.py, line 2)"),
        ("import sys\nsys.exit('no settings')", "got SystemExit: no settings (bad_start.py, line 2)"),
        ("import nowhere_at_all", "got ModuleNotFoundError: No module named 'nowhere_at_all' (bad_start.py, line 1)"),
        ("def f(:", "got SyntaxError: "),
        (
            "import os\nos.environ['THE_KEY_OF_NOBODY']",
            "got KeyError: 'THE_KEY_OF_NOBODY' (bad_start.py, line 2): set the environment variable THE_KEY_OF_NOBODY;",
        ),
        ("import json\njson.loads('{')", "(bad_start.py, line 2)"),
    ],
)
@pytest.mark.parametrize("place", ["bad_start", "bad_start.py"])
def test_what_a_module_raises_is_told_with_its_line(folder: Path, place: str, text: str, reason: str) -> None:
    module(folder, "bad_start.py", text)

    with pytest.raises(FactoryError) as raised:
        locate(f"{place}:make", folder)

    assert reason in str(raised.value)
    assert "bad_start" not in sys.modules


def test_a_file_inside_a_package_is_told_to_be_a_module(folder: Path) -> None:
    module(folder, "family/member.py", "from . import other")

    with pytest.raises(FactoryError, match=r"relative import.*give a module of a package as package\.module:factory"):
        locate("family/member.py:make", folder)


@pytest.mark.parametrize("text", ["import time\ntime.sleep(600)", "while True:\n    pass"], ids=["waits", "spins"])
def test_a_module_that_does_not_end_is_broken_off(folder: Path, text: str) -> None:
    module(folder, "endless_module.py", text)

    with pytest.raises(FactoryError, match=r"to import within 0\.2 s, got no end \(endless_module\.py, line"):
        locate("endless_module:make", folder, limit=0.2)
