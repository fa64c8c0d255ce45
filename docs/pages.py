"""A pytest plugin that runs the Python blocks of the pages."""

from pathlib import Path

from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(), SkipParser()],
    path=str(Path(__file__).resolve().parents[1]),
    pattern="*.md",
).pytest()
