"""Reading ahead in a second process: the same tables, the same messages, and nothing left behind."""

from __future__ import annotations

import errno
import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

import spaneval
from spaneval import inputs
from spaneval.background import Background

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks only on Linux"),
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning"),  # the tests' own threads
]


def fails():
    raise ValueError("nothing that a parent could pickle")


def test_the_result_comes_back():
    with Background(lambda: [1, "two", None]) as process:
        assert [1, "two", None] == process.result()


@pytest.mark.filterwarnings("ignore")
def test_a_failure_is_no_result():
    with Background(fails) as process:
        assert process.result() is None


def test_a_process_that_is_killed_while_it_answers_has_no_result():
    """What it wrote until then is no result."""

    class Ending:
        def __reduce__(self):
            os.kill(os.getpid(), signal.SIGKILL)

    with Background(lambda: [b"x" * 100_000, Ending()]) as process:
        assert process.result() is None


def test_a_parent_that_was_told_to_ignore_the_end_of_children_has_the_result():
    """Some supervisors start programs with SIGCHLD ignored; then the system keeps no exit status, and no process."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        with Background(lambda: 7) as process:
            assert 7 == process.result()
        with Background(lambda: 7) as process:
            time.sleep(0.1)  # it has ended and is gone when the block is left
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_leaving_the_block_ends_the_process():
    with Background(lambda: os.read(os.pipe()[0], 1)) as process:
        pid = process._pid

    with pytest.raises(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


WAITS = """
import os, signal, sys, time
from spaneval.background import Background

signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore it
signal.signal(signal.SIGTERM, signal.SIG_DFL)

def wait():
    sys.stdout.write("the child says nothing")
    sys.stdout.flush()
    time.sleep(600)

with Background(wait) as process:
    print(process._pid, flush=True)
    time.sleep(600)
"""


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_process_ends_with_its_parent(number):
    with subprocess.Popen([sys.executable, "-c", WAITS], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as parent:
        child = int(parent.stdout.readline())
        time.sleep(0.3)
        assert is_running(child)
        parent.send_signal(number)
        rest, _ = parent.communicate(timeout=20)

        assert rest == b""
        for _ in range(200):
            if not is_running(child):
                break
            time.sleep(0.05)
        assert not is_running(child)


def test_the_process_works_without_standard_streams():
    script = (
        "import os\nfrom spaneval.background import Background\n"
        "with Background(lambda: 'x' * 10**6) as p: os._exit(len(p.result()) != 10**6)"
    )
    command = f'"{sys.executable}" -c "{script}" <&- >&- 2>&-'

    assert subprocess.run(["sh", "-c", command], timeout=60, check=False).returncode == 0


@pytest.fixture
def corpus(tmp_path):
    rng = random.Random(3)
    gold, rows = [], []
    for d in range(60):
        spans = [(a, a + rng.randint(1, 9)) for a in rng.sample(range(80), 5)]
        text = "".join(rng.choice("abc ") for _ in range(100))
        gold.append({"text": text, "ground_truth": [{"itext": d, "a": a, "b": b, "entity_id": "Q1"} for a, b in spans]})
        rows += [
            {"itext": d, "a": a, "b": b, "entity_id_predicted": rng.choice(["Q1", "Q2"]), "mention": text[a:b]}
            for a, b in spans
        ]
    (tmp_path / "x.gt.json").write_text(json.dumps(gold))
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def both_ways(monkeypatch, evaluate):
    """The same call without and with a second process, and whether one was started."""
    started = []
    monkeypatch.setattr(inputs, "can_fork", lambda: True)
    monkeypatch.setattr(inputs, "Background", lambda function: started.append(1) or Background(function))
    found = []
    for least in (10**12, 0):
        monkeypatch.setattr(inputs, "WORTH_A_PROCESS", least)
        found.append(evaluate())
    assert [1] == started
    return found


@pytest.mark.parametrize("options", [{}, {"doc_key": "position"}, {"min_score": 2.0, "on_bad_row": "skip"}])
def test_reading_ahead_changes_nothing(corpus, monkeypatch, options):
    def evaluate():
        return spaneval.evaluate(corpus / "x.gt.json", corpus / "x.jsonl", resamples=50, **options)

    alone, ahead = both_ways(monkeypatch, evaluate)

    assert alone.to_dict(per_document=True) == ahead.to_dict(per_document=True)
    assert list(alone.rows()) == list(ahead.rows())


def test_without_room_for_a_second_process_all_is_read_in_turn(corpus, monkeypatch):
    def refuse():
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr(os, "fork", refuse)
    n_open = len(os.listdir("/proc/self/fd"))

    alone, ahead = both_ways(monkeypatch, lambda: spaneval.evaluate(corpus / "x.gt.json", corpus / "x.jsonl", ci=False))

    assert alone.to_dict() == ahead.to_dict()
    assert n_open == len(os.listdir("/proc/self/fd"))


def test_gold_that_asks_for_another_key_has_the_rows_read_again(corpus, monkeypatch):
    gold = json.loads((corpus / "x.gt.json").read_text())
    (corpus / "x.gt.json").write_text(json.dumps([document | {"doc_id": f"d{k}"} for k, document in enumerate(gold)]))
    rows = [json.loads(line) for line in (corpus / "x.jsonl").read_text().splitlines()]
    named = [row | {"doc_id": f"d{row['itext']}", "itext": 0} for row in rows]
    (corpus / "x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in named))

    alone, ahead = both_ways(monkeypatch, lambda: spaneval.evaluate(corpus / "x.gt.json", corpus / "x.jsonl", ci=False))

    assert alone.to_dict() == ahead.to_dict()
    assert 300 == ahead.counts["n_matched"]


def test_messages_are_the_same(corpus, monkeypatch):
    with (corpus / "x.jsonl").open("a") as file:
        file.write('{"itext": 0, "a": 3, "b": 3}\n{"itext": 0, "a": 3\n')

    def message():
        with pytest.raises(spaneval.InputError) as caught:
            spaneval.evaluate(corpus / "x.gt.json", corpus / "x.jsonl")
        return str(caught.value)

    alone, ahead = both_ways(monkeypatch, message)

    assert alone == ahead
    assert "x.jsonl:301: span end must be greater than its start (a=3, b=3)" in ahead


def test_bad_gold_leaves_no_process_behind(corpus, monkeypatch):
    (corpus / "x.gt.json").write_text("[")
    monkeypatch.setattr(inputs, "can_fork", lambda: True)
    monkeypatch.setattr(inputs, "WORTH_A_PROCESS", 0)
    pids = []

    def started(function):
        process = Background(function)
        pids.append(process._pid)
        return process

    monkeypatch.setattr(inputs, "Background", started)

    with pytest.raises(spaneval.FormatError):
        spaneval.evaluate(corpus / "x.gt.json", corpus / "x.jsonl")

    with pytest.raises(ChildProcessError):
        os.waitpid(pids[0], os.WNOHANG)
