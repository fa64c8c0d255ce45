"""`python -m latent.conformance` is the command line."""

from __future__ import annotations

import sys

from latent.conformance._cli._main import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
