"""
Predicted classes against actual ones: sample data by hand, vectors, every form of input, every message.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import spaneval
from spaneval import AlignmentError, InputError, MeasureError, classify
from spaneval.cli import main
from spaneval.loaders.labels import load_labels
from spaneval.problems import Problems
from spaneval.records.classes import rest_of
from spaneval.reports import Style
from spaneval.reports.classification import render
from spaneval.saved_runs import to_json

DATA = Path(__file__).parent.parent / "data" / "classes"
GOLD, PRED = DATA / "gold.csv", DATA / "triage.jsonl"
CASES = Path(os.environ.get("SPANEVAL_CASES", Path(__file__).parent.parent.parent / "shared" / "cases"))
VECTORS = CASES / "records" / "fields" / "vectors.json"

names = st.text("ab:=é\u2028 '", min_size=1, max_size=3).filter(str.strip)
pairs = st.dictionaries(st.text("xyz0", min_size=1, max_size=3), st.tuples(names, names), min_size=1, max_size=12)


def sides(given: dict[str, tuple[str, str]]) -> tuple[dict[str, str], dict[str, str]]:
    return {k: x for k, (x, _) in given.items()}, {k: y for k, (_, y) in given.items()}


def test_sample_data_by_hand():
    """
    Worked out in data/README.md: 22 of 30 right; Σ actual·predicted = 132 + 56 + 42 + 12 = 242, Σ actual² = 234,
    Σ predicted² = 258.
    """
    result = classify(GOLD, PRED, ci=False)

    assert ("contract", "form", "invoice", "letter", "receipt") == result.classes
    assert [[5, 0, 0, 1, 0], [1, 0, 1, 0, 0], [0, 0, 9, 1, 1], [1, 0, 0, 2, 0], [0, 0, 2, 0, 6]] == (
        result.confusion.cells.tolist()
    )
    assert result.measures["accuracy"] == 22 / 30
    assert result.measures["cohen_kappa"] == pytest.approx((30 * 22 - 242) / (900 - 242))
    assert result.measures["matthews"] == pytest.approx(418 / ((900 - 234) * (900 - 258)) ** 0.5)
    assert result.measures["macro_precision"] == pytest.approx((5 / 7 + 9 / 12 + 2 / 4 + 6 / 7) / 4)
    assert {"precision": 0.75, "recall": 9 / 11, "f1": 18 / 23, "support": 11, "predicted": 12} == (
        result.of_class("invoice")
    )
    assert ["macro precision leaves out 1 class that was never predicted: 'form'"] == [x.message for x in result.notes]


def test_a_positive_class_by_hand():
    """
    Invoices against the rest: 9 found, 2 missed, 3 others taken for one, 16 rightly not.
    """
    result = classify(GOLD, PRED, positive="invoice", ci=False)

    assert ("invoice", "not invoice") == result.classes
    assert [[9, 2], [3, 16]] == result.confusion.cells.tolist()
    assert (25 / 30, 9 / 12, 9 / 11) == tuple(
        result.measures[x] for x in ("accuracy", "precision:invoice", "recall:invoice")
    )
    decisions = [row["decision"] for row in result.decisions.rows()]
    assert {"tp": 9, "fn": 2, "fp": 3, "tn": 16} == {x: decisions.count(x) for x in ("tp", "fn", "fp", "tn")}


@pytest.mark.skipif(not VECTORS.exists(), reason="the handed cases are not here")
@pytest.mark.parametrize("name", ["binary", "never_predicted_class"])
def test_vectors(name: str):
    """
    Matrix, counts and measures; accuracy of one against the rest from a positive class.
    """
    case = json.loads(VECTORS.read_text())["seed003_classification"][name]
    gold, predictions = (dict(enumerate(case[side])) for side in ("actual", "predicted"))
    expected, report = case["expected"], classify(gold, predictions, ci=False).to_dict()

    assert expected["matrix_rows_actual"] == report["confusion"]
    assert (expected["n"], expected["accuracy"]) == (report["n"], report["accuracy"])
    for of, values in expected["per_class"].items():
        assert {x: values[x] for x in ("precision", "recall")} == {
            x: report["classes"][of][x] for x in ("precision", "recall")
        }
        one = classify(gold, predictions, positive=of, ci=False)
        assert [[values["TP"], values["FN"]], [values["FP"], values["TN"]]] == one.confusion.cells.tolist()
        assert values["accuracy_one_vs_rest"] == one.measures["accuracy"]


def test_the_table_of_the_source_turned_the_right_way():
    """
    Its three-class table has actual classes in columns and calls a share of a row precision; see docs/sources.md.
    """
    cells = {("A", "A"): 5, ("A", "B"): 1, ("B", "A"): 4, ("B", "B"): 2, ("C", "C"): 3}
    rows = [pair for pair, n in cells.items() for _ in range(n)]
    gold, predictions = (dict(enumerate(side)) for side in zip(*rows, strict=True))
    found = classify(gold, predictions, ci=False).of_class("A")

    assert (5 / 9, 5 / 6) == (found["precision"], found["recall"])


@given(pairs, st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(given: dict[str, tuple[str, str]], random: Any):
    """
    Nor does that of the other side: the whole report is the same, intervals and signature among it.
    """
    gold, predictions = sides(given)
    shuffled = list(given)
    random.shuffle(shuffled)
    other = classify({k: gold[k] for k in shuffled}, {k: predictions[k] for k in sorted(given)}, resamples=9)

    assert classify(gold, predictions, resamples=9).to_dict() == other.to_dict()


@given(pairs)
def test_numbers_add_up(given: dict[str, tuple[str, str]]):
    """
    Supports, predictions and cells are all objects; what is right is the diagonal.
    """
    report = classify(*sides(given), ci=False).to_dict()
    n = len(given)

    assert n == report["n"] == sum(sum(row.values()) for row in report["confusion"].values())
    assert n == sum(x["support"] for x in report["classes"].values())
    assert n == sum(x["predicted"] for x in report["classes"].values())
    assert report["accuracy"] == sum(report["confusion"][x][x] for x in report["classes"]) / n
    assert {report["accuracy"]} == set(report["micro"].values())


@given(pairs, st.data())
def test_a_positive_class_has_the_numbers_it_has_among_all(given: dict[str, tuple[str, str]], data: st.DataObject):
    """
    Taking the others together changes nothing for it, and its decisions are the cells.
    """
    whole = classify(*sides(given), ci=False)
    positive = data.draw(st.sampled_from(whole.classes))
    result = classify(*sides(given), positive=positive, ci=False)
    decisions = [row["decision"] for row in result.decisions.rows()]

    assert whole.of_class(positive) == result.of_class(positive)
    assert [decisions.count(x) for x in ("tp", "fn", "fp", "tn")] == result.confusion.cells.ravel().tolist()


@pytest.mark.parametrize(
    ("classes", "expected"),
    [
        (["a", "b", "c"], "not a"),
        (["a", "not a"], "not a"),
        (["a", "not a", "c"], "(not a)"),
        (["a", "not a", "(not a)"], "((not a))"),
    ],
)
def test_the_rest_is_called_like_no_class_that_it_holds_beside_others(classes: list[str], expected: str):
    """
    A class that is all of the rest keeps its name.
    """
    assert expected == rest_of("a", classes)


def test_an_unknown_positive_class_is_answered_with_the_nearest():
    """
    Or with those that there are.
    """
    with pytest.raises(MeasureError, match="taken for the positive class 'invoise'; did you mean 'invoice'"):
        classify(GOLD, PRED, positive="invoise")
    with pytest.raises(MeasureError, match="there are 'contract', 'form', 'invoice', 'letter', 'receipt'"):
        classify(GOLD, PRED, positive="zzz")


FORMS: dict[str, Callable[[Path], Any]] = {
    "dict": lambda _: {1: "x", "2": "y", 3: 7},
    "dict of dicts": lambda _: {1: {"label": "x"}, 2: {"label": "y"}, 3: {"label": 7}},
    "rows": lambda _: [{"id": 1, "label": "x"}, {"id": 2, "label": "y", "more": None}, {"id": "3", "label": "7"}],
    "frame": lambda _: pd.DataFrame({"id": [1, 2, 3], "label": ["x", "y", 7]}),
    "series": lambda _: pd.Series(["x", "y", "7"], index=[1, 2, 3]),
    "jsonl": lambda folder: written(
        folder / "a", '{"id":1,"label":"x"}\n\n{"id":"2","label":"y"}\r\n{"id":3,"label":7}'
    ),
    "json": lambda folder: written(folder / "b", '[{"id":1,"label":"x"},{"id":2,"label":"y"},\n{"id":3,"label":7}]'),
    "csv": lambda folder: written(folder / "c", "\ufeffid,label\r\n1,x\r\n2,y\r\n3,7\r\n"),
    "tsv": lambda folder: written(folder / "d", "label\tid\nx\t1\ny\t2\n7\t3\n"),
}


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8", newline="")
    return path


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_input_is_read_alike(form: str, tmp_path: Path):
    """
    Integers, as ids and as classes, are their digits.
    """
    problems = Problems()
    found = load_labels(FORMS[form](tmp_path), problems, key="id", label="label")

    assert {"1": "x", "2": "y", "3": "7"} == found.values
    assert problems.total == 0


def test_gzip_is_unpacked(tmp_path: Path):
    """
    As everywhere, by content.
    """
    path = tmp_path / "gold.csv"
    path.write_bytes(gzip.compress(GOLD.read_bytes()))

    assert classify(path, GOLD, ci=False).measures["accuracy"] == 1.0


def test_fields_may_have_other_names():
    """
    Of both sides alike.
    """
    gold = [{"scan": 1, "kind": "a"}]

    assert classify(gold, gold, key="scan", label="kind", ci=False).measures["accuracy"] == 1.0


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (None, "is null, expected a class"),
        ("", "is blank, expected a class"),
        (" \t", "is blank, expected a class"),
        (True, "is true, expected text or an integer"),
        (1.5, "is 1.5, expected text or an integer"),
        (["x"], "is a list, expected text or an integer"),
        ({"x": 1}, "is an object, expected text or an integer"),
        ("a\x1fb", "holds the control character U+001F, expected text"),
    ],
)
def test_a_label_is_text(value: Any, found: str, tmp_path: Path):
    """
    With file and line.
    """
    path = written(tmp_path / "p.jsonl", f'{{"id":"a","label":"x"}}\n{json.dumps({"id": "b", "label": value})}\n')
    with pytest.raises(InputError) as error:
        classify({"a": "x", "b": "y"}, path)

    assert f"{path}:2: the label of record 'b' {found}" == str(error.value).splitlines()[0]


BAD = {
    '{"id":"a","label":"x"}\n{"id":"a","label":"x"}\n': ":2: record 'a' occurs twice (first in line 1)",
    '{"id":"a"}\n': ":1: record 'a' has no 'label', its class (found: none)",
    '{"id":"a","class":"x","n":1}\n': ":1: record 'a' has no 'label', its class (found: class, n)",
    '{"label":"x"}\n': ":1: a record without 'id', its id (found: label)",
    '{"id":"a","label":"x","label":"y"}\n': ":1: the key 'label' occurs twice in one object",
    '{"id":"a","label":NaN}\n': ":1:19: not valid JSON",
    '{"id":"a","label":"x"} {}\n': ":1:24: not valid JSON: a second value after the first",
    '["x"]\n': ":1: 'x', expected a record: an object of fields",
    "id,label\na,\n": ":2: the label of record 'a' is blank, expected a class",
    "id,class\na,x\nb,y\n": ": no column 'label', which holds the class of an object (found: class)",
    "key,label\na,x\n": ":1: no column 'id'",
    "id,label\na,x,y\n": ":2: 3 cells found, 2 expected",
    "id,label\na,x\n": ": 1 id of the gold is missing in the predictions: 'b' (g:2)",
    "id,label\na,x\nc,x\nb,y\nd,x\n": ":3: 2 ids are not in the gold: 'c' (p:3), 'd' (p:5)",
    "": ": 2 ids of the gold are missing in the predictions: 'a' (g:1), 'b' (g:2)",
}


@pytest.mark.parametrize("content", BAD)
def test_bad_predictions_are_told_with_their_place(
    content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """
    Exit code 3, nothing on standard output, and one line that starts with the file.
    """
    monkeypatch.chdir(tmp_path)
    written(Path("g"), '{"id":"a","label":"x"}\n{"id":"b","label":"y"}\n')
    written(Path("p"), content)

    assert main(["classify", "g", "p"]) == 3
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(f"error: p{BAD[content]}")


def test_ids_that_differ_are_of_the_kind_of_alignment():
    """
    The first five are named.
    """
    gold = dict.fromkeys(range(9), "x")
    with pytest.raises(AlignmentError, match=r"8 ids .* predictions: '1', '2', '3', '4', '5' and 3 more"):
        classify(gold, {0: "x"})


def test_gold_without_rows_is_an_error():
    """
    There is nothing to be right about.
    """
    with pytest.raises(InputError, match="no row, expected the class of each object"):
        classify([], [])
    with pytest.raises(TypeError, match="expected a path"):
        classify(None, {})


def test_classes_that_look_alike_are_told():
    """
    They are different classes all the same.
    """
    result = classify({1: "Invoice", 2: "invoice "}, {1: "invoice", 2: "invoice"}, ci=False)

    assert len(result.classes) == 3
    expected = "are different: 'Invoice' and 'invoice' and 'invoice '"
    assert result.notes[0].message.endswith(expected)
    assert ["classes-alike", "no-precision", "no-recall"] == [note.code for note in result.notes]


def test_the_report_has_the_keys_of_the_contract():
    """
    And no others than those documented in docs/classify.md.
    """
    report = classify(GOLD, PRED, resamples=20).to_dict()

    expected = {"accuracy", "n", "classes", "confusion", "micro", "macro", "cohen_kappa", "matthews", "schema"}
    assert expected <= set(report)
    assert {"precision", "recall", "f1", "support", "predicted"} == set(report["classes"]["form"])
    assert {"precision", "recall", "f1", "n_undefined"} == set(report["macro"])
    assert {"precision": 1, "recall": 0, "f1": 0} == report["macro"]["n_undefined"]
    assert report["intervals"].keys() == classify(GOLD, PRED, ci=False).measures.keys()
    assert report["undefined"] == {"precision:form": "nothing was taken for 'form'; 2 objects are in the gold"}
    assert json.loads(render(classify(GOLD, PRED, resamples=20), "json", Style())) == report


def many(k: int) -> spaneval.Classification:
    """k classes of one object each, every one taken for the next."""
    gold = {x: f"c{x:02}" for x in range(k)}
    return classify(gold, {x: gold[(x + 1) % k] for x in gold}, ci=False)


def test_a_matrix_of_twenty_classes_is_shown_whole():
    """
    Labelled on both sides.
    """
    lines = render(many(20), "table", Style()).decode().splitlines()
    heading = next(line for line in lines if line.startswith("actual \\ predicted"))

    assert [f"c{x:02}" for x in range(20)] == heading.split()[3:-1]
    assert "Confusions" not in "".join(lines)


def test_of_more_classes_the_most_frequent_confusions_are_listed():
    """
    With where the rest is.
    """
    text = render(many(25), "table", Style()).decode()

    assert "25 kinds of confusion, the 20 most frequent of 25; -f json and -f csv have the whole matrix" in text
    assert "c00      c01              1           1 / 1" in text
    assert "actual \\ predicted" not in text
    assert 25 == len(json.loads(render(many(25), "json", Style()))["confusion"]["c00"])


def test_a_matrix_that_a_terminal_has_no_room_for_is_a_list_too():
    """
    Numbers are never cut.
    """
    assert "Confusions" in render(many(20), "table", Style(width=80)).decode()
    assert "actual \\ predicted" in render(many(20), "table", Style(width=200)).decode()


def test_intervals_of_classes_are_left_out_where_there_is_no_room():
    """
    And it is told where they are.
    """
    result = classify(GOLD, PRED, resamples=20)
    narrow, wide = (render(result, "table", Style(width=width)).decode() for width in (80, 120))

    assert "  intervals of classes: in a wider terminal, or in a file (-o)" in narrow.splitlines()
    assert (1, 4) == (narrow.count("95 % interval"), wide.count("95 % interval"))


def test_csv_and_jsonl_hold_every_cell_that_is_not_empty():
    """
    Beside every number, unrounded.
    """
    result = classify(GOLD, PRED, resamples=20)
    rows = [line.split(",") for line in render(result, "csv", Style()).decode().splitlines()]
    lines = [json.loads(line) for line in render(result, "jsonl", Style()).splitlines()]

    assert ["class", "predicted", "measure", "value"] == rows[0][:4]
    assert ["invoice", "receipt", "n", "1"] in [row[:4] for row in rows]
    assert ["form", "", "recall", "0.0"] in [row[:4] for row in rows]
    assert {"actual": "receipt", "predicted": "invoice", "n": 2} in lines
    assert 30 == sum(line.get("n", 0) for line in lines)
    assert result.measures["matthews"] == next(x["value"] for x in lines if x.get("measure") == "matthews")


def test_markdown_and_latex_have_all_tables():
    """
    Names are escaped.
    """
    result = classify({1: "a|b", 2: "c_d"}, {1: "a|b", 2: "a|b"}, ci=False)

    assert "| a\\|b | 1 | 0 | 1 |" in render(result, "markdown", Style()).decode()
    latex = render(result, "latex", Style()).decode()
    assert latex.count(r"\begin{tabular}") == 3
    assert r"c\_d & 1 & 0 & 1 \\" in latex
    assert "% Matthews correlation undefined: the predictions hold the one class 'a|b', so nothing varies" in latex


def cli(*args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "spaneval", "classify", str(GOLD), str(PRED), *args]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("gates", "code", "verdicts"),
    [
        (["accuracy=0.7", "f1:invoice=0.78", "cohen_kappa=0.6", "macro_f1=0.5"], 0, ["met"] * 4),
        (["accuracy=0.9", "recall:form=0"], 1, ["missed", "met"]),
        (["precision:form=0.1"], 4, ["undecided"]),
    ],
)
def test_gates(gates: list[str], code: int, verdicts: list[str]):
    """
    On numbers of the whole and of a class.
    """
    done = cli("--no-ci", *(x for gate in gates for x in ("--fail-under", gate)))

    assert code == done.returncode
    told = [line for line in done.stderr.splitlines() if line.startswith("gate: ")]
    assert all(f": {verdict}" in line for line, verdict in zip(told, verdicts, strict=True))


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--fail-under", "f1:invoise=0.5"], "no measure 'f1:invoise'; did you mean 'f1:invoice'?"),
        (["--positive", "invoise"], "did you mean 'invoice'?"),
        (["--key", "label"], "--key and --label are both 'label'; an id is no class"),
        (["--label", ""], "--label: the name of the field is empty"),
        (["-o", str(GOLD)], "is an input; inputs are never written over"),
        (["--decisions", "x.txt"], "names no known format"),
        (["--level", "1"], "is not between 0 and 1"),
    ],
)
def test_wrong_use(args: list[str], message: str):
    """
    Exit code 2 and nothing on standard output.
    """
    done = cli(*args)

    assert (2, "") == (done.returncode, done.stdout)
    assert message in done.stderr


def test_standard_input_is_read_once(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """
    On either side, not on both.
    """
    command = [sys.executable, "-m", "spaneval", "classify", "-", str(GOLD), "--no-ci", "-q", "-f", "json"]
    done = subprocess.run(command, input=PRED.read_text(), capture_output=True, text=True, check=True)

    assert json.loads(done.stdout)["accuracy"] == 22 / 30
    assert main(["classify", "-", "-"]) == 2
    assert "standard input (-) can be read only once" in capsys.readouterr().err


def test_decisions_and_run_are_written(tmp_path: Path):
    """
    The table has a row for each object; runs can be compared and differ where the objects do.
    """
    table, run, other = tmp_path / "d.csv", tmp_path / "run.json", tmp_path / "other.json.gz"
    assert (
        main(["classify", str(GOLD), str(PRED), "-q", "-o", os.devnull, "--decisions", str(table), "--save", str(run)])
        == 0
    )
    assert main(["classify", str(GOLD), str(GOLD), "-q", "-o", os.devnull, "--save", str(other)]) == 0
    rows = pd.read_csv(table)
    comparison = spaneval.compare(
        {"triage": str(run), "gold": str(other)}, measures=["accuracy", "f1:form"], resamples=20
    )

    assert 22 == (rows["decision"] == "tp").sum() == 30 - (rows["decision"] == "fpfn").sum()
    assert comparison.entries["gold"]["accuracy"].delta == pytest.approx(8 / 30)
    assert comparison.entries["triage"]["f1:form"].value == 0.0
    assert 8 == spaneval.diff(str(run), str(other)).fates["fixed"]
    assert run.read_bytes() == to_json(classify(GOLD, PRED).run())


def test_a_run_of_too_many_cells_is_refused():
    """
    With what helps.
    """
    gold = {x: str(x) for x in range(300)}
    with pytest.raises(MeasureError, match="300 objects with 300 × 300 cells are too many for a run"):
        classify(gold, gold, ci=False).run()

    assert len(classify(gold, gold, positive="7", ci=False).run().annotations.doc) == 300


def test_shown_in_python():
    """
    In one line, and as a labelled data frame.
    """
    result = classify(GOLD, PRED, ci=False)

    expected = (
        "Classification(30 objects, 5 classes: accuracy=0.7333, cohen_kappa=0.6353, matthews=0.6393, macro_f1=0.5847)"
    )
    assert expected == repr(result)
    assert 2 == result.to_frame().loc["receipt", "invoice"]


def test_a_classifier_has_the_same_intervals_alone_and_beside_others():
    """
    Both are drawn from the same resamples of the same objects.
    """
    result = classify(GOLD, PRED, resamples=300, seed=5)
    comparison = spaneval.compare({"a": result.run()}, measures=["accuracy", "f1:letter"], resamples=300, seed=5)

    for name in ("accuracy", "f1:letter"):
        assert result.intervals[name] == comparison.entries["a"][name].interval


def test_gates_of_a_library_call_and_of_unknown_measures():
    """
    The nearest is offered, or else what there is.
    """
    result = classify(GOLD, PRED, ci=False)
    with pytest.raises(MeasureError, match="no measure 'acuracy'; did you mean 'accuracy'"):
        result.check_measures(["macro_f1", "acuracy"])
    with pytest.raises(MeasureError, match="there are accuracy, cohen_kappa, f1:CLASS and others"):
        result.check_measures(["zzzz"])


def test_one_object_has_numbers_and_no_intervals():
    """
    Told once, not for each number; the same on standard output as in a file.
    """
    text = render(classify({1: "a"}, {1: "a"}, resamples=9), "table", Style()).decode()

    assert "intervals undefined: there is one object; an interval needs at least two" in text
    assert "Cohen's kappa undefined: gold and predictions hold the one class 'a'" in text


def test_positive_class_in_the_report():
    """
    With the four numbers by their names, and the rest named.
    """
    text = render(classify(GOLD, PRED, positive="invoice", resamples=9), "table", Style()).decode()

    assert "30 objects; positive is 'invoice', every other class is 'not invoice'" in text
    assert "true positives 9, false negatives 2, false positives 3, true negatives 16" in text


def test_standard_input_twice_and_names_that_clash(capsys: pytest.CaptureFixture[str]):
    """
    Wrong use, before anything is read.
    """
    for args, message in (
        (["--label", ""], "--label: the name of the field is empty"),
        (["--key", "label"], "--key and --label are both 'label'"),
    ):
        assert main(["classify", str(GOLD), str(PRED), *args]) == 2
        assert message in capsys.readouterr().err


def test_many_bad_labels_are_counted_and_ten_are_shown():
    """
    Of a file without a single good label.
    """
    with pytest.raises(InputError) as error:
        classify(dict.fromkeys(range(25)), {})

    assert (10, 25) == (len(error.value.problems), error.value.total)
