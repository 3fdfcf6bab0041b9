"""Bars of speed over the host's, as SVG without any library."""
import math
from xml.sax.saxutils import escape

COLOURS = {"mublas": "#1f5fbf", "several": "#7b3fb5", "run": "#6fa3e8", "nvblas": "#d9822b",
           "cusolver": "#2a9d5c"}
LABELS = {"mublas": "mublas", "several": "mublas on all devices", "run": "mublas run (huge pages)",
          "nvblas": "NVBLAS", "cusolver": "cuSOLVER (rewritten)"}
LEFT, WIDTH, RIGHT, TOP, BAR, GAP = 150, 620, 60, 74, 13, 10  # pixels


def device_name(run):
    for comment in run.comments:
        if comment.startswith("device:"):
            return comment.split(":", 1)[1].split(",")[0].strip()
    return "unknown device"


def text_at(x, y, text, anchor="start", size=12, colour="#202020"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}">'
            f"{escape(text)}</text>")


class Scale:
    """A logarithmic axis that holds 1 and every value."""

    def __init__(self, values):
        self.low = math.log2(min([0.5, *values])) - 0.1
        self.high = math.log2(max([2, *values])) + 0.1

    def x(self, value):
        return LEFT + WIDTH * (math.log2(value) - self.low) / (self.high - self.low)

    def ticks(self):
        return [2.0 ** power for power in range(math.ceil(self.low), math.floor(self.high) + 1)]


def axis(scale, bottom):
    for tick in scale.ticks():
        x = scale.x(tick)
        colour = "#404040" if tick == 1 else "#e0e0e0"
        yield f'<line x1="{x:.1f}" y1="{TOP - 6}" x2="{x:.1f}" y2="{bottom}" stroke="{colour}"/>'
        yield text_at(x, bottom + 14, f"{tick:g}", "middle", 11)


def legend(names):
    x = LEFT
    for name in names:
        yield f'<rect x="{x}" y="{TOP - 30}" width="11" height="11" fill="{COLOURS[name]}"/>'
        yield text_at(x + 16, TOP - 20, LABELS[name], size=11)
        x += 40 + 7 * len(LABELS[name])


def chart(run, kind, heading):
    """An SVG document; None when there is nothing to draw."""
    names = [name for name in run.contenders if name != "host"]
    groups = [(case, [(name, case.ratio(name, kind)) for name in names if case.ratio(name, kind)])
              for case in run.cases]
    groups = [(case, bars) for case, bars in groups if bars]
    if not groups:
        return None
    scale = Scale([ratio for _, bars in groups for _, ratio in bars])
    shapes, y = [], TOP
    for case, bars in groups:
        shapes.append(text_at(LEFT - 8, y + BAR * len(bars) / 2 + 4, case.name, "end"))
        for name, ratio in bars:
            low, high = sorted((scale.x(1), scale.x(ratio)))
            shapes.append(f'<rect x="{low:.1f}" y="{y}" width="{max(high - low, 1):.1f}" '
                          f'height="{BAR - 2}" fill="{COLOURS[name]}"/>')
            shapes.append(text_at(high + 4, y + BAR - 3, f"{ratio:.2f}", size=10))
            y += BAR
        y += GAP
    size = f'width="{LEFT + WIDTH + RIGHT}" height="{y + 40}"'
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif">',
             f'<rect {size} fill="#ffffff"/>', text_at(LEFT, 24, heading, size=14),
             *legend(names), *axis(scale, y), *shapes,
             text_at(LEFT + WIDTH / 2, y + 32, "times as fast as the host BLAS on all cores", "middle"),
             "</svg>", ""]
    return "\n".join(lines)


def write(run, directory):
    device = device_name(run)
    for kind, words in (("steady", "later repetitions"),
                        ("first", "first repetition, with waking the device")):
        document = chart(run, kind, f"Programs on {device}: {words}")
        if document:
            name = "speed-later.svg" if kind == "steady" else "speed-first.svg"
            (directory / name).write_text(document, encoding="utf-8")
