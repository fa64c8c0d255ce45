"""A pytest plugin that runs the Python blocks of the pages."""

from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

pytest_collect_file = Sybil(parsers=[PythonCodeBlockParser(), SkipParser()], pattern="*.md").pytest()
