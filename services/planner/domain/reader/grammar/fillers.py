"""Words that say nothing of the data: politeness, how somebody came to ask, words of stress.

What stands in `POLITENESS` is taken out of a question before it is read, unless a column, a table
or a value is called so. What stands in `EMPTY` stays, and need not be read.
"""

from __future__ import annotations

from services.planner.domain.reader.grammar.rules import Rule

POLITENESS: tuple[Rule[str], ...] = (
    Rule(
        "politeness",
        r"(?:(?:if|when) (?:you|it) (?:please|can|could|is possible)|(?:yes )?please|pls|plz"
        r"|kindly|thanks(?: a lot| so much)?|thank you(?: very much| so much)?|cheers|many thanks"
        r"|would you mind telling me)",
        "politeness",
        examples=("orders by city, please", "thanks"),
    ),
    Rule(
        "why it is asked",
        r"(?:i|we) (?:(?:just|really|also) )?(?:want|need|would like|wish|have) to (?:know|see"
        r"|find out|understand|learn|check)|(?:i|we)'d (?:(?:really|also) )?(?:like|love|want) to"
        r" (?:know|see|find out|understand|learn|check)|i (?:was|am|'m) (?:just )?(?:wondering"
        r"|curious|asking)(?: about)?|i'm (?:just )?(?:wondering|curious|interested in)(?: about)?"
        r"|i wonder|(?:do|does|would|might) (?:you|anyone|anybody) (?:happen to )?know"
        r"|(?:can|could|would|will) you (?:please )?(?:tell|show|give|find)(?: me| us)?"
        r"|tell me|let me know|remind me|help me (?:find|see|understand)"
        r"|(?:i|we)(?:'| ' )d (?:(?:really|also) )?(?:like|love)(?: to (?:have|get))?"
        r"|(?:can|could|may) (?:i|we) (?:please )?(?:have|get)|i (?:only |just )?need",
        "why",
        examples=(
            "I want to know how many sold",
            "I would like to see sales",
            "do you know who won",
            "I'd like just the total",
        ),
    ),
    Rule(
        "what is to be done",
        r"\A\s*(?:calculate|compute|determine|work out|evaluate|obtain|analy[sz]e)"
        r"(?: and (?:report|show|give))?",
        "instruction",
        examples=("calculate the median age of the survivors", "Analyze sales by region"),
    ),
    Rule(
        "greeting",
        r"(?:hi|hello|hey)(?: there| all| team| assay)?",
        "greeting",
        examples=("hi there, how many boats", "hello"),
    ),
    Rule(
        "between two questions",
        r"(?:(?:a|#?one) )?(?:quick|different|another|new|other|separate|last) (?:question|thing"
        r"|topic)(?: now| in between)?|(?:a )?quick #?one(?: in between)?|#?one more (?:question"
        r"|thing)|on another (?:note|topic)|something else",
        "between",
        examples=("quick one in between: how many boats", "different question, who won"),
    ),
    Rule(
        "in the data",
        r"(?:in|from|according to|within|across|based on) (?:all )?(?:of )?(?:our|the|this|my|these"
        r"|your) (?:data|dataset|data set|database|db|file|files|records|spreadsheet|system)",
        "data",
        examples=("orders in our data", "according to the records, how many"),
    ),
    Rule(
        "how numbers are written",
        r"(?:and )?(?:round(?:ed|ing)?|report(?:ed)?|given?|correct)(?: off)?"
        r"(?: (?:it|them|(?:your|the) (?:results?|answers?|values?|numbers?|output)))? to"
        r" (?:the nearest )?#?(?:\d|one|two|three|four|five|six) (?:decimals?(?: places?| points?)?"
        r"|(?:significant )?digits|places)",
        "rounding",
        examples=("mean fare, rounded to 2 decimal places", "Round to two decimals."),
    ),
    Rule(
        "missing values of what is told",
        r"ignor(?:e|ing) (?:any |all |the )?(?:missing|null|nan) values(?! (?:in|of|for)\b)",
        "missing",
        examples=("mean of Fare, ignoring missing values",),
    ),
    Rule(
        "with which tool",
        r"(?:using|with|in) (?:the )?(?:pandas|python|scipy|numpy|sql|statsmodels|scikit[- ]learn"
        r"|sklearn)(?: library)?",
        "tool",
        examples=("mean fare using pandas",),
    ),
    Rule(
        "stress",
        r"overall|altogether|all in all|basically|actually|simply|really|by the way|btw|as well"
        r"|just curious|quickly|quick question|more or less|in general|generally speaking",
        "stress",
        examples=("how many trips overall", "basically, what was it"),
    ),
)

EMPTY: tuple[Rule[str], ...] = (
    Rule(
        "layout",
        r"pivot(?:s|ted)?(?: tables?)?|cross[- ]?tab(?:s|ulations?)?|tabulate",
        "layout",
        examples=("pivot of sales by region and year", "a pivot table of visits by clinic"),
    ),
    Rule(
        "helping verb",
        r"got|gets|getting|gotten|happen(?:s|ed)?|took place|takes? place|occur(?:s|red)?|still"
        r"|came|come|comes|went|goes|going|made|makes|ran|runs|turn(?:s|ed)? out|(?<=signed )up",
        "verb",
        examples=("how many got cancelled", "which took place in May", "who signed up"),
    ),
    Rule(
        "standing for things",
        r"ones|something|anything|someone|anyone|anybody|somebody",
        "pronoun",
        examples=("without the cancelled ones",),
    ),
    Rule(
        "one at all",
        r"(?:a|one|even a|even one) single|ever|at all|in all|exactly",
        "stress",
        examples=("drivers without a single win", "the fastest lap ever"),
    ),
    Rule(
        "what a name is of",
        r"(?<!which )(?<!what )(?<!many )(?:columns?|variables?)",
        "column",
        examples=("average of the column cost",),
    ),
    Rule(
        "asking for an answer",
        r"(?:for )?returning(?= (?:the|all|a))",
        "answer",
        examples=("a bar chart for returning the number of users by plan",),
    ),
    Rule(
        "between things",
        r"among|amongst|out of|(?<=relationship )between|differs? (?:between|by|across)"
        r"|var(?:y|ies) (?:between|by|across)",
        "relation",
        examples=(
            "students among members",
            "relationship between age and fare",
            "it differs by age",
        ),
    ),
    Rule(
        "between two numbers",
        r"(?:relation(?:ship)?|correlation|association|connection)s? (?:\w+ )?between",
        "relation",
        examples=("the correlation between age and salary",),
    ),
    Rule(
        "comparison",
        r"(?:a |the )?comparisons? (?:about|of|between)(?: the)?",
        "comparison",
        examples=("give me the comparison about salary over the team",),
    ),
)

_HAVING = (
    r"(?:ha(?:s|ve|d)|holds?|held|plays?|played|owns?|owned|gets?|got|receives?|received|places?"
    r"|placed|makes?|made|handles?|handled|hosts?|hosted|attend(?:s|ed)?|offers?|offered|ha(?:s|ve)"
    r" (?:had|hosted|played|attended|received|placed|made))"
)
EACH_HAS: tuple[Rule[str], ...] = (
    Rule(
        "what each has",
        rf"(?:each|every)(?: \w+)? {_HAVING}|(?:did|does|do|has|have) (?:each|every)(?: \w+)?"
        rf" {_HAVING}|(?:they|it) (?:all )?{_HAVING}",
        "having",
        examples=("the number of boats each holds", "how many gigs did each band play"),
    ),
)
"""What things do with the rows that are counted of each."""

ALONG: tuple[Rule[str], ...] = (
    Rule(
        "over an axis",
        r"(?:chang(?:e|es|ing) (?:of|in) (?:the )?(?:\w+ ){1,4}?)?(?:over|across|along)"
        r" (?:the )?{word}",
        "axis",
        examples=("salary over the team", "the change of noise over the day"),
    ),
)
"""Where a number is drawn along a column."""

PART_OF_TIME: tuple[Rule[str], ...] = (
    Rule(
        "part of a longer time",
        r"(?:{word} of (?:the |each |a )?(?:day|week|month|year))",
        "part",
        examples=("rides by hour of the day", "month of the year"),
    ),
)

NUMBER_OF: tuple[Rule[str], ...] = (
    Rule(
        "number of what is told as a number",
        r"(?:number|numbers|amount|count|quantity|level)s? of (?:the )?{word}",
        "number",
        examples=("average number of pages",),
    ),
)

OVER_TIME: tuple[Rule[str], ...] = (
    Rule(
        "over time",
        r"(?:(?:how )?(?:did|does|do|has|have|is|are|was|were) )?(?:(?:chang(?:e|es|ed|ing)"
        r"|develop(?:s|ed|ing)?|evolv(?:e|es|ed|ing)|trend(?:s|ed|ing)?|var(?:y|ies|ied)"
        r"|progress(?:ed|es)?|go(?:es|ne)?|went|mov(?:e|ed|es)) )?"
        r"(?:over|through|throughout|across|during|with) (?:the )?(?:course of )?(?:the )?"
        r"(?:time|years|months|weeks|days|decades|seasons)",
        "time",
        examples=("how did the average salary change over the years", "sales over time"),
    ),
)

TIMES: tuple[Rule[str], ...] = (
    Rule(
        "so many times",
        r"{number} times|once|twice|how often|how many times",
        "times",
        examples=("more than 10 times",),
    ),
)

ACTIONS: tuple[Rule[str], ...] = (
    Rule(
        "what those with the most did",
        r"(?:handled?|handles|mak(?:es|e|ing)|made|placed?|places|receiv(?:ed|es|e)|took|takes?"
        r"|process(?:ed|es)|serv(?:ed|es|e)|manag(?:ed|es|e)|produc(?:ed|es|e)|creat(?:ed|es|e)"
        r"|scor(?:ed|es)|wrote|written|writes?|releas(?:ed|es|e)|record(?:ed|s)|host(?:ed|s)?|h(?:eld|olds?)"
        r"|own(?:ed|s)?|h(?:as|ad|ave)|g(?:ot|ets?)|book(?:ed|s)?|bought|buys?|order(?:ed|s)?"
        r"|issu(?:ed|es|e)|fil(?:ed|es)|submit(?:ted|s)?|did|does|perform(?:ed|s)?"
        r"|publish(?:ed|es)?|direct(?:ed|s)|sent|sends?|carr(?:ied|ies|y)|deal(?:s|t) with"
        r"|attend(?:ed|s)?|offer(?:ed|s)?|ha(?:s|ve) had|see(?:s|n)?|saw)"
        r"(?= (?:the )?(?:most|fewest|least|highest|lowest|more|at least|over|fewer))",
        "doing",
        examples=("which clerk handled the most cases", "teams that attended at least 3 meetings"),
    ),
)

TRADING: tuple[Rule[str], ...] = (
    Rule(
        "what was done with goods",
        r"bought|buys?|buying|purchas(?:e|es|ed|ing)|order(?:ed|s|ing)|sold|sells?|selling",
        "trading",
        examples=("customers who bought tea", "genres bought by each customer"),
    ),
)
"""How customers come to products: by the lines of orders that join them."""

HOLDING: tuple[Rule[str], ...] = (
    Rule(
        "what is part of something",
        r"contain(?:s|ed|ing)?|includ(?:es?|ed|ing)|belong(?:s|ed|ing)?(?: to)?"
        r"|consist(?:s|ed|ing)?(?: of)?",
        "holding",
        examples=("playlists that contain no tracks",),
    ),
)
"""How things are joined to what they consist of."""

DOER: tuple[Rule[str], ...] = (
    Rule(
        "what somebody did the most of",
        r"(?:who|(?:which|what) \S+) {word}"
        r"(?= (?:the )?(?:most|fewest|least|highest|lowest|biggest|longest|largest) \S)",
        "doing",
        examples=("who hit the most home runs", "which team stole most bases"),
    ),
)
"""Whatever was done: the measure that follows says of what there is most."""

TOGETHER: tuple[Rule[str], ...] = (
    Rule(
        "values as one",
        r"together|combined|taken together|put together",
        "together",
        examples=("average salary of Sales and IT together", "sales of May and June combined"),
    ),
)
"""What a number of several values that does not split by them reads."""

KNOWN: tuple[Rule[str], ...] = (
    Rule(
        "known",
        r"known|unknown|recorded|given|filled(?: in)?|don't know|do not know|on record|missing",
        "known",
        examples=("without a known address",),
    ),
)

PEOPLE: tuple[Rule[str], ...] = (
    Rule(
        "people",
        r"people|persons?|folks?|guys|individuals?|human beings",
        "people",
        examples=("how many people answered",),
    ),
)
