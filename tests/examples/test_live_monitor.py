"""What the program prints."""

import re
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).parents[2] / "examples" / "live_monitor.py"


def test_the_broken_run_is_told_with_its_place_and_the_others_are_clean() -> None:
    done = subprocess.run([sys.executable, str(PROGRAM)], capture_output=True, text=True, check=True, timeout=60)
    told = [re.sub(r"(run_id=')[^']*|(timestamp=)[\d.]+", r"\1\2...", line) for line in done.stdout.splitlines()]
    by_run = {name: [line for line in told if line.startswith(name)] for name in ("run 1", "run 2", "run 3")}
    missing = "Expected a result of 'weather' ('call_1') before its step ends, got none"

    assert sorted(done.stderr.splitlines()) == [
        "INFO run 1: answered 'Take an umbrella.'",
        "INFO run 2: answered 'Take an umbrella.'",
        "INFO run 3: answered 'Take an umbrella.'",
        f"WARNING latent.conformance: TOOL-4 at event 3: {missing}",
    ]
    assert by_run == {"run 1": ["run 1: no findings"], "run 2": ["run 2: 1 finding"], "run 3": ["run 3: no findings"]}
    assert f"  TOOL-4 MUST, event 3, step 0: {missing}" in told
    place = next(line for line in told if line.startswith("    > "))
    assert place.startswith("    >    3  ToolCall(id='call_1', function=FunctionCall(name='weather', ")
