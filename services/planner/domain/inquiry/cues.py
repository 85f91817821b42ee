"""Which words ask about a finished job, and about what of it: rules with their examples.

`surely` marks words that can mean nothing but the work that was done. Others mean it only after a
job that has something to tell of the topic: "how large is the effect?" is a question about data
where no effect was estimated.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from services.planner.domain.inquiry.passage import Topic


@dataclass(frozen=True, slots=True)
class TopicCue:
    """Words that ask about a topic; `examples` are tried in the tests."""

    topic: Topic
    pattern: re.Pattern[str]
    surely: bool
    examples: Sequence[str]


def _cue(topic: Topic, pattern: str, *examples: str, surely: bool = False) -> TopicCue:
    return TopicCue(topic, re.compile(pattern, re.IGNORECASE), surely, examples)


_LEAD = r"(?:(?:and|but|so|ok(?:ay)?|well|now|then|please)[ ,]+)*"
_IT = r"(?:it|this|that|these|those|they|them|the (?:result|answer|number|figure|finding|effect)s?)"
_MOVE = r"(?:drop|fall|decline|decrease|rise|increase|growth|jump|change|spike|dip|move(?:ment)?)"
_MOVED = r"(?:drop|fall|fell|decline|decrease|rise|rose|increase|grow|grew|jump|change|move)d?"

TOPIC_CUES: tuple[TopicCue, ...] = (
    _cue(
        Topic.ASSUMED,
        rf"{_LEAD}(?:what (?:did you|was|were|has been|have you|do you) (?:assumed?|taken? for "
        r"granted)|"
        r"(?:what|which) (?:are |were )?(?:the |your )?(?:assumptions?|caveats?|limitations?)|"
        r"(?:any|list the|tell me the) (?:assumptions|caveats|limitations)|"
        r"what (?:does|did) (?:it|this) (?:assume|rest on)).*",
        "what did you assume?",
        "which assumptions did you make?",
        "what are the caveats?",
        "and what was taken for granted?",
        surely=True,
    ),
    _cue(
        Topic.SURE,
        rf"{_LEAD}(?:how (?:sure|certain|confident|reliable|trustworthy) (?:are you|is {_IT}|"
        rf"can we be)|are you (?:sure|certain|confident)|can (?:i|we) (?:trust|rely on|believe) "
        rf"(?:{_IT}|you)|is {_IT} (?:certain|reliable|trustworthy|sure)|"
        r"why (?:are you|is it) (?:so )?(?:sure|unsure|not sure|uncertain))(?P<rest>\b.*)",
        "how sure are you?",
        "how sure are you of the drop in EMEA?",
        "can I trust that?",
        "are you certain?",
        "is it reliable?",
        surely=True,
    ),
    _cue(
        Topic.SOURCES,
        rf"{_LEAD}(?:(?:what|which) (?:data|files?|sources?|tables?|dataset)s? (?:did you use|were "
        r"used|was used|did you look at|is (?:it|this|that) (?:based on|from))|"
        rf"where (?:do|does|did) {_IT} come from|what is (?:it|this|that) based on)",
        "which data did you use?",
        "what is it based on?",
        "where does the number come from?",
        surely=True,
    ),
    _cue(
        Topic.COMPUTED,
        rf"{_LEAD}(?:how (?:did you|was {_IT}|were {_IT}|have you) (?:compute|calculate|get|work|"
        r"arrive|do|made?|derive|find)d?\b.*|"
        r"(?:what|which) (?:sql|quer(?:y|ies)|steps?|tools?|calls?|method) (?:did you|was|were)\b.*"
        r"|where does (?P<rest>[-+]?\d[\d.,]*) ?%? come from)",
        "how did you compute that?",
        "how was it calculated?",
        "which steps did you take?",
        "where does 46,098 come from?",
        surely=True,
    ),
    _cue(
        Topic.READING,
        rf"{_LEAD}(?:how (?:did you|was it|have you) (?:understand|understood|read|interpret|take)"
        r"(?:ed)?\b.*|what did you (?:understand|take .* (?:for|to mean)|think .* means?)\b.*)",
        "how did you understand the question?",
        "what did you take sales to mean?",
        surely=True,
    ),
    _cue(
        Topic.FILES,
        rf"{_LEAD}(?:(?:what|which) (?:files?|charts?|reports?|artifacts?|documents?|pictures?) "
        r"(?:did you (?:make|write|draw)|were made|are there|do you have)|"
        r"where (?:is|are|can i find) the (?:files?|charts?|reports?|notebook|picture|table))\b.*",
        "which files did you make?",
        "where is the report?",
        surely=True,
    ),
    _cue(
        Topic.NEXT,
        rf"{_LEAD}(?:what (?:should|can|could) (?:i|we) do (?:next|now|about it)|what (?:do you "
        r"|would you )?(?:recommend|suggest)|what (?:is|are) the next steps?|what next)",
        "what should we do next?",
        "what do you recommend?",
        surely=True,
    ),
    _cue(
        Topic.ANSWER,
        rf"{_LEAD}(?:what (?:was|is) (?:the|your) (?:answer|result|conclusion|outcome|finding)s?"
        r"(?: again)?|what did you (?:find|conclude)(?: out)?|what (?:was|were) the findings|"
        r"(?:summari[sz]e|sum up|recap) (?:it|this|that|the (?:answer|results?|findings|report)))",
        "what was the answer?",
        "what did you find?",
        "summarise the findings",
        surely=True,
    ),
    _cue(
        Topic.RULED_OUT,
        rf"{_LEAD}(?:(?:what|which (?:hypothes[ei]s|explanations?|causes?|"
        rf"reasons?)) (?:did you rule|"
        r"have you ruled|was ruled|were ruled|is ruled|are ruled) (?:it |them )?out|what (?:is|"
        r"was) "
        r"it not (?:because of|caused by))",
        "what did you rule out?",
        "which hypotheses were ruled out?",
        surely=True,
    ),
    _cue(
        Topic.OPEN,
        rf"{_LEAD}(?:what|which (?:hypothes[ei]s|questions?|explanations?)) (?:is|are|was|were|"
        r"remains?|did you leave|could you not) (?:still |left )?(?:open|not settled|unsettled|"
        r"unresolved|undecided|settle)",
        "which hypotheses are still open?",
        "what is not settled?",
        surely=True,
    ),
    _cue(
        Topic.HYPOTHESES,
        rf"{_LEAD}(?:(?:what|which) (?:were the |are the |your )?hypothes[ei]s(?: (?:did you|were|"
        r"was|have you)\b.*)?|what (?:did|have) you (?:test|check|look at|consider|try|look into)"
        r"(?:ed)?)",
        "which hypotheses did you test?",
        "what did you check?",
        surely=True,
    ),
    _cue(
        Topic.PLACEBO,
        rf"{_LEAD}(?:(?:what|how|did|does|do|was|were)\b.* (?:placebo|refutation|shuffling|"
        rf"robustness)"
        r"(?: (?:tests?|checks?|runs?))?(?: (?:say|show|find|give|come out|pass|fail|go|tell|"
        r"survive)\w*)?|did it (?:survive|pass) the tests)",
        "what did the placebo test say?",
        "did it survive the refutation tests?",
    ),
    _cue(
        Topic.UNSEEN,
        rf"{_LEAD}(?:(?:what about|how about|(?:could|can|might) there be|is there|are there|"
        rf"what if "
        rf"there (?:is|are|were)|could {_IT} be) (?:an? |any |some )?(?:hidden|unmeasured|"
        rf"unobserved|"
        r"unseen|omitted|unknown) (?:confound\w+|causes?|variables?|factors?)|"
        rf"how (?:fragile|sensitive|robust) (?:is|are) {_IT}|what (?:is|was) the (?:e-?value|"
        r"sensitivity)|how strong would an? (?:hidden|unseen|unmeasured) \w+ have to be)",
        "what about hidden confounders?",
        "how fragile is it?",
        "what is the e-value?",
    ),
    _cue(
        Topic.PLAIN,
        rf"{_LEAD}(?:what|how (?:large|big)) (?:is|was|does) the (?:(?:plain|naive|raw|unadjusted|"
        r"simple) (?:comparison|difference|effect|estimate)(?: say| give)?|(?:difference|effect|"
        r"comparison) without (?:any )?adjust(?:ment|ing))",
        "what is the plain comparison?",
        "what is the difference without adjustment?",
    ),
    _cue(
        Topic.ADJUSTED,
        rf"{_LEAD}(?:what (?:did you|was it|is it|have you) (?:adjust|control|account)\w* for|"
        r"(?:what|which) (?:were |are )?(?:the )?confounders(?: (?:were there|are there|did you "
        r"(?:find|use)))?|did you (?:adjust|control|account) for (?P<rest>.*))",
        "what did you adjust for?",
        "which confounders were there?",
        "did you control for age?",
    ),
    _cue(
        Topic.VERDICT,
        rf"{_LEAD}(?:what (?:did|does|do) the (?:critics?|critique|s[ck]eptics?|defender) (?:say|"
        r"object to|think|find|answer|conclude)|what (?:is|was) the (?:verdict|critique|"
        r"objections?)|"
        r"(?:was|is) it approved|(?:were|are) there (?:any )?objections|why (?:is|was) it not "
        r"(?:settled|approved))",
        "what did the sceptic object to?",
        "what is the verdict?",
        "was it approved?",
    ),
    _cue(
        Topic.OVERLAP,
        rf"{_LEAD}(?:(?:how|is) (?:good |well |there )?(?:is |was )?(?:the |any )?overlap|do the "
        r"(?:two )?groups overlap|(?:are|were|can) the (?:two )?groups (?:be )?(?:comparable|"
        r"compared|alike|similar|balanced))",
        "are the groups comparable?",
        "how is the overlap?",
    ),
    _cue(
        Topic.METHODS,
        rf"{_LEAD}(?:(?:what|which) (?:methods?|estimators?) (?:did you use|were used|are there|"
        r"agree)|do the (?:methods|estimators|estimates) agree(?: with (?:each other|"
        r"one another))?|"
        r"what (?:does|did|do) (?P<rest>(?!the\b|it\b)\S+(?: \S+)?) (?:say|give|find|estimate))",
        "what does DML say?",
        "do the methods agree?",
        "which methods did you use?",
    ),
    _cue(
        Topic.GRAPH,
        rf"{_LEAD}(?:what does the (?:causal )?(?:graph|dag) (?:look like|say|show)|"
        rf"show (?:me )?the "
        r"causal (?:graph|dag)|which edges (?:are there|does the graph have|did you find))",
        "what does the graph look like?",
        "which edges are there?",
    ),
    _cue(
        Topic.EFFECT,
        rf"{_LEAD}(?:how (?:large|big|strong|high|much) (?:is|was) (?:the|its) (?:effect|impact)|"
        r"what (?:is|was) (?:the|its) (?:effect|estimate|impact|interval|confidence interval))\b"
        r"(?P<rest>.*)",
        "how large is the effect?",
        "what is the estimate?",
        "what is the confidence interval?",
    ),
    _cue(
        Topic.REPAIRS,
        rf"{_LEAD}(?:what did you (?:repair|clean|impute|fix)|did you (?:repair|clean|impute|fix) "
        r"(?:the data|anything|something)|how did you (?:treat|handle|fill) (?:missing values|"
        r"gaps))",
        "what did you repair?",
        "how did you treat missing values?",
    ),
    _cue(
        Topic.EXPLAINED,
        rf"{_LEAD}(?:(?:which|what) (?:segments?|groups?|dimensions?|factors?|"
        rf"parts?) (?:explain(?:s|"
        r"ed)?|mattered|drove|contributed|stands? out|stood out|(?:is|was|were) responsible|caused|"
        rf"moved)(?: (?:for )?(?:{_IT}|the {_MOVE}))?(?: the)?(?: most| best)?|"
        rf"what (?:explain(?:s|ed)|drove|drives) (?:{_IT}|the {_MOVE})(?: most| best)?|"
        r"what (?:is|was|are|were) the (?:main|biggest|largest|top|best|likeliest|most likely|"
        r"first|"
        r"second|third|\d(?:st|nd|rd|th)) (?:driver|reason|explanation|cause|factor|segment)s?)",
        "which segment explained most?",
        "what explained the drop most?",
        "what was the main driver?",
        "what is the second explanation?",
    ),
    _cue(
        Topic.USUAL,
        rf"{_LEAD}(?:(?:is|was|were|are) (?:{_IT}|(?:such an? |the )?{_MOVE}|so much)(?: in \S+)? "
        r"(?:usual|unusual|normal|abnormal|chance|noise|random|(?:statistically )?significant|"
        rf"expected)|(?:could|can|may|might) (?:{_IT}|the {_MOVE}) be (?:by )?(?:chance|noise|"
        rf"random|"
        r"luck))",
        "was the change usual?",
        "could it be chance?",
        "is the drop significant?",
    ),
    _cue(
        Topic.ONSET,
        rf"{_LEAD}(?:when did (?:{_IT}|the {_MOVE})\b(?P<rest>.*?) (?:begin|start)|since when)",
        "when did it begin?",
        "when did the drop in EMEA start?",
        "since when?",
    ),
    _cue(
        Topic.QUALITY,
        rf"{_LEAD}(?:(?:is|are|was|were) the (?:data|numbers) (?:complete|sound|ok(?:ay)?|good|"
        rf"clean|"
        r"right|reliable|in doubt)|(?:is|was) (?:there )?(?:anything|"
        r"something) wrong with the data|"
        r"what is wrong with the data|(?:are|were) there (?:any )?(?:problems|issues|"
        r"doubts) (?:with|"
        r"in|about) the data|how (?:good )?is the data quality)",
        "is the data complete?",
        "is there anything wrong with the data?",
    ),
    _cue(
        Topic.SPLIT,
        rf"{_LEAD}(?:(?:what|which) (?:dimensions|columns) (?:did you (?:use|look at|split by|try)|"
        r"were (?:used|looked at))|did you (?:look at|check|consider|split by|test) (?P<rest>.*))",
        "which dimensions did you use?",
        "did you look at device?",
    ),
    _cue(
        Topic.CHANGE,
        rf"{_LEAD}(?:(?:how much|how far|by how much) did (?P<rest>.*?) ?{_MOVED}|"
        rf"(?:how (?:big|large|much) (?:is|was)|what (?:is|was)) the (?:overall |total )?{_MOVE}"
        r"(?P<more>\b.*))",
        "how much did revenue fall?",
        "how big was the drop?",
        "by how much did it rise?",
    ),
)


def topics_asked(words: str) -> list[tuple[TopicCue, str]]:
    """The cues that words fit, the first the likeliest, each with what it leaves to be narrowed."""
    text = " ".join(words.split()).strip(" ?.!…")
    found = []
    for cue in TOPIC_CUES:
        if (match := cue.pattern.fullmatch(text)) is not None:
            groups = match.groupdict()
            rest = " ".join(filter(None, (groups.get("rest"), groups.get("more"))))
            found.append((cue, rest))
    return found


def asks_about(words: str, topics: Collection[Topic] | None) -> bool:
    """Whether words ask about the work itself; `told` are the topics of the job before, None for
    none."""
    found = topics_asked(words)
    if topics is None:
        return any(cue.surely for cue, _ in found)
    return any(cue.surely or cue.topic in topics for cue, _ in found)
