"""How an answer is sorted: that it be, and which end comes first."""

from __future__ import annotations

from services.planner.domain.reader.grammar.rules import Rule

SORTING: tuple[Rule[bool], ...] = (
    Rule(
        "sorted by",
        r"(?:order|ordered|ordering|sort|sorted|sorting|rank|ranked|ranking|arrange|arranged|"
        r"alphabetical\w*|alphabet|lexicographical\w*)",
        True,
        examples=("names ordered by age", "in alphabetical order"),
    ),
)

DIRECTIONS: tuple[Rule[bool], ...] = (
    Rule(
        "falling",
        r"desc\w*|decreasing|high to low|highest to lowest|largest to smallest|"
        r"from (?:the )?(?:high|highest|most|largest|oldest|biggest)|reverse\w*|z to a|"
        r"highest first|most first|worst first|best first|biggest first|largest first|"
        r"newest first|latest first",
        True,
        examples=("in descending order", "from high to low"),
    ),
    Rule(
        "rising",
        r"asc\w*|increasing|low to high|lowest to highest|smallest to largest|"
        r"alphabetical\w*|alphabetic|lexicographical\w*|"
        r"from (?:the )?(?:low|lowest|least|smallest|youngest)|a to z|"
        r"lowest first|smallest first|oldest first|earliest first",
        False,
        examples=("in ascending order", "from low to high"),
    ),
    Rule(
        "most",
        r"most|largest|highest|greatest|maximum|biggest|top|best|longest|oldest|latest|recent|"
        r"newest|heaviest|tallest|richest|frequently|common|commonest|popular|busiest|fastest|"
        r"expensive|priciest|hottest|more|last",
        True,
        examples=("the most orders", "top 5 products"),
    ),
    Rule(
        "least",
        r"least|smallest|lowest|fewest|minimum|youngest|shortest|earliest|cheapest|lightest|"
        r"worst|slowest|coldest|rarest|first",
        False,
        examples=("the fewest orders",),
    ),
)

_EXTREME = (
    r"most|largest|highest|lowest|smallest|least|best|worst|oldest|youngest|cheapest|longest|"
    r"shortest|biggest|heaviest|latest|earliest|newest|\w{3,}est"
)
TOP: tuple[Rule[str], ...] = (
    Rule(
        "top few",
        r"(?:top|first|best|worst|bottom|last) {number}",
        "few",
        examples=("top 5 products",),
    ),
    Rule(
        "few of the most",
        r"{number} (?:\w+ ){0,2}?(?:" + _EXTREME + ")",
        "few",
        examples=("the 3 largest cities",),
    ),
    Rule(
        "few with the most",
        r"{number} (?:\w+ ){1,3}?(?:with|by|having|that have) (?:the )?(?:" + _EXTREME + ")",
        "few",
        examples=("the 3 African countries with the highest life expectancy",),
    ),
    Rule(
        "the most few",
        r"(?:the )?(?:" + _EXTREME + ") {number}",
        "few",
        examples=("the largest 3 cities",),
    ),
)
