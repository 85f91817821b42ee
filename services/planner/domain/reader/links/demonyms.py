"""Other ways of naming countries: demonyms, short names, codes. One line: spoken, then names."""

from __future__ import annotations

_LINES = """
american|united states|usa|us
us|united states|usa
usa|united states|us
u.s.|united states|usa
america|united states|usa
british|united kingdom|uk|great britain|england
uk|united kingdom|great britain
britain|united kingdom|uk|great britain
english|england|uk
scottish|scotland
welsh|wales
irish|ireland
french|france
german|germany
italian|italy
spanish|spain
portuguese|portugal
dutch|netherlands|the netherlands|holland
belgian|belgium
swiss|switzerland
austrian|austria
swedish|sweden
norwegian|norway
danish|denmark
finnish|finland
polish|poland
czech|czech republic|czechia
hungarian|hungary
greek|greece
turkish|turkey
russian|russia|russian federation
ukrainian|ukraine
romanian|romania
bulgarian|bulgaria
serbian|serbia
croatian|croatia
icelandic|iceland
chinese|china
japanese|japan
korean|south korea|korea|korea, rep.
indian|india
pakistani|pakistan
indonesian|indonesia
thai|thailand
vietnamese|vietnam
filipino|philippines
malaysian|malaysia
israeli|israel
iranian|iran
iraqi|iraq
egyptian|egypt
moroccan|morocco
nigerian|nigeria
kenyan|kenya
ethiopian|ethiopia
south african|south africa
canadian|canada
mexican|mexico
brazilian|brazil
argentine|argentina
argentinian|argentina
chilean|chile
colombian|colombia
peruvian|peru
cuban|cuba
australian|australia
african|africa
european|europe
asian|asia
oceanian|oceania
"""

COUNTRIES: dict[str, tuple[str, ...]] = {
    spoken: tuple(names)
    for spoken, *names in (line.split("|") for line in _LINES.strip().splitlines())
}
