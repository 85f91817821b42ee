"""A question back to the person, what may be chosen, and what a reply to it means."""

from __future__ import annotations

from mesh.errors import NO_SUCH_OPTION, AssayError
from services.planner.domain.catalogue import Frozen


class Choice(Frozen):
    """One of several things that a person may choose, by its id or its text.

    `glimpse` is a little of the answer that it leads to.
    """

    option_id: str
    text: str
    glimpse: str = ""


class Clarification(Frozen):
    """A question back to the person, with the readings to choose from, the likeliest first.

    `glimpses` show a little of each answer, where it was looked at.
    """

    question: str
    options: tuple[str, ...]
    glimpses: tuple[str, ...] = ()

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The options with their ids: numbers from 1, as people count them."""
        shown = (*self.glimpses, *("" for _ in self.options))
        pairs = zip(self.options, shown, strict=False)
        return tuple(
            Choice(option_id=str(number), text=text, glimpse=glimpse)
            for number, (text, glimpse) in enumerate(pairs, 1)
        )

    def reply(self, option_id: str, text: str) -> str:
        """The text of the option with that id or meant by that text, else the words as they are.

        Raises AssayError(NO_SUCH_OPTION) for an id or a number that is none of theirs.
        """
        for choice in self.choices:
            if option_id.strip() == choice.option_id:
                return choice.text
        # Listing jobs must not load the reader.
        from services.planner.domain.lexicon.replies import find_option

        intended = find_option(self.options, text)
        if intended is not None:
            return self.options[intended]
        if text.strip() and not option_id and not text.strip().isdigit():
            return text.strip()
        offered = ", ".join(f"{choice.option_id} ({choice.text})" for choice in self.choices)
        given = option_id or text
        raise AssayError(
            NO_SUCH_OPTION,
            f"{given[:80]!r} is none of the options: {offered}",
            fields={"option_id" if option_id else "text": "not one of the options"},
        )
