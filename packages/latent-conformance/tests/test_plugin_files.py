from __future__ import annotations

import json
from importlib.util import find_spec

import pytest
from cases.plugged import CLASS, has, judge, run

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.usefixtures("agents_beside")


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


def test_what_nobody_could_catch_is_filed(pytester: pytest.Pytester) -> None:
    judge(pytester, "--latent-agent=agents:careless", "-W", "default", "--latent-report=json:told.json")

    (agent,) = json.loads((pytester.path / "told.json").read_text(encoding="utf-8"))["agents"]
    (warning,) = agent["warnings"]
    assert "while the agent was judged: OSError: the file was left open" in warning


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
