"""`spaneval` as a process of its own: pipes, full devices, locales, and what it imports."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

GOLD = [
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
        "text": "MDM2 binds TP53.",
        "ground_truth": [{"a": 0, "b": 4, "entity_id": "G2"}, {"a": 11, "b": 15, "entity_id": "G1"}],
    },
]
ROWS = [
    {"itext": 0, "a": 0, "b": 4, "entity_id_predicted": "G1"},
    {"itext": 0, "a": 5, "b": 14, "entity_id_predicted": "R2"},
    {"itext": 1, "a": 0, "b": 4, "entity_id_predicted": "G2"},
    {"itext": 1, "a": 5, "b": 10, "entity_id_predicted": "R3"},
]

needs_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
posix = pytest.mark.skipif(os.name == "nt", reason="needs POSIX")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Gold and predictions: 5 annotations, 4 rows, 3 pairs, 2 of them right."""
    (tmp_path / "gold.gt.json").write_text(json.dumps(GOLD))
    (tmp_path / "out.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return tmp_path


SCORE = ("score", "--gt", "gold.gt.json", "--pred", "out.jsonl", "--resamples", "200")


def start(folder: Path, *args: str, env: dict[str, str] | None = None, **pipes: Any) -> subprocess.Popen[bytes]:
    """A running `spaneval`, without what the environment says of colours and locales."""
    kept = {k: v for k, v in os.environ.items() if k not in {"NO_COLOR", "FORCE_COLOR", "LC_ALL", "LANG"}}
    command = [sys.executable, "-m", "spaneval", *args]
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | pipes
    if os.name == "posix":
        streams.setdefault("preexec_fn", with_usual_signals)
    return subprocess.Popen(command, cwd=folder, env=kept | (env or {}), **streams)


def with_usual_signals() -> None:
    """Whoever runs the tests may ignore signals, as nohup and background jobs of shells do; a child inherits that."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def run(folder: Path, *args: str, given: bytes | None = None, **more: Any) -> tuple[int, str, str]:
    """Exit code, standard output and standard error."""
    if given is not None:
        more["stdin"] = subprocess.PIPE
    process = start(folder, *args, **more)
    out, err = process.communicate(given, timeout=60)
    return process.returncode, (out or b"").decode(), (err or b"").decode()


def test_score_to_json(folder: Path):
    """
    Worked out by hand: 3 of 4 predictions sit on gold, 3 of 5 annotations are found, 2 of 3 ids agree.
    """
    code, out, err = run(folder, *SCORE, "-q", "--format", "json")
    report = json.loads(out)

    assert (code, err) == (0, "")
    assert [report[name] for name in ("n_gold", "n_predicted", "n_matched", "n_id_comparable", "n_id_correct")] == [
        5,
        4,
        3,
        3,
        2,
    ]
    assert [report[name] for name in ("precision", "recall", "entity_accuracy")] == [0.75, 0.6, 2 / 3]


@pytest.mark.parametrize("format_", ["table", "json", "csv", "markdown"])
def test_same_command_prints_the_same_bytes(folder: Path, format_: str):
    """
    With seed 0, which is a seed; and no path, time or host in it.
    """
    first = run(folder, *SCORE, "-f", format_, "--seed", "0", "--per-document")
    second = run(folder, *SCORE, "-f", format_, "--seed", "0", "--per-document")

    assert first == second
    assert first[0] == 0
    assert str(folder) not in first[1]


def test_output_file_holds_what_would_be_printed(folder: Path):
    """
    And nothing is printed then.
    """
    _, printed, _ = run(folder, *SCORE)
    code, out, _ = run(folder, *SCORE, "-o", "report.txt")

    assert (code, out) == (0, "")
    assert printed == (folder / "report.txt").read_text(encoding="utf-8")


def test_narrow_terminal_does_not_cut_what_is_piped(folder: Path):
    """
    As wide as needed.
    """
    wide = run(folder, *SCORE, env={"COLUMNS": "400"})

    assert wide == run(folder, *SCORE, env={"COLUMNS": "20"})


def test_predictions_from_standard_input(folder: Path):
    """
    The numbers are those of the file.
    """
    given = (folder / "out.jsonl").read_bytes()
    code, out, err = run(folder, "score", "--gt", "gold.gt.json", "--pred", "-", "-qf", "csv", "--no-ci", given=given)

    assert (code, err) == (0, "")
    assert run(folder, *SCORE, "-f", "csv", "--no-ci")[1] == out


@posix
@pytest.mark.parametrize(
    "args",
    [
        ("score", "--gt", "gold.gt.json", "--pred", "-", "-o", "out.jsonl"),
        ("score", "--gt", "gold.gt.json", "--pred", "-", "-o", "/dev/stdin"),
        ("score", "--gt", "gold.gt.json", "--pred", "-", "--pairs", "./out.jsonl"),
        ("score", "--gt", "gold.gt.json", "--pred", "-", "--save", "out.jsonl"),
        ("validate", "--pred", "-", "-o", "out.jsonl"),
        ("compare", "--gt", "gold.gt.json", "a=-", "b=other.jsonl", "-o", "out.jsonl"),
        ("diff", "--gt", "gold.gt.json", "other.jsonl", "-", "-o", "out.jsonl"),
    ],
)
def test_file_that_is_standard_input_is_not_written_over(folder: Path, args: tuple[str, ...]):
    """
    `--pred - -o FILE < FILE`.
    """
    before = (folder / "out.jsonl").read_bytes()
    (folder / "other.jsonl").write_bytes(before)
    with (folder / "out.jsonl").open("rb") as given:
        code, out, err = run(folder, *args, stdin=given)

    assert (code, out) == (2, "")
    assert "is an input; inputs are never written over" in err
    assert before == (folder / "out.jsonl").read_bytes()


@posix
def test_file_that_is_standard_input_may_be_written_if_nobody_reads_it(folder: Path):
    """
    Services give some file or other as standard input.
    """
    (folder / "report.txt").touch()
    with (folder / "report.txt").open("rb") as given:
        code, _, err = run(folder, *SCORE, "-q", "-o", "report.txt", stdin=given)

    assert (code, err) == (0, "")
    assert (folder / "report.txt").read_text().startswith("ground truth")


def test_bad_input_ends_in_three(folder: Path):
    """
    No score, no traceback.
    """
    (folder / "out.jsonl").write_text('{"itext": 0, "a": }\n')
    code, out, err = run(folder, *SCORE)

    assert (code, out) == (3, "")
    assert err.startswith("error: out.jsonl:1")
    assert "Traceback" not in err


def test_pairs_are_written_beside_the_report(folder: Path):
    """
    Three pairs, two missed, one spurious.
    """
    code, out, _ = run(folder, *SCORE, "--pairs", "pairs.jsonl")
    rows = [json.loads(line) for line in (folder / "pairs.jsonl").read_text().splitlines()]

    assert code == 0
    assert out.startswith("ground truth")
    assert len(rows) == 6


@posix
@pytest.mark.parametrize("args", [SCORE, (*SCORE, "-f", "json"), ("--help",), ("score", "--help")])
def test_reader_that_has_gone_is_no_failure(folder: Path, args: tuple[str, ...]):
    """
    `| head -1`: no traceback, not even when the interpreter ends.
    """
    reading, writing = os.pipe()
    os.close(reading)
    process = start(folder, *args, stdout=writing)
    os.close(writing)
    _, err = process.communicate(timeout=60)

    assert (process.returncode, err) == (0, b"")


@posix
def test_reader_that_has_gone_does_not_hold_back_the_pairs(folder: Path):
    """
    `--pairs FILE | head -1` still writes the file.
    """
    reading, writing = os.pipe()
    os.close(reading)
    process = start(folder, *SCORE, "--pairs", "pairs.csv", stdout=writing)
    os.close(writing)
    process.communicate(timeout=60)

    assert (folder / "pairs.csv").exists()


@needs_full
@pytest.mark.parametrize(
    "args", [SCORE, ("--help",), ("validate", "--gt", "gold.gt.json"), (*SCORE, "--pairs", "p.csv")]
)
def test_full_standard_output(folder: Path, args: tuple[str, ...]):
    """
    A clear error; a ledger asked for beside the report is not left behind.
    """
    with open("/dev/full", "wb") as full:
        code, _, err = run(folder, *args, stdout=full)

    assert code == 3
    assert err == "error: standard output: cannot be written: no space left on device\n"
    assert not (folder / "p.csv").exists()


@needs_full
@pytest.mark.parametrize("option", ["-o", "--pairs"])
def test_full_file(folder: Path, option: str):
    """
    The message names the file as the user did.
    """
    (folder / "full.csv").symlink_to("/dev/full")
    code, _, err = run(folder, *SCORE, option, "full.csv")

    assert code == 3
    assert err == "error: full.csv: cannot be written: no space left on device\n"


@needs_full
def test_device_needs_no_suffix(folder: Path):
    """
    A ledger into a device or a process substitution is JSON Lines.
    """
    code, _, err = run(folder, *SCORE, "--pairs", "/dev/full")

    assert code == 3
    assert err == "error: /dev/full: cannot be written: no space left on device\n"


@posix
@pytest.mark.parametrize("name", ["stdout", "stderr", "stdin"])
def test_closed_stream_is_no_traceback(folder: Path, name: str):
    """
    Services start processes without streams.
    """
    closing = {"stdout": ">&-", "stderr": "2>&-", "stdin": "<&-"}[name]
    command = f'"{sys.executable}" -m spaneval {" ".join(SCORE)} {closing}'
    done = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, timeout=60, check=False)

    assert (3 if name == "stdout" else 0) == done.returncode
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="needs /dev/stdout")
@pytest.mark.parametrize("options", ["-o /dev/stdout", "-o -", "-o /dev/null --pairs /dev/stdout", "-o /dev/fd/1"])
def test_redirected_output_is_appended_to(folder: Path, options: str):
    """
    What the shell wrote before stays.
    """
    run_it = f'"{sys.executable}" -m spaneval {" ".join(SCORE)} {options}'
    script = f"(echo before; {run_it}; echo after) > all.txt"
    subprocess.run(["sh", "-c", script], cwd=folder, capture_output=True, timeout=60, check=True)
    first, *between, last = (folder / "all.txt").read_text().splitlines()

    assert (first, last) == ("before", "after")
    assert len(between) > 5


@posix
@pytest.mark.parametrize("locale", ["C", "POSIX"])
def test_output_is_utf8_under_any_locale(folder: Path, locale: str):
    """
    Names with Greek letters, blanks and brackets, where the system believes in ASCII.
    """
    name = "β [1] ü.jsonl"
    (folder / "out.jsonl").rename(folder / name)
    env = {"LC_ALL": locale, "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    code, out, err = run(folder, "score", "--gt", "gold.gt.json", "--pred", name, "-q", env=env)

    assert (code, err) == (0, "")
    assert f"predictions    {name}" in out


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
@pytest.mark.parametrize("format_", ["table", "json", "csv", "markdown"])
def test_file_name_that_is_no_utf8(folder: Path, format_: str):
    """
    It is shown as an escape, and the run does not fail.
    """
    name = os.fsdecode(b"caf\xe9.jsonl")
    (folder / "out.jsonl").rename(folder / name)
    code, out, _ = run(folder, "score", "--gt", "gold.gt.json", "--pred", name, "-f", format_, "--pairs", "pairs.csv")
    missing = run(folder, "score", "--gt", "gold.gt.json", "--pred", os.fsdecode(b"th\xe9.jsonl"))

    assert code == 0
    assert (format_ in {"json", "csv"}) or "caf\\xe9.jsonl" in out.replace("\\\\", "\\")
    assert missing[0] == 2
    assert "\\xe9.jsonl' does not exist" in missing[2]


def opened_pipe(path: Path) -> int:
    """The writing end of a named pipe, as soon as there is a reader; a test must not wait for ever."""
    for _ in range(600):
        try:
            return os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            time.sleep(0.05)
    raise TimeoutError(path)


@posix
def test_interrupted_process_leaves_nothing_behind(folder: Path):
    """
    130, nothing on the streams, no temporary file.
    """
    os.mkfifo(folder / "rows")
    process = start(folder, "score", "--gt", "gold.gt.json", "--pred", "rows", "--pairs", "pairs.csv")
    with open(opened_pipe(folder / "rows"), "wb"):
        time.sleep(0.2)  # until it waits for rows: Python drops an interrupt that comes while it ends an import
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)

    assert (process.returncode, out, err) == (130, b"", b"")
    assert {"gold.gt.json", "out.jsonl", "rows"} == set(os.listdir(folder))


@posix
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_signal_ends_a_run_in_order(folder: Path, name: str):
    """
    128 and its number, as shells count; the file that was being written is gone.
    """
    number = getattr(signal, name)
    os.mkfifo(folder / "report")
    process = start(folder, *SCORE, "--pairs", "pairs.csv", "-o", "report")
    for _ in range(600):  # the ledger is ready when the report waits for its reader
        if any(name.endswith(".tmp") for name in os.listdir(folder)):
            break
        time.sleep(0.02)
    else:
        raise TimeoutError
    time.sleep(0.1)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)

    assert (process.returncode, out, err) == (128 + number, b"", b"")
    assert {"gold.gt.json", "out.jsonl", "report"} == set(os.listdir(folder))


@posix
def test_signal_that_is_ignored_stays_ignored(folder: Path):
    """
    `nohup` means it.
    """
    os.mkfifo(folder / "rows")
    process = start(
        folder, "score", "--gt", "gold.gt.json", "--pred", "rows", "-q",
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )  # fmt: skip
    with open(opened_pipe(folder / "rows"), "wb") as rows:
        process.send_signal(signal.SIGHUP)
        rows.write((folder / "out.jsonl").read_bytes())
    process.communicate(timeout=60)

    assert process.returncode == 0


def modules(folder: Path, *args: str, env: dict[str, str] | None = None) -> set[str]:
    """Modules that Python imports when it is called with these arguments."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("COV")}
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *args],
        cwd=folder, env=kept | (env or {}), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    lines = (line for line in done.stderr.splitlines() if line.startswith("import time:"))
    return {line.rpartition("|")[2].strip() for line in lines}


def imported(folder: Path, *args: str, env: dict[str, str] | None = None) -> set[str]:
    """Top-level packages that a run imports."""
    return {name.partition(".")[0] for name in modules(folder, "-m", "spaneval", *args, env=env)}


HEAVY = {"numpy", "pandas", "scipy", "intervaltree", "pyarrow"}


@pytest.mark.parametrize(
    ("args", "env"),
    [
        (("--help",), {}),
        (("--version",), {}),
        (("score", "--help"), {}),
        (("validate", "--help"), {}),
        (("score", "--gt", "nowhere"), {}),
        ((), {"_SPANEVAL_COMPLETE": "bash_complete", "COMP_WORDS": "spaneval score --ma", "COMP_CWORD": "2"}),
    ],
)
def test_help_version_and_completion_import_nothing_heavy(folder: Path, args: tuple[str, ...], env: dict[str, str]):
    """
    They answer at once.
    """
    modules = imported(folder, *args, env=env)

    assert "click" in modules
    assert set() == modules & HEAVY


def test_score_of_json_lines_imports_numpy_only(folder: Path):
    """
    pandas, scipy and the tree are for what needs them.
    """
    assert {"numpy"} == imported(folder, *SCORE) & HEAVY


SPARED = {
    "csv", "decimal", "difflib", "gzip", "hashlib", "importlib.metadata", "numpy.ma", "numpy.random", "numpy.typing",
    "shlex", "textwrap", "tomllib", "traceback",
}  # fmt: skip
"""Modules of others that take a while to load and that few runs need: `np.unique(x)` alone loads `numpy.ma`, 15 ms."""

OURS = {
    "averages", "changes", "comparison", "draws", "gates", "ground_truth", "grouping", "groups", "ledger",
    "loaders.gold_cut", "loaders.id_map", "loaders.plain_lines", "resampling", "runs", "saved_runs", "significance",
    "validation",
}  # fmt: skip
"""Our own modules that an ordinary score without intervals does without."""


def test_score_imports_no_more_than_it_needs(folder: Path):
    """
    On a small corpus, starting is most of a run: what a table, a map, a message or an interval needs comes with it.
    Rows that are not ASCII have a way of their own.

    A pyproject.toml that speaks of spaneval, but not to it, is not parsed.
    """
    (folder / "pyproject.toml").write_text('[project]\ndependencies = ["spaneval-el"]\n')
    row = {"itext": 0, "a": 0, "b": 4, "entity_id_predicted": "KB:ä"}
    text = json.dumps(row, ensure_ascii=False) + "\n"
    (folder / "out.jsonl").write_text(50 * text.replace("ä", "a") + text, encoding="utf-8")
    unavoidable = modules(folder, "-c", "import click, numpy, orjson")
    # click looks for names near a short option, such as -f, before it knows it
    ours = modules(folder, "-m", "spaneval", *SCORE, "--no-ci", "--format", "json") - unavoidable

    assert "spaneval.evaluation" in ours
    assert set() == ours & (SPARED | {f"spaneval.{name}" for name in OURS})


def test_completion_knows_options_and_choices(folder: Path):
    """
    Through click's own protocol.
    """
    words = {"_SPANEVAL_COMPLETE": "bash_complete", "COMP_WORDS": "spaneval score --match ", "COMP_CWORD": "3"}
    code, out, _ = run(folder, env=words)

    assert code == 0
    assert {"plain,overlap", "plain,exact"} == set(out.split())


def test_validate_lists_what_is_wrong(folder: Path):
    """
    On standard output, because it is the result; exit code 3.
    """
    rows = [{"itext": 0, "a": 4, "b": 4}, {"itext": 0, "a": -1, "b": 3}]
    (folder / "out.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, out, err = run(folder, "validate", "--gt", "gold.gt.json", "--pred", "out.jsonl")

    assert (code, err) == (3, "")
    assert [line[:18] for line in out.splitlines() if line.startswith("error:")] == [
        "error: out.jsonl:1",
        "error: out.jsonl:2",
    ]
    assert out.splitlines()[-1].startswith("2 errors, ")


def test_validate_is_content_with_good_input(folder: Path):
    """
    Exit code 0, also in JSON.
    """
    code, out, _ = run(folder, "validate", "--gt", "gold.gt.json", "--pred", "out.jsonl")
    json_code, json_out, _ = run(folder, "validate", "--gt", "gold.gt.json", "--pred", "out.jsonl", "-f", "json")

    assert (code, json_code) == (0, 0)
    assert out.splitlines()[-1].startswith("no errors, ")
    assert (json.loads(json_out)["schema"], json.loads(json_out)["n_errors"]) == ("spaneval.validate/1", 0)
