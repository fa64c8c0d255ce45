from __future__ import annotations

import sys
from importlib.metadata import entry_points
from importlib.util import find_spec

import pytest
from cases.plugged import CLASS, has, judge, run

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.usefixtures("agents_beside")


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
        (
            ["--latent-conformance", "--latent-script=gone.json"],
            "*--latent-script=gone.json: No such file or directory",
        ),
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
    has(result, "*judged nothing: none of the tests of an agent was run*")


def test_settings_hold_for_agents_that_set_nothing_themselves(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nlatent_timeout = 3\nlatent_examples = 7")
    pytester.makepyfile(
        test_mine="""
        from latent.conformance import AgentConformance
        from latent.conformance._pytest import _judged

        def judged(make, **options):
            raise ValueError(f"told {options['timeout']} {options['examples']}")

        _judged.check_agent = judged

        class TestPlain(AgentConformance):
            pass

        class TestOwn(AgentConformance):
            timeout = 10.0
            examples = None
        """
    )
    result = run(pytester, "-k", "verdict")

    has(result, "*told 3.0 7*", "*told 10.0 None*")


def test_an_option_goes_before_the_settings(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nlatent_examples = 7")
    pytester.makeconftest(
        """
        from latent.conformance._pytest import _judged

        def judged(make, **options):
            raise ValueError(f"told {options}")

        _judged.check_agent = judged
        """
    )
    asked = ("--latent-agent=agents:sound", "--latent-agent=agents:broken", "-k", "verdict")

    has(judge(pytester, *asked), "problem: told {}", "problem: told {'examples': 7}")
    has(judge(pytester, *asked, "--latent-examples=2"), *["problem: told {'examples': 2}"] * 2)


def test_one_heading_stands_over_a_verdict_and_its_files(pytester: pytest.Pytester) -> None:
    result = judge(pytester, "--latent-agent=agents:sound", "--latent-report=md:told.md")

    assert str(result.stdout).count("= latent conformance =") == 1
    has(result, "rules: *", "written: md:told.md")


def test_a_failing_class_says_nothing_of_hidden_tracebacks(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_mine=CLASS.format(factory="broken", declaration="pass"))
    result = run(pytester)

    assert result.parseoutcomes()["failed"] == 2
    result.stdout.no_fnmatch_line("All traceback entries*")


VERDICTS = [
    (["--latent-agent=agents:broken", "-k", "STEP"], "agents:broken: FAIL", 1),
    (
        ["--latent-agent=agents:broken", *(f"--deselect=agents:broken::{name}" for name in ("TEXT-6", "verdict"))],
        "*FAIL",
        1,
    ),
    (["--latent-agent=agents:broken", "--latent-rule=step-4"], "agents:broken: PASS", 0),
    (["--latent-agent=agents:sound", "-k", "STEP"], "agents:sound: PASS", 0),
    (["--latent-agent=agents:sound", "--latent-rule=PHASE-1"], "agents:sound: INCOMPLETE*", 1),
    (["--latent-agent=agents:sound", "--latent-rule=MSG-9"], "agents:sound: INCOMPLETE*", 1),
]


@pytest.mark.parametrize(
    ("options", "told", "code"), VERDICTS, ids=lambda given: " ".join(given) if isinstance(given, list) else ""
)
def test_the_run_ends_as_the_summary_says_whatever_was_selected(
    pytester: pytest.Pytester, options: list[str], told: str, code: int
) -> None:
    result = judge(pytester, *options)

    has(result, told)
    assert result.ret == code
    assert "failed" not in result.parseoutcomes()


def test_a_class_of_which_one_rule_is_selected_fails_the_run_with_its_verdict(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_mine=CLASS.format(factory="broken", declaration="pass"))
    result = judge(pytester, "test_mine.py::TestMine::test_rule[STEP-4]")

    has(result, "TestMine: FAIL", "*1 passed*")
    assert result.ret == pytest.ExitCode.TESTS_FAILED


@pytest.mark.skipif(find_spec("xdist") is None, reason="pytest-xdist is not installed")
def test_the_verdict_ends_the_run_under_xdist_too(pytester: pytest.Pytester) -> None:
    result = judge(pytester, "-n", "2", "--latent-agent=agents:broken", "-k", "STEP")

    assert (result.ret, "failed" in result.parseoutcomes()) == (pytest.ExitCode.TESTS_FAILED, False)


def test_what_is_only_collected_is_counted_and_no_failure(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_other="def test_mine(): pass")
    result = judge(pytester, "--latent-agent=agents:broken", "--collect-only", "-q")

    listed = sum("::" in line for line in result.outlines)
    assert listed > 100
    has(result, f"{listed} tests collected*")
    assert result.ret == pytest.ExitCode.OK


def test_strict_settings_are_no_obstacle(pytester: pytest.Pytester) -> None:
    strict = "strict = true" if tuple(map(int, pytest.__version__.split(".")[:1])) >= (9,) else "xfail_strict = true"
    pytester.makeini(f"[pytest]\n{strict}\naddopts = --strict-markers --strict-config")
    pytester.makepyfile(test_mine=CLASS.format(factory="untidy", declaration="pass"))
    result = judge(pytester, "--latent-agent=agents:untidy")

    assert result.ret == pytest.ExitCode.OK


def test_other_tests_of_the_session_are_left_alone(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_other="def test_mine(): pass")
    result = judge(pytester, "--latent-agent=agents:sound", "-v")

    has(result, "test_other.py::test_mine PASSED*", "agents:sound::PROTO-1 PASSED*")
