"""What holds for every example: its docstring says what it shows and how to run it, and the list has it."""

import ast
import re
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
SCRIPTS = sorted(EXAMPLES.glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_an_example_says_what_it_shows_and_how_to_run_it(script: Path) -> None:
    docstring = ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or ""
    commands = re.findall(r"^    (.*)$", docstring, re.MULTILINE)

    assert docstring.splitlines()[0].endswith((".", ":"))
    assert [line for line in commands if script.stem in line] != []


def test_the_list_has_every_example_and_no_other() -> None:
    listed = re.findall(r"\]\(([\w.]+)\)", (EXAMPLES / "README.md").read_text(encoding="utf-8"))

    assert sorted(listed) == [path.name for path in SCRIPTS]
