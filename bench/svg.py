"""A chart of lines in plain SVG: axes, grid, legend. No dependencies."""
import math
from html import escape

FONT = 'font-family="Helvetica, Arial, sans-serif"'


def number(v):
    """As short as reads well: 0.01, 100, 1e-6."""
    if v == 0 or 1e-3 <= abs(v) < 1e5:
        return f"{v:g}"
    mantissa, exponent = f"{v:e}".split("e")
    return f"{float(mantissa):g}e{int(exponent)}"


class Axis:
    def __init__(self, low, high, log=False, ticks=None, label=""):
        self.low, self.high, self.log, self.label = low, high, log, label
        self.ticks = ticks or self.default_ticks()

    def default_ticks(self):
        if self.log:
            first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
            step = max(1, math.ceil((last - first) / 6))
            return [10.0**e for e in range(first, last + 1, step)]
        step = 10 ** math.floor(math.log10((self.high - self.low) / 2))
        while (self.high - self.low) / step > 7:
            step *= 2 if str(step / 10 ** math.floor(math.log10(step)))[0] != "2" else 2.5
        first = math.ceil(self.low / step - 1e-9)
        return [round(i * step, 12) for i in range(first, math.floor(self.high / step + 1e-9) + 1)]

    def place(self, v):
        """0..1 along the axis."""
        if self.log:
            return math.log(v / self.low) / math.log(self.high / self.low)
        return (v - self.low) / (self.high - self.low)


class Panel:
    """One set of axes at (left, top), of a size in pixels. Line: (points, color, dash, width)."""

    def __init__(self, left, top, width, height, x, y, title=""):
        self.left, self.top, self.width, self.height = left, top, width, height
        self.x, self.y, self.title = x, y, title
        self.parts = []
        self.frame()

    def at(self, x, y):
        return self.left + self.width * self.x.place(x), self.top + self.height * (1 - self.y.place(y))

    def frame(self):
        add = self.parts.append
        right, bottom = self.left + self.width, self.top + self.height
        for tick in self.x.ticks:
            px, _ = self.at(tick, self.y.low)
            add(f'<path d="M{px:.1f} {self.top}V{bottom}" stroke="#e4e4e4"/>')
            add(f'<text x="{px:.1f}" y="{bottom + 16}" text-anchor="middle" font-size="11">{number(tick)}</text>')
        for tick in self.y.ticks:
            _, py = self.at(self.x.low, tick)
            add(f'<path d="M{self.left} {py:.1f}H{right}" stroke="#e4e4e4"/>')
            add(f'<text x="{self.left - 6}" y="{py + 4:.1f}" text-anchor="end" font-size="11">{number(tick)}</text>')
        add(f'<path d="M{self.left} {self.top}V{bottom}H{right}" fill="none" stroke="#333"/>')
        middle = self.left + self.width / 2
        if self.x.label:
            add(f'<text x="{middle}" y="{bottom + 34}" text-anchor="middle" font-size="12">{escape(self.x.label)}</text>')
        if self.y.label:
            px, py = self.left - 46, self.top + self.height / 2
            add(f'<text x="{px}" y="{py}" transform="rotate(-90 {px} {py})" text-anchor="middle" font-size="12">{escape(self.y.label)}</text>')
        if self.title:
            add(f'<text x="{middle}" y="{self.top - 8}" text-anchor="middle" font-size="12" font-weight="bold">{escape(self.title)}</text>')

    def line(self, points, color, dash="", width=2, name="", marker=False, steps=False):
        """Breaks where a value is missing or off the scale below; is cut off at the top."""
        path, pen_up, last = "", True, 0.0
        for x, y in points:
            if y is None or not math.isfinite(y) or y < self.y.low * (1 - 1e-9) or not self.x.low <= x <= self.x.high:
                if steps and not pen_up:
                    px, _ = self.at(max(self.x.low, min(x, self.x.high)), self.y.low)
                    path += f"H{px:.1f}V{self.top + self.height}"
                pen_up = True
                continue
            px, py = self.at(x, min(y, self.y.high))
            if not pen_up and steps:
                if abs(py - last) < 0.3:  # too little to see
                    continue
                path += f"H{px:.1f}V{py:.1f}"
            else:
                path += f'{"M" if pen_up else "L"}{px:.1f} {py:.1f}'
            if marker:
                self.parts.append(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="2.5" fill="{color}"/>')
            pen_up, last = False, py
        if steps and not pen_up:
            path += f"H{px:.1f}"
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        title = f"<title>{escape(name)}</title>" if name else ""
        self.parts.append(
            f'<path d="{path}" fill="none" stroke="{color}" stroke-width="{width}" stroke-linejoin="round"{dashes}>{title}</path>'
        )

    def text(self, px, py, what, size=11, anchor="start"):
        self.parts.append(f'<text x="{px}" y="{py}" font-size="{size}" text-anchor="{anchor}">{escape(what)}</text>')

    def __str__(self):
        return "\n".join(self.parts)


def legend(entries, left, top, columns=1, column_width=170):
    """entries: (name, color, dash)."""
    parts = []
    rows = math.ceil(len(entries) / columns)
    for i, (name, color, dash) in enumerate(entries):
        px, py = left + column_width * (i // rows), top + 18 * (i % rows)
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        parts.append(f'<path d="M{px} {py}h28" stroke="{color}" stroke-width="2.5"{dashes}/>')
        parts.append(f'<text x="{px + 34}" y="{py + 4}" font-size="12">{escape(name)}</text>')
    return "\n".join(parts)


# Light or dark as the reader prefers, as src/core/drawing/page.cpp does for pictures of releases: rules of a style
# sheet come before attributes. Only what is near black or white changes, and blues, of which one is dark on black
# and the other has to differ from what it becomes.
def swap(attribute, shades):
    return "".join(f'[{attribute}="{light}" i]{{{attribute}:{dark}}}' for light, dark in shades)


INK = [("#000000", "#e4e8eb"), ("#222222", "#e4e8eb"), ("#222", "#e4e8eb"), ("#333", "#e4e8eb"), ("#555555", "#a3aeb8"),
       ("#0072b2", "#3d9bd8"), ("#56b4e9", "#a6dcf8"), ("#7a5195", "#b48cd0"), ("#777777", "#98a2ab")]
PAPER = [("#fff", "#14181b"), ("#e4e4e4", "#323a41"), ("#b8b8b8", "#5a646c"), ("#ececec", "#2a3238")]
DARK_RULES = swap("fill", INK + PAPER) + swap("stroke", INK + PAPER)
DARK = f"<style>@media screen and (prefers-color-scheme:dark){{{DARK_RULES}}}</style>"


def save(path, width, height, title, description, parts):
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-labelledby="t d" {FONT} fill="#222">\n'
        f'<title id="t">{escape(title)}</title>\n<desc id="d">{escape(description)}</desc>\n{DARK}\n'
        f'<rect width="{width}" height="{height}" fill="#fff"/>\n'
        f'<text x="16" y="24" font-size="15" font-weight="bold">{escape(title)}</text>\n'
        + "\n".join(str(part) for part in parts)
        + "\n</svg>\n"
    )
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
