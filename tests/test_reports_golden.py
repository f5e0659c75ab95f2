"""
Reports compared byte for byte with files in `tests/golden/`.

After a wanted change run `SPANEVAL_REGOLD=1 pytest tests/test_reports_golden.py tests/test_cli_golden.py` and read the
difference before it is committed.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
from latex import rows_of

from spaneval.counts import Counts
from spaneval.loaders.id_map import IdMap
from spaneval.measures import default_measures
from spaneval.options import Options
from spaneval.reports import Style, render
from spaneval.reports.text import Paint, number

GOLDEN = Path(__file__).parent / "golden"


@dataclass
class Rows:
    """What the header reads of `Predictions`: how many there are."""

    n_counted: int
    n_below_score: int
    bad: tuple[()] = ()

    def __len__(self) -> int:
        return self.n_counted


@dataclass
class StandIn:
    """What reports read of an `Evaluation`, made from counts per document; intervals are invented."""

    columns: dict[str, list[int]]
    options: Options = field(default_factory=Options)
    resampling: dict[str, Any] | None = None
    gold_names: list[str] = field(default_factory=lambda: ["gold"])
    pred_names: list[str] = field(default_factory=lambda: ["out.jsonl"])
    maps: list[IdMap] = field(default_factory=list)
    gold_maps: list[IdMap] = field(default_factory=list)
    n_documents_without_predictions: int = 0
    signature: str = "match:overlap|assign:exact-first|v:0.1.0"
    groups: dict[str, Any] = field(default_factory=dict)
    n_ignored: int = 0
    n_rows_left_out: int = 0
    macro: None = None

    def __post_init__(self) -> None:
        self.n_documents = len(self.columns["n_gold"])
        self.document_names = [f"document {k}" for k in range(self.n_documents)]
        arrays = {name: np.array(values, dtype=np.int64) for name, values in self.columns.items()}
        self.document_counts = Counts.from_columns(self.n_documents, **arrays)
        self.counts = self.document_counts.totals()
        self.corpus = range(self.counts["n_gold"] + self.n_ignored)
        self.predictions = Rows(self.counts["n_predicted"], self.n_rows_left_out)
        measures = {m.name: m for m in default_measures(has_nil=bool(self.options.nil))}
        self.measures = {name: m.value(self.counts) for name, m in measures.items()}
        self.fractions = {name: m.fraction(self.counts) for name, m in measures.items()}
        reasons = {name: m.why_undefined(self.counts) for name, m in measures.items()}
        self.undefined = {name: reason for name, reason in reasons.items() if reason is not None}
        self.intervals = self._intervals() if self.resampling else {}
        names = ("no_gold_id", "no_predicted_id", "unmapped", "minted")
        self.not_comparable = {name: self.counts[f"n_{name}"] for name in names if self.counts[f"n_{name}"]}

    def _intervals(self) -> dict[str, tuple[float, float] | None]:
        if self.n_documents == 1:
            return dict.fromkeys(self.measures)
        return {name: None if value is None else (value / 2, value) for name, value in self.measures.items()}

    def documents(self) -> list[dict[str, Any]]:
        """Counts and measures of each document."""
        result = []
        for name, row in zip(self.document_names, self.document_counts.table.tolist(), strict=True):
            counts = dict(zip(self.counts, row, strict=True))
            registry = default_measures(has_nil=bool(self.options.nil))
            measures = {m.name: m.value(counts) for m in registry}
            reasons = {m.name: why for m in registry if (why := m.why_undefined(counts)) is not None}
            result.append({"document": name, "file": "gold", **counts, **measures, "undefined": reasons})
        return result

    def to_dict(self, *, per_document: bool = False) -> dict[str, Any]:
        """Enough to see what the JSON report does with it."""
        return {"schema": "spaneval.score/1", **self.measures, "names": [self.gold_names]}


RESAMPLING = {"method": "percentile bootstrap", "unit": "document", "level": 0.95, "resamples": 100, "seed": 0}

ORDINARY = {
    "n_gold": [10, 4, 3],
    "n_predicted": [8, 5, 0],
    "n_matched": [8, 3, 0],
    "n_id_comparable": [6, 2, 0],
    "n_id_correct": [5, 1, 0],
    "n_gold_with_id": [9, 4, 3],
    "n_predicted_with_id": [8, 5, 0],
    "n_unmapped": [1, 1, 0],
    "n_no_gold_id": [1, 0, 0],
    "n_ignored_pairs": [0, 2, 0],
    "n_out_of_scope": [1, 0, 0],
    "n_bad_rows": [0, 1, 0],
    "n_unknown_docs_rows": [0, 0, 1],
}
MINTED = {
    "n_gold": [2],
    "n_predicted": [2],
    "n_matched": [2],
    "n_gold_with_id": [2],
    "n_predicted_with_id": [2],
    "n_minted": [2],
}
NIL = ORDINARY | {
    "n_gold_nil": [2, 0, 0],
    "n_predicted_nil": [1, 1, 0],
    "n_nil_correct": [1, 0, 0],
    "n_in_kb_comparable": [4, 2, 0],
    "n_in_kb_correct": [4, 1, 0],
}


def ordinary() -> StandIn:
    """Three documents with something of everything."""
    resampling = RESAMPLING | {"left_out": {"precision": 0.0, "entity_accuracy": 0.0412}, "undefined": {}}
    return StandIn(
        ORDINARY,
        resampling=resampling,
        maps=[
            IdMap("maps/a b.csv", {f"kb::C{k}": "PEL.1" for k in range(12)}),
            IdMap("maps/second|map.csv", {"PEL.1": "PEL.2"}),
        ],
        n_documents_without_predictions=1,
    )


def minted() -> StandIn:
    """One document, no map: ids cannot be compared, and there is no interval."""
    names = [measure.name for measure in default_measures(has_nil=False)]
    return StandIn(
        MINTED,
        resampling=RESAMPLING | {"left_out": {}, "undefined": dict.fromkeys(names, "there is one document")},
    )


def with_nil() -> StandIn:
    """NIL ids named, no intervals asked for."""
    return StandIn(NIL, options=Options(match="exact", nil=("NIL", "<NIL>")))


CASES = {"ordinary": ordinary, "minted": minted, "nil": with_nil}


def compare(name: str, actual: bytes) -> None:
    """Compare with the golden file, or write it where that was asked for."""
    path = GOLDEN / name
    if os.environ.get("SPANEVAL_REGOLD"):
        path.write_bytes(actual)

    assert path.read_bytes().decode() == actual.decode()


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("format_", ["table", "markdown", "csv", "jsonl", "latex"])
def test_report_is_as_in_its_golden_file(case: str, format_: str):
    """
    Layout and words are what was last agreed to.
    """
    actual = render(CASES[case](), format_, Style())

    compare(f"report_{case}.{format_}.txt", actual)


@pytest.mark.parametrize("format_", ["table", "markdown", "csv", "jsonl", "latex"])
def test_per_document_report_is_as_in_its_golden_file(format_: str):
    """
    Documents stand below the measures; in CSV they take their place.
    """
    actual = render(ordinary(), format_, Style(per_document=True, digits=2))

    compare(f"report_documents.{format_}.txt", actual)


def lines(evaluation: StandIn, style: Style | None = None) -> Iterator[str]:
    """The table, line by line."""
    return iter(render(evaluation, "table", style or Style()).decode().splitlines())


@pytest.mark.parametrize("case", CASES)
def test_no_line_ends_in_blanks(case: str):
    """
    A diff of two reports shows differences only.
    """
    ragged = [line for line in lines(CASES[case]()) if line != line.rstrip()]

    assert ragged == []


def test_colour_changes_nothing_but_colour():
    """
    Without the escapes, the coloured table is the plain one: colour is never the only carrier.
    """
    coloured = render(ordinary(), "table", Style(paint=Paint(is_on=True))).decode()
    for code in ("\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[33m"):
        coloured = coloured.replace(code, "")

    assert render(ordinary(), "table", Style()).decode() == coloured


def test_signature_is_the_last_line():
    """
    Where people look for it.
    """
    *_, last = lines(ordinary())

    assert last == "signature   match:overlap|assign:exact-first|v:0.1.0"


def test_undefined_is_a_word_with_its_reason():
    """
    Never 0, nan or N/A.
    """
    text = render(minted(), "table", Style()).decode()

    assert "undefined" in text
    assert minted().undefined["entity_accuracy"] in text
    assert "nan" not in text.lower()


def test_every_measure_stands_in_a_section():
    """
    A new measure cannot be forgotten in reports for people.
    """
    from spaneval.measures import MEASURES
    from spaneval.reports.content import SECTIONS

    shown = [name for names in SECTIONS.values() for name in names]

    assert sorted(MEASURES) == sorted(shown)


def test_csv_is_not_rounded():
    """
    The cell read back is the very number.
    """
    evaluation = ordinary()
    rows = csv.DictReader(io.StringIO(render(evaluation, "csv", Style(digits=1)).decode(), newline=""))

    assert {k: v for k, v in evaluation.measures.items() if v is not None} == {
        row["measure"]: float(row["value"]) for row in rows if row["value"]
    }


def test_json_keeps_order_and_ends_in_a_line_feed():
    """
    Fixed order of keys; not sorted.
    """
    text = render(ordinary(), "json", Style())

    assert text[-1:] == b"\n"
    assert ["schema", *ordinary().measures, "names"] == list(orjson.loads(text))


@pytest.mark.parametrize("format_", ["table", "json", "markdown"])
def test_file_name_that_is_no_utf8_is_shown_as_an_escape(format_: str):
    """
    Such names come from the system with surrogates, which UTF-8 cannot say.
    """
    evaluation = ordinary()
    evaluation.gold_names = [b"caf\xe9".decode("utf-8", "surrogateescape")]

    text = render(evaluation, format_, Style()).decode()

    assert "caf\\xe9" in text.replace("\\\\", "\\")


def test_name_with_control_characters_cannot_steer_the_terminal():
    """
    A line feed or an escape in a file name is shown, not obeyed.
    """
    evaluation = ordinary()
    evaluation.pred_names = ["a\nb\x1b[31m.jsonl"]

    assert "a\\nb\\x1b[31m.jsonl" in render(evaluation, "table", Style()).decode()


def test_markdown_table_keeps_its_columns():
    """
    A bar inside a cell would make a further column.
    """
    text = render(ordinary(), "markdown", Style(per_document=True)).decode()
    tables = [line.replace("\\|", "").count("|") for line in text.splitlines() if line.startswith("| ")]

    assert {6, 12} >= set(tables)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("per_document", [False, True])
def test_latex_is_one_sound_tabular(case: str, per_document: bool):
    """
    Read back by a strict parser, the values are those of the table.
    """
    evaluation = CASES[case]()
    heading, *rows = rows_of(render(evaluation, "latex", Style(per_document=per_document)).decode())

    if per_document:
        assert [row[0] for row in rows] == evaluation.document_names
    else:
        assert heading[:2] == ["measure", "value"]
        assert [row[1] for row in rows] == [number(x, 3) for x in evaluation.measures.values()]


def test_latex_escapes_what_is_special():
    """
    In cells and nowhere else; a document whose name begins with a bracket is no option of the row before.
    """
    evaluation = ordinary()
    evaluation.document_names = [r"[a]_b&c%d$e#f{g}h~i^j\k", "*", "é|<>"]
    _, *rows = rows_of(render(evaluation, "latex", Style(per_document=True)).decode())

    assert [row[0] for row in rows] == evaluation.document_names


def test_json_lines_have_a_measure_or_a_document():
    """
    Documents follow measures, and only where they were asked for.
    """
    lines = render(ordinary(), "jsonl", Style(per_document=True)).splitlines()
    rows = [orjson.loads(line) for line in lines]

    assert [row["measure"] for row in rows if "measure" in row] == list(ordinary().measures)
    assert [row["document"] for row in rows if "document" in row] == ordinary().document_names
    assert rows[0]["interval"] == list(ordinary().intervals["precision"] or ())
    assert len(render(ordinary(), "jsonl", Style()).splitlines()) == len(ordinary().measures)


def test_measures_with_the_same_resamples_left_out_share_a_line():
    """
    Each number once, in at most 100 columns; the other formats for people hold no line feed there.
    """
    evaluation = ordinary()
    evaluation.resampling = RESAMPLING | {"left_out": dict.fromkeys(evaluation.measures, 0.03), "undefined": {}}
    evaluation.resampling["left_out"]["f1"] = 0.01
    others = "Precision, Recall, Entity accuracy, Link precision, Link recall, Link F1"
    expected = f"resamples in which a measure is undefined: 1 of 100 for F1; 3 of 100 for {others}"

    table = render(evaluation, "table", Style()).decode()
    [block] = [x for x in table.split("\n\n") if x.startswith("left out of intervals\n")]
    assert f"left out of intervals {expected}" == " ".join(block.split())
    assert max(map(len, block.splitlines())) <= 100
    for format_ in ("markdown", "latex"):
        assert expected in render(evaluation, format_, Style()).decode()


def test_header_says_how_much_is_counted_of_what_was_read():
    """
    Beside a file of 15 rows `13 spans` would look like an error; where all are counted, nothing is said.
    """
    evaluation = StandIn(ORDINARY, n_ignored=2, n_rows_left_out=2)
    inputs = render(evaluation, "table", Style()).decode().split("\n\n")[0]

    assert "3 documents, 17 of 19 annotations counted\n" in inputs
    assert inputs.endswith("13 of 15 spans counted")
    assert "counted" not in render(ordinary(), "table", Style()).decode().split("\n\n")[0]
