"""The table of a run, and whether it meets what is asked of mublas."""
import plan

# Later repetitions must be so many times faster than on the host BLAS.
SPEED = {("dsytrd", 8192): 5, ("dsytrd", 16384): 9, ("dsyevd", 8192): 2.3, ("zheevd", 8192): 2.3,
         ("lanczos", 16384): 15, ("power", 16384): 15}
NOISE = 0.97  # as fast, or at most 3% slower
LARGEST_ERROR_RATIO = 2
SMALL_ERROR = 2  # below it, chance decides which is larger
OURS = ("mublas", "run")


LEGEND = (
    "# seconds: first repetition (wakes the device), median of the later ones, of these inside calls;",
    "# x host: the host's time over this one's; spread: slowest round over fastest;",
    "# errors in DBL_EPSILON (bench/programs/checks.h); bits: over the rounds",
    f"{'case':<18}{'on':<10}{'rounds':>6}{'first':>11}{'later':>11}{'calls':>11}{'x host':>8}{'(first)':>8}"
    f"{'spread':>8}{'residual':>10}{'orthog.':>10}  bits",
)


def cell(value, form):
    return "-" if value is None else format(value, form)


def table(run):
    """Everything, a line per case and contender."""
    lines = [f"# {comment}" for comment in run.comments]
    lines += LEGEND
    for case in run.cases:
        for name in run.contenders:
            result = case.results.get(name)
            if not result:
                continue
            start = f"{case.name:<18}{name:<10}{result.rounds:>6}"
            if not result.rounds:
                lines.append(start + ("  FAILED" if result.failed else f"  ended after {result.over:.0f} s"))
                continue
            bits = {None: "one round", True: "equal", False: "DIFFER"}[result.repeatable]
            if name != "host" and result.digests & case.host.digests:
                bits += ", the host's"
            lines.append(f"{start}{result.first:>11.4f}{cell(result.later, '.4f'):>11}"
                         f"{cell(result.calls, '.4f'):>11}{cell(case.ratio(name, 'steady'), '.2f'):>8}"
                         f"{cell(case.ratio(name, 'first'), '.2f'):>8}{cell(result.spread, '.3f'):>8}"
                         f"{cell(result.residual, '.3g'):>10}{cell(result.orthogonality, '.3g'):>10}"
                         f"  {bits}")
    return "\n".join(lines) + "\n"


class Requirement:
    """Met only if every figure meets it; one that nothing was measured for counts as neither."""

    def __init__(self, text, only_missed=False):
        self.text, self.only_missed, self.figures = text, only_missed, []

    def add(self, met, label):
        self.figures.append((met, label))

    def lines(self):
        if not self.figures:
            return [f"NOT MEASURED  {self.text}"]
        met = sum(good for good, _ in self.figures)
        verdict = "MET" if met == len(self.figures) else "MISSED"
        return [f"{verdict:<13} {self.text}: {met} of {len(self.figures)}",
                *(f"    {'' if good else 'missed: '}{label}" for good, label in self.figures
                  if not (good and self.only_missed))]


def mine(run, case):
    """(name, result) of each of ours that was measured."""
    return [(name, case.results[name]) for name in run.contenders
            if name in OURS and name in case.results and case.results[name].rounds]


def speed_requirements(run):
    for (program, n), least in SPEED.items():
        found = Requirement(f"{program} n={n} at least {least} times as fast as the host")
        for case in run.cases:
            if (case.program, case.n) == (program, n):
                for name, _ in mine(run, case):
                    found.add(case.ratio(name, "steady") >= least,
                              f"{name}: {case.ratio(name, 'steady'):.2f} (first repetition, with waking the "
                              f"device: {case.ratio(name, 'first'):.2f})")
        yield found


def nvblas_requirement(run):
    found = Requirement("never slower than NVBLAS, but for 3% of noise")
    for case in run.cases:
        peer = case.results.get("nvblas")
        for name, result in mine(run, case):
            if not peer or peer.failed:
                continue
            if peer.over:
                found.add(True, f"{case.name} {name}: NVBLAS was ended after {peer.over:.0f} s, the host "
                                f"took {case.host.steady:.1f} s")
            else:
                found.add(peer.steady / result.steady >= NOISE,
                          f"{case.name} {name}: {peer.steady / result.steady:.2f} times as fast")
    return found


def harmful_requirement(run):
    found = Requirement("programs that residency cannot help: at most 3% slower than the host")
    for case in run.cases:
        if case.program not in plan.HARMFUL:
            continue
        for name, _ in mine(run, case):
            for kind, words in (("steady", "later repetitions"), ("first", "first repetition")):
                slower = 100 * (1 / case.ratio(name, kind) - 1)
                found.add(case.ratio(name, kind) >= NOISE,
                          f"{case.name} {name}, {words}: {slower:+.1f}% of the host's time")
    return found


def accuracy_requirement(run):
    found = Requirement(f"errors at most {LARGEST_ERROR_RATIO} times the host's, or "
                        f"{LARGEST_ERROR_RATIO * SMALL_ERROR} units", only_missed=True)
    for case in run.cases:
        for name, result in mine(run, case):
            for what in ("residual", "orthogonality"):
                error, host = getattr(result, what), getattr(case.host, what)
                if error is not None and host is not None:
                    found.add(error <= LARGEST_ERROR_RATIO * max(host, SMALL_ERROR),
                              f"{case.name} {name}: {what} {error:.3g} beside {host:.3g}")
    return found


def bits_requirement(run):
    found = Requirement("the same bits in every round", only_missed=True)
    for case in run.cases:
        for name, result in mine(run, case):
            if result.repeatable is not None:
                found.add(result.repeatable, f"{case.name} {name}: {result.rounds} rounds")
    return found


def failures(run):
    return [f"FAILED        {case.name} on {name}" for case in run.cases for name in run.contenders
            if name in case.results and case.results[name].failed]


def text(run):
    """(text, whether results of ours were wrong: an error too large, or other bits)."""
    wrong = [accuracy_requirement(run), bits_requirement(run)]
    lines = [f"# {comment}" for comment in run.comments] + failures(run)
    for requirement in [*speed_requirements(run), nvblas_requirement(run), harmful_requirement(run), *wrong]:
        lines += requirement.lines()
    return "\n".join(lines) + "\n", any(not good for requirement in wrong for good, _ in requirement.figures)
