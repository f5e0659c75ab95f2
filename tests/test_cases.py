"""
Real gold and real linkers: every count of the contract, as worked out by an oracle that shares no code with us.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import spaneval

CASES = Path(os.environ.get("SPANEVAL_CASES", Path(__file__).parent.parent.parent / "shared" / "cases")) / "spans"

NAMES = [
    (path.parent.name, name) for path in sorted(CASES.glob("*/expected.json")) for name in json.loads(path.read_text())
]


def evaluation(folder: str, case: dict, **options) -> spaneval.Evaluation:
    return spaneval.evaluate(CASES / folder / case["gold"], CASES / folder / case["pred"], ci=False, **options)


def expected(folder: str, name: str) -> dict:
    return json.loads((CASES / folder / "expected.json").read_text())[name]


@pytest.mark.skipif(not NAMES, reason="the handed cases are not here")
@pytest.mark.parametrize("mode", ["exact", "overlap"])
@pytest.mark.parametrize(("folder", "name"), NAMES)
def test_counts_of_the_contract(folder, name, mode):
    case = expected(folder, name)
    result = evaluation(folder, case, match=mode)
    contract = dict(case["contract"][mode])

    assert contract.pop("not_comparable") == result.not_comparable
    assert contract.pop("unknown_docs") == result.counts["n_unknown_docs_rows"]
    assert contract == {key: result.counts[key] for key in contract}


@pytest.mark.skipif(not NAMES, reason="the handed cases are not here")
@pytest.mark.parametrize("mode", ["exact", "overlap"])
@pytest.mark.parametrize(("folder", "name"), NAMES)
def test_greedy_counts_where_nothing_is_ignored_or_out_of_scope(folder, name, mode):
    case = expected(folder, name)
    contract, plain = case["contract"][mode], case["plain"][mode]
    if contract["n_out_of_scope"] or contract["n_ignored_pairs"] or contract["n_gold"] != plain["n_gold"]:
        pytest.skip("the case has ignored annotations or predictions out of scope")
    result = evaluation(folder, case, match=mode, assignment="greedy")
    keys = ("n_gold", "n_predicted", "n_matched", "n_id_comparable", "n_id_correct")

    assert {key: plain[key] for key in keys} == {key: result.counts[key] for key in keys}


@pytest.mark.skipif(not NAMES, reason="the handed cases are not here")
@pytest.mark.parametrize(("folder", "name"), [x for x in NAMES if "merged" not in x[1]])
def test_counts_per_document(folder, name):
    """Rows of the case: itext, gold, predicted, exact matched, exact correct, overlap matched, overlap correct."""
    case = expected(folder, name)
    if case["contract"]["overlap"]["n_out_of_scope"] or case["contract"]["overlap"]["n_ignored_pairs"]:
        pytest.skip("the case lists plain counts per document")
    if "per_document" not in case or case["contract"]["overlap"]["n_gold"] != case["plain"]["overlap"]["n_gold"]:
        pytest.skip("the case lists no counts per document")
    rows = {str(row[0]): row[1:] for row in case["per_document"]}
    for mode, at in (("exact", 2), ("overlap", 4)):
        result = evaluation(folder, case, match=mode)
        found = {document["document"]: document for document in result.documents()}
        for key, row in rows.items():
            document = found[key]
            columns = ("n_gold", "n_predicted", "n_matched")

            assert [row[0], row[1], row[at]] == [document[c] for c in columns], (mode, key)
