"""`python -m agentloop`, the same as the command `agentloop`."""

import sys

from agentloop._cli import main

if __name__ == "__main__":
    sys.exit(main())
