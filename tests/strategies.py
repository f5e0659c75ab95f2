"""Hypothesis strategies: gold documents and prediction rows as files hold them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

HUGE = 10**30
LETTERS = "ab é𝔸\u2028\"',{}[]\\"
texts = st.text(alphabet=LETTERS, min_size=1, max_size=30)
names = st.text(alphabet="ABQ0.:-é\u2028\"',{}", min_size=1, max_size=6).filter(lambda x: x.strip() == x)
"""Ids that are text; no blanks at the edges, as these are kept and hard to see in a failure."""

plain_ids = st.one_of(st.none(), names, st.integers(-5, 99), st.integers(2**60, 2**64 - 1))
ids = st.one_of(plain_ids, st.just(""), st.sampled_from([7.0, HUGE, -HUGE, 2.0**52]))
"""Ids in all forms that are accepted."""

bad_ids = st.sampled_from([0.5, True, {"x": 1}, ["Q1"]])
bad_offsets = st.sampled_from([None, "1", 0.5, True, HUGE, -1, [], {}, 2**63])


@st.composite
def documents(draw: st.DrawFn, *, is_plain: bool = False) -> dict[str, Any]:
    """A gold document that can be used; of the usual values only, if it is to be plain."""
    has_text = draw(st.booleans())
    text = draw(texts)
    document: dict[str, Any] = {"text": text} if has_text else {}
    low, high = 0, len(text)
    if draw(st.booleans()):
        low, high = sorted((draw(st.integers(0, high)), draw(st.integers(0, high))))
        document["evaluation_span"] = [low, high]
    spans = st.tuples(st.integers(low, high), st.integers(low, high)).filter(lambda x: x[0] != x[1]).map(sorted)
    gold = draw(st.lists(spans, max_size=5)) if high > low else []
    document["ground_truth"] = [draw(annotations(a, b, is_plain=is_plain)) for a, b in gold]
    if not gold and draw(st.booleans()):
        document["ground_truth"] = None
    itext = draw(st.one_of(st.none(), st.integers(0, 3), names))
    for annotation in document["ground_truth"] or []:
        if itext is not None and (is_plain or draw(st.booleans())):
            annotation["itext"] = itext if is_plain else draw(st.sampled_from([itext, str(itext)]))
    if draw(st.booleans()):
        document["itext"] = draw(plain_ids)
    return document


@st.composite
def annotations(draw: st.DrawFn, a: int, b: int, *, is_plain: bool) -> dict[str, Any]:
    """An annotation of `[a, b)`."""
    annotation: dict[str, Any] = {"a": a, "b": b}
    if not is_plain:
        annotation = {key: draw(st.sampled_from([x, float(x)])) for key, x in annotation.items()}
    one = plain_ids if is_plain else ids
    several = st.lists(names if is_plain else one, max_size=3)
    if draw(st.booleans()):
        annotation["entity_id"] = draw(st.one_of(one, several))
    if draw(st.booleans()):
        annotation["ignore"] = draw(st.booleans())
    if draw(st.booleans()):
        annotation["type"] = draw(names)
    return annotation


@st.composite
def rows(draw: st.DrawFn, *, is_plain: bool = False, is_text: bool = False) -> dict[str, Any]:
    """
    A prediction row that can be used.

    Args:
        draw: Given by hypothesis.
        is_plain: Whether it has the usual values only.
        is_text: Whether ids are text, so that CSV and JSON say the same.

    """
    a, b = sorted(draw(st.sets(st.integers(0, 50), min_size=2, max_size=2)))
    row: dict[str, Any] = {"itext": draw(st.integers(0, 3)), "a": a, "b": b}
    if is_text:
        return row | {"entity_id_predicted": draw(st.one_of(st.none(), names)), "score": draw(st.integers(0, 4)) / 4}
    row |= {"entity_id_predicted": draw(plain_ids if is_plain else ids), "score": draw(st.integers(0, 4))}
    if not is_plain:
        row |= {key: float(row[key]) for key in draw(st.sets(st.sampled_from(["itext", "a", "b", "score"])))}
        if draw(st.booleans()):
            row |= {"a_abs": row["a"], "b_abs": row["b"], "a": 0, "b": 1}
    if draw(st.booleans()):
        row["mention"] = draw(texts)
    return row


@st.composite
def bad_rows(draw: st.DrawFn) -> Any:
    """A row that cannot be used, whatever the reason."""
    row = draw(rows())
    row.pop("a_abs", None)
    row.pop("b_abs", None)
    kind = draw(st.integers(0, 4))
    if kind == 0:
        return draw(st.sampled_from([None, 3, "x", [], [1]]))
    if kind == 1:
        return row | {draw(st.sampled_from("ab")): draw(bad_offsets)}
    if kind == 2:
        return row | {"entity_id_predicted": draw(bad_ids)}
    if kind == 3:
        return row | {"itext": draw(st.sampled_from([None, "", 0.5, True, []]))}
    return row | {"a": row["b"]}
