"""Code of the guides that a reader's pytest runs, and not the page itself."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from latent.agents import ReActAgent
from latent.conformance import Harness

GUIDE = Path(__file__).parents[1] / "guides" / "keeping-the-verdict.md"


@pytest.fixture
def latent_agent_factory() -> Callable[[Harness], ReActAgent]:
    return lambda harness: ReActAgent("mine", harness.model, tools=harness.tools)


def test_the_test_with_a_script_of_its_own_passes(latent_run: Any, latent_assert: Any) -> None:
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    exec(next(block for block in blocks if "latent_run" in block), names)

    names["test_an_empty_result_is_told"](latent_run, latent_assert)
