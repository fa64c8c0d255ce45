from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from latent.conformance._driving._watchdog import LoopBlockedError, limited


def test_what_ends_in_time_is_left_alone() -> None:
    with limited(60):
        done = True

    assert done
    assert not [each for each in threading.enumerate() if each.name == "latent-conformance-watchdog"]


@pytest.mark.skipif(not hasattr(signal, "SIGURG"), reason="the system has no signal for it")
def test_the_main_thread_is_woken_out_of_a_call_that_waits() -> None:
    began = time.monotonic()

    with pytest.raises(LoopBlockedError), limited(0.1):
        time.sleep(60)

    assert time.monotonic() - began < 30
    assert signal.getsignal(signal.SIGURG) is signal.SIG_DFL


def test_any_other_thread_is_broken_off_between_two_lines() -> None:
    def spin() -> None:
        with limited(0.1):
            while True:
                pass

    with ThreadPoolExecutor(1) as threads, pytest.raises(LoopBlockedError):
        threads.submit(spin).result(30)


@pytest.mark.skipif(not hasattr(signal, "SIGURG"), reason="the system has no signal for it")
def test_a_signal_that_somebody_uses_stays_his() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGURG, lambda number, frame: heard.append(number))
    try:
        with limited(60):
            signal.raise_signal(signal.SIGURG)
    finally:
        signal.signal(signal.SIGURG, before)

    assert heard == [signal.SIGURG]


TRACED = """
import sys
from latent.conformance._driving._watchdog import LoopBlockedError, limited

try:
    with limited({seconds}):
        while {busy}:
            pass
except LoopBlockedError:
    print("broken off")

sys.settrace(lambda *seen: None)
(lambda: None)()
print("traced")
"""


@pytest.mark.parametrize(("seconds", "busy", "told"), [(60, False, ["traced"]), (0.1, True, ["broken off", "traced"])])
def test_functions_can_be_traced_afterwards(seconds: float, busy: bool, told: list[str]) -> None:
    code = TRACED.format(seconds=seconds, busy=busy)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)

    assert (done.stdout.split("\n")[:-1], done.stderr) == (told, "")


def test_any_number_of_seconds_can_be_allowed(capfd: pytest.CaptureFixture[str]) -> None:
    with limited(1e300):
        pass

    assert capfd.readouterr().err == ""
