"""Every command that a page shows exists, with the options that it is given."""

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentloop._cli._main import command_parser as agentloop_parser
from latent.conformance._cli._main import command_parser as conformance_parser

ROOT = Path(__file__).parents[2]
PAGES = [page for where in ("*", "docs/**/*", "examples/*", "packages/*/README") for page in ROOT.glob(f"{where}.md")]
TEXTS = [page.read_text(encoding="utf-8") for page in PAGES if not page.parent.name.startswith("_")]
BUILT = (ROOT / "docs" / "rules", ROOT / "docs" / "rules.md")
"""Made from the catalogue when the pages are built: Sphinx looks for what is in them."""
BLOCK = re.compile(r"```.*?```", re.DOTALL)


def shown(program: str) -> list[list[str]]:
    """The arguments of each use of the program, in shell blocks and as code within a text."""
    named = re.compile(rf"(\S*/)?{program}")
    return [words[1:] for words in map(_words, _commands()) if words[1:] and named.fullmatch(words[0])]


def _commands() -> Iterator[str]:
    for text in TEXTS:
        blocks = re.findall(r"```(?:sh|\{code-block\} sh)\n(.*?)```", text, re.DOTALL)
        lines = [line for block in blocks for line in block.splitlines()]
        for line in [*lines, *re.findall(r"`([^`\n]+)`", BLOCK.sub("", text))]:
            yield from re.split(r"&&|[|;]", line.partition(" # ")[0])


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:  # a quotation that is no command
        return []


@pytest.mark.parametrize("arguments", shown("latent-conformance"), ids=" ".join)
def test_a_shown_command_of_the_kit_is_one(arguments: list[str]) -> None:
    if len(arguments) == 1:  # a command by its name alone, in a text that speaks of it
        with pytest.raises(SystemExit, match="0"):
            conformance_parser().parse_args([*arguments, "--help"])
    else:
        conformance_parser().parse_args(arguments)


@pytest.mark.parametrize("arguments", shown("agentloop"), ids=" ".join)
def test_a_shown_command_of_agentloop_is_one(arguments: list[str]) -> None:
    agentloop_parser().parse_args(arguments)


@pytest.mark.parametrize("option", sorted({word for text in TEXTS for word in re.findall(r"--latent-[a-z-]+", text)}))
def test_a_shown_option_of_pytest_is_one(option: str, pytestconfig: pytest.Config) -> None:
    pytestconfig.getoption(option.removeprefix("--").replace("-", "_"))


@pytest.mark.parametrize("arguments", shown("nox"), ids=" ".join)
def test_a_shown_session_of_nox_is_one(arguments: list[str]) -> None:
    tree = ast.parse((ROOT / "noxfile.py").read_text(encoding="utf-8"))
    sessions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.decorator_list}

    assert arguments[0] == "-s"
    assert re.match(r"\w+", arguments[1])[0] in sessions


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_that_a_page_links_to_is_there(page: Path) -> None:
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text) if ":" not in link]
    files = [(page.parent / link).resolve() for link in links]

    there = [file.exists() or any(map(file.is_relative_to, BUILT)) for file in files]

    assert [link for link, is_there in zip(links, there, strict=True) if not is_there] == []
