"""The command line: check, show, repair and convert transcripts kept as JSON Lines."""

from agentloop._cli._main import main

__all__ = ["main"]
