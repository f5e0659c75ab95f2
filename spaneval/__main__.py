"""`python -m spaneval`."""

from spaneval.cli import program

if __name__ == "__main__":
    program()
