"""Named values that cannot be changed."""

from __future__ import annotations

import copy
import pickle

import pytest

from spaneval.frozen import Frozen


class Point(Frozen):
    """Two values, one with a default."""

    x: int
    y: int = 0


class Named(Point):
    """One value more."""

    name: str = ""


def test_values_are_given_by_place_or_name_and_defaults_hold():
    """
    Those of a base class come first.
    """
    assert (1, 2) == (Point(1, 2).x, Point(1, 2).y)
    assert (1, 0) == (Point(x=1).x, Point(x=1).y)
    assert (1, 2, "a") == (Named(1, 2, "a").x, Named(1, 2, "a").y, Named(1, 2, "a").name)


def test_values_are_compared_hashed_and_shown():
    """
    Only within a class; a default equals the same value given.
    """
    assert Point(1) == Point(1, 0)
    assert Point(1) != Point(2)
    assert Point(1) != Named(1)
    assert Point(1) != (1, 0)
    assert {Point(1)} == {Point(1), Point(1, 0)}
    assert "Point(x=1, y=0)" == repr(Point(1))


def test_nothing_can_be_changed():
    """
    Neither values nor anything else.
    """
    point = Point(1)
    with pytest.raises(AttributeError, match=r"^Point\.x cannot be changed$"):
        point.x = 2  # type: ignore[misc]  # that is what is tested
    with pytest.raises(AttributeError, match=r"^Point\.x cannot be deleted$"):
        del point.x
    with pytest.raises(AttributeError, match=r"^Point\.z cannot be changed$"):
        point.z = 2  # type: ignore[attr-defined]  # likewise

    assert Point(1) == point


@pytest.mark.parametrize(
    ("values", "named", "message"),
    [
        ((), {}, "lacks x"),
        ((), {"y": 1}, "lacks x"),
        ((1, 2, 3), {}, "takes, each once, x, y"),
        ((1,), {"x": 1}, "takes, each once, x, y"),
        ((1,), {"z": 1}, "takes, each once, x, y"),
    ],
)
def test_values_that_do_not_fit_are_refused(values: tuple[int, ...], named: dict[str, int], message: str):
    """
    Too few, too many, twice, unknown.
    """
    with pytest.raises(TypeError, match=rf"^Point\(\) {message}$"):
        Point(*values, **named)


def test_values_are_copied_and_sent_to_another_process():
    """
    A second process hands over what it has read.
    """
    point = Named(1, name="a")

    assert point == pickle.loads(pickle.dumps(point))
    assert point == copy.deepcopy(point) == copy.copy(point)


def test_some_values_are_replaced():
    """
    In a new one; what cannot be is refused there, too.
    """

    class Positive(Frozen):
        x: int
        y: int = 1

        def _check(self) -> None:
            if self.x < 0:
                raise ValueError("below 0")

    one = Positive(1)

    assert one._replace(y=2) == Positive(1, 2)
    assert one == Positive(1, 1)
    with pytest.raises(ValueError, match="below 0"):
        one._replace(x=-1)
    with pytest.raises(TypeError, match="takes, each once"):
        one._replace(z=1)
