"""The command under a finding runs as it is printed, from where pytest was started, and judges that rule alone."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.thorough

CASES = Path(__file__).parent
AGENTS = """
from cases.broken_answers import ArgumentsInText

def broken(harness):
    return ArgumentsInText(harness.model, harness.tools, harness.max_iterations)
"""
CLASS = """
from latent.conformance import AgentConformance
from cases.broken_answers import ArgumentsInText

class TestMine(AgentConformance):
    def make_agent(self, harness):
        return ArgumentsInText(harness.model, harness.tools, harness.max_iterations)
"""
OTHER = "def test_other(): assert False"


class Project:
    """A folder in which pytest is started."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, **files: str) -> None:
        for name, text in files.items():
            path = self.folder / f"{name.replace('__', '/')}.{'ini' if 'pytest' in name else 'py'}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def run(self, command: str, where: str = ".") -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        code = os.pathsep.join([str(CASES), os.environ.get("PYTHONPATH", "")])
        own = {"PATH": path, "PYTHONPATH": code, "PYTEST_ADDOPTS": "-W error -p no:asyncio -p no:cacheprovider"}
        return subprocess.run(
            ["sh", "-c", command],
            cwd=self.folder / where,
            env={**os.environ, **own},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = Project(tmp_path)
    project.write(my_agents=AGENTS, test_other=OTHER)
    return project


def again(project: Project, command: str, where: str = ".") -> str:
    """The command under the one finding; it is run, and has to fail with that alone."""
    told = project.run(command, where).stdout
    (printed,) = {line.partition("again:  ")[2] for line in told.splitlines() if "again:  " in line}
    repeated = project.run(printed, where)

    assert repeated.returncode == pytest.ExitCode.TESTS_FAILED, repeated.stdout + repeated.stderr
    assert re.search(r"^=+ 1 failed(, \d+ deselected)? in ", repeated.stdout, re.MULTILINE), repeated.stdout
    assert "TEXT-6 MUST (fail)" in repeated.stdout
    return printed


def test_an_agent_of_the_command_line(project: Project) -> None:
    printed = again(
        project, "pytest --latent-conformance --latent-rule=TEXT-6 --latent-agent=my_agents:broken --latent-timeout=5"
    )

    assert printed == (
        "pytest --latent-conformance --latent-agent=my_agents:broken --latent-timeout=5 --latent-rule=TEXT-6"
    )


def test_a_file_whose_name_the_shell_would_take_apart(project: Project) -> None:
    project.write(**{"my work__an agent's": AGENTS})

    printed = again(
        project, """pytest --latent-conformance --latent-rule=TEXT-6 "--latent-agent=my work/an agent's.py:broken" """
    )

    assert "my work/an agent" in printed


def test_an_agent_of_the_settings_from_a_folder_below(project: Project) -> None:
    project.write(pytest="[pytest]\nlatent_conformance_agents = my_agents:broken", deep__test_none="")

    printed = again(project, "pytest --latent-conformance --latent-rule=TEXT-6", "deep")

    assert printed == ("pytest --latent-conformance -o latent_conformance_agents=my_agents:broken --latent-rule=TEXT-6")


def test_an_agent_of_settings_that_the_command_line_names(project: Project) -> None:
    project.write(other_pytest="[pytest]\nlatent_conformance_agents = my_agents:broken")

    assert "-c other_pytest.ini" in again(
        project, "pytest --latent-conformance --latent-rule=TEXT-6 -c other_pytest.ini"
    )


def test_an_agent_of_the_command_line_beside_those_of_the_settings(project: Project) -> None:
    project.write(
        pytest="[pytest]\nlatent_conformance_agents = sound_agents:sound",
        sound_agents="from cases.agent import sound",
    )

    printed = again(project, "pytest --latent-conformance --latent-rule=TEXT-6 --latent-agent=my_agents:broken")

    assert "-o latent_conformance_agents= " in printed


@pytest.mark.parametrize("where", [".", "deep"])
def test_a_class(project: Project, where: str) -> None:
    project.write(pytest="[pytest]", deep__test_mine=CLASS)

    printed = again(project, "pytest", where)

    place = "deep/test_mine.py" if where == "." else "test_mine.py"
    assert printed == f"pytest '{place}::TestMine::test_rule[TEXT-6]'"


@pytest.mark.skipif(find_spec("xdist") is None, reason="pytest-xdist is not installed")
def test_under_xdist(project: Project) -> None:
    printed = again(project, "pytest -n 2 --latent-conformance --latent-rule=TEXT-6 --latent-agent=my_agents:broken")

    assert printed == "pytest --latent-conformance --latent-agent=my_agents:broken --latent-rule=TEXT-6"
