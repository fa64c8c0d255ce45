from __future__ import annotations

import json
import os
import sys
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

CASES = Path(__file__).parent
AGENTS = """
from cases.agent import sound
from cases.broken_answers import ArgumentsInText, RunsWhatWasCutOff
from cases.broken_generated import FlattensLists

def hidden(harness):
    return FlattensLists(harness.model, harness.tools, harness.max_iterations)

def broken(harness):
    return ArgumentsInText(harness.model, harness.tools, harness.max_iterations)

def untidy(harness):
    return RunsWhatWasCutOff(harness.model, harness.tools, harness.max_iterations)

def declared(harness):
    return sound(harness)

declared.capabilities = {"tools", "parallel_tools", "reasoning", "usage", "odd_wire"}

def deviating(harness):
    return broken(harness)

deviating.known_deviations = {"TEXT-6": "shown on purpose"}

class Careless:
    def __del__(self):
        raise OSError("the file was left open, number 7")

def careless(harness):
    agent = sound(harness)
    agent.keeps = Careless()
    return agent

def angry(harness):
    raise OSError("no such weights")
"""
CLASS = """
from latent.conformance import AgentConformance
from agents import {factory}

class TestMine(AgentConformance):
    {declaration}

    def make_agent(self, harness):
        return {factory}(harness)
"""


@pytest.fixture(autouse=True)
def agents(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """Agents in the tested directory, and no setting of ours around it."""
    pytester.makepyfile(agents=AGENTS)
    monkeypatch.setenv("PYTHONPATH", str(CASES), prepend=os.pathsep)
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)


def run(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    """pytest in a process of its own, every warning an error."""
    return pytester.runpytest_subprocess(
        "-W", "error", "-p", "no:asyncio", "-p", "no:cacheprovider", "-p", "no:randomly", *options
    )


def judge(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    return run(pytester, "--latent-conformance", *options)


def has(result: pytest.RunResult, *lines: str) -> None:
    result.stdout.fnmatch_lines([*lines])


def test_the_plugin_is_the_module_that_imports_nothing() -> None:
    (plugin,) = entry_points(group="pytest11", name="latent_conformance")

    assert plugin.value == "latent_conformance_plugin"


def test_importing_the_plugin_imports_nothing_that_pytest_has_not(pytester: pytest.Pytester) -> None:
    look = "import pytest, sys; had = {*sys.modules}; import latent_conformance_plugin; print({*sys.modules} - had)"

    assert pytester.run(sys.executable, "-c", look).outlines == ["{'latent_conformance_plugin'}"]


def test_without_the_flag_nothing_of_the_kit_is_imported(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeini("[pytest]\nlatent_conformance_agents = agents:sound")
    pytester.makepyfile(
        test_modules="""
        import sys

        def test_modules():
            heavy = {"latent", "msgspec", "hypothesis", "starlette", "uvicorn", "agents"}
            assert "latent_conformance_plugin" in sys.modules
            assert heavy & sys.modules.keys() == set()
        """
    )
    result = pytester.runpytest_subprocess("-W", "error", "-p", "latent_conformance_plugin")

    result.assert_outcomes(passed=1)


def test_a_sound_agent_of_the_command_line_passes(pytester: pytest.Pytester) -> None:
    result = judge(pytester, "--latent-agent=agents:sound")

    assert result.ret == pytest.ExitCode.OK
    has(result, "*= latent conformance =*", "agents:sound: PASS", "rules: *")
    result.stdout.no_fnmatch_line("*FAILED*")


def test_a_broken_agent_fails_with_the_rule_and_the_verdict(pytester: pytest.Pytester) -> None:
    result = judge(pytester, "--latent-agent=agents:broken")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    has(
        result,
        "agents:broken: FAIL",
        "TEXT-6 MUST (fail): *",
        "  found: *",
        "  where: *",
        "    >*TextDelta*",
        "  mend: *",
        "  again:  pytest --latent-conformance --latent-agent=agents:broken --latent-rule=TEXT-6",
        "FAILED agents:broken::TEXT-6*",
        "FAILED agents:broken::verdict*",
    )
    assert result.parseoutcomes()["failed"] == 2


def test_the_command_that_it_names_runs_that_rule_alone(pytester: pytest.Pytester) -> None:
    result = judge(pytester, "--latent-agent=agents:broken", "--latent-rule=TEXT-6")

    assert result.parseoutcomes()["failed"] == 1
    assert "passed" not in result.parseoutcomes()


def test_several_agents_get_a_verdict_each(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nlatent_conformance_agents =\n    agents:broken\n    agents:sound")
    result = judge(pytester, "--latent-agent=agents:declared")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    has(result, "agents:declared: PASS", "agents:broken: FAIL", "agents:sound: PASS")


def test_a_broken_should_is_told_and_does_not_fail(pytester: pytest.Pytester) -> None:
    result = judge(pytester, "--latent-agent=agents:untidy")

    assert result.ret == pytest.ExitCode.OK
    assert result.parseoutcomes()["xfailed"] == 1
    has(result, "agents:untidy: PASS", "TOOL-20 SHOULD (fail): *")


def test_declarations_are_read_from_the_factory(pytester: pytest.Pytester) -> None:
    result = judge(pytester, "--latent-agent=agents:deviating")

    assert result.ret == pytest.ExitCode.OK
    has(result, "TEXT-6 MUST (deviation): *", "  known:  shown on purpose")


def test_a_factory_that_raises_fails_the_verdict_once(pytester: pytest.Pytester) -> None:
    result = judge(pytester, "--latent-agent=agents:angry")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert result.parseoutcomes()["failed"] == 1
    assert "passed" not in result.parseoutcomes()
    has(result, "nothing was judged: *OSError('no such weights')*")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--latent-conformance", "--latent-report=pdf:x"], "*KIND:PATH with json, md, html or badge*got 'pdf:x'*"),
        (["--latent-conformance", "--latent-report=json"], "*KIND:PATH*got 'json'*"),
        (["--latent-report=json:x"], "*need --latent-conformance*"),
        (["--latent-script=agents.py"], "*need --latent-conformance*"),
        (["--latent-conformance", "--latent-script=gone.json"], "*--latent-script: *No such file*gone.json*"),
        (["--latent-conformance", "--latent-script=agents.py"], "*--latent-script: *agents.py: Expected a script*"),
        (["--latent-examples=-1"], "*--latent-examples: Expected a number from 0 on, got '-1'*"),
    ],
    ids=["kind", "path", "no flag", "script without flag", "no file", "no script", "examples"],
)
def test_a_file_that_cannot_be_is_a_usage_error(pytester: pytest.Pytester, options: list[str], reason: str) -> None:
    result = run(pytester, *options)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([reason])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_a_class_is_judged_without_the_flag(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_mine=CLASS.format(factory="sound", declaration="pass"))
    result = run(pytester)

    assert result.ret == pytest.ExitCode.OK
    assert "failed" not in result.parseoutcomes()
    result.stdout.no_fnmatch_line("*latent conformance*")


def test_a_class_has_a_test_for_each_rule_and_one_for_the_verdict(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_mine=CLASS.format(factory="broken", declaration="pass"))
    result = run(pytester)

    assert result.parseoutcomes()["failed"] == 2
    has(
        result,
        "  again:  pytest 'test_mine.py::TestMine::test_rule[[]TEXT-6]'",
        "FAILED test_mine.py::TestMine::test_rule[[]TEXT-6]*",
        "FAILED test_mine.py::TestMine::test_verdict*",
    )


def test_the_command_that_a_class_names_can_be_pasted(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_mine=CLASS.format(factory="broken", declaration="pass"))
    result = run(pytester, "test_mine.py::TestMine::test_rule[TEXT-6]")

    result.assert_outcomes(failed=1)


def test_a_class_alone_satisfies_the_flag_and_gets_the_summary(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_mine=CLASS.format(factory="sound", declaration="pass"))
    result = judge(pytester)

    assert result.ret == pytest.ExitCode.OK
    has(result, "*= latent conformance =*", "TestMine: PASS")


def test_a_class_carries_its_declarations(pytester: pytest.Pytester) -> None:
    declaration = 'known_deviations = {"TEXT-6": "shown on purpose"}'
    pytester.makepyfile(test_mine=CLASS.format(factory="broken", declaration=declaration))
    result = judge(pytester)

    assert result.ret == pytest.ExitCode.OK
    has(result, "TestMine: PASS", "  known:  shown on purpose")


def test_a_class_without_a_factory_is_told_so(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_mine="""
        from latent.conformance import AgentConformance

        class TestMine(AgentConformance):
            pass
        """
    )
    result = run(pytester)

    assert result.parseoutcomes()["failed"] == 1
    has(result, "*needs `def make_agent(self, harness)`*")


def test_the_base_class_is_no_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("from latent.conformance import AgentConformance")
    result = run(pytester, "-o", "python_classes=*")

    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_the_agent_is_driven_once_for_the_class_and_its_fixtures_are_there(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_mine="""
        import pytest
        from latent.conformance import AgentConformance
        from agents import sound

        RUNS = []

        class TestMine(AgentConformance):
            @pytest.fixture(autouse=True)
            def weights(self, tmp_path):
                self.folder = tmp_path

            def make_agent(self, harness):
                RUNS.append((harness, self.folder))
                return sound(harness)

        def test_one_harness():
            assert len({id(harness) for harness, _ in RUNS}) == 1
        """
    )
    result = run(pytester)

    assert result.ret == pytest.ExitCode.OK


@pytest.mark.skipif(find_spec("xdist") is None, reason="pytest-xdist is not installed")
def test_there_is_one_verdict_under_xdist(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_mine=CLASS.format(factory="broken", declaration="pass"))
    result = judge(pytester, "-n", "2", "--latent-agent=agents:sound")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert [line for line in result.outlines if line.endswith((": PASS", ": FAIL"))].count("TestMine: FAIL") == 1
    has(result, "agents:sound: PASS")


@pytest.mark.skipif(find_spec("xdist") is None, reason="pytest-xdist is not installed")
def test_nothing_to_judge_is_a_usage_error_under_xdist_too(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_other="def test_mine(): pass")
    result = judge(pytester, "-n", "2")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    has(result, "*found nothing to judge*")


def test_an_agent_that_is_deselected_is_not_judged_and_that_is_no_success(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_other="def test_mine(): pass")
    result = judge(pytester, "--latent-agent=agents:sound", "-k", "test_mine")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.parseoutcomes()["passed"] == 1


def test_strict_settings_are_no_obstacle(pytester: pytest.Pytester) -> None:
    strict = "strict = true" if tuple(map(int, pytest.__version__.split(".")[:1])) >= (9,) else "xfail_strict = true"
    pytester.makeini(f"[pytest]\n{strict}\naddopts = --strict-markers --strict-config")
    pytester.makepyfile(test_mine=CLASS.format(factory="untidy", declaration="pass"))
    result = judge(pytester, "--latent-agent=agents:untidy")

    assert result.ret == pytest.ExitCode.OK


def test_files_hold_the_verdict_of_the_run(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_mine=CLASS.format(factory="broken", declaration="pass"))
    kinds = ["json", "md", "html", "badge"]
    options = [f"--latent-report={kind}:out/{kind}" for kind in kinds]
    result = judge(pytester, "--latent-agent=agents:sound", "--latent-agent=agents:angry", *options)

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    told = json.loads((pytester.path / "out/json").read_text(encoding="utf-8"))
    assert told["verdict"] == "fail"
    assert {agent["name"]: agent["verdict"] for agent in told["agents"]} == {
        "TestMine": "fail",
        "agents:sound": "pass",
        "agents:angry": "fail",
    }
    (command,) = {finding["again"] for agent in told["agents"] for finding in agent["findings"]}
    assert command == "pytest 'test_mine.py::TestMine::test_rule[TEXT-6]'"
    for kind in kinds:
        assert "fail" in (pytester.path / "out" / kind).read_text(encoding="utf-8")


def test_classes_of_one_name_have_a_judgement_each(pytester: pytest.Pytester) -> None:
    for name, factory in (("test_one", "broken"), ("test_two", "sound")):
        pytester.makepyfile(**{name: CLASS.format(factory=factory, declaration="pass")})
    result = judge(pytester, "--latent-report=json:out.json")

    has(result, "test_one.py::TestMine", "TestMine: FAIL", "test_two.py::TestMine", "TestMine: PASS", "written: json:*")
    told = json.loads((pytester.path / "out.json").read_text(encoding="utf-8"))
    assert [(agent["name"], agent["verdict"]) for agent in told["agents"]] == [
        ("test_one.py::TestMine", "fail"),
        ("test_two.py::TestMine", "pass"),
    ]


def test_a_file_that_cannot_be_written_fails_the_run(pytester: pytest.Pytester) -> None:
    result = judge(pytester, "--latent-agent=agents:sound", "--latent-report=json:agents.py/x")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    has(result, "agents:sound: PASS", "could not be written: json:agents.py/x: *")
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stderr.no_fnmatch_line("*Traceback*")


def test_a_step_summary_is_written_with_the_flag_alone(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = pytester.path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    pytester.makepyfile(test_mine=CLASS.format(factory="sound", declaration="pass"))

    run(pytester)
    assert not summary.exists()

    judge(pytester)
    assert "TestMine" in summary.read_text(encoding="utf-8")


@pytest.mark.skipif(find_spec("xdist") is None, reason="pytest-xdist is not installed")
def test_files_are_written_once_under_xdist(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_mine=CLASS.format(factory="broken", declaration="pass"))
    result = judge(pytester, "-n", "2", "--latent-agent=agents:sound", "--latent-report=json:out.json")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    told = json.loads((pytester.path / "out.json").read_text(encoding="utf-8"))
    assert sorted((agent["name"], agent["verdict"]) for agent in told["agents"]) == [
        ("TestMine", "fail"),
        ("agents:sound", "pass"),
    ]


def test_other_tests_of_the_session_are_left_alone(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_other="def test_mine(): pass")
    result = judge(pytester, "--latent-agent=agents:sound", "-v")

    has(result, "test_other.py::test_mine PASSED*", "agents:sound::PROTO-1 PASSED*")


def test_a_failing_script_is_kept_and_can_be_played_again(pytester: pytest.Pytester) -> None:
    options = ["-W", "error", "-p", "no:asyncio", "--latent-conformance"]
    result = pytester.runpytest_subprocess(*options, "--latent-agent=agents:hidden")

    path = ".pytest_cache/d/latent-conformance/agents-hidden-TOOL-16.json"
    command = f"pytest --latent-conformance --latent-agent=agents:hidden --latent-script={path}"
    has(result, "TOOL-16 MUST (fail): *", "  the conversation that shows it:", f"  replay: {command}")
    again = pytester.runpytest_subprocess(*options[:-1], *command.split()[1:])
    assert again.ret == pytest.ExitCode.TESTS_FAILED
    assert again.parseoutcomes()["failed"] == 2
    has(again, "agents:hidden: FAIL", "TOOL-16 MUST (fail): *", "  where: *script 'generated for TOOL-16'")
    again.stdout.no_fnmatch_line("*replay:*")
    sound = pytester.runpytest_subprocess(*options, "--latent-agent=agents:sound", f"--latent-script={path}")
    assert sound.ret == pytest.ExitCode.OK


def test_a_class_keeps_its_script_with_the_flag_alone(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_mine=CLASS.format(factory="hidden", declaration="pass"))
    options = ["-W", "error", "-p", "no:asyncio"]
    result = pytester.runpytest_subprocess(*options)

    assert result.parseoutcomes()["failed"] == 2
    assert not [*pytester.path.glob(".pytest_cache/d/*")]
    has(result, "  the conversation that shows it:")
    path = ".pytest_cache/d/latent-conformance/TestMine-TOOL-16.json"
    command = f"pytest --latent-conformance test_mine.py::TestMine --latent-script={path}"
    has(pytester.runpytest_subprocess(*options, "--latent-conformance"), f"  replay: {command}")
    again = pytester.runpytest_subprocess(*options, *command.split()[1:])
    assert again.parseoutcomes()["failed"] == 2


def test_without_a_cache_no_script_is_kept(pytester: pytest.Pytester) -> None:
    result = judge(pytester, "--latent-agent=agents:hidden")  # which switches the cache off

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.no_fnmatch_line("*replay:*")
    left = {path.name for path in pytester.path.iterdir() if not path.name.startswith(("runpytest", "std"))}
    assert left <= {"agents.py", "__pycache__"}


def test_generated_scripts_can_be_switched_off(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_mine=CLASS.format(factory="hidden", declaration="examples = 0"))

    assert judge(pytester, "--latent-agent=agents:hidden", "--latent-examples=0").ret == pytest.ExitCode.OK
    assert run(pytester).ret == pytest.ExitCode.OK
    assert run(pytester, "--latent-examples=100").ret == pytest.ExitCode.TESTS_FAILED


FIXTURES = """
from latent.conformance.harness import Fail, Script, Turn, asks, planned, says

TALK = Script("talk", (asks(planned("t1")), says("Done with §")))

def test_a_script(latent_run, latent_assert):
    played = latent_run(TALK)
    latent_assert(played.events)
    assert played.result.text.startswith("Done with cv")
    assert [request.turn for request in played.requests] == [0, 1]
    assert played.raised is None

def test_a_failure(latent_run):
    played = latent_run(Script("fails", (Turn((Fail("no model"),)),)))
    assert played.result.error == str(played.raised) == "no model"

def test_the_harness(latent_harness):
    assert latent_harness.play(TALK).messages[-1].role == "user"
"""


def test_the_fixtures_serve_the_agent_of_the_settings(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nlatent_conformance_agents = agents:sound")
    pytester.makepyfile(test_mine=FIXTURES)

    run(pytester).assert_outcomes(passed=3)


def test_the_factory_of_the_fixtures_can_be_overridden(pytester: pytest.Pytester) -> None:
    override = """
import pytest
from agents import sound

@pytest.fixture
def latent_agent_factory():
    return sound
"""
    pytester.makepyfile(test_mine=override + FIXTURES)

    run(pytester).assert_outcomes(passed=3)


def test_without_a_factory_the_fixtures_say_what_to_do(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_mine=FIXTURES)
    result = run(pytester)

    assert result.parseoutcomes() == {"errors": 2, "passed": 1}
    has(result, "*override the fixture latent_agent_factory, or set latent_conformance_agents*")


def test_what_python_cannot_raise_is_told_by_the_verdict_and_by_no_rule(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(CLASS.format(factory="careless", declaration=""))

    result = run(pytester)

    result.assert_outcomes(failed=1, passed=result.parseoutcomes()["passed"], skipped=result.parseoutcomes()["skipped"])
    result.stdout.fnmatch_lines(["*Beside the rules, while the agent was judged: OSError: the file was left open*"])
    result.stdout.fnmatch_lines(["FAILED *::TestMine::test_verdict*"])
