"""
The signature of a run on records: one line that makes its numbers reproducible and comparable.

Digests are of what was read: the order of records and fields, and the format of the file, change nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

from spaneval._version import VERSION
from spaneval.loaders.records import Records
from spaneval.signature import SCORES, escaped


def records_digest(records: Records) -> str:
    """The number of records and eight hexadecimal digits that depend on all of them, in any order."""
    total = sum(_hashed(record, values) for record, values in records.values.items())
    return f"{len(records)}r.{total % 2**64:016x}"[: len(f"{len(records)}r.") + 8]


def _hashed(record: str, values: Mapping[str, Any]) -> int:
    text = json.dumps([record, values], sort_keys=True, ensure_ascii=True, default=str)
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")


def record_signature(
    *,
    key: str,
    fields: str | Sequence[str],
    normalize: str,
    strict: bool,
    profile: str,
    digests: Mapping[str, str],
    interval: Mapping[str, Any] | None,
) -> str:
    """
    The signature of one run.

    Args:
        key: The field that holds the id.
        fields: The fields that were asked for; empty for all.
        normalize: The rules of comparison.
        strict: Whether the strict checks were made.
        profile: Whose formulas.
        digests: Of both sides.
        interval: `resamples`, `seed` and `level` of the intervals; None without intervals.

    """
    asked = [fields] if isinstance(fields, str) else sorted(set(fields))
    parts = {"kind": "records", "profile": profile, "key": key, "fields": ",".join(asked) or "all"}
    parts |= {"normalize": normalize, "strict": "yes" if strict else "no"}
    if interval is None:
        parts["ci"] = "none"
    else:
        parts["ci"] = f"doc-bootstrap.{interval['resamples']}"
        if interval["level"] != 0.95:
            parts["level"] = str(interval["level"])
        parts["seed"] = str(interval["seed"])
    parts |= digests
    parts |= {"scores": str(SCORES), "v": VERSION}
    return "|".join(f"{name}:{escaped(value)}" for name, value in parts.items())
