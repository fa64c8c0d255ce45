from __future__ import annotations

import pytest
from cases.plugged import CLASS, has, judge, run

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.usefixtures("agents_beside")


def test_a_failing_script_is_kept_and_can_be_played_again(pytester: pytest.Pytester) -> None:
    options = ["-W", "error", "-p", "no:asyncio", "--latent-conformance"]
    result = pytester.runpytest_subprocess(*options, "--latent-agent=agents:hidden")

    path = ".pytest_cache/d/latent-conformance/agents-hidden-TOOL-16.json"
    command = f"pytest --latent-conformance --latent-agent=agents:hidden --latent-script={path}"
    has(result, "TOOL-16 MUST (fail): *", "  the conversation that shows it:", f"  replay: {command}")
    again = pytester.runpytest_subprocess(*options[:-1], *command.split()[1:])
    assert again.ret == pytest.ExitCode.TESTS_FAILED
    assert again.parseoutcomes()["failed"] == 2
    has(again, "agents:hidden: FAIL", "TOOL-16 MUST (fail): *", "  where: *scenario 'generated for TOOL-16'")
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
