"""Figures of runs of bench/programs/run.py, by case and contender."""
import csv
import dataclasses
import statistics
import sys

import contenders


@dataclasses.dataclass(frozen=True)
class Row:
    """One process."""
    contender: str
    round: int
    status: str  # ok, failed, or over: ended after wall seconds
    wall: float
    program: str
    n: int
    repetitions: int
    first: float  # seconds, as the next two; None: not there
    later: float
    calls: float
    residual: float
    orthogonality: float
    digest: str


MEASURED = ("first_seconds", "later_seconds", "calls_seconds", "residual", "orthogonality")


def number(text):
    return float(text) if text else None


def read_rows(path):
    """(comments, rows) of one data file."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    comments = [line[2:] for line in lines if line.startswith("#")]
    rows = []
    for cells in csv.DictReader(line for line in lines if line and not line.startswith("#")):
        measured = [number(cells[name]) for name in MEASURED]
        rows.append(Row(cells["contender"], int(cells["round"]), cells["status"],
                        float(cells["wall_seconds"]), cells["program"], int(cells["n"]),
                        int(cells["repetitions"] or 0), *measured, cells["digest"]))
    return comments, rows


def median(values):
    values = [value for value in values if value is not None]
    return statistics.median(values) if values else None


def worst(values):
    """A NaN counts as infinite."""
    values = [value if value == value else float("inf") for value in values if value is not None]
    return max(values) if values else None


class Result:
    """All rounds of one case on one contender."""

    def __init__(self, rows):
        good = [row for row in rows if row.status == "ok"]
        self.rounds = len(good)
        self.failed = any(row.status == "failed" for row in rows)
        ended = [row.wall for row in rows if row.status == "over"]
        self.over = max(ended) if ended and not good else None
        self.first = median(row.first for row in good)
        self.later = median(row.later for row in good)
        self.calls = median(row.calls for row in good)
        seconds = [row.later if row.later is not None else row.first for row in good]
        self.spread = max(seconds) / min(seconds) if seconds and min(seconds) > 0 else None
        self.residual = worst(row.residual for row in good)
        self.orthogonality = worst(row.orthogonality for row in good)
        self.digests = {(row.repetitions, row.digest) for row in good}
        self.lengths = {row.repetitions for row in good}

    @property
    def steady(self):
        """Seconds of the later repetitions, or of the first where it is the only one."""
        return self.later if self.later is not None else self.first

    @property
    def repeatable(self):
        """Equal digests in all rounds; None with a single one."""
        return len(self.digests) == len(self.lengths) if self.rounds > 1 else None


class Case:
    """One program and size on all contenders."""

    def __init__(self, program, n, results):
        self.program, self.n, self.results = program, n, results
        self.name = f"{program} {n}"
        self.host = results["host"]

    def ratio(self, contender, kind):
        """How many times faster than the host; `kind` is "steady" or "first". None: unknown."""
        result = self.results.get(contender)
        mine, theirs = getattr(result, kind, None), getattr(self.host, kind)
        return theirs / mine if mine and theirs else None


@dataclasses.dataclass
class Run:
    comments: list
    cases: list
    contenders: list  # in order, host first


def read(paths):
    """Several files count as one run: ratios are within a case, and each case belongs to the
    first file that has it."""
    comments, found = [], {}
    for index, path in enumerate(paths):
        some, rows = read_rows(path)
        comments += some
        for row in rows:
            owner, results = found.setdefault((row.program, row.n), (index, {}))
            if owner == index:
                results.setdefault(row.contender, []).append(row)
    cases = [Case(program, n, {name: Result(rows) for name, rows in results.items()})
             for (program, n), (_, results) in found.items() if "host" in results]
    if not cases:
        sys.exit(f"{', '.join(paths)}: no figures of bench/programs/run.py")
    names = {name for case in cases for name in case.results}
    return Run(comments, cases, [name for name in contenders.ORDER if name in names])
