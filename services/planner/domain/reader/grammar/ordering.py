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
        r"large to small|big to small|long to short|old to young|good to bad|best to worst|"
        r"most to least|top to bottom|top down|"
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
        r"small to (?:large|big)|short to long|young to old|bad to good|worst to best|"
        r"least to most|bottom to top|bottom up|"
        r"lowest first|smallest first|oldest first|earliest first",
        False,
        examples=("in ascending order", "from low to high"),
    ),
    Rule(
        "most",
        r"most often|most|largest|highest|greatest|maximum|biggest|top|best|longest|oldest|"
        r"latest|recent|"
        r"newest|heaviest|tallest|richest|frequently|common|commonest|popular|busiest|fastest|"
        r"expensive|priciest|hottest|more|last",
        True,
        examples=("the most orders", "top 5 products", "which came most often"),
    ),
    Rule(
        "least",
        r"least often|least|smallest|lowest|fewest|minimum|youngest|shortest|earliest|cheapest|"
        r"lightest|worst|slowest|coldest|rarest|first|bottom",
        False,
        examples=("the fewest orders", "bottom 4 customers"),
    ),
)

_END = r" first(?= , | and |$| please)"
FIRST: tuple[Rule[str], ...] = (
    Rule(
        "highest first",
        r"(?:highest|largest|biggest|greatest|most|longest|heaviest|tallest|richest|busiest"
        r"|priciest|fastest|hottest|top|most \w+)" + _END,
        "highest",
        examples=("salary by team, highest first",),
    ),
    Rule(
        "lowest first",
        r"(?:lowest|smallest|fewest|least|shortest|lightest|cheapest|poorest|slowest|coldest"
        r"|least \w+)" + _END,
        "lowest",
        examples=("rooms by price, cheapest first",),
    ),
    Rule("oldest first", r"(?:oldest|earliest)" + _END, "oldest", examples=("pets, oldest first",)),
    Rule(
        "youngest first",
        r"(?:youngest|newest|latest|most recent)" + _END,
        "youngest",
        examples=("films, newest first",),
    ),
    Rule("worst first", r"worst" + _END, "worst", examples=("carriers by delay, worst first",)),
    Rule("best first", r"best" + _END, "best", examples=("films by rating, best first",)),
)

_EXTREME = (
    r"most|largest|highest|lowest|smallest|least|best|worst|oldest|youngest|cheapest|longest|"
    r"shortest|biggest|heaviest|latest|earliest|newest|\w{3,}est"
)
# "second" is no unit of time before a superlative.
PLACES: tuple[Rule[str], ...] = (
    Rule(
        "later place",
        r"(?P<number>#\d+(?:st|nd|rd|th)|second|third|fourth|fifth|sixth|seventh|eighth|ninth"
        r"|tenth)(?:-| - | )(?:" + _EXTREME + ")",
        "place",
        examples=("the second most expensive product", "2nd highest freight"),
    ),
)

ANY: tuple[Rule[str], ...] = (
    Rule(
        "any few",
        r"\A(?:show|list|give|display|see|get|print)(?: me| us)?(?: any| some)? {number} {word}\Z",
        "few",
        examples=("show me 5 products",),
    ),
)
"""A few things whichever they are: the whole of the question."""

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
        "so many that are most",
        r"(?:which|what) {number} (?:\w+ ){1,6}?(?:" + _EXTREME + ")",
        "few",
        examples=("which 3 towns in Kent grew fastest",),
    ),
    Rule(
        "few that did most",
        r"{number} (?:\w+ ){2,7}?(?:most|least)",
        "few",
        examples=("3 shops whose revenue dropped most",),
    ),
    Rule(
        "the most few",
        r"(?<!at )(?:the )?(?:" + _EXTREME + ") {number}",  # "at least 3" bounds
        "few",
        examples=("the largest 3 cities",),
    ),
)

TOP_BY: tuple[Rule[bool | None], ...] = (
    Rule(
        "most by a number",
        r"(?:top|leading)(?: \S+){1,4} by {word}",
        True,
        examples=("top owner by amount", "the top 5 customers by revenue"),
    ),
    Rule(
        "least by a number",
        r"bottom(?: \S+){1,4} by {word}",
        False,
        examples=("bottom 3 regions by amount",),
    ),
    Rule(
        "best or worst by a number",
        r"(?:best|worst)(?: \S+){1,4} by {word}",
        None,
        examples=("worst carriers by delay",),
    ),
)
"""What things are ranked by, and whether its highest comes first: of many rows their sum."""
