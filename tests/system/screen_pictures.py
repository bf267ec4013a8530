"""Pictures of terminals, for the documents: the cells of a screen, as tmux gives them with their colours, as SVG."""
import dataclasses
import re
from xml.etree import ElementTree
from xml.sax.saxutils import escape

COLUMNS, ROWS = 100, 26
CELL, LINE, MARGIN, FONT = 8, 18, 10, 13
TEXT, BACK = "#d8dce2", "#15181d"
SVG = "{http://www.w3.org/2000/svg}"


@dataclasses.dataclass
class Style:
    color: str = ""
    back: str = ""
    is_bold: bool = False
    is_faint: bool = False
    is_reverse: bool = False

    def apply(self, codes: list[int]) -> None:
        """What an escape code of SGR changes; of colours only those of 256."""
        while codes:
            code = codes.pop(0)
            if code in (38, 48):
                setattr(self, "color" if code == 38 else "back", color_of(codes[1]))
                del codes[:2]
            elif code in (39, 49):
                setattr(self, "color" if code == 39 else "back", "")
            elif code == 0:
                self.__init__()
            else:
                for known, name in ((1, "is_bold"), (2, "is_faint"), (7, "is_reverse")):
                    if code == known:
                        setattr(self, name, True)


def color_of(number: int) -> str:
    """Of the cube and the greys of xterm."""
    if number >= 232:
        return "#" + f"{8 + 10 * (number - 232):02x}" * 3
    levels = (0, 95, 135, 175, 215, 255)
    return "#" + "".join(f"{levels[(number - 16) // part % 6]:02x}" for part in (36, 6, 1))


def runs_of(screen: str) -> list[list[tuple[int, str, Style]]]:
    """By row: the column, the text and the style of each run of cells.  A style goes on in the next row."""
    rows, style = [], Style()
    for line in screen.splitlines():
        row, at = [], 0
        for piece in re.split(r"(\x1b\[[\d;]*m)", line):
            if piece.startswith("\x1b["):
                style.apply([int(code or 0) for code in piece[2:-1].split(";")])
            elif piece:
                row.append((at, piece, dataclasses.replace(style)))
                at += len(piece)
        if row and row[-1][2].is_reverse:
            row[-1] = (row[-1][0], row[-1][1].ljust(COLUMNS - row[-1][0]), row[-1][2])
        rows.append(row)
    return rows


def run_svg(number: int, at: int, text: str, style: Style) -> str:
    """A box behind the cells, and what stands between wide gaps, because SVG makes one space of several."""
    y = MARGIN + number * LINE
    color, back = style.color or TEXT, style.back or BACK
    if style.is_reverse:
        color, back = back, color
    more = (' font-weight="bold"' if style.is_bold else "") + (' opacity="0.65"' if style.is_faint else "")
    parts = [f'<rect x="{MARGIN + at * CELL}" y="{y}" width="{len(text) * CELL}" height="{LINE}" fill="{back}"/>'] if back != BACK else []
    for words in re.finditer(r"\S+(?: \S+)*", text):
        parts.append(f'<text x="{MARGIN + (at + words.start()) * CELL}" y="{y + LINE - 5}" textLength="{len(words[0]) * CELL}" fill="{color}"{more}>{escape(words[0])}</text>')
    return "".join(parts)


def draw(screen: str) -> str:
    width, height = COLUMNS * CELL + 2 * MARGIN, ROWS * LINE + 2 * MARGIN
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="ui-monospace, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" '
             f'font-size="{FONT}">', f'<rect width="{width}" height="{height}" rx="6" fill="{BACK}"/>']
    lines += ["<g>" + "".join(run_svg(number, *run) for run in row) + "</g>" for number, row in enumerate(runs_of(screen))]
    return "\n".join(lines) + "\n</svg>\n"


def what_it_shows(svg: str) -> list[str]:
    """Without figures and the name of the event: the first two rows and the last one, with their colours, and the colours of the rows between, whose
    names vary."""
    rows = ElementTree.fromstring(svg).findall(SVG + "g")
    shown = []
    for row in rows[:2] + rows[-1:]:
        for text in row.findall(SVG + "text")[row is rows[0]:]:
            shown.append(f"{text.get('fill')} {text.get('font-weight', '')} {re.sub(r'[0-9][0-9,.]*', 'N', text.text or '').split()}")
    shown.append(f"{len(rows)} rows, {sorted({text.get('fill') or '' for row in rows[2:-1] for text in row.findall(SVG + 'text')})}")
    return shown
