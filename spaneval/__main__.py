"""`python -m spaneval`."""

import sys

from spaneval.cli import main

if __name__ == "__main__":
    sys.exit(main())
