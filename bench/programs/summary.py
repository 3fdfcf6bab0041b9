"""The table of a run, and whether it meets what is asked of mublas."""
import contenders
import plan

# Later repetitions must be so many times faster than on the host BLAS.
SPEED = {("dsytrd", 8192): 7, ("dsytrd", 16384): 9, ("lanczos", 16384): 15, ("power", 16384): 15,
         ("dsyevd", 1024): 5, ("dsyevd", 2048): 10, ("dsyevd", 4096): 12, ("dsyevd", 8192): 18,
         ("zheevd", 2048): 25, ("zheevd", 4096): 40, ("dsygvd", 4096): 12, ("zhegvx", 4096): 15,
         ("dsyevr", 4096): 8, ("dgesdd", 4096): 15, ("dgeqrf", 8192): 3, ("dgetrf", 8192): 3,
         ("dpotrf", 12288): 3, ("numpy_eigh", 3000): 6, ("scipy_eigh_complex", 3000): 10}
# The first repetition, with waking the device.
FIRST_SPEED = {("dsyevd", 4096): 2.5, ("dsyevd", 8192): 9, ("zheevd", 4096): 12}
NOISE = 0.97  # as fast, or at most 3% slower
SMALL_NOISE = 0.99
PEER_NOISE = 1 / 1.15  # of cuSOLVER's speed from pinned memory
# Where the peer does the same: cuSOLVER's least squares are refined iteratively.
LIKE_CUSOLVER = tuple(name for name in contenders.SOLVED_BY_CUSOLVER if name != "dgels")
LARGEST_ERROR_RATIO = 2
# Where the host's LAPACK has bisection, QR iterations or MRRR and the device divide and conquer or polar
# iterations.
OTHER_ALGORITHM_RATIO = 4
OTHER_ALGORITHM = ("zhegvx", "dsyev", "dsyevr", "dgesdd", "numpy_svd", "numpy_svd_complex", "scipy_eigh",
                   "scipy_eigh_complex")
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


def first_requirements(run):
    for (program, n), least in FIRST_SPEED.items():
        found = Requirement(f"{program} n={n}, first repetition, at least {least} times as fast as the host")
        for case in run.cases:
            if (case.program, case.n) == (program, n):
                for name, _ in mine(run, case):
                    found.add(case.ratio(name, "first") >= least, f"{name}: {case.ratio(name, 'first'):.2f}")
        yield found


def cusolver_requirement(run):
    found = Requirement("later repetitions at most 15% slower than cuSOLVER from pinned memory")
    for case in run.cases:
        peer = case.results.get("cusolver")
        for name, result in mine(run, case):
            if case.program in LIKE_CUSOLVER and peer and peer.later and result.later:
                found.add(peer.later / result.later >= PEER_NOISE,
                          f"{case.name} {name}: {result.later / peer.later:.2f} times its time")
    return found


def small_requirement(run):
    found = Requirement("eigenproblems too small for the device: at most 1% slower than the host")
    for case in run.cases:
        for name, _ in mine(run, case):
            if case.program in plan.TOO_SMALL:
                slower = 100 * (1 / case.ratio(name, "steady") - 1)
                found.add(case.ratio(name, "steady") >= SMALL_NOISE,
                          f"{case.name} {name}: {slower:+.1f}% of the host's time")
    return found


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
    found = Requirement(f"errors at most {LARGEST_ERROR_RATIO} times the host's ({OTHER_ALGORITHM_RATIO} where "
                        f"algorithms differ), or {LARGEST_ERROR_RATIO * SMALL_ERROR} units", only_missed=True)
    for case in run.cases:
        ratio = OTHER_ALGORITHM_RATIO if case.program in OTHER_ALGORITHM else LARGEST_ERROR_RATIO
        for name, result in mine(run, case):
            for what in ("residual", "orthogonality"):
                error, host = getattr(result, what), getattr(case.host, what)
                if error is not None and host is not None:
                    found.add(error <= ratio * max(host, SMALL_ERROR),
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
    for requirement in [*speed_requirements(run), *first_requirements(run), cusolver_requirement(run),
                        nvblas_requirement(run), harmful_requirement(run), small_requirement(run), *wrong]:
        lines += requirement.lines()
    return "\n".join(lines) + "\n", any(not good for requirement in wrong for good, _ in requirement.figures)
