"""Words that answers may be told in, in German, French, Spanish and Chinese. Pure.

As in `mesh.proof.wording`, a word either states something, and then an assertion must bear it, or
it is plain. Function words are a choice from the stop-word lists of the Snowball project
(snowballstem.org), without those that deny or compare; of Chinese, which has none there, the
commonest particles and measure words. Chinese is written without spaces: its words are found by the
longest of these lists that fits (`han_words`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

STATING = {
    "highest": """höchste höchsten höchster höchstes größte größten größter größtes meiste meisten
        élevé élevée élevés élevées grand grande grands grandes haut haute hauts hautes important
        importante importants importantes fort forte forts fortes plus mayor mayores más máximo
        máxima máximos máximas alto alta altos altas elevado elevada elevados elevadas
        最高 最多 最大""",
    "lowest": """niedrigste niedrigsten niedrigster niedrigstes kleinste kleinsten kleinster
        kleinstes geringste geringsten wenigste wenigsten bas basse basses faible faibles petit
        petite petits petites moins plus más menor menores menos mínimo mínima mínimos mínimas bajo
        baja bajos bajas 最低 最少 最小""",
    "rose": """stieg stiegen gestiegen augmenté augmenta subió subieron aumentó creció
        上升 增加 增长""",
    "fell": """fiel fielen sank sanken gesunken baissé baissa diminué diminua bajó cayó disminuyó
        下降 减少""",
    "first": "begann begannen commencé commença empezó comenzó",
    "last": "endete endeten terminé termina terminó acabó",
}
"""By kind of assertion, the words that say so."""

_PLAIN = """
    der die das den dem des ein eine einen einem einer eines und in im am an auf aus bei mit von
    vom zu zum zur für hat hatte hatten haben ist sind war waren wurde wurden es gab gibt pro je
    jahr jahre jahren monat monate monaten tag tage woche wochen quartal zeilen zeile dabei davon
    damit sich als insgesamt anzahl zahl
    le la les l d de du des un une et en au aux à a avait ont avaient est sont était étaient par
    pour avec dans sur chaque année années an ans mois jour jours semaine trimestre y où qui que qu
    lignes ligne il elle ils elles eu atteint se s nombre
    el los las lo un una unos unas y del al con por para que es son fue fueron era eran ha han
    tiene tienen tuvo tuvieron hubo hay cada año años mes meses día días semana trimestre filas fila
    se su sus número
    的 了 是 在 有 为 与 和 及 从 到 至 由 其 该 这 共 个 条 位 名 年 月 日 季度 周 元 件 次 行
    中 于 达到 达 分别 每 数量
"""
PLAIN = frozenset(_PLAIN.casefold().split())
"""Words that state nothing by themselves."""

MARKS = frozenset("，。、：；（）«»¿¡")
_HAN = re.compile(r"[㐀-䶿一-鿿]")
_HAN_KNOWN = {
    word
    for words in (*STATING.values(), " ".join(PLAIN))
    for word in words.split()
    if _HAN.match(word)
}
_LONGEST = max(map(len, _HAN_KNOWN))


def is_han(text: str) -> bool:
    """Whether a text has a Chinese character in it."""
    return _HAN.search(text) is not None


def han_words(run: str) -> Iterator[tuple[int, int]]:
    """Where the words of a run without spaces begin and end: known ones, else single characters."""
    at = 0
    while at < len(run):
        fits = (n for n in range(_LONGEST, 1, -1) if run[at : at + n] in _HAN_KNOWN)
        length = next(fits, 1)
        yield at, at + length
        at += length
