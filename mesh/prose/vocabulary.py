"""The words that state something of the data, as regular expressions. A word is added here.

One phrase after another, separated by "
        " or the end of a line. Words in `STRICT` must be borne by
something that is bound; those in `SOFT` have other meanings too, so that they are judged where
bound cells decide and pass where none do.
"""

from __future__ import annotations

from enum import Enum


class States(Enum):
    """What a word states."""

    UP = "up"
    DOWN = "down"
    UNCHANGED = "unchanged"
    HIGHEST = "highest"
    LOWEST = "lowest"
    EXTREME = "extreme"
    MORE = "more"
    LESS = "less"
    AS = "as"
    TIMES = "times"
    SIGNIFICANT = "significant"
    CAUSE = "cause"
    MAJORITY = "majority"
    MINORITY = "minority"


_NO_TIMES = r"(?! than (?:doubl|tripl|quadrupl|halv|twice|\w+fold|half\b))"
MORE = (
    "higher|more|greater|larger|bigger|longer|better|warmer|hotter|dearer|busier|wetter|heavier"
    "|stronger|richer|taller|steeper|wider|costlier|pricier|older|fuller"
)
LESS = (
    "lower|less|fewer|smaller|shorter|worse|cooler|colder|cheaper|quieter|drier|lighter"
    "|weaker|poorer|thinner|narrower|younger|emptier|leaner|tighter"
)
NTH = "second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth"
_COMES = "came|comes?|ranks?|ranked|finish(?:ed|es)|placed"
_TABLE = r"(?:list|table|league|rankings?|ranks|pack|field|pile|tree|bill|standings)"

STRICT: dict[States, str] = {
    States.UP: r"""rose|rises?|rising|risen|increas(?:e|es|ed|ing)|grew|grows?|growing|grown
        growth
        climb(?:s|ed|ing)?|jump(?:s|ed)?|surg(?:e|es|ed|ing)|soar(?:s|ed)?|went up|gain(?:s|ed)?
        picked up|up(?= (?:by|from|on|at)\b)|expand(?:s|ed)?|widen(?:s|ed)?
        (?:(?<=, )|(?<=was )|(?<=were )|(?<=is ))up(?=\s{5,})""",
    States.DOWN: r"""fell|falls?|falling|fallen|decreas(?:e|es|ed|ing)|declin(?:e|es|ed|ing)
        drop(?:s|ped|ping)?|shr(?:ank|inks?|unk)|plung(?:e|es|ed)|went down|slid|slump(?:s|ed)?
        lost ground|down(?= (?:by|from|on|at|to)\b)|contract(?:s|ed)|dip(?:s|ped)?
        slip(?:s|ped)?|narrow(?:s|ed)
        (?:(?<=, )|(?<=was )|(?<=were )|(?<=is ))down(?=\s{5,})""",
    States.UNCHANGED: r"""unchanged|(?:stayed|remained) (?:flat|stable|the same)|did not change
        flat|stable|constant""",
    States.HIGHEST: r"""highest|largest|biggest|greatest|most(?! of\b)|maximum|peak(?:s|ed)?
        led(?! to\b)(?![^,;.]{1,40}?\bby\s{4,})|best|strongest|longest|busiest|dearest|hottest
        warmest|wettest
        fattest|richest|heaviest|tallest|leakiest|a high of""",
    States.LOWEST: r"""lowest|smallest|fewest|least|minimum|weakest|worst|shortest
        quietest|cheapest|coldest|coolest|driest|thinnest|poorest|lightest|tightest|meanest
        a low of|rock bottom""",
    States.MORE: rf"""(?:{MORE}){_NO_TIMES}(?= [\w -]{{0,24}}?\bthan\b)
        exceed(?:s|ed|ing)?(?! by\b)|outperform(?:s|ed)?(?! by\b)|outsold(?! by\b)|ahead of
        surpass(?:es|ed)?(?! by\b)""",
    States.LESS: rf"""(?:{LESS}){_NO_TIMES}(?= [\w -]{{0,24}}?\bthan\b)|underperform(?:s|ed)?""",
    States.TIMES: r"""doubl(?:e|es|ed|ing)|tripl(?:e|es|ed|ing)|quadrupl(?:e|es|ed)
        halv(?:e|es|ed|ing)|twice|(?:two|three|four|five|six|seven|eight|ten)-?fold""",
    States.SIGNIFICANT: r"""(?:statistically )?(?:in)?significan(?:t|tly|ce)|(?:by|to) chance
        statistically""",
    States.CAUSE: r"""because|due to(?! chance)|owing to|thanks to|caus(?:es|ed|ing)
        consequence of|driven by
        drove|led to|leads? to|result(?:s|ed)? (?:in|from)|as a result|explains?|explained by
        attributable to|(?:effect|impact) of(?!\s{4,})|responsible for""",
    States.MAJORITY: r"""(?:the )?majority|most of""",
}
SOFT: dict[States, str] = {
    States.UP: r"""improv(?:es|ed)|won|wins|add(?:s|ed)|put on|came back|comes back
        rall(?:y|ies|ied)|rebound(?:s|ed)?|bounc(?:es|ed) back|recover(?:s|ed)
        swell(?:s|ed)|balloon(?:s|ed)|mushroom(?:s|ed)|took off|takes off|skyrocket(?:s|ed)
        spik(?:es|ed)|strengthen(?:s|ed)|advanc(?:es|ed)|boom(?:s|ed)|made ground|gained ground
        (?:crept|edged|inched|ticked|nudged|shot|moved|came|gone|drifted) (?:up|higher)
        pick(?:s|ed|ing) up (?:pace|speed)|from strength to strength|(?:took|takes) a leap
        accelerat(?:es|ed|ing)|quicken(?:s|ed|ing)|speed(?:s|ing) up|sped up
        (?:gather|gain)(?:s|ed|ing) (?:pace|speed|momentum)|upturn|uptick""",
    States.DOWN: r"""worsen(?:s|ed)|deteriorat(?:es|ed)|los(?:t|es)|sheds?|gave (?:back|up)
        tumbl(?:es|ed)|retreat(?:s|ed)|sank|sinks|sunk|sag(?:s|ged)|dwindl(?:es|ed)
        wan(?:es|ed)|weaken(?:s|ed)|collaps(?:es|ed)|crash(?:es|ed)|plummet(?:s|ed)|nosedived
        slacken(?:s|ed)|soften(?:s|ed)|reced(?:es|ed)|ebb(?:s|ed)|subsid(?:es|ed)
        diminish(?:es|ed)|lessen(?:s|ed)|deflat(?:es|ed)|eased|took a (?:knock|hit|tumble|dive)
        (?:crept|edged|inched|ticked|nudged|moved|came|come|gone|drifted) (?:down|lower)
        cool(?:s|ed|ing)|slow(?:s|ed|ing)(?: down)?|decelerat(?:es|ed|ing)|downturn|loss
        los(?:es|t|ing) (?:pace|speed|momentum|steam)""",
    States.UNCHANGED: r"""(?:hardly|barely|scarcely) (?:var(?:y|ies|ied)|differs?)
        (?:hardly|barely|scarcely) (?:chang(?:es?|ed)|mov(?:es?|ed))
        much the same|level pegging|neck and neck|stood still|held steady
        (?:was|were|stayed) steady""",
    States.EXTREME: rf"""(?:{NTH})(?:-| )place
        (?:{_COMES}|lies|sits?|stands?) (?:in )?(?:{NTH})(?! place)
        second only to|runner-?up|second to last|last but one|next to last|penultimate""",
    States.HIGHEST: rf"""leads?(?! to\b)(?![^,;.]{{1,40}}?\bby\s{{4,}})|second to none|record|top
        all-time high|best-?sellers?|front-?runner
        (?:head(?:s|ed)|top(?:s|ped)|led) the {_TABLE}|top of the {_TABLE}|at the top
        (?:{_COMES}|is|was) first|first place|number one
        high point|in the lead|out in front|came out on top|comes out on top|champions?
        takes the crown|tops them all|pole position|highlight""",
    States.LOWEST: rf"""bottom(?:s|ed)?(?: out)?|all-time low|low point|nadir|trough|wooden spoon
        (?:{_COMES}) last|last place
        bottom of the {_TABLE}
        (?:brings?|brought|bringing) up the rear|props? up the {_TABLE}|laggard
        foot of the {_TABLE}
        at the bottom|at the tail end|tail-?ender""",
    States.MORE: rf"""(?:{MORE}){_NO_TIMES}(?=[^.;:]{{0,300}}?\bthan\b)|above|tops|topped
        the (?:{MORE}) of the two
        (?:leads?|led)(?=[^,;.]{{1,40}}?\bby\s{{4,}})|ahead(?! of\b)
        (?:the edge|the upper hand) over
        (?:{MORE})(?=[^.;:]{{0,99}}?\b(?:compared (?:with|to)|as against|as opposed to|versus|vs)\b)
        the better of|topped(?! by\b)
        beats?(?! by\b)|overt(?:akes?|ook)|outnumber(?:s|ed)?(?! by\b)|outstrip(?:s|ped)?(?! by\b)
        outpac(?:e|es|ed)(?! by\b)|outd(?:oes|id)|outweigh(?:s|ed)?(?! by\b)
        eclips(?:e|es|ed)(?! by\b)
        dwarf(?:s|ed)?(?! by\b)|outsells?|outrank(?:s|ed)?(?! by\b)|outsho(?:ne|ines)|clear of
        edg(?:es|ed) (?:out|ahead)(?! of\b)(?! by\b)|in front of|better(?:ed|s)""",
    States.LESS: rf"""(?:{LESS}){_NO_TIMES}(?=[^.;:]{{0,300}}?\bthan\b)|below|behind|no match for
        the (?:{LESS}) of the two
        (?:{LESS})(?=[^.;:]{{0,99}}?\b(?:compared (?:with|to)|as against|as opposed to|versus|vs)\b)
        (?:beaten|overtaken|outnumbered|dwarfed|outstripped|exceeded) by
        (?:surpassed|outperformed|outsold|eclipsed) by
        trail(?:s|ed)?(?! by\b)|lag(?:s|ged)?|f[ae]ll(?:s)? short of|short of|undercuts?""",
    States.TIMES: r"""half(?= as\b)""",
    States.AS: r"""(?:as|so) (?:long|many|much|high|often|large|big|busy|well|good|hot|wet)
        (?:as|so) (?:warm|expensive)
        as (?:strong|heavy|rich|full|old)""",
    States.MAJORITY: r"""(?:more than|over) half
        the (?:bulk|lion's share|better part|greater part) of|mostly
        predominantly
        (?<!the )(?<!\bat )(?<!'s )(?<!’s )most(?= (?:of the |of our )?[a-z-]+s\b)""",
    States.MINORITY: r"""(?:a|the) (?:small |tiny )?minority
        (?:less than|fewer than|under) half""",
}
HARMLESS = r"""at (?:least|most)|at all|in all|all in all|overall|of all
    all of (?:it|this|that)|above all|after all|no more than|no less than|the effect of this
    (?:for|in|of|by) each|most recent|least recent|not only|mm fell
        (?<!just )f[ae]ll(?:s|en)? short(?! of\b)
    falls? (?:in|into|within|under|on)|in (?:the )?fall|on top of(?= (?:that|this|it))|best guess
        at best
    see above|see below|the (?:table|chart) below|(?:described|stated) (?:above|below)
    (?:is|was|lies|are|were|stands|be) behind (?:it|this|that|them)|more or less|once more
    for the record|the (?:more|less|fewer|higher|lower) (?:a|an|the)\b|on record|track record
        cool(?:ing)? (?:system|box)|for the most part"""
NO_SUPERLATIVES = (
    "interest|request|forest|west|(?:north|south|mid)-?west|test|rest|harvest|honest|late?st"
    "|earliest|newest|oldest|nearest|closest|modest|invest|guest|protest|contest|suggest|chest"
    "|crest|quest|digest|arrest|behest|conquest|inquest|bequest|budapest|youngest|next"
)
HEDGES = {
    "more": r"more than|upwards? of|exceed(?:s|ed|ing)?|better than|in excess of|north of"
    r"|topp?(?:ed|s|ing)|pass(?:ed|es)|surpass(?:ed|es)|cross(?:ed|es)(?: the)?|beyond"
    r"|(?:just|well|a (?:little|shade|touch|bit)|slightly|comfortably) (?:over|above)",
    "over": "at least|no fewer than|no less than|over|above",
    "less": r"less than|fewer than|nearly"
    r"|(?:just|well|a (?:little|shade|touch|bit)|slightly) (?:under|below)"
    r"|almost|short of|shy of|not quite|approaching|getting on for|close on",
    "under": "at most|(?<!adds )(?<!add )(?<!added )(?<!comes )up to|no more than|under|below",
    "about": r"about|around|roughly|approximately|some|circa|ca\.|~|close to|in the region of"
    r"|or so|nearer|more or less",
}
