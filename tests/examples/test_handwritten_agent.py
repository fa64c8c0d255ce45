"""That the agent is as short as it says; whether it is sound, the kit says."""

import ast
import io
import tokenize
from pathlib import Path

AGENT = Path(__file__).parents[2] / "examples" / "handwritten_agent.py"
LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def lines_of_code(source: str) -> int:
    """The lines with code on them, but for imports, docstrings and `make_agent`."""
    apart: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case (
                ast.Import()
                | ast.ImportFrom()
                | ast.Expr(value=ast.Constant())
                | ast.FunctionDef(name="make_agent")
                | ast.Assign(targets=[ast.Attribute(value=ast.Name(id="make_agent"))])
            ):
                apart.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    code = {line for token in tokens if token.type not in LAYOUT for line in range(token.start[0], token.end[0] + 1)}
    return len(code - apart)


def test_the_agent_written_by_hand_is_under_sixty_lines_of_code() -> None:
    assert 40 < lines_of_code(AGENT.read_text(encoding="utf-8")) < 60


def test_what_no_reader_counts_is_not_counted() -> None:
    source = '''"""A page.

    More.
    """
import json


# A comment.
def run() -> str:
    """What it does."""
    return json.dumps(
        "text"
    )


def make_agent() -> None:
    pass


make_agent.capabilities = set()
'''
    assert lines_of_code(source) == 4
