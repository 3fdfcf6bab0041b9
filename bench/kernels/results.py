"""One run's figures, as bench/kernels/measure wrote them."""
import csv
import dataclasses
import lzma
import re
import sys


REMARKS = {"disagrees": "  DISAGREES", "peer errs": "  PEER ERRS"}


@dataclasses.dataclass(frozen=True)
class Row:
    routine: str
    type: str
    flags: str
    m: int
    n: int
    lda: int
    layout: str
    cache: str
    bytes: float
    calls: int
    replays: int
    roof: float  # microseconds, as the next three; None: not measured
    mublas: float
    spread: float
    cublas: float
    atomics: float
    agreement: str

    @property
    def name(self):
        return f"{self.type}{self.routine} {self.flags}"

    @property
    def operation(self):
        """What is plotted and averaged together: one routine, type and set of flags."""
        return (self.routine, self.type, self.flags)

    @property
    def square(self):
        return self.m == self.n

    @property
    def of_roof(self):
        return self.roof / self.mublas if self.roof else None

    @property
    def peer(self):
        """The better of cuBLAS's two modes, or None."""
        return min((time for time in (self.cublas, self.atomics) if time), default=None)

    @property
    def ratio(self):
        """How many times faster than the better peer."""
        return self.peer / self.mublas if self.peer else None

    def rate(self, time):
        """GB/s, or None."""
        return self.bytes / time / 1000 if time else None


@dataclasses.dataclass
class Run:
    comments: list
    rows: list
    l2_bytes: int = 0
    large_roof: float = 0.0  # GB/s over 4 GiB: the better of begin and end; 0: not measured


def number(text):
    return float(text) if text else None


def read(path):
    reader = lzma.open if str(path).endswith(".xz") else open
    with reader(path, "rt", encoding="utf-8") as file:
        lines = file.read().splitlines()
    comments = [line[2:] for line in lines if line.startswith("#")]
    run = Run(comments, [])
    for cells in csv.DictReader(line for line in lines if line and not line.startswith("#")):
        if "shape" in cells:
            sys.exit(f"{path}: of a run with -s: its lines are no figures of what is chosen")
        run.rows.append(Row(cells["routine"], cells["type"], cells["flags"], int(cells["m"]), int(cells["n"]),
                            int(cells["lda"]), cells["layout"], cells["cache"], float(cells["bytes"]),
                            int(cells["calls"]), int(cells["replays"]), number(cells["roof_us"]),
                            float(cells["mublas_us"]), float(cells["mublas_spread"]), number(cells["cublas_us"]),
                            number(cells["cublas_atomics_us"]), cells["agreement"]))
    for comment in comments:
        if comment.startswith("l2_bytes:"):
            run.l2_bytes = int(comment.split()[1])
        if re.match("roof_4gib_", comment):
            run.large_roof = max(run.large_roof, float(comment.split()[1]))
    if not run.rows or not run.l2_bytes:
        sys.exit(f"{path}: no figures of bench/kernels/measure")
    return run


def cell(value, form):
    return format(value, form) if value else "-"


def table(run):
    """Everything, a line per case."""
    lines = [f"# {comment}" for comment in run.comments]
    lines.append("# GB/s; of roof: roof(n)'s time over ours; x peer: the better cuBLAS mode's time over ours")
    lines.append(f"{'routine':<14}{'m':>8}{'n':>11} {'layout':<8}{'L2':<5}{'us':>10}{'mublas':>8}{'cublas':>8}"
                 f"{'atomics':>8}{'roof':>8}{'of roof':>9}{'x peer':>8}{'spread':>8}")
    for row in run.rows:
        lines.append(f"{row.name:<14}{row.m:>8}{row.n:>11} {row.layout:<8}{row.cache:<5}{row.mublas:>10.2f}"
                     f"{row.rate(row.mublas):>8.0f}{cell(row.rate(row.cublas), '.0f'):>8}"
                     f"{cell(row.rate(row.atomics), '.0f'):>8}{cell(row.rate(row.roof), '.0f'):>8}"
                     f"{cell(row.of_roof, '.3f'):>9}{cell(row.ratio, '.2f'):>8}{row.spread:>8.3f}"
                     + REMARKS.get(row.agreement, ""))
    return "\n".join(lines) + "\n"
