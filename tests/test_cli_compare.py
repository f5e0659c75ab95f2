"""`spaneval compare` on the command line: names, maps, saved runs, refusals, formats."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest
from latex import rows_of
from test_reports_golden import compare as compare_golden
from versions import GOLD, V1, V2, write

from spaneval.cli import main
from spaneval.cli.systems import stem

FORMATS = ("table", "json", "jsonl", "csv", "markdown", "latex")
FEW = ("--resamples", "200", "--trials", "200")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with the gold and both versions."""
    monkeypatch.chdir(tmp_path)
    return write(tmp_path)


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    """Exit code, standard output, standard error."""
    code = main(args)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


COMPARE = ("compare", "--gt", "gold.gt.json", *FEW)


def report(capsys: pytest.CaptureFixture[str], *args: str) -> dict[str, Any]:
    """The JSON report of a comparison that must work."""
    code, out, err = run(capsys, *COMPARE, "-q", "-f", "json", *args)
    assert (code, err) == (0, "")
    found: dict[str, Any] = json.loads(out)
    return found


def names(found: dict[str, Any]) -> list[str]:
    return [system["name"] for system in found["systems"]]


@pytest.mark.parametrize("format_", FORMATS)
def test_comparison_is_as_in_its_golden_file(folder: Path, capsys: pytest.CaptureFixture[str], format_: str):
    """
    Three systems, one of which has no comparable pair, so that there is something of everything.
    """
    minted = [x | {"entity_id_predicted": "kb::C1"} for x in V2[:4]]
    (folder / "min_ted & co.jsonl").write_text("".join(json.dumps(x) + "\n" for x in minted))
    code, out, _ = run(capsys, *COMPARE, "v1.jsonl", "v|2=v2.jsonl", "min_ted & co.jsonl", "-f", format_)

    assert code == 0
    compare_golden(f"compare.{format_}.txt", out.encode())


def test_names(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    NAME=FILE, or the stem of the file; the first is the baseline.
    """
    (folder / "v3.1.jsonl.gz").write_bytes(gzip.compress((folder / "v2.jsonl").read_bytes()))
    found = report(capsys, "old one=v1.jsonl", "v2.jsonl", "v3.1.jsonl.gz")

    assert names(found) == ["old one", "v2", "v3.1"]
    assert found["baseline"] == "old one"


def test_existing_path_with_an_equals_sign_is_a_path(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    Also where the part behind the sign exists, too; and a name holds no `/`, so this is a path in a folder.
    """
    shutil.copy("v1.jsonl", "x=v2.jsonl")
    (folder / "a=b").mkdir()
    shutil.copy("v2.jsonl", "a=b/v4.jsonl")
    found = report(capsys, "x=v2.jsonl", "a=b/v4.jsonl", "y=x=v2.jsonl")

    assert names(found) == ["x=v2", "v4", "y"]
    assert found["systems"][0]["n_predicted"] == 6
    assert found["systems"][2]["n_predicted"] == 6


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a/linker-v0.3.1.jsonl", "linker-v0.3.1"),
        ("out.pred.csv.gz", "out.pred"),
        ("shards/", "shards"),
        ("run", "run"),
        (".jsonl", ".jsonl"),
        ("-", "stdin"),
    ],
)
def test_stem(path: str, expected: str):
    """
    What a column is called whose file nobody named.
    """
    assert stem(path) == expected


def test_baseline_by_name(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    The order of columns stays; differences turn around.
    """
    there, back = report(capsys, "v1.jsonl", "v2.jsonl"), report(capsys, "v1.jsonl", "v2.jsonl", "--baseline", "v2")

    assert names(back) == ["v1", "v2"]
    assert back["systems"][0]["measures"]["f1"]["delta"] == -there["systems"][1]["measures"]["f1"]["delta"]
    assert back["systems"][1]["measures"]["f1"]["delta"] is None


def test_shards_in_a_folder_are_one_system(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    However many files, the numbers are those of one.
    """
    (folder / "cut").mkdir()
    lines = (folder / "v2.jsonl").read_text().splitlines(keepends=True)
    for k in range(3):
        (folder / "cut" / f"{k}.jsonl").write_text("".join(lines[k::3]))

    whole, cut = report(capsys, "v1.jsonl", "v2=v2.jsonl"), report(capsys, "v1.jsonl", "v2=cut")

    assert whole == cut


def test_id_maps_of_one_system_and_of_all(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    First all ids of v1 are renamed by its own map, then both systems go through the common one, in the order given.
    """
    (folder / "own.csv").write_text("predicted_id,kb_id\nkb::C1,m1\n")
    (folder / "all.csv").write_text("predicted_id,kb_id\nm1,G1\nG1,G1\nG2,G2\n")
    maps = ("--unmapped", "keep", "--id-map", "v1=own.csv", "--id-map", "all.csv")
    found = report(capsys, "v1.jsonl", "v2.jsonl", *maps)
    backwards = report(
        capsys, "v1.jsonl", "v2.jsonl", "--unmapped", "keep", "--id-map", "all.csv", "--id-map", "v1=own.csv"
    )

    assert found["systems"][0]["n_id_correct"] == 3
    assert found["systems"][1]["n_id_correct"] == 3
    assert backwards["systems"][0]["n_id_correct"] == 2
    own, common = (x["signature"].split("|map:")[1].split("|")[0] for x in found["systems"])
    assert (own[:2], common[:2]) == ("1.", "3.")
    assert f"|map:v1={own},v2={common}|scores:" in found["signature"]


def test_signature_holds_the_map_of_every_system(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    One for all as in `score`; none is said where others have one; a name cannot end the part.
    """
    (folder / "map.csv").write_text("predicted_id,kb_id\nG1,G1\n")
    both = report(capsys, "v1.jsonl", "v2.jsonl", "--id-map", "map.csv")
    one = report(capsys, "a|b=v1.jsonl", "v2.jsonl", "--id-map", "a|b=map.csv")
    neither = report(capsys, "v1.jsonl", "v2.jsonl")
    whole = both["systems"][0]["signature"].split("|map:")[1]

    assert whole.startswith("1.")
    assert both["signature"].endswith(f"|map:{whole}")
    assert one["signature"].endswith(f"|map:a\\pb={whole.replace('|', ',v2=none|', 1)}")
    assert "map:" not in neither["signature"]


def test_gold_id_map_holds_for_all(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    The gold is one, so its map is in the signature of the table.
    """
    (folder / "gold.csv").write_text("a,b\nG2,G9\nG1,G1\n")
    found = report(capsys, "v1.jsonl", "v2.jsonl", "--gold-id-map", "gold.csv", "--id-map-columns", "a,b")

    assert [x["n_id_correct"] for x in found["systems"]] == [1, 3]
    assert "gold-map:2." in found["signature"]


def save(capsys: pytest.CaptureFixture[str], name: str, *args: str) -> None:
    """Score and save as NAME.json."""
    code, _, _ = run(
        capsys, "score", "--gt", "gold.gt.json", "--pred", f"{name}.jsonl", "--save", f"{name}.json", "-q", *args
    )
    assert code == 0


@pytest.mark.parametrize("format_", FORMATS)
def test_saved_runs_give_the_same_bytes(folder: Path, capsys: pytest.CaptureFixture[str], format_: str):
    """
    With and without gold, mixed with predictions, and with intervals that were drawn otherwise when they were saved.
    """
    save(capsys, "v1", "--resamples", "7", "--seed", "3")
    save(capsys, "v2", "--no-ci")
    fresh = without_files(run(capsys, *COMPARE, "v1.jsonl", "v2.jsonl", "-q", "-f", format_))

    assert without_files(run(capsys, *COMPARE, "v1.json", "v2.json", "-q", "-f", format_)) == fresh
    assert without_files(run(capsys, *COMPARE, "v1.jsonl", "v2.json", "-q", "-f", format_)) == fresh
    assert without_files(run(capsys, "compare", *FEW, "v1.json", "v2.json", "-q", "-f", format_)) == fresh


def without_files(ended: tuple[int, str, str]) -> list[str]:
    """The report without the lines that name files."""
    assert ended[::2] == (0, "")
    return [line for line in ended[1].strip().splitlines() if line and ".json" not in line]


def test_header_shows_the_files(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    As in `score`: gold, systems by name, maps with the system that they are for; in JSON there is no such thing.
    """
    save(capsys, "v2")
    (folder / "map.csv").write_text("predicted_id,kb_id\nkb::C1,G1\n")
    args = ("v1.jsonl", "b=v2.json", "-q", "--id-map", "v1=map.csv")
    _, out, _ = run(capsys, *COMPARE, *args)

    assert out.splitlines()[:6] == [
        "ground truth   gold.gt.json",
        "v1             v1.jsonl       6 spans",
        "b              v2.json        7 spans, as saved",
        "id map of v1   map.csv        1 id",
        "",
        "3 documents, 6 gold annotations; baseline v1",
    ]
    assert "% id map of v1: map.csv, 1 id\n" in run(capsys, *COMPARE, *args, "-f", "latex")[1]
    assert "<br>**b** `v2.json` (7 spans, as saved)<br>" in run(capsys, *COMPARE, *args, "-f", "markdown")[1]
    assert "gold.gt.json" not in run(capsys, *COMPARE, *args, "-f", "json")[1]


def test_all_notes_come_after_the_table(folder: Path) -> None:
    """
    On one terminal: nothing stands before the result.
    """
    command = [sys.executable, "-m", "spaneval", *COMPARE, "v1.jsonl", "v2.jsonl"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True)
    result, *notes = done.stdout.partition("note: ")

    assert result.startswith("ground truth ")
    assert "\nsignature " in result
    assert notes


def test_saved_run_over_gold_cut_otherwise_is_comparable(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    One file per document, in another order: the same gold.
    """
    save(capsys, "v1")
    fresh = report(capsys, "v1.jsonl", "v2.jsonl")
    (folder / "cut").mkdir()
    for k, document in enumerate(GOLD):
        (folder / "cut" / f"{9 - k}.gt.json").write_text(json.dumps(document))
    code, out, _ = run(capsys, "compare", *FEW, "--gt", "cut", "v1.json", "v2.jsonl", "-f", "json")

    assert code == 0
    assert json.loads(out) == fresh


def test_saved_run_is_told_by_content(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    Under any name, packed or indented.
    """
    save(capsys, "v1")
    fresh = report(capsys, "v1.jsonl", "v2.jsonl")
    (folder / "packed.jsonl").write_bytes(gzip.compress((folder / "v1.json").read_bytes()))
    (folder / "indented.csv").write_bytes(
        orjson.dumps(orjson.loads((folder / "v1.json").read_bytes()), option=orjson.OPT_INDENT_2)
    )

    assert report(capsys, "v1=packed.jsonl", "v2.jsonl") == fresh
    assert report(capsys, "v1=indented.csv", "v2.jsonl") == fresh


def test_score_saves_packed_runs(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    The same run, and the same bytes each time.
    """
    save(capsys, "v1")
    args = ("score", "--gt", "gold.gt.json", "--pred", "v1.jsonl", "-q", "--save")
    run(capsys, *args, "a.json.gz")
    run(capsys, *args, "b.json.gz")

    assert gzip.decompress((folder / "a.json.gz").read_bytes()) == (folder / "v1.json").read_bytes()
    assert (folder / "a.json.gz").read_bytes() == (folder / "b.json.gz").read_bytes()


def test_run_is_saved_with_the_other_files_or_not_at_all(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    A full device holds back the run as well.
    """
    if not os.path.exists("/dev/full"):
        pytest.skip("needs /dev/full")
    args = ("score", "--gt", "gold.gt.json", "--pred", "v1.jsonl", "-q", "--no-ci", "--save", "run.json")
    code, _, err = run(capsys, *args, "-o", "/dev/full", "--pairs", "pairs.csv")

    assert code == 3
    assert "/dev/full: cannot be written" in err
    assert not (folder / "run.json").exists()
    assert not (folder / "pairs.csv").exists()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["v1.jsonl"], "there is one system to compare; name two or more, or use `spaneval score`"),
        (["v1.jsonl", "old/v1.jsonl"], "two systems are named 'v1' (v1.jsonl and old/v1.jsonl)"),
        (["a=v1.jsonl", "a=v2.jsonl"], "two systems are named 'a'"),
        (["v1.jsonl", "v2.json"], "'v2.json' does not exist. Did you mean 'v2.jsonl'?"),
        (["v1.jsonl", "x=v3.jsonl"], "'v3.jsonl' does not exist."),
        (["v1.jsonl", "a/b=v2.jsonl"], "'a/b=v2.jsonl' does not exist."),
        (["v1.jsonl", "=v2.jsonl"], "'=v2.jsonl' is not of the form NAME=FILE"),
        (["v1.jsonl", "x="], "'x=' is not of the form NAME=FILE"),
        (["a=-", "b=-"], "standard input (-) can be read only once"),
        (["v1.jsonl", "v2.jsonl", "--baseline", "v3"], "--baseline: no system is named 'v3'; there are 'v1', 'v2'."),
        (["v1.jsonl", "v2.jsonl", "--id-map", "v3=map.csv"], "--id-map: no system is named 'v3'; there are"),
        (["v1.jsonl", "v2.jsonl", "--id-map", "v2=no.csv"], "--id-map: 'no.csv' does not exist."),
        (["v1.jsonl", "v2.jsonl", "-m", "f2"], "--measure: no measure 'f2'; did you mean f1"),
        (["v1.jsonl", "v2.jsonl", "--correction", "hom"], "Did you mean 'holm'?"),
        (["v1.jsonl", "v2.jsonl", "--trials", "0"], "--trials: 0 is not in the range x>=1."),
        (["v1.jsonl", "v2.jsonl", "--alpha", "1"], "--alpha: '1' is not between 0 and 1"),
        (["v1.jsonl", "v2.jsonl", "-o", "v2.jsonl"], "'v2.jsonl' is an input; inputs are never written over"),
        (["v1.jsonl", "v2.jsonl", "--id-map", "v1=map.csv", "-o", "map.csv"], "'map.csv' is an input"),
        (["v1.jsonl", "v2.jsonl", "--significant"], "--significant needs --fail-on-regression MEASURE"),
    ],
)
def test_wrong_use(folder: Path, capsys: pytest.CaptureFixture[str], args: list[str], message: str):
    """
    Exit code 2, and what was meant where it is likely.
    """
    (folder / "map.csv").write_text("predicted_id,kb_id\n")
    (folder / "old").mkdir()
    shutil.copy("v1.jsonl", "old/v1.jsonl")
    code, out, err = run(capsys, *COMPARE, *args)

    assert (code, out) == (2, "")
    assert message in err


def test_measures_of_classes_are_among_the_names(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    Where what is compared is not known yet, all names that there can be are told.
    """
    code, _, err = run(capsys, "compare", "v1.json", "v2.json", "-m", "cohen_kappa")

    assert code == 2
    assert "no measure 'cohen_kappa'; there are precision, recall," in err
    assert "rework" in err
    assert err.splitlines()[0].endswith("precision:CLASS, recall:CLASS, f1:CLASS")


def test_gold_is_needed_for_predictions(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    Saved runs can do without.
    """
    save(capsys, "v1")
    code, _, err = run(capsys, "compare", "v1.json", "v2.jsonl")

    assert code == 2
    assert "Missing option '--gt': only saved runs can do without, and 'v2' is none; of records," in err


def test_maps_of_saved_runs_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    Their ids were translated when they were saved; a map for all is for the others, and a note says so.
    """
    (folder / "map.csv").write_text("predicted_id,kb_id\nkb::C1,G1\n")
    save(capsys, "v1")
    save(capsys, "v2")

    code, _, err = run(capsys, *COMPARE, "v1.json", "v2.json", "--id-map", "map.csv")
    assert (code, "ids of saved runs were translated when they were saved" in err) == (2, True)

    code, _, err = run(capsys, *COMPARE, "v1.json", "v2.jsonl", "--id-map", "v1=map.csv")
    assert (code, "'v1' is a saved run, whose ids were translated" in err) == (2, True)

    code, _, err = run(capsys, *COMPARE, "v1.json", "v2.jsonl", "--id-map", "map.csv")
    assert (code, "note: v1 is a saved run: its ids stay as they were saved, without map.csv" in err) == (0, True)


def refused(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    """What is said of inputs that cannot be used."""
    code, out, err = run(capsys, *args)
    assert (code, out) == (3, "")
    return err


def test_runs_that_do_not_fit_together_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    Other gold, other options, options asked for that a run was not counted with: exit code 3 and both values.
    """
    save(capsys, "v1", "--match", "exact")
    save(capsys, "v2")
    (folder / "other.gt.json").write_text(json.dumps(GOLD[:2]))

    assert "v2 was counted with match overlap, v1 with exact" in refused(capsys, "compare", "v1.json", "v2.json")
    assert "v1 was counted with match exact, v2 with overlap" in refused(
        capsys, "compare", "v1.json", "v2.json", "--baseline", "v2"
    )
    err = refused(capsys, "compare", "v2.json", "v3=v2.json", "--match", "exact")
    assert "v2 was counted with match overlap, not with exact" in err
    err = refused(capsys, *COMPARE, "--gt", "other.gt.json", "v2.json", "v1.jsonl")
    assert re.search(r"v2 was scored on gold gt:3d\.\w{8}, not on gt:5d\.\w{8} of --gt", err)
    err = refused(capsys, "compare", "--gt", "other.gt.json", "v2.json", "v3=v2.json")
    assert re.search(r"v2 was scored on gold gt:3d\.\w{8}, not on gt:2d\.\w{8} of --gt", err)


def test_broken_saved_runs_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    Cut short, of another version, or with a negative count.
    """
    save(capsys, "v1")
    whole = (folder / "v1.json").read_bytes()
    (folder / "cut.json").write_bytes(whole[:-100])
    (folder / "old.json").write_bytes(whole.replace(b"spaneval.run/1", b"spaneval.run/0"))
    (folder / "negative.json").write_bytes(re.sub(rb'"n_gold":\[\d', b'"n_gold":[-3', whole))
    (folder / "cut.json.gz").write_bytes(gzip.compress(whole)[:-30])

    assert "cut.json: a broken saved run: it is not valid JSON" in refused(capsys, "compare", "v1.json", "cut.json")
    assert "old.json: a run of another version: schema spaneval.run/0, expected spaneval.run/1" in refused(
        capsys, "compare", "v1.json", "old.json"
    )
    run(capsys, "score", "--gt", "gold.gt.json", "--pred", "v1.jsonl", "-f", "json", "-q", "-o", "report.json")
    assert "report.json: not a saved run: schema spaneval.score/1" in refused(
        capsys, "compare", "v1.json", "report.json"
    )
    assert "'n_gold' holds -3, expected 0 or more" in refused(capsys, "compare", "v1.json", "negative.json")
    assert "cut.json.gz: not a sound gzip stream" in refused(capsys, "compare", "v1.json", "cut.json.gz")


def test_predictions_from_standard_input(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    Rows or a saved run: what comes through the pipe is told by content as well.
    """
    save(capsys, "v2")
    expected = report(capsys, "v1.jsonl", "stdin=v2.jsonl")
    command = [sys.executable, "-m", "spaneval", *COMPARE, "v1.jsonl", "-", "-q", "-f", "json"]
    for name in ("v2.jsonl", "v2.json"):
        done = subprocess.run(command, input=Path(name).read_bytes(), capture_output=True, check=True)
        assert json.loads(done.stdout) == expected


def test_gold_is_read_once(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """
    Three systems, one reading.
    """
    from spaneval import inputs

    calls = []
    load = inputs.load_gold
    monkeypatch.setattr(inputs, "load_gold", lambda paths, **more: calls.append(paths) or load(paths, **more))
    report(capsys, "v1.jsonl", "v2.jsonl", "v3=v2.jsonl")

    assert calls == [["gold.gt.json"]]


def test_documents_are_checked_as_in_score(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    More documents than are kept for the check, numbered one too high: mentions tell, and the others are read for it.
    """
    gold = [
        {"text": f"word{k} is here", "ground_truth": [{"itext": k, "a": 0, "b": 4, "entity_id": "A"}]}
        for k in range(1500)
    ]
    (folder / "many.gt.json").write_text(json.dumps(gold))
    rows = [{"itext": k + 1, "a": 0, "b": len(f"word{k}"), "mention": f"word{k}"} for k in range(1499)]
    (folder / "shifted.jsonl").write_text("".join(json.dumps(x) + "\n" for x in rows))
    _, _, alone = run(capsys, "score", "--gt", "many.gt.json", "--pred", "shifted.jsonl", "--no-ci")
    _, _, beside = run(
        capsys, "compare", "--gt", "many.gt.json", "shifted.jsonl", "b=shifted.jsonl", "--no-ci", "--no-test"
    )
    said = [line for line in alone.splitlines() if "mentions of the rows agree" in line]

    assert said
    assert set(said) <= set(beside.splitlines())


def test_notes_name_their_system_where_they_do_not_hold_for_all(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    Each once.
    """
    _, _, err = run(capsys, *COMPARE, "v1.jsonl", "v2.jsonl")

    assert "note: v2: 1 gold document without any prediction" in err
    assert len(err.splitlines()) == len(set(err.splitlines()))
    assert run(capsys, *COMPARE, "v1.jsonl", "v2.jsonl", "-q")[2] == ""


def test_without_intervals_and_tests_their_columns_are_gone(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    Not empty ones.
    """
    _, out, _ = run(capsys, *COMPARE, "v1.jsonl", "v2.jsonl", "-q", "--no-ci", "--no-test")
    found = report(capsys, "v1.jsonl", "v2.jsonl", "--no-ci", "--no-test")

    heading = next(line for line in out.splitlines() if line.startswith("measure"))
    assert heading.split() == ["measure", "system", "value", "counts", "Δ", "W/T/L", "no", "value"]
    assert (found["test"], found["resampling"]) == (None, None)
    assert "ci:none|gt:" in found["signature"]


def test_measures_are_those_asked_for(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    And the table corrects for their tests.
    """
    found = report(capsys, "v1.jsonl", "v2.jsonl", "-m", "link_recall", "-m", "f1")

    assert list(found["systems"][0]["measures"]) == ["link_recall", "f1"]
    assert found["test"]["n_tests"] == 2
    _, out, _ = run(capsys, *COMPARE, "v1.jsonl", "v2.jsonl", "-q", "-m", "f1", "--correction", "none")
    assert "common pairs" not in out
    assert "not corrected; the table makes 1 test" in out


def test_same_command_same_bytes_and_zero_is_a_seed(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    Another seed gives other intervals.
    """
    args = (*COMPARE, "v1.jsonl", "v2.jsonl", "-q", "-f", "json", "--resamples", "5", "--seed")

    assert run(capsys, *args, "0") == run(capsys, *args, "0")
    assert json.loads(run(capsys, *args, "0")[1])["systems"] != json.loads(run(capsys, *args, "1")[1])["systems"]


def test_csv_and_jsonl_are_not_rounded(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    Every number of the JSON report, and the accuracy over common pairs behind them.
    """
    expected = {
        (measure, system["name"]): x
        for system in report(capsys, "v1.jsonl", "v2.jsonl")["systems"]
        for measure, x in system["measures"].items()
    }
    lines = run(capsys, *COMPARE, "v1.jsonl", "v2.jsonl", "-q", "-f", "jsonl")[1].splitlines()
    objects = {(x.pop("measure"), x.pop("system")): x for x in map(json.loads, lines)}
    common = {key: objects.pop(key) for key in list(objects) if key[0] == "common_accuracy"}
    text = run(capsys, *COMPARE, "v1.jsonl", "v2.jsonl", "-q", "-f", "csv")[1]
    table = {(x["measure"], x["system"]): x for x in csv.DictReader(io.StringIO(text, newline=""))}

    assert objects == expected
    assert common["common_accuracy", "v2"]["value"] == 1 / 3
    assert table["common_accuracy", "v2"]["numerator"] == "1"
    for key, x in expected.items():
        assert table[key]["value"] == str(x["value"])
        assert table[key]["delta_low"] == ("" if x["delta_interval"] is None else str(x["delta_interval"][0]))
        assert table[key]["p"] == ("" if x["p"] is None else str(x["p"]))


def test_markdown_is_one_table(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    Every row has as many cells as the heading, whatever the systems are called.
    """
    _, out, _ = run(capsys, *COMPARE, "a|b*=v1.jsonl", "<i>=v2.jsonl", "-q", "-f", "markdown")
    rows = [line for line in out.splitlines() if line.startswith("|")]

    assert len(rows) == 2 + 6 * 2
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in rows} == {13}
    assert "a\\|b\\*" in out
    assert "\\<i\\>" in out


def test_latex_is_one_sound_tabular(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    Read back by a strict parser; letters beyond ASCII stay.
    """
    name = r"50% & $x_1$ #{é}~^\ "
    _, out, _ = run(capsys, *COMPARE, f"{name}=v1.jsonl", "v2.jsonl", "-q", "-f", "latex")
    heading, *rows = rows_of(out)

    assert heading[:5] == ["measure", "system", "value", "counts", "95 % interval"]
    assert rows[0][:4] == ["Precision", name.strip(), "0.667", "4 / 6"]
    assert len(rows) == 12


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="needs a TeX")
def test_latex_compiles(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    In a plain article with booktabs.
    """
    _, out, _ = run(capsys, *COMPARE, r"50% & $x_1$ #{é}~^\ =v1.jsonl", "v2.jsonl", "-q", "-f", "latex")
    text = f"\\documentclass{{article}}\n\\usepackage{{booktabs}}\n\\begin{{document}}\n{out}\n\\end{{document}}\n"
    (folder / "page.tex").write_text(text)
    done = subprocess.run(["pdflatex", "-interaction=batchmode", "-halt-on-error", "page.tex"], check=False)

    assert done.returncode == 0


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["--fail-on-regression", "recall"], 0, "gate: recall v2 1.000 vs v1 0.667, allowed drop 0: met"),
        (["--fail-on-regression", "entity_accuracy=0.01"], 1, "allowed drop 0.01: missed"),
        (["--fail-on-regression", "entity_accuracy=0.1"], 0, "allowed drop 0.1: met"),
        (["--fail-on-regression", "link_precision"], 0, "gate: link_precision v2"),
        (["--fail-on-regression", "entity_accuracy=0.01", "--significant"], 0, "not below 0.05: met"),
    ],
)
def test_gates(folder: Path, capsys: pytest.CaptureFixture[str], args: list[str], code: int, said: str):
    """
    Exit codes 0 and 1; measures that only a gate names are compared, too.
    """
    found, out, err = run(capsys, *COMPARE, "v1.jsonl", "v2.jsonl", "-q", *args)

    assert found == code
    assert said in err
    assert "\n\n3 documents, 6 gold annotations; baseline v1\n" in out


def test_gate_that_cannot_be_decided(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    Exit code 4: the baseline has no comparable pair.
    """
    rows = [x | {"entity_id_predicted": "kb::C1"} for x in V1]
    (folder / "v0.jsonl").write_text("".join(json.dumps(x) + "\n" for x in rows))
    code, _, err = run(capsys, *COMPARE, "v0.jsonl", "v2.jsonl", "-q", "--fail-on-regression", "link_f1")

    assert code == 4
    assert err.startswith("gate: link_f1 v2 0.500 vs v0 undefined")


@pytest.mark.parametrize("args", [("-m", "nil_f1"), ("-m", "f1", "-m", "nil_f1")])
@pytest.mark.parametrize("suffix", ["jsonl", "json"])
def test_measures_of_nil_need_nil_ids(
    folder: Path, capsys: pytest.CaptureFixture[str], args: tuple[str, ...], suffix: str
):
    """
    The missing option is the cause, not the gold; a saved run knows whether it was counted with one.
    """
    for name in ("v1", "v2"):
        save(capsys, name)
    code, out, err = run(capsys, *COMPARE, f"v1.{suffix}", f"v2.{suffix}", *args)

    assert (code, out) == (2, "")
    assert "error: nil_f1 needs --nil ID, the id that means 'not in the knowledge base'" in err
    for name in ("v1", "v2"):
        save(capsys, name, "--nil", "G3")
    nil = ("--nil", "G3") if suffix == "jsonl" else ()
    assert run(capsys, *COMPARE, f"v1.{suffix}", f"v2.{suffix}", *args, *nil)[0] == 0


def test_gates_on_measures_of_nil_need_nil_ids(folder: Path, capsys: pytest.CaptureFixture[str]):
    """
    As --fail-under says.
    """
    code, _, err = run(capsys, *COMPARE, "v1.jsonl", "v2.jsonl", "--fail-on-regression", "nil_f1")

    assert (code, "a gate on nil_f1 needs --nil ID" in err) == (2, True)
