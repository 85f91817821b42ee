"""Words that anybody says of anything: in small letters they are no part of a name.

Titles are made of them ("Five Years Gone", "Run!", "Whole Lotta Love"), and so are questions.
Written in quotation marks, in capitals, or together as the whole of a title, they can name it all
the same.
"""

from __future__ import annotations

COMMON = frozenset(
    """
    a able about above across add added after again against ago alone along already also always
    among amount an and another any anybody anyone anything apart area around as ask asked at
    away back bad be because become been before began begin behind being below beside best
    better between beyond big bigger biggest bit both break bring brought build built busy but
    by call called came card care carry case cent change charge cheap check choose city clear
    close closed cold come coming common compare complete cost costs could count country cover
    current cut daily date day days deal decide deep did different do does doing done down draw
    drive drop during each early easy either else empty end ended ends enough equal even ever
    every everybody everyone everything exact except expect face fact fail fair fall far fast
    feel feet fell few fewer field fight figure fill final find fine fire first fit five fix
    flat follow food foot for forget form forward found four free fresh from full fun further
    gain gave get give given go goes going gone good got great group grow grown guess had half
    hand hands happen happy hard has have having head hear heart heat held help here hide high
    higher hit hold home hope hot hour hours house how however huge idea if in inside instead
    into is it just keep kept kind knew know known land large largest last late later lead learn
    least leave led left less let level life light like likely line list little live lived long
    longer longest look looked lose loss lost lot lots love low lower lowest made main major
    make makes man many mark matter may maybe mean means meant men might mind minute minutes
    miss money month months more morning most move moved much must name near nearly need needed
    never new next night nine no nobody none nor normal not nothing now number of off often ok
    okay old on once one ones only open or order other others otherwise our out over own page
    paid pair part parts party past pay people per perhaps person pick piece place plain plan
    play played playing please plus point poor possible post pretty price put quick quickly
    quiet quite rain raise ran range rate rather reach read real really reason rest result
    return ride right ring rise road roll room round row run running runs safe said same save
    saw say says scale second see seem seen sell send sent separate separately set seven several
    shall share she short shot should show side sign simple since single sit six size sky sleep
    slow small so sold some somebody something sometimes soon sort sound space speak special
    spend spent split stand start started state stay step still stop straight street strong such
    sum sun sure take taken takes talk team tell ten term test than thank that the their them
    then there these they thing things think third this those though thought three through time
    times to today together told tomorrow tonight too took top total town trade train travel
    trip true try turn turned two type under until up upon us use used usual value very view
    visit voice wait walk want war was watch water way ways we week weeks well went were what
    when where whether which while who whole whose why wide will win wish with within without
    woman women word words work worked world worse worst worth would write wrong year years yes
    yesterday yet you your zero
    """.split()
)


def are_common(words: str) -> bool:
    """Whether all of these words are common ones in small letters."""
    texts = [word.strip("!?.,;:’'\"()-") for word in words.split()]
    return bool(texts) and all(word in COMMON for word in texts if word)
