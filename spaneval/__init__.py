"""
spaneval tells whether an entity linker got better: did it find the spans, and are the ids right, kept apart.

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
    from spaneval.classification import Classification as Classification
    from spaneval.classification import classify as classify
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
    from spaneval.json_evaluation import JsonEvaluation as JsonEvaluation
    from spaneval.json_evaluation import evaluate_json as evaluate_json
    from spaneval.options import Options as Options
    from spaneval.records import RecordEvaluation as RecordEvaluation
    from spaneval.records import evaluate_records as evaluate_records
    from spaneval.review import Audit as Audit
    from spaneval.review import audit as audit
    from spaneval.validation import Validation as Validation
    from spaneval.validation import validate as validate

_HOME = {
    "AlignmentError": "exceptions",
    "Audit": "review",
    "Classification": "classification",
    "Comparison": "comparison",
    "Diff": "changes",
    "Evaluation": "evaluation",
    "FormatError": "exceptions",
    "IdMapError": "exceptions",
    "InputError": "exceptions",
    "JsonEvaluation": "json_evaluation",
    "MeasureError": "exceptions",
    "Options": "options",
    "RecordEvaluation": "records",
    "SpanError": "exceptions",
    "SpanevalError": "exceptions",
    "Validation": "validation",
    "audit": "review",
    "classify": "classification",
    "compare": "comparison",
    "diff": "changes",
    "evaluate": "evaluation",
    "evaluate_json": "json_evaluation",
    "evaluate_records": "records",
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
