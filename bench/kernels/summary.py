"""The acceptance figures of the kernels, from a run's rows; all by cold device time.

Every requirement is judged case by case (or, for means, operation by operation: one
routine, type and set of flags) and is met only if every one meets it. A requirement of
which nothing was measured counts as neither.
"""
import math

MATRIX_ROUTINES = ("gemv", "symv", "hemv", "trmv")
WORST_SHOWN = 8


class Requirement:
    def __init__(self, text, threshold):
        self.text, self.threshold, self.figures = text, threshold, []

    def add(self, value, label, threshold=None):
        """A figure to be at least the threshold."""
        if value is not None:
            self.figures.append((value / (threshold or self.threshold), value, label))

    def lines(self):
        if not self.figures:
            return [f"NOT MEASURED  {self.text}"]
        missed = sorted(figure for figure in self.figures if figure[0] < 1)
        worst = min(self.figures)
        verdict = "missed" if missed else "met"
        lines = [f"{verdict.upper():<13} {self.text}: worst {worst[1]:.3f} ({worst[2]}); "
                 f"{len(self.figures) - len(missed)} of {len(self.figures)} meet it"]
        lines += [f"                {value:.3f}  {label}" for _, value, label in missed[:WORST_SHOWN]]
        if len(missed) > WORST_SHOWN:
            lines.append(f"                and {len(missed) - WORST_SHOWN} more")
        return lines


def label(row):
    shape = f"n={row.n}" if row.square or row.routine == "axpy" else f"{row.m}x{row.n}"
    return f"{row.name} {shape}" + (f" {row.layout}" if row.layout != "aligned" else "")


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values))


def operations(rows):
    groups = {}
    for row in rows:
        groups.setdefault(row.operation, {})[row.n] = row
    return groups


def roof_requirements(run, rows):
    """Percent of roof(n) from 4 L2 up, of the 4 GiB roof from 16 L2 up, by element width."""
    found = []
    for text, routines, wide, least in (("gemv, symv, hemv, trmv", MATRIX_ROUTINES, False, 0.92),
                                        ("wsymv", ("symv",), True, 0.85)):
        small = Requirement(f"{text}: {least:.0%} of roof(n) from 4 L2 up", least)
        large = Requirement(f"{text}: {least:.0%} of the 4 GiB roof from 16 L2 up", least)
        for row in rows:
            if row.routine not in routines or (row.type == "w") != wide:
                continue
            if row.bytes >= 4 * run.l2_bytes:
                small.add(row.of_roof, label(row))
            if row.bytes >= 16 * run.l2_bytes and run.large_roof:
                large.add(row.rate(row.mublas) / run.large_roof, label(row))
        found += [small, large]
    axpy = Requirement("axpy: 95% of the two-reads-one-write roof from 4 L2 up", 0.95)
    for row in rows:
        if row.routine == "axpy" and row.bytes >= 4 * run.l2_bytes:
            axpy.add(row.of_roof, label(row))
    return found + [axpy]


def alignment_requirement(run):
    """Shifted and odd layouts against the aligned one of the same call."""
    found = Requirement("any alignment and odd lda: 92% of the aligned speed", 0.92)
    cold = [row for row in run.rows if row.cache == "cold"]
    aligned = {(row.operation, row.m, row.n): row for row in cold if row.layout == "aligned"}
    for row in cold:
        same = aligned.get((row.operation, row.m, row.n))
        if row.layout != "aligned" and same:
            found.add(same.mublas / row.mublas, label(row))
    return found


def mean_requirement(text, least, rows, sizes):
    """A geometric mean over the sizes for each operation that has all of them, and over all."""
    found = Requirement(text, least)
    for operation, by_size in operations(rows).items():
        ratios = [by_size[n].ratio for n in sizes if n in by_size and by_size[n].ratio]
        if len(ratios) == len(sizes):
            found.add(geometric_mean(ratios), "{1}{0} {2}".format(*operation))
    return found


def peer_requirements(rows):
    square = [row for row in rows if row.square]
    symv = [row for row in square if row.routine in ("symv", "hemv")]
    gemv = [row for row in square if row.routine == "gemv"]
    found = [mean_requirement("symv, hemv: 1.4 times cuBLAS in geometric mean over n = 1024, 2048, 4096", 1.4,
                              symv,
                              (1024, 2048, 4096))]
    large = Requirement("symv, hemv: 1.0 times cuBLAS from n = 8192 up", 1.0)
    for row in symv:
        if row.n >= 8192:
            large.add(row.ratio, label(row))
    found += [large, mean_requirement("gemv: 1.1 times cuBLAS in geometric mean over n = 256 * 2^k, k = 0 to 6",
                                      1.1,
                                      gemv, [256 << k for k in range(7)])]
    large = Requirement("gemv: nothing below 0.97 times cuBLAS at n >= 8192", 0.97)
    anywhere = Requirement("gemv: nothing below 0.95 times cuBLAS anywhere", 0.95)
    for row in rows:
        if row.routine == "gemv":
            anywhere.add(row.ratio, label(row))
            if row.square and row.n >= 8192:
                large.add(row.ratio, label(row))
    return found + [large, anywhere, trmv_requirement(square)]


def trmv_requirement(rows):
    """The figure is the better of the two ways to meet it, each over its own threshold."""
    found = Requirement("trmv: 8 times cuBLAS or 90% of roof(n) from n = 2048 up "
                        "(figures over their threshold)", 1.0)
    for row in rows:
        if row.routine == "trmv" and row.n >= 2048 and (row.ratio or row.of_roof):
            ways = [(row.ratio or 0) / 8, (row.of_roof or 0) / 0.9]
            found.add(max(ways),
                      f"{label(row)}: {row.ratio or 0:.1f} times cuBLAS, {row.of_roof or 0:.3f} of roof")
    return found


def overall_means(rows):
    """Not required, but what one number says: over all operations of a routine."""
    lines = []
    for routine in MATRIX_ROUTINES:
        for size, low, high in (("n <= 4096", 0, 4096), ("n > 4096", 4097, 1 << 31)):
            ratios = [row.ratio for row in rows
                      if row.routine == routine and row.ratio and row.square and low <= row.n <= high]
            if ratios:
                lines.append(f"              {routine}, {size}: {geometric_mean(ratios):.2f} times cuBLAS "
                             f"over {len(ratios)} cases")
    return lines


def text(run):
    rows = [row for row in run.rows if row.cache == "cold" and row.layout == "aligned"]
    lines = [f"# {comment}" for comment in run.comments]
    requirements = [*roof_requirements(run, rows), alignment_requirement(run), *peer_requirements(rows)]
    for requirement in requirements:
        lines += requirement.lines()
    lines += ["Geometric means, aligned and cold:", *overall_means(rows)]
    wrong = [row for row in run.rows if row.agreement == "disagrees"]
    lines += [f"DISAGREES with cuBLAS: {label(row)} ({row.cache})" for row in wrong]
    wrong = [row for row in run.rows if row.agreement == "peer errs"]
    lines += [f"CUBLAS ERRS: {label(row)} ({row.cache})" for row in wrong]
    return "\n".join(lines) + "\n"
