"""Which expressions of a statement are parts of a whole, and which are told in per cent."""

from __future__ import annotations

from sqlglot import exp

OUTER = (exp.Alias, exp.Paren, exp.Cast, exp.TryCast, exp.Round)
_FLAGS = (exp.Case, exp.If, exp.Predicate, exp.Connector)
_HUNDRED = ("100", "100.0")


def bare(one: exp.Expr) -> exp.Expr:
    """An expression without what changes neither its meaning nor its kind."""
    while isinstance(one, (*OUTER, exp.Window, exp.Filter)):
        one = one.this
    return one


def in_hundredths(one: exp.Expr) -> bool:
    """Whether a quotient is multiplied by a hundred: it is told in per cent."""
    for product in one.find_all(exp.Mul):
        sides = [product.this, product.expression]
        hundred = any(isinstance(s, exp.Literal) and s.this in _HUNDRED for s in sides)
        divided = product.find(exp.Div) or product.find_ancestor(exp.Div)
        flagged = any(
            isinstance(bare(average.this), _FLAGS) for average in product.find_all(exp.Avg)
        )
        if hundred and (divided or flagged or any(is_part(s) for s in sides)):
            return True
    return False


def is_part(one: exp.Expr) -> bool:
    """Whether it is some of the rows against all of them, or a sum against that of all groups."""
    one = bare(one)
    if isinstance(one, exp.Avg):
        return isinstance(bare(one.this), exp.Case | exp.Predicate) and not _counts_other(one)
    if not isinstance(one, exp.Div):
        return False
    above, below = one.this, one.expression
    counted = _is_count(above) and _is_count(below)
    filtered = above.find(exp.Filter, exp.Case) is not None
    whole = next((w.this for w in below.find_all(exp.Window) if not w.args.get("order")), None)
    if isinstance(whole, exp.Sum):
        names = {column.name for column in above.find_all(exp.Column)}
        return names == {column.name for column in whole.find_all(exp.Column)}
    return counted and filtered


def _is_count(one: exp.Expr) -> bool:
    return one.find(exp.Count, exp.CountIf) is not None or any(
        not _counts_other(total) for total in one.find_all(exp.Sum)
    )


def _counts_other(one: exp.Expr) -> bool:
    """Whether a sum or average is of anything but ones and noughts."""
    cases = list(one.find_all(exp.Case))
    values = [
        b
        for case in cases
        for b in (*(i.args["true"] for i in case.args["ifs"]), case.args.get("default"))
        if b is not None
    ]
    flags = all(isinstance(v, exp.Literal) and v.this in ("0", "1", "0.0", "1.0") for v in values)
    return not (cases and flags) and not isinstance(bare(one.this), exp.Predicate)
