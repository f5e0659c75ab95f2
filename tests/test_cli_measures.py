"""`spaneval measures`: what the registry says, all of it and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_cli_processes import HEAVY, imported

from spaneval.cli import main
from spaneval.measure import Measure
from spaneval.measures import MEASURES


def shown(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    """Standard output of `spaneval measures` that ends well and says nothing else."""
    assert main(["measures", *args]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_table_has_one_line_for_each_measure(capsys: pytest.CaptureFixture[str]):
    """
    Its name, its formula and its question, in the order of reports.
    """
    heading, *rows = shown(capsys).partition("\n\n")[0].splitlines()

    assert heading.split() == ["measure", "formula", "question"]
    assert len(rows) == len(MEASURES)
    for row, measure in zip(rows, MEASURES.values(), strict=True):
        assert row.split("   ")[0].strip() == measure.name
        assert f"   {measure.formula}   " in row
        assert row.endswith(f"   {measure.question}")


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_all_about_one_measure(capsys: pytest.CaptureFixture[str], measure: Measure):
    """
    Question, formula, when it is undefined, source; and where it is reported at all.
    """
    heading, *facts = shown(capsys, measure.name).splitlines()
    told = dict(fact.strip().split(maxsplit=1) for fact in facts)
    expected = {
        "question": measure.question,
        "formula": measure.formula,
        "undefined": f"when {measure.undefined}",
        "source": measure.source,
    }

    assert heading == f"{measure.name}   {measure.label}"
    assert told == expected | ({"reported": "where --nil names ids"} if measure.needs_nil else {})


@pytest.mark.parametrize("names", [list(MEASURES), *([name] for name in MEASURES)], ids=lambda names: "+".join(names))
def test_json_holds_the_registry(capsys: pytest.CaptureFixture[str], names: list[str]):
    """
    One measure is a list of one, so that a program reads both alike.
    """
    report = json.loads(shown(capsys, *(names if len(names) == 1 else []), "-f", "json"))

    assert report["schema"] == "spaneval.measures/1"
    assert names == [entry["name"] for entry in report["measures"]]
    for entry in report["measures"]:
        measure = MEASURES[entry["name"]]
        for key, value in entry.items():
            assert value == getattr(measure, key)


@pytest.mark.parametrize("names", [[], ["link_f1"]])
def test_markdown_is_a_table(capsys: pytest.CaptureFixture[str], names: list[str]):
    """
    As many cells in each row as in its heading; nothing that would be taken for markup.
    """
    lines = shown(capsys, *names, "-f", "markdown").splitlines()

    assert {6} == {line.count("|") for line in lines}
    assert [f"`{name}`" for name in names or MEASURES] == [line.split(" | ")[0].strip("| ") for line in lines[2:]]
    for name in names or MEASURES:
        texts = (MEASURES[name].question, MEASURES[name].undefined, MEASURES[name].source)
        assert not any(character in text for text in texts for character in "|*_`<>[]#~\\")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("link-f1", "no measure 'link-f1'; did you mean link_f1"),
        ("F1", "no measure 'F1'; did you mean f1"),
        ("recal", "no measure 'recal'; did you mean recall"),
        ("entity-accuracie", "no measure 'entity-accuracie'; did you mean entity_accuracy"),
        ("bleu", "no measure 'bleu'; there are precision, recall, "),
        ("", "no measure ''; there are precision, recall, "),
    ],
)
def test_unknown_name_is_wrong_use(capsys: pytest.CaptureFixture[str], name: str, message: str):
    """
    The nearest is offered.
    """
    assert main(["measures", name]) == 2
    out, err = capsys.readouterr()

    assert out == ""
    assert err.startswith(f"error: {message}")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["f1", "recall"], "Got unexpected extra argument (recall)"),
        (["-f", "csv"], "--format: 'csv' is not one of 'table', 'json', 'markdown'."),
        (["-o", "no/where"], "--output: 'no/where': the folder 'no' does not exist"),
    ],
)
def test_wrong_use(capsys: pytest.CaptureFixture[str], args: list[str], message: str):
    """
    Exit code 2.
    """
    assert main(["measures", *args]) == 2
    assert capsys.readouterr().err.startswith(f"error: {message}")


@pytest.mark.parametrize(
    ("args", "heading"),
    [
        (["rework"], "rework   Rework, of records"),
        (["row_f1"], "row_f1   Row F1, of json"),
        (["agreement"], "agreement   Agreement, of records"),
        (["--of", "json", "agreement"], "agreement   Agreement, of json"),
        (["precision"], "precision   Precision"),
    ],
)
def test_measure_is_found_by_its_name_alone(capsys: pytest.CaptureFixture[str], args: list[str], heading: str):
    """
    Those of records and documents too, with what they are measures of.
    """
    assert heading == shown(capsys, *args).splitlines()[0]


def test_list_says_how_to_ask_for_one_of_it(capsys: pytest.CaptureFixture[str]):
    """
    Without `--of`, `precision` would be that of spans.
    """
    assert "`spaneval measures NAME` tells" in shown(capsys)
    assert "`spaneval measures --of audit NAME` tells" in shown(capsys, "--of", "audit")


def test_unknown_measure_of_a_single_one_is_told_in_the_singular(capsys: pytest.CaptureFixture[str]):
    """
    DocuBench has one number.
    """
    assert main(["measures", "--of", "docubench", "bleu"]) == 2
    assert "no measure 'bleu'; there is score\n" in capsys.readouterr().err


def test_measures_of_classes(capsys: pytest.CaptureFixture[str]):
    """
    Of any class, or of the one that is named; docubench is no command.
    """
    whole = shown(capsys, "--of", "classes")
    names = [line.split()[0] for line in whole.partition("\n\n")[0].splitlines()]
    one = shown(capsys, "f1:not due")

    assert ["measure", "accuracy", "precision:CLASS", "recall:CLASS", "f1:CLASS"] == names
    assert "formula     2 · right:not due / (actual:not due + predicted:not due)" in one
    assert "docubench by json --profile docubench" in " ".join(shown(capsys, "--help").split())


def test_output_file_holds_what_would_be_printed(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    """
    As with every other command.
    """
    expected = shown(capsys, "f1")

    assert shown(capsys, "f1", "-o", str(tmp_path / "f1.txt")) == ""
    assert expected == (tmp_path / "f1.txt").read_text(encoding="utf-8")


def test_colour_changes_no_letter(capsys: pytest.CaptureFixture[str]):
    """
    And never carries meaning alone.
    """
    plain, coloured = shown(capsys), shown(capsys, "--color", "always")

    assert "\x1b[1m" in coloured
    assert plain == coloured.replace("\x1b[1m", "").replace("\x1b[2m", "").replace("\x1b[0m", "")


@pytest.mark.parametrize("args", [("measures",), ("measures", "f1", "-f", "json"), ("measures", "no")])
def test_registry_is_shown_at_once(tmp_path: Path, args: tuple[str, ...]):
    """
    Without numpy.
    """
    assert set() == imported(tmp_path, *args) & HEAVY
