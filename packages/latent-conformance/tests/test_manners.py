"""The plugin is a good guest: it leaves alone what is not its own, and gets on with every other plugin."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

CASES = Path(__file__).parent
MINE = """
import pytest
from cases.first_agents import Parrot
from latent.conformance import AgentConformance

class TestMine(AgentConformance):
    def make_agent(self):
        return Parrot()

def test_plain():
    pass
"""
ASYNC = """
@pytest.mark.{mark}
async def test_async():
    pass
"""

_ASYNCIO = ["-p", "pytest_asyncio.plugin", "-o", "asyncio_default_fixture_loop_scope=function"]
BESIDE = {
    "no other plugin": ("pytest", [], None),
    "asyncio, strict": ("pytest_asyncio", [*_ASYNCIO, "-o", "asyncio_mode=strict"], "asyncio"),
    "asyncio, auto": ("pytest_asyncio", [*_ASYNCIO, "-o", "asyncio_mode=auto"], "asyncio"),
    "anyio": ("anyio", ["-p", "anyio.pytest_plugin"], "anyio"),
    "trio": ("pytest_trio", ["-p", "pytest_trio.plugin"], "trio"),
    "trio, auto": ("pytest_trio", ["-p", "pytest_trio.plugin", "-o", "trio_mode=true"], "trio"),
    "random order": ("pytest_randomly", ["-p", "pytest_randomly"], None),
    "two processes": ("xdist", ["-p", "xdist.plugin", "-n", "2"], None),
    "strict": ("pytest", ["-o", "strict=true", "--strict-config", "--strict-markers"], None),
}
"""Name -> the module that has to be there, the options that load and set it, its mark for async tests."""


@pytest.fixture(autouse=True)
def only_what_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """No plugin but those of the command line, and no file for compiled code."""
    monkeypatch.setenv("PYTHONPATH", str(CASES), prepend=os.pathsep)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)


def run(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    return pytester.runpytest_subprocess("-W", "error", "-p", "no:cacheprovider", *options)


def judge(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    return run(pytester, "-p", "latent_conformance_plugin", "--latent-conformance", *options)


@pytest.mark.parametrize("name", BESIDE)
def test_it_gets_on_with(pytester: pytest.Pytester, name: str) -> None:
    module, options, mark = BESIDE[name]
    if find_spec(module) is None:
        pytest.skip(f"{module} is not installed")
    pytester.makepyfile(test_mine=MINE + (ASYNC.format(mark=mark) if mark else ""))
    result = judge(pytester, "--latent-agent=cases.first_agents:Parrot", *options)

    told = [line for line in result.outlines if line.endswith((": PASS", ": FAIL"))]
    assert (result.ret, sorted(told)) == (pytest.ExitCode.OK, ["TestMine: PASS", "cases.first_agents:Parrot: PASS"])


def test_it_leaves_no_files(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_mine=MINE)
    of_pytester = {"stdout", "stderr", "runpytest-0", "runpytest-current"}

    assert judge(pytester, "--latent-agent=cases.first_agents:Parrot").ret == pytest.ExitCode.OK
    assert {path.name for path in pytester.path.iterdir()} - of_pytester == {"test_mine.py"}


def test_without_the_flag_a_run_is_as_it_is_without_the_plugin(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_theirs="""
        import pytest

        @pytest.mark.parametrize("n", [1, 2])
        def test_good(n): pass

        def test_bad(): assert 0

        class TestGroup:
            def test_inside(self): pass
        """
    )

    def told(*options: str) -> list[str]:
        lines = run(pytester, "-v", "-rA", *options).outlines
        return [line.partition(" in ")[0] for line in lines if "plugins: " not in line]

    with_it, without = told("-p", "latent_conformance_plugin"), told()

    assert "test_theirs.py::test_good[1] PASSED                                      [ 25%]" in with_it
    assert with_it == without


def test_it_loads_no_profile_of_hypothesis(pytester: pytest.Pytester) -> None:
    look = "import hypothesis; print(repr(hypothesis.settings.default))"
    (plain,) = pytester.run(sys.executable, "-c", look).outlines
    pytester.makepyfile(
        test_mine=MINE
        + f"""
def test_settings():
    import hypothesis

    assert repr(hypothesis.settings.default) == {plain!r}
"""
    )

    assert judge(pytester).ret == pytest.ExitCode.OK


def test_the_settings_of_another_project_are_no_obstacle(pytester: pytest.Pytester) -> None:
    pytester.makefile(
        ".ini",
        pytest="""
        [pytest]
        addopts = --strict-markers --strict-config --import-mode=importlib -ra
        testpaths = tests
        python_files = check_*.py
        python_classes = Check
        xfail_strict = true
        filterwarnings = error
        """,
    )
    pytester.mkdir("tests").joinpath("check_mine.py").write_text(MINE.replace("TestMine", "CheckMine"))
    result = judge(pytester, "--latent-agent=cases.first_agents:Parrot")

    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["CheckMine: PASS", "cases.first_agents:Parrot: PASS"])
