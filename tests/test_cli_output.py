"""Results are written whole or not at all."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from spaneval.output import Output, OutputError, write_all, write_whole


def failing() -> Iterator[bytes]:
    """Half of a result."""
    yield b"half"
    raise RuntimeError("stopped")


def test_file_is_written(tmp_path: Path):
    """
    All pieces, and nothing beside the file.
    """
    write_whole(str(tmp_path / "a.txt"), [b"one ", b"two"])

    assert os.listdir(tmp_path) == ["a.txt"]
    assert (tmp_path / "a.txt").read_bytes() == b"one two"


def test_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path):
    """
    What was there stays as it was.
    """
    path = tmp_path / "a.txt"
    path.write_text("old")

    with pytest.raises(RuntimeError, match="stopped"):
        write_whole(str(path), failing())

    assert os.listdir(tmp_path) == ["a.txt"]
    assert path.read_text() == "old"


def test_of_two_files_none_is_written_when_one_fails(tmp_path: Path):
    """
    The first was finished, yet it would not fit the second.
    """
    with pytest.raises(RuntimeError, match="stopped"):
        write_all([Output(str(tmp_path / "a"), [b"a"]), Output(str(tmp_path / "b"), failing())])

    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_full_device_holds_back_the_file(tmp_path: Path):
    """
    Devices come before the files get their names, so that both are there or none.
    """
    with pytest.raises(OutputError, match=r"^/dev/full: cannot be written: no space left on device$"):
        write_all([Output(str(tmp_path / "a"), [b"a"]), Output("/dev/full", [b"b"])])

    assert os.listdir(tmp_path) == []


def test_symbolic_link_is_followed(tmp_path: Path):
    """
    The link stays a link; the file that it leads to is replaced.
    """
    (tmp_path / "folder").mkdir()
    target = tmp_path / "folder" / "target"
    target.write_text("old")
    (tmp_path / "link").symlink_to(target)

    write_whole(str(tmp_path / "link"), [b"new"])

    assert (tmp_path / "link").is_symlink()
    assert target.read_text() == "new"


def test_link_to_a_file_that_is_not_there_makes_it(tmp_path: Path):
    """
    As a shell redirection does.
    """
    (tmp_path / "link").symlink_to(tmp_path / "target")

    write_whole(str(tmp_path / "link"), [b"new"])

    assert (tmp_path / "target").read_text() == "new"


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX permissions")
def test_mode_is_kept(tmp_path: Path):
    """
    A private file stays private, a shared one shared.
    """
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(0o640)

    write_whole(str(path), [b"new"])

    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX permissions")
def test_new_file_has_the_ordinary_mode(tmp_path: Path):
    """
    That of any file that the user makes, not that of a secret.
    """
    (tmp_path / "ordinary").touch()
    write_whole(str(tmp_path / "a"), [b"new"])

    assert (tmp_path / "ordinary").stat().st_mode == (tmp_path / "a").stat().st_mode


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_pipe_is_written_directly(tmp_path: Path):
    """
    A pipe is not replaced by a file.
    """
    path = tmp_path / "pipe"
    os.mkfifo(path)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(path.read_bytes()))
    reader.start()
    write_whole(str(path), [b"one ", b"two"])
    reader.join(timeout=10)

    assert read == [b"one two"]
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_error_names_the_file(tmp_path: Path):
    """
    A folder that vanished while the work was done.
    """
    path = str(tmp_path / "gone" / "a.txt")

    with pytest.raises(OutputError) as error:
        write_whole(path, [b"new"])

    assert f"{path}: cannot be written: no such file or directory" == str(error.value)
