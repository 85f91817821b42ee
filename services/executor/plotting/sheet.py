"""The paper a chart is drawn on: title, axes, legend and footer, placed so that none overlap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from services.executor.plotting import measure, scales, style

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.text import Text

MARGIN = 22.0
TICK_PAD = 8.0
_SMALLEST_LABEL = 0.75  # of its usual size, before a label is cut
ASCENT = 0.76  # of a letter such as l, in sizes of the font
_DOUBT_LINES = 3


class Sheet:
    """A figure with one pair of axes; every part claims its room at an edge, in pixels.

    Order of use: `legend`, then the vertical axis, then the horizontal one, then `finish`.
    """

    def __init__(
        self, title: str, subtitle: str, footer: str, height: float = style.HEIGHT_INCHES
    ) -> None:
        """A white sheet with its title and footer on it; `height` in inches."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        self.figure = Figure(
            figsize=(style.WIDTH_INCHES, height), dpi=style.DOTS_PER_INCH, facecolor="white"
        )
        FigureCanvasAgg(self.figure)
        self.axes = self.figure.add_axes((0.1, 0.1, 0.8, 0.8), facecolor="white")
        self.width = style.WIDTH_INCHES * style.DOTS_PER_INCH
        self.height = height * style.DOTS_PER_INCH
        self.left = self.right = self.top = self.bottom = MARGIN
        self.y_label = self.x_label = ""
        self.foot = 0.0
        self._head(title, subtitle)
        self._foot(footer)
        for side, spine in self.axes.spines.items():
            spine.set_visible(side == "bottom")
            spine.set_color("#8a8a8a")
            spine.set_linewidth(0.8)
        self.axes.set_axisbelow(True)
        self.axes.grid(visible=False, which="both")
        self.axes.margins(0)

    def write(self, text: str, x: float, y: float, size: float, **options: Any) -> None:
        """Text at pixels from the left and from the top."""
        bold = options.pop("bold", False)
        self.figure.text(
            x / self.width,
            1 - y / self.height,
            text,
            fontproperties=style.font(size, bold=bold),
            linespacing=measure.LINE_SPACING,
            **{"color": style.INK, "va": "top", "ha": "left", **options},
        )

    def _head(self, title: str, subtitle: str) -> None:
        room = self.width - 2 * MARGIN
        for text, size, most, bold in (
            (title, style.TITLE_SIZE, 2, True),
            (subtitle, style.SUBTITLE_SIZE, 2, False),
        ):
            if text:
                lines = measure.wrap(text, size, room, most, bold=bold)
                colour = style.INK if bold else style.FAINT_INK
                self.write("\n".join(lines), MARGIN, self.top, size, bold=bold, color=colour)
                self.top += measure.height(size, len(lines)) + 6
        self.top += 12

    def _foot(self, footer: str) -> None:
        """The last line is faint; what stands above it must not be overlooked, in lines enough."""
        y = self.height - MARGIN * 0.6
        room = self.width - 2 * MARGIN
        *above, last = footer.split("\n")
        lines = [
            w for line in above for w in measure.wrap(line, style.NOTE_SIZE, room, _DOUBT_LINES)
        ]
        sentences = [(line, style.INK) for line in lines]
        sentences.append((measure.fit(last, style.NOTE_SIZE, room), style.FAINT_INK))
        for text, colour in reversed(sentences):
            self.write(text, MARGIN, y, style.NOTE_SIZE, color=colour, va="bottom")
            y -= measure.height(style.NOTE_SIZE) + 4
        self.foot = self.height - y - 4
        self.bottom = self.foot + 10

    @property
    def plot_width(self) -> float:
        """Pixels left for marks across."""
        return max(self.width - self.left - self.right, 50.0)

    @property
    def plot_height(self) -> float:
        """Pixels left for marks down."""
        return max(self.height - self.top - self.bottom, 50.0)

    def legend(
        self,
        handles: Sequence[Artist],
        names: Sequence[str],
        heading: str,
        *,
        upwards: bool = False,
    ) -> None:
        """A key to the colours: one row above the axes where it fits, else a column beside.

        `upwards` turns the column round, for marks that stand on top of each other.
        """
        size, one_em = style.TICK_SIZE, measure.em(style.TICK_SIZE)
        heading = measure.fit(heading, size, self.width * 0.25, bold=True)
        indent = measure.width(heading, size, bold=True) + one_em if heading else 0.0
        row = sum(measure.width(name, size) + 5 * one_em for name in names) + indent
        shared: dict[str, Any] = {
            "prop": style.font(size),
            "frameon": False,
            "borderpad": 0,
            "borderaxespad": 0,
            "handlelength": 2.4,
            "handletextpad": 0.6,
            "labelcolor": style.INK,
        }
        if row <= self.width - 2 * MARGIN:
            self.write(heading, MARGIN, self.top - 3, size, bold=True)
            place = ((MARGIN + indent) / self.width, 1 - self.top / self.height)
            beside = {"ncols": len(names), "columnspacing": 1.4, "bbox_to_anchor": place}
            self.figure.legend(handles, names, loc="upper left", **beside, **shared)
            self.top += measure.height(size) + 18
            return
        names = [measure.fit(name, size, self.width * 0.2) for name in names]
        if upwards:
            handles, names = handles[::-1], names[::-1]
        widest = max(measure.width(text, size) for text in names) + 3.4 * one_em
        widest = max(widest, measure.width(heading, size, bold=True))
        left = self.width - MARGIN - widest
        self.write(heading, left, self.top, size, bold=True)
        drop = measure.height(size) * 1.5 if heading else 0.0
        place = (left / self.width, 1 - (self.top + drop) / self.height)
        self.figure.legend(
            handles, names, loc="upper left", bbox_to_anchor=place, labelspacing=0.7, **shared
        )
        self.right += widest + MARGIN

    def numbers_up(
        self,
        low: float,
        high: float,
        label: str,
        unit: str | None,
        *,
        integer: bool = False,
        log: bool = False,
    ) -> None:
        """Make the vertical axis one of numbers."""
        if log:
            self.axes.set_yscale("log")
        at = scales.log_ticks(low, high) if log else scales.ticks(low, high, integer=integer)
        texts = [scales.value_text(v, unit) for v in at] if log else scales.tick_texts(at, unit)
        self.axes.set_ylim(low, high)
        self.axes.grid(visible=True, axis="y", color=style.GRID, linewidth=0.8, linestyle="-")
        self.ticks_up(at, texts, label)

    def ticks_up(self, at: Sequence[float], texts: Sequence[str], label: str) -> None:
        """Put these texts along the vertical axis."""
        self.axes.set_yticks(at, texts, fontproperties=style.font(style.TICK_SIZE))
        self.axes.set_yticks([], minor=True)
        self.axes.tick_params(
            axis="y", length=0, pad=TICK_PAD * 72 / style.DOTS_PER_INCH, labelcolor=style.INK
        )
        lines = [line for text in texts for line in text.split("\n")]
        widest = max((measure.width(line, style.TICK_SIZE) for line in lines), default=0.0)
        self.y_label = label
        if label:
            self.left += measure.height(style.LABEL_SIZE) + 6
        self.left += widest + TICK_PAD

    def numbers_across(
        self,
        low: float,
        high: float,
        label: str,
        unit: str | None,
        *,
        integer: bool = False,
        plain: bool = False,
        grid: bool = True,
    ) -> None:
        """Make the horizontal axis one of numbers; `plain` writes years, without separators."""
        for most in (7, 5, 4, 3, 2):
            at = scales.ticks(low, high, most=most, integer=integer or plain)
            texts = [f"{v:.0f}" for v in at] if plain else scales.tick_texts(at, unit)
            widest = max(measure.width(text, style.TICK_SIZE) for text in texts)
            if len(at) < 2 or (at[1] - at[0]) / (high - low) * self.plot_width > widest + 20:
                break
        self.axes.set_xlim(low, high)
        if grid:
            self.axes.grid(visible=True, axis="x", color=style.GRID, linewidth=0.8, linestyle="-")
        self.ticks_across(at, texts, label)

    def ticks_across(
        self, at: Sequence[float], texts: Sequence[str], label: str, *, rotation: float = 0.0
    ) -> None:
        """Put these texts along the horizontal axis."""
        lines = max((text.count("\n") + 1 for text in texts), default=1)
        level = lines == 1 and not rotation  # on one base line, whatever letters a text has
        looks: dict[str, Any] = {"va": "baseline", "rotation_mode": "anchor"} if level else {}
        if rotation:
            looks = {"rotation": rotation, "ha": "right", "rotation_mode": "anchor"}
        self.axes.set_xticks(at, texts, fontproperties=style.font(style.TICK_SIZE))
        for text in self.axes.get_xticklabels():
            text.set(linespacing=1.1, **looks)
        self.axes.set_xticks([], minor=True)
        pad = 1.4 * TICK_PAD * 72 / style.DOTS_PER_INCH + level * ASCENT * style.TICK_SIZE
        self.axes.tick_params(axis="x", length=0, pad=pad, labelcolor=style.INK)
        self._keep_inside(at, texts, slanted=rotation > 0)
        self.x_label = label
        if label:
            self.bottom += measure.height(style.LABEL_SIZE) + 10
        if rotation:
            widest = max((measure.width(text, style.TICK_SIZE) for text in texts), default=0.0)
            self.bottom += widest * 0.71 + measure.height(style.TICK_SIZE) + 1.4 * TICK_PAD
        else:
            self.bottom += measure.height(style.TICK_SIZE, lines) + 1.4 * TICK_PAD

    def _keep_inside(self, at: Sequence[float], texts: Sequence[str], *, slanted: bool) -> None:
        """Widen the margins where a text reaches beyond the axes; needs the axis range."""
        low, high = self.axes.get_xlim()
        room, left, right = self.plot_width, self.left, self.right
        for place, text in zip(at, texts, strict=True):
            widest = max(measure.width(line, style.TICK_SIZE) for line in text.split("\n"))
            offset = room * (place - low) / (high - low)
            reach = widest * 0.75 if slanted else widest / 2
            left = max(left, reach + 8 - offset)
            right = max(right, (0 if slanted else reach) + 8 - (room - offset))
        self.left, self.right = left, right

    def finish(self) -> None:
        """Give the axes the room that is left, and name them."""
        self.right = max(self.right, MARGIN * 1.6)
        w, h = self.plot_width, self.plot_height
        self.axes.set_position(
            (self.left / self.width, self.bottom / self.height, w / self.width, h / self.height)
        )
        size = style.LABEL_SIZE
        if self.y_label:
            smaller = size * h / max(measure.width(self.y_label, size), 1.0)
            size = min(size, max(smaller, size * _SMALLEST_LABEL))
            text = measure.fit(self.y_label, size, h)
            centre = self.top + h / 2
            self.write(text, MARGIN * 0.7, centre, size, rotation=90, va="center")
        if self.x_label:
            size = style.LABEL_SIZE
            text = measure.fit(self.x_label, size, w)
            y = self.height - self.foot - 14
            self.write(text, self.left + w / 2, y, size, ha="center", va="bottom")
        self.take_text_literally()

    def texts(self) -> list[str]:
        """Everything written on the sheet."""
        return [text.get_text() for text in self._text_artists()]

    def _text_artists(self) -> list[Text]:
        from matplotlib.text import Text

        return [found for found in self.figure.findobj(Text) if isinstance(found, Text)]

    def take_text_literally(self) -> None:
        """A dollar sign is money here, never the start of a formula."""
        for text in self._text_artists():
            text.set_parse_math(False)
            text.set_usetex(False)
