"""What a new user meets: every mistake is answered with what was expected, what came, where, and what to do."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

CASES = Path(__file__).parent
MODULE = "cases.first_agents"

AGENT = {
    "without_key": "nothing was judged problem: Expected the factory without_key to build an agent, "
    "got KeyError('THE_KEY_OF_NOBODY') (from * in *first_agents.py, line *): set the environment variable "
    "THE_KEY_OF_NOBODY; harness.model and harness.base_url need no key",
    "exits": "nothing was judged problem: Expected the factory exits to build an agent, "
    "got SystemExit('no settings') (from * in *first_agents.py, line *)",
    "nothing": "nothing was judged *stream and invoke from the factory nothing, got None",
    "a_class": "nothing was judged *from the factory a_class, got the class SoundAgent: call it",
    "later": "nothing was judged *from the factory later, got a coroutine: write it without async",
    "lazily": "nothing was judged *from the factory lazily, got a generator: return the agent instead of yield",
    "two": "nothing was judged *Expected a factory that takes the harness or nothing, got two(model, tools): "
    "write a function around it",
    "bare_stream": "nothing was judged *got an async generator: that is a stream; give an object whose "
    "stream(messages) it is, with invoke beside it",
    "endless": "nothing was judged problem: Expected the factory endless to return in time, got no end "
    "(from * in *first_agents.py, line *): a longer timeout gives it more",
    "without_extra": "nothing was judged *harness.base_url needs starlette and uvicorn: "
    "pip install 'latent-conformance[http]'*",
    "Parrot": "PASS *",
    "Noisy": "PASS *",
    "Raising": "INCOMPLETE: * advice: asked 'Say hello in one short sentence.', the run ended with "
    "OSError('no route to the model') (from Raising.stream in *first_agents.py, line *): a run that succeeds "
    "shows more",
    "raising_on_harness": "FAIL *PROTO-2 MUST (fail): * found: Expected a run that answers a plain question; the run "
    "ended with OSError('no route to the model') (from Raising.stream in *first_agents.py, line *), before any request "
    "to the harness's model * mend: Mend this first: *",
    "reads_lines_by_read": "FAIL * found: Expected a run that answers a plain question; the run ended in "
    "Error('Unterminated string *mend: Mend this first: the agent failed over an answer of the harness's server. *",
    "verified_in_vain": "FAIL * found: Expected a run that answers a plain question; the run ended in "
    "Error('no answer was accepted') * mend: Mend this first: a verifier turned the answer down. *",
    "verified_by_the_main_model": "FAIL * found: Expected a run that answers a plain question; the run ended with "
    "ModelError(\"the script 'answer' has no more turns\") * mend: *Give `harness.aux_model` to a verifier*",
    "Offline": "INCOMPLETE: * advice: asked 'Say hello in one short sentence.', the run ended in "
    "Error('Connection error.'): a run that succeeds shows more*",
    "Awaited": "FAIL *PROTO-2 MUST (fail): * found: Expected stream(messages) to give an async iterator, "
    "got something to await first* mend: Write stream as an async generator, *",
    "WaitsAtOnce": "FAIL *PROTO-2 MUST (fail): * found: Expected the run to end in time; it waits at "
    "*first_agents.py, line *, in WaitsAtOnce.stream; there was no event* mend: Find what the agent waits for*",
    "WaitsMidway": "FAIL * found: Expected the run to end in time; it waits at *, in WaitsMidway.stream; "
    "the last event was StepBoundary*",
    "Sleeps": "FAIL * found: Expected the run to end in time; it blocked the event loop at *first_agents.py, line *, "
    "in Sleeps.stream; the last event was* mend: Call nothing that blocks*",
}
"""What is handed over -> what the summary says of it."""


@pytest.fixture(scope="module")
def summaries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Agent -> its part of the summary, all from one run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(CASES), prepend=os.pathsep)
        patch.delenv("PYTEST_ADDOPTS", raising=False)
        patch.chdir(tmp_path_factory.mktemp("first"))
        agents = [f"--latent-agent={MODULE}:{name}" for name in AGENT]
        command = [sys.executable, "-m", "pytest", "-q", "-W", "error", "-p", "no:asyncio", "-p", "no:cacheprovider"]
        done = subprocess.run(
            [*command, "--latent-conformance", "--latent-timeout=0.3", *agents],
            capture_output=True,
            text=True,
            check=False,
            timeout=100,
        )
    assert done.stderr == ""
    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    told = done.stdout.partition("= short test summary info")[0]
    parts = re.split(r"^=+ latent conformance =+\n", told, flags=re.MULTILINE)[1:]
    return dict(" ".join(part.split()).removeprefix(f"{MODULE}:").split(": ", 1) for part in parts)


@pytest.mark.parametrize("agent", AGENT)
def test_a_mistake_is_answered(summaries: dict[str, str], agent: str) -> None:
    assert fnmatchcase(summaries[agent], f"{AGENT[agent].replace('[', '[[]')}*"), summaries[agent]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--latent-agent=x:y"], "need --latent-conformance"),
        (["--latent-rule=STEP-4"], "need --latent-conformance"),
        (["--latent-conformance"], "found nothing to judge: give an agent with --latent-agent="),
        (["--latent-conformance", "--latent-rule=STEP4"], "the id of a rule, got 'STEP4': did you mean STEP-4 or"),
        (["--latent-conformance", "--latent-rule=?"], "got '?': `latent-conformance rules` lists them"),
        (
            ["--latent-conformance", "--latent-rule=STEP-4", "--latent-rule=TOOL-3"],
            "--latent-rule: Expected one rule, got STEP-4 and TOOL-3: judge one after the other",
        ),
        (["-o", "latent_timeout=soon"], "latent_timeout of the settings: Expected a number of seconds above 0, got"),
        (["-o", "latent_examples=-1"], "latent_examples of the settings: Expected a number from 0 on, got '-1'"),
        (["--latent-conformance", "--latent-timeout=0"], "Expected a number of seconds above 0, got '0'"),
        (["--latent-conformance", "--latent-timeout=soon"], "Expected a number of seconds above 0, got 'soon'"),
        (["--latent-conformance", "--latent-timeout=inf"], "Expected a number of seconds above 0, got 'inf'"),
        (["--latent-conformance", "--latent-agent"], "argument --latent-agent: expected one argument"),
        (["--latent-conformance", "--latent-agent=nowhere:make"], "No module named 'nowhere' (looked in "),
        (["--latent-conformance", "--latent-agent=nowhere.py:make"], "got 'nowhere.py': there is no "),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, list) else "",
)
def test_wrong_use_is_a_usage_error(pytester: pytest.Pytester, options: list[str], reason: str) -> None:
    pytester.makepyfile(test_other="def test_mine(): pass")
    result = pytester.runpytest("-p", "no:asyncio", *options)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert reason in result.stderr.str()
    assert "Traceback" not in result.stderr.str()


def test_no_folder_of_tests_is_needed(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(CASES))
    result = pytester.runpytest(
        "-p", "no:asyncio", "-p", "no:cacheprovider", "--latent-conformance", f"--latent-agent={MODULE}:Parrot"
    )

    assert result.ret == pytest.ExitCode.OK
    assert [path.name for path in pytester.path.iterdir() if path.name != "__pycache__"] == []
