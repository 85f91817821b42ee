"""What the parsing stages share: the tokens, the mentions, and who has taken which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from services.planner.domain.catalogue import Catalogue, Column
from services.planner.domain.language.linking.mention import Mention
from services.planner.domain.lexicon.normalise import Token


@dataclass(slots=True)
class Scene:
    """What the parsing stages share: the tokens, the resolved mentions, and who took which."""

    tokens: Sequence[Token]
    mentions: Sequence[Mention]
    catalogue: Catalogue
    roles: dict[int, str] = field(default_factory=dict)

    def free(self, index: int) -> bool:
        """True while no stage has taken that mention."""
        return index not in self.roles

    def column(self, mention: Mention) -> Column | None:
        """The column that a mention stands for."""
        table = self.catalogue.table(mention.chosen.table)
        return table.column(mention.chosen.column) if table else None

    def words(self, first: int, last: int) -> list[str]:
        """The lower-case words of tokens `first` up to, not including, `last`."""
        return [t.lower for t in self.tokens[max(0, first) : last]]

    def starting(self, token: int, within: int = 0) -> int | None:
        """The mention that starts at that token, or up to `within` tokens later."""
        for index, mention in enumerate(self.mentions):
            if token <= mention.first <= token + within:
                return index
        return None

    def ending(self, token: int, within: int = 0) -> int | None:
        """The nearest mention that ends at that token or up to `within` tokens before."""
        found = [
            (mention.last, index)
            for index, mention in enumerate(self.mentions)
            if token - within <= mention.last <= token
        ]
        return max(found)[1] if found else None

    def loose(self) -> Iterator[tuple[int, Token]]:
        """The tokens that nothing has taken, with their places."""
        inside = {i for m in self.mentions for i in range(m.first, m.last)}
        for place, token in enumerate(self.tokens):
            if not token.used and not token.quoted and place not in inside:
                yield place, token
