"""A pytest plugin that runs the Python blocks of the pages, every one of them."""

from pathlib import Path

from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser

pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser()],
    path=str(Path(__file__).resolve().parents[1]),
    pattern="*.md",
).pytest()
