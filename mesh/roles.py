"""What callers may do: three roles, each of which may do what the ones before it may."""

from __future__ import annotations

from enum import IntEnum


class Role(IntEnum):
    """The numbers are those of the contract's `assay.common.v1.Role`."""

    NONE = 0  # may call nothing
    READER = 1  # reads, lists, watches and checks
    ANALYST = 2  # also asks, uploads, names sources, cancels and deletes
    OPERATOR = 3  # also makes and revokes keys

    @property
    def word(self) -> str:
        """As people write it."""
        return self.name.lower()


NAMED = {role.word: role for role in Role if role is not Role.NONE}
"""By word."""


def highest(words: object) -> Role:
    """The highest role that `words` name: a list, or a text of words. Others' words count for
    nothing, so that a role that is not known gives no right."""
    if isinstance(words, str):
        words = words.split()
    if not isinstance(words, list):
        return Role.NONE
    return max((NAMED.get(str(word), Role.NONE) for word in words), default=Role.NONE)
