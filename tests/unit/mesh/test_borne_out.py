"""A text is borne out piece by piece and word by word, or its first fault is told with place."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

from mesh.proof.assertions import QUOTED, SUGGESTED, TEXT, TITLE, Assertion, Stated
from mesh.proof.texts import is_called, text_fault
from tests.unit.mesh.told import Piece, Sentence, name, named, number, quoted, sentence

SALES = pa.table({"country": ["USA", "Germany", "Chile"], "revenue": [30.0, 20.0, 10.0]})
HIGHEST = Stated("highest", "here", (0,), ("revenue",), by="country")


def tell(*parts: str | Piece) -> Sentence:
    return sentence(*parts, here=SALES)


TOLD = tell(name(0), " has the highest ", named("revenue"), " (", number(0), ").")


def fault(told: Sentence, said: list[Assertion], place: str = TEXT) -> str | None:
    return text_fault(told.text, place, said, told.known)


def stated(told: Sentence, what: Stated = HIGHEST) -> str | None:
    return fault(told, told.stating(what))


def test_a_sentence_is_borne_out_by_its_pieces_and_what_is_stated_around_them() -> None:
    assert TOLD.text == "USA has the highest revenue (30)."
    assert stated(TOLD) is None
    assert fault(TOLD, TOLD.stating(HIGHEST)[::-1]) is None, "in whatever order they are recorded"
    assert fault(tell("It is."), []) is None


def test_what_is_said_of_the_title_does_not_bear_out_the_text() -> None:
    titled = [replace(one, place=TITLE) for one in TOLD.stating(HIGHEST)]
    assert fault(TOLD, titled, TITLE) is None
    assert "which no claim is" in str(fault(TOLD, titled))


@pytest.mark.parametrize(("start", "end"), [(-1, 3), (5, 5), (6, 5), (0, 34)])
def test_what_is_said_of_no_characters_is_a_fault(start: int, end: int) -> None:
    outside = Assertion(TEXT, start, end, HIGHEST)
    assert fault(TOLD, [*TOLD.stating(HIGHEST), outside]) == (
        f"the text has no characters {start} to {end}"
    )


def test_two_pieces_do_not_share_characters() -> None:
    over = Assertion(TEXT, 2, 8, Stated(QUOTED))
    assert "two pieces stand over one another" in str(fault(TOLD, [*TOLD.stating(HIGHEST), over]))
    beside = tell(name(0), name(1), " and ", name(2))
    assert fault(beside, [piece for piece, _ in beside.pieces]) is None


# --- pieces


def test_a_number_is_printed_as_a_claim_of_the_answer_prints_it() -> None:
    rounded = tell(name(0), " has the highest ", named("revenue"), " (", number(0, said="31"), ").")
    assert stated(rounded) is None, "whether its claim is its cell's is asked of the claim"
    other = {1: replace(TOLD.claims[1], text="31")}
    for lacking in (replace(TOLD, claims={}), replace(TOLD, claims=other)):
        assert stated(lacking) == (
            "the text says '30' in 'USA has the highest revenue (30).': no claim prints this"
        )


def test_a_number_needs_something_that_is_said_of_it() -> None:
    bare = tell(name(0), " has ", number(0), ". ", name(0), " has the highest.")
    whole = bare.stating(HIGHEST)
    assert fault(bare, whole) is None
    assert fault(bare, [*whole[:-1], replace(whole[-1], start=12)]) == (
        "the text says '30' in 'USA has 30.': nothing says what this is the number of"
    )


def test_a_name_is_that_of_its_cell() -> None:
    called = tell(name(0, said="Germany"), " has the highest ", named("revenue"), ".")
    assert stated(called) == (
        "the text says 'Germany' in 'Germany has the highest revenue.': its cell is called 'USA'"
    )
    piece, said = TOLD.pieces[0]
    for nowhere in (
        replace(piece.stated, frame_digest="there"),
        replace(piece.stated, columns=("land",)),
        replace(piece.stated, rows=(3,)),
        replace(piece.stated, rows=()),
        replace(piece.stated, columns=()),
    ):
        lying = replace(TOLD, pieces=[(replace(piece, stated=nowhere), said), *TOLD.pieces[1:]])
        assert "no frame of the proof has the cell it is from" in str(stated(lying))


def test_a_row_is_not_called_by_a_number_that_the_answer_cites() -> None:
    """Nothing need be stated of a name: so another row's number could be told."""
    called = tell("It is ", name(1, "revenue", said="20"), ".")
    assert stated(called) is not None
    pieces = [piece for piece, _ in called.pieces]
    assert fault(called, pieces) is None, (
        "where no number of that column is cited, it may be a name"
    )
    assert fault(replace(called, claims=TOLD.claims), pieces) == (
        "the text says '20' in 'It is 20.': it is a number of the answer, and no claim prints it"
    )


def test_only_words_of_the_question_the_plan_and_the_columns_are_quoted() -> None:
    assert stated(tell(quoted("Revenue of orders"), " is ", name(0), ".")) is None
    assert stated(tell(named("the champion"), " is ", name(0), ".")) == (
        "the text says 'the champion' in 'the champion is USA.': "
        "neither question, plan nor columns hold 'champion'"
    )


@pytest.mark.parametrize(
    ("before", "behind", "fits"),
    [
        (" (closest: ", ")", True),
        (" (closest: ", ") as it is.", True),
        (" (there are: ", ")", True),
        (" (closest: ", ".", False),
        (" (closest: ", "", False),
        (" (", ")", False),
        (" ", "", False),
    ],
)
def test_what_is_suggested_stands_in_brackets_that_say_so(
    before: str, behind: str, fits: bool
) -> None:
    told = tell("It is", before, Piece(SUGGESTED, said="Champion"), behind)
    found = fault(told, [piece for piece, _ in told.pieces])
    assert (found is None) is fits
    assert fits or "it is data" in str(found) or "which no claim is" in str(found)


@pytest.mark.parametrize(
    ("words", "strange"),
    [
        ("736.50 by country", "736.50"),
        ("69 % of revenue", "69%"),
        ("3 by country", "3"),
        ("3", "3"),
        ("top 3 %", "3%"),
        ("top 30", "30"),
    ],
)
def test_a_number_is_quoted_whole_and_beside_what_it_stands_beside(
    words: str, strange: str
) -> None:
    """Of "revenue orders country, top 3"."""
    assert stated(tell(quoted("orders, top 3"), " is ", name(0), ".")) is None
    found = stated(tell(quoted(words), " is ", name(0), "."))
    assert f"neither question, plan nor columns hold {strange!r}" in str(found)


# --- words


@pytest.mark.parametrize("words", [" Germany led.", " 42", " 🏆", " [here]", " is 5 %"])
def test_nothing_stands_between_the_pieces_that_nobody_bears_out(words: str) -> None:
    told = tell(name(0), " has the highest ", named("revenue"), " (", number(0), ").", words)
    assert stated(told) is not None


def test_a_strange_sign_is_named_where_it_stands() -> None:
    told = tell("It is ", name(0), " & its.")
    assert fault(told, [piece for piece, _ in told.pieces]) == (
        "the text says '&' in ' & its.', which no claim is"
    )


def test_a_word_that_states_something_needs_an_assertion_of_its_kind_around_it() -> None:
    unborne = (
        "the text says 'highest' in 'USA has the highest revenue (30).': no assertion bears it out"
    )
    assert fault(TOLD, [piece for piece, _ in TOLD.pieces]) == unborne
    assert stated(TOLD, replace(HIGHEST, kind="value")) == unborne
    start = TOLD.text.index("highest")
    for begin, end in ((start + 1, len(TOLD.text)), (0, start + 6)):
        assert fault(TOLD, TOLD.stating(HIGHEST, begin, end)) == unborne
    pieces = TOLD.stating(HIGHEST)[:-1]
    just = Assertion(TEXT, start, start + len("highest"), HIGHEST)
    value = Assertion(TEXT, 0, len(TOLD.text), Stated("value", "here", (0,), ("revenue",)))
    assert "it does not name its rows" in str(fault(TOLD, [*pieces, just, value]))


def test_a_word_that_answers_do_not_use_is_named_in_its_sentence() -> None:
    told = tell("It is. It is the champion. It is.")
    assert fault(told, []) == (
        "the text says 'champion' in 'It is the champion.': which is no word of answers"
    )
    assert fault(tell("Champion it is. It is."), []) == (
        "the text says 'champion' in 'Champion it is.': which is no word of answers"
    )
    assert fault(tell("It is. It is the champion"), []) == (
        "the text says 'champion' in 'It is the champion': which is no word of answers"
    )


# --- statements


def test_a_statement_that_its_cells_do_not_bear_out_is_told_with_its_words() -> None:
    false = tell(name(1), " has the highest ", named("revenue"), ".")
    assert stated(false, replace(HIGHEST, rows=(1,))) == (
        "the text says 'Germany has the highest revenue.' in 'Germany has the highest revenue.': "
        "it is not highest in column 'revenue'"
    )


def test_a_part_of_a_text_is_held_against_its_own_pieces_alone() -> None:
    two = tell(
        name(0),
        " has the highest ",
        named("revenue"),
        ". ",
        name(2),
        " has the lowest ",
        named("revenue"),
        ".",
    )
    lowest = Stated("lowest", "here", (2,), ("revenue",), by="country")
    begin = two.text.index("Chile")
    first = Assertion(TEXT, 0, begin - 1, HIGHEST)
    said = [*two.stating(lowest, begin), first]
    assert fault(two, said) is None
    assert fault(two, [replace(one, end=one.end + 7) if one is first else one for one in said]) == (
        "the text says 'USA has the highest revenue. Chile' in 'USA has the highest revenue.': "
        "it names another row than it is stated of"
    )


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"frame_digest": "there"}, "no frame of the proof has what it names ('there')"),
        ({"columns": ("profit",)}, "no frame of the proof has what it names ('profit')"),
        ({"columns": ("x" * 99,)}, f"what it names ('{'x' * 59})"),
        ({"columns": ()}, "no frame of the proof has what it names"),
        ({"kind": "first", "by": "country", "columns": ("country",)}, "no frame of the proof"),
        ({"kind": "total", "of_digest": "here", "of_column": "country"}, "can be so"),
        ({"kind": "total", "of_digest": "odd", "of_column": "list"}, "can be so"),
        ({"kind": "total", "of_digest": "odd", "of_column": "huge"}, "can be so"),
        ({"kind": "total", "of_digest": "there", "of_column": "revenue"}, "('there')"),
    ],
)
def test_a_statement_of_cells_that_cannot_be_so_is_a_fault_and_no_crash(
    change: dict[str, object], why: str
) -> None:
    odd = pa.table({"list": [[1.0], [2.0]], "huge": [1e308, 1e308]})
    told = sentence(name(0), " is ", number(0), ".", here=SALES, odd=odd)
    assert why in str(stated(told, replace(HIGHEST, **change)))  # type: ignore[arg-type]


def test_of_a_part_of_a_proof_what_is_there_is_checked_and_the_rest_passed_over() -> None:
    elsewhere = tell(name(0), " is ", number(0), ".")
    partly = replace(elsewhere.known, partial=True)

    def found(what: Stated) -> str | None:
        return text_fault(elsewhere.text, TEXT, elsewhere.stating(what), partly)

    assert found(replace(HIGHEST, frame_digest="there")) is None
    total = replace(HIGHEST, kind="total", of_digest="there", of_column="revenue")
    assert found(total) is None
    assert "it is not highest" in str(found(replace(HIGHEST, rows=(1,))))
    false = elsewhere.stating(replace(HIGHEST, rows=(1,)))
    both = [Assertion(TEXT, 0, len(elsewhere.text), total), *false]
    assert "it is not highest" in str(text_fault(elsewhere.text, TEXT, both, partly))
    assert "there is no kind" in str(found(Stated("champion")))


# --- names of rows


@pytest.mark.parametrize(
    ("said", "value", "called"),
    [
        ("USA", "USA", True),
        ("usa", "USA", True),
        ("May 1997", "May", False),
        ("body mass", "body mass g", True),
        ("body mass", "body mass (g)", False),
        ("body mass g", "body mass g", True),
        ("Body Mass", "body mass g", True),
        ("flow, rate", "flow, rate kg", True),
        ("body", "body mass", False),
        ("mass", "body mass", False),
        ("body mass", "body mass, of the bird", True),
        ("body mass", "body mass of the bird", False),
        ("flow", "flow kg. per", False),
        ("flow", "flow kg.", True),
        ("flow rate", "flow kg rate", True),
        ("flow rate", "flow", False),
        ("1", 1, True),
        ("2", 1, False),
        ("flow", None, False),
    ],
)
def test_a_row_is_called_by_its_value_or_by_it_without_units(
    said: str, value: object, called: bool
) -> None:
    assert is_called(said, value) is called


def test_a_long_text_is_shown_by_its_beginning() -> None:
    long = tell(name(0, said="x" * 200), " is.")
    assert f"the text says {'x' * 100!r} in" in str(stated(long))
