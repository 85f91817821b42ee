"""Words of a question that a proposal says nothing of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

from sqlglot import exp

from services.planner.domain.lexicon.names import words_of
from services.planner.domain.lexicon.stop_words import INSTRUCTING, PRESENTATION, STOP_WORDS
from services.planner.domain.lexicon.tokens import Token, stem, tokenise
from services.planner.domain.statements.parsing import statement
from services.planner.domain.statements.proposal import Proposal
from services.planner.domain.tongues import is_han, is_silent, language_of

CODE = "W01"
"""The check of words that are not read, which bindings make exact."""
_MOST_UNREAD = 0.5
_FEWEST_LETTERS = 2
_NO_CONTENT = STOP_WORDS | PRESENTATION | INSTRUCTING
_ORDER = frozenset("first then next finally now".split())
_DIGITS = frozenset(map(stem, "round rounded decimals digits places precision".split()))
_COUNTING = frozenset("top first last least most than only exactly with".split())


def unbound(question: str, proposal: Proposal) -> tuple[str, ...]:
    """Words that say something, and that neither a binding nor a name or value of the statement
    holds."""
    bound = " ".join(one.words for one in proposal.bindings if one.fragment.strip())
    held = {token.lower for token in tokenise(bound)}.union(*map(names_of, proposal.statements))
    if is_han(question):
        held |= set("".join(held))
    return tuple(
        _together(
            token
            for token in _content(question)
            if token.lower not in held and token.stem not in held
        )
    )


def find_unread_words(question: str, proposal: Proposal) -> tuple[str, ...]:
    """The words that it says nothing of, where these are most of the question; else none."""
    left, tokens = unbound(question, proposal), _content(question)
    size = sum(len(one) if is_han(one) else 1 for one in left)
    return left if size > _MOST_UNREAD * len(tokens) else ()


def describe_unbound(question: str, proposal: Proposal, *, taken: bool = True) -> tuple[str, ...]:
    """What is told of such words before an answer; with `taken` also of those that are taken to
    change nothing, and why."""
    empty = [one for one in proposal.bindings if not one.fragment.strip()]
    texts = {token.lower for one in empty for token in tokenise(one.words)}
    # What asks for a test became the test, which is beside the statement.
    open_ = [one for one in empty if proposal.test is None and not _of_digits(one.words)]
    return (
        *(
            f"“{one.words}” changes nothing: {one.because.rstrip('.')}"
            for one in (open_ if taken else ())
        ),
        *(
            f"{CODE}: the question says {word!r}: the statement does nothing about it"
            for word in dict.fromkeys(unbound(question, proposal))
            if word.casefold() not in texts
        ),
    )


def _of_digits(words: str) -> bool:
    """Whether words say no more than how many digits of a number are shown."""
    tokens = [token for token in tokenise(words) if not token.mark and token.number is None]
    return any(token.stem in _DIGITS for token in tokens) and all(
        token.stem in _DIGITS or token.lower in STOP_WORDS for token in tokens
    )


def _content(question: str) -> list[Token]:
    """The words that say something; of Chinese, which has no spaces, the characters."""
    language = language_of(question)
    tokens = [token for whole in tokenise(question) for token in _characters(whole)]
    return [
        token
        for before, token in zip((None, *tokens), tokens, strict=False)
        if not token.mark
        and token.lower not in _NO_CONTENT
        and not is_silent(token.lower, language)
        and (token.digits or is_han(token.text) or len(token.lower) >= _FEWEST_LETTERS)
        and not _points_back(before, token)
    ]


def _points_back(before: Token | None, token: Token) -> bool:
    """Whether a word stands for one that was said, or for the order of what is to be done: "a
    planned one", "the two", "First compute"."""
    if before is None or before.mark:
        return token.lower in _ORDER
    if token.lower in ("one", "ones"):
        return before.lower not in _COUNTING
    return token.lower in ("two", "three") and before.lower in ("the", "these", "those")


def _characters(token: Token) -> Iterator[Token]:
    if not is_han(token.text):
        yield token
        return
    for place, one in enumerate(token.text):
        start = token.start + place
        yield replace(token, text=one, lower=one, stem=one, start=start, end=start + 1)


def _together(tokens: Iterable[Token]) -> Iterator[str]:
    """The texts of tokens, Chinese characters that stand side by side as one."""
    text, end = "", -1
    for token in tokens:
        if text and is_han(text) and is_han(token.text) and token.start == end:
            text += token.text
        else:
            if text:
                yield text
            text = token.text
        end = token.end
    if text:
        yield text


@lru_cache(maxsize=64)
def names_of(text: str) -> frozenset[str]:
    """What the names, aliases and values of a statement say, as words and as stems."""
    tree = statement(text)
    if tree is None:
        return frozenset()
    nodes = tree.find_all(exp.Identifier, exp.Literal)
    words = {word for node in nodes for word in (*words_of(node.name), *_pieces(node.name))}
    return frozenset(words | {stem(word) for word in words})


def _pieces(name: str) -> list[str]:
    return re.findall(r"\w+", name.casefold())
