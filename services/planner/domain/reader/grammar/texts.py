"""What is asked of a text: how it begins, how it ends, what it holds."""

from __future__ import annotations

from services.planner.domain.query.kinds import Operator
from services.planner.domain.reader.grammar.rules import Rule

RULES: tuple[Rule[Operator], ...] = (
    Rule(
        "begins with",
        r"(?:start|starts|starting|begin|begins|beginning|prefix) (?:with )?"
        r"(?:the )?(?:letters? |prefix |words? )?(?:{quoted}|{word})",
        Operator.STARTS_WITH,
        examples=("names starting with the letter D", "names that begin with 'Sm'"),
    ),
    Rule(
        "ends with",
        r"(?:end|ends|ending|suffix) (?:with |in )(?:the )?(?:letters? |words? )?"
        r"(?:{quoted}|{word})",
        Operator.ENDS_WITH,
        examples=("towns ending in ville",),
    ),
    Rule(
        "holds",
        r"(?:contain|contains|containing|include|includes|including|has|have|having|with) "
        r"(?:the )?(?:sub ?strings?|letters?|words?|phrases?|strings?) (?:{quoted}|{word})",
        Operator.CONTAINS,
        examples=("titles with the word love",),
    ),
    Rule(
        "contains",
        r"(?:contain|contains|containing|include|includes|including|mention|mentions"
        r"|mentioning|like) (?:the )?(?:{quoted}|{word})",
        Operator.CONTAINS,
        examples=("languages that contain English",),
    ),
    Rule(
        "word in a text",
        r"(?:with|has|have|having|mentioning|using|of|contain|contains) (?:the )?(?:words? )?{word}"
        r" (?:somewhere )?in (?:the |its |their )?(?:full )?"
        r"(?:names?|titles?|subjects?|descriptions?|headlines?|texts?|comments?|notes?)",
        Operator.CONTAINS,
        examples=("films with christmas in the title", "songs with love in their name"),
    ),
    Rule(
        "quoted in",
        r"(?:with|has|have|having) {quoted} in (?:the |its |their )?(?:name|title)s?",
        Operator.CONTAINS,
        examples=("movies with 'love' in the title",),
    ),
)
