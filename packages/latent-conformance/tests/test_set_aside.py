from __future__ import annotations

import gc
import subprocess
import sys
import weakref

from cases.agent import SoundAgent

from latent.conformance import check_agent
from latent.conformance._driving._set_aside import set_aside
from latent.conformance.harness import Harness


class Cycle:
    def __init__(self) -> None:
        self.own = self


def test_what_was_there_before_is_set_aside_for_the_time_and_comes_back() -> None:
    before = gc.get_freeze_count()
    older = Cycle()
    watched = weakref.ref(older)

    with set_aside():
        assert gc.get_freeze_count() > before
        del older
        gc.collect()
        assert watched() is not None

    gc.collect()
    assert watched() is None


def test_what_came_since_is_found() -> None:
    with set_aside():
        watched = weakref.ref(Cycle())
        gc.collect()
        assert watched() is None


def test_an_agent_is_judged_with_what_was_before_set_aside() -> None:
    counts = []

    def make(harness: Harness) -> SoundAgent:
        counts.append(gc.get_freeze_count())
        return SoundAgent(harness.model, harness.tools, harness.max_iterations)

    before = gc.get_freeze_count()
    check_agent(make, rule="PROTO-2", examples=0)

    assert min(counts) > before + 1000
    assert gc.get_freeze_count() <= before


def test_what_somebody_else_set_aside_stays_so() -> None:
    code = (
        "import gc\n"
        "from latent.conformance._driving._set_aside import set_aside\n"
        "gc.freeze(); n = gc.get_freeze_count()\n"
        "with set_aside():\n    pass\n"
        "assert gc.get_freeze_count() == n > 1000, (gc.get_freeze_count(), n)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
