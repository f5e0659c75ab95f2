"""
Two versions of a linker on three short documents, worked out by hand; tests of comparisons share them.

Outcomes of the gold annotations, v1 → v2:

| document | annotation          | v1      | v2                   |
| 0        | TP53 [0, 4) G1      | correct | correct              |
| 0        | regulates [5, 14) R1 | wrong R2 | wrong R3            |
| 0        | MDM2 [15, 19) G2    | missed  | correct              |
| 1        | MDM2 [0, 4) G2      | correct | wrong G9             |
| 1        | TP53 [11, 15) G1    | minted  | correct              |
| 1        | p21_WAF1 [18, 26) G3 | missed  | no predicted id     |

Spurious: `binds` in both, `Nothing` of document 2 in v1 only.

| per document | gold    | predicted | matched | comparable | correct |
| v1           | 3, 3, 0 | 2, 3, 1   | 2, 2, 0 | 2, 1, 0    | 1, 1, 0 |
| v2           | 3, 3, 0 | 3, 4, 0   | 3, 3, 0 | 3, 2, 0    | 2, 1, 0 |
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

GOLD: list[dict[str, Any]] = [
    {
        "itext": 0,
        "text": "TP53 regulates MDM2.",
        "ground_truth": [
            {"a": 0, "b": 4, "entity_id": "G1"},
            {"a": 5, "b": 14, "entity_id": "R1"},
            {"a": 15, "b": 19, "entity_id": "G2"},
        ],
    },
    {
        "itext": 1,
        "text": "MDM2 binds\nTP53 & p21_WAF1.",
        "ground_truth": [
            {"a": 0, "b": 4, "entity_id": "G2"},
            {"a": 11, "b": 15, "entity_id": "G1"},
            {"a": 18, "b": 26, "entity_id": "G3"},
        ],
    },
    {"itext": 2, "text": "Nothing here.", "ground_truth": []},
]


def row(itext: int, a: int, b: int, entity: str | None) -> dict[str, Any]:
    """A prediction."""
    return {"itext": itext, "a": a, "b": b, "entity_id_predicted": entity}


V1 = [
    row(0, 0, 4, "G1"),
    row(0, 5, 14, "R2"),
    row(1, 0, 4, "G2"),
    row(1, 11, 15, "kb::C1"),
    row(1, 5, 10, "R3"),
    row(2, 0, 7, "X"),
]
V2 = [
    row(0, 0, 4, "G1"),
    row(0, 5, 14, "R3"),
    row(0, 15, 19, "G2"),
    row(1, 0, 4, "G9"),
    row(1, 11, 15, "G1"),
    row(1, 18, 26, None),
    row(1, 5, 10, "R3"),
]


def write(folder: Path) -> Path:
    """The gold and both versions as `gold.gt.json`, `v1.jsonl` and `v2.jsonl`."""
    (folder / "gold.gt.json").write_text(json.dumps(GOLD))
    for name, rows in (("v1", V1), ("v2", V2)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(x) + "\n" for x in rows))
    return folder
