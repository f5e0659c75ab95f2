"""
The tree of errors.

SpanevalError
├── InputError(ValueError)      content that cannot be used; holds the problems that were found
│   ├── FormatError             not the format that it claims to be
│   ├── SpanError               impossible offsets
│   ├── AlignmentError          documents or systems do not fit together
│   └── IdMapError              a map that cannot translate
└── MeasureError(ValueError)    unknown name or parameter; offers the nearest
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spaneval.problems import Problem


class SpanevalError(Exception):
    """Everything that spaneval raises on purpose."""


class InputError(SpanevalError, ValueError):
    """
    An input cannot be used.

    Args:
        problems: What was found, the first ones of `total`.
        total: How many problems there are in all.

    """

    def __init__(self, problems: Sequence[Problem], total: int | None = None) -> None:
        self.problems = tuple(problems)
        self.total = len(self.problems) if total is None else total
        super().__init__("\n".join(str(problem) for problem in self.problems))


class FormatError(InputError):
    """A file is not what its name or content claims."""


class SpanError(InputError):
    """Offsets that no text can have."""


class AlignmentError(InputError):
    """Documents, predictions or systems that do not belong together."""


class IdMapError(InputError):
    """An id map that does not give each id one target."""


class MeasureError(SpanevalError, ValueError):
    """A measure, or a parameter of one, that does not exist."""
