"""
spaneval tells whether a system got better that links entities, extracts records or sorts objects.

The public names are loaded on first use, so that `spaneval --help` needs no numpy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from spaneval._version import VERSION as __version__  # noqa: N811 - the customary name

if TYPE_CHECKING:
    from spaneval import ground_truth as ground_truth
    from spaneval.changes import Diff as Diff
    from spaneval.changes import diff as diff
    from spaneval.comparison import Comparison as Comparison
    from spaneval.comparison import compare as compare
    from spaneval.evaluation import Evaluation as Evaluation
    from spaneval.evaluation import evaluate as evaluate
    from spaneval.exceptions import AlignmentError as AlignmentError
    from spaneval.exceptions import FormatError as FormatError
    from spaneval.exceptions import IdMapError as IdMapError
    from spaneval.exceptions import InputError as InputError
    from spaneval.exceptions import MeasureError as MeasureError
    from spaneval.exceptions import SpanError as SpanError
    from spaneval.exceptions import SpanevalError as SpanevalError
    from spaneval.options import Options as Options
    from spaneval.records.classes import Classification as Classification
    from spaneval.records.classes import classify as classify
    from spaneval.records.documents import JsonEvaluation as JsonEvaluation
    from spaneval.records.documents import evaluate_json as evaluate_json
    from spaneval.records.fields import RecordEvaluation as RecordEvaluation
    from spaneval.records.fields import evaluate_records as evaluate_records
    from spaneval.records.review import Audit as Audit
    from spaneval.records.review import audit as audit
    from spaneval.saved_runs import save as save
    from spaneval.validation import Validation as Validation
    from spaneval.validation import validate as validate

_HOME = {
    "AlignmentError": "exceptions",
    "Audit": "records.review",
    "Classification": "records.classes",
    "Comparison": "comparison",
    "Diff": "changes",
    "Evaluation": "evaluation",
    "FormatError": "exceptions",
    "IdMapError": "exceptions",
    "InputError": "exceptions",
    "JsonEvaluation": "records.documents",
    "MeasureError": "exceptions",
    "Options": "options",
    "RecordEvaluation": "records.fields",
    "SpanError": "exceptions",
    "SpanevalError": "exceptions",
    "Validation": "validation",
    "audit": "records.review",
    "classify": "records.classes",
    "compare": "comparison",
    "diff": "changes",
    "evaluate": "evaluation",
    "evaluate_json": "records.documents",
    "evaluate_records": "records.fields",
    "save": "saved_runs",
    "validate": "validation",
}

__all__ = ["__version__", "ground_truth", *_HOME]


def __getattr__(name: str) -> Any:
    if name == "ground_truth":
        return import_module("spaneval.ground_truth")
    if name in _HOME:
        return getattr(import_module(f"spaneval.{_HOME[name]}"), name)
    raise AttributeError(f"module 'spaneval' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
