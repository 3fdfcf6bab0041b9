#!/usr/bin/env python3
"""Eigenvalues and singular values by NumPy or SciPy, as a bench program.

    python_linalg.py PROBLEM [N [REPETITIONS]]

with PROBLEM numpy_eigh, numpy_svd, scipy_eigh, or one of them with _complex. Arguments, the line that is
printed and BENCH_REPETITIONS are those of bench/programs/program.h; calls_seconds is empty, and the residual and the
orthogonality are computed with NumPy, in units of DBL_EPSILON, through vectors of +1 and -1 (checks.h).
Exit status: 0, 2 for bad arguments, 3 without NumPy or SciPy.
"""
import hashlib
import os
import statistics
import sys
import time

NOT_THERE = 3


def import_or_leave(name):
    try:
        return __import__(name, fromlist=["linalg"])
    except ImportError as error:
        print(f"python_linalg.py: {error}", file=sys.stderr)
        sys.exit(NOT_THERE)


def whole_number(name, text):
    if not text.isdecimal() or int(text) < 1:
        print(f"python_linalg.py: {name}='{text}' is not a whole number from 1", file=sys.stderr)
        sys.exit(2)
    return int(text)


class Problem:
    """A matrix, a library's call, and what its results must satisfy."""

    def __init__(self, numpy, name, n):
        library, self.kind, *rest = name.split("_")
        self.numpy = numpy
        generator = numpy.random.default_rng(1)
        self.matrix = generator.standard_normal((n, n))
        if rest:
            self.matrix = self.matrix + 1j * generator.standard_normal((n, n))
        if self.kind == "eigh":
            self.matrix = (self.matrix + self.matrix.conj().T) / 2
        self.signs = numpy.where(generator.standard_normal(n) < 0, -1.0, 1.0)
        linalg = import_or_leave(f"{library}.linalg") if library == "scipy" else numpy.linalg
        self.call = getattr(linalg, self.kind)

    def solve(self):
        return self.call(self.matrix)

    def norm(self, vector):
        return float(self.numpy.linalg.norm(vector))

    def difference(self, left, right, scale):
        return self.norm(left - right) / (self.numpy.finfo(float).eps * scale)

    def errors(self, results):
        """(residual, orthogonality)"""
        z = self.signs
        if self.kind == "eigh":
            values, vectors = results
            product = self.matrix @ (vectors @ z)
            residual = self.difference(product, vectors @ (values * z), self.norm(product))
            bases = [vectors]
        else:
            left, values, right = results
            product = self.matrix @ z
            residual = self.difference(product, left @ (values * (right @ z)), self.norm(product))
            bases = [left, right]
        return residual, max(self.difference(basis.conj().T @ (basis @ z), z, self.norm(z))
                             for basis in bases)


def digest_of(numpy, arrays):
    digest = hashlib.blake2b(digest_size=8)
    for array in arrays:
        digest.update(numpy.ascontiguousarray(array).data)
    return digest.hexdigest()


def append_repetitions(lines):
    path = os.environ.get("BENCH_REPETITIONS")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)


def main(arguments):
    names = [library + rest
             for library in ("numpy_eigh", "numpy_svd", "scipy_eigh") for rest in ("", "_complex")]
    if not 1 <= len(arguments) <= 3 or arguments[0] not in names:
        print(f"usage: python_linalg.py {'|'.join(names)} [N [REPETITIONS]]", file=sys.stderr)
        return 2
    name = arguments[0]
    n, repetitions = (whole_number(what, text) for what, text in
                      zip(("N", "REPETITIONS"), arguments[1:] + ["1000", "2"][len(arguments) - 1:]))
    numpy = import_or_leave("numpy")
    problem = Problem(numpy, name, n)
    times, digests, residuals, orthogonalities = [], [], [], []
    for _ in range(repetitions):
        start = time.perf_counter()
        results = problem.solve()
        times.append(time.perf_counter() - start)
        residual, orthogonality = problem.errors(results)
        residuals.append(residual)
        orthogonalities.append(orthogonality)
        digests.append(digest_of(numpy, results))
        del results
    append_repetitions(f"{name},{n},{index + 1},{seconds:.6f},{digest}"
                       for index, (seconds, digest) in enumerate(zip(times, digests)))
    later = f"{statistics.median(times[1:]):.6f}" if times[1:] else ""
    # a NaN stays
    worst = [max(values, key=lambda value: (value != value, value))
             for values in (residuals, orthogonalities)]
    whole = hashlib.blake2b("".join(digests).encode(), digest_size=8).hexdigest()
    print(f"{name},{n},{repetitions},{times[0]:.6f},{later},,{worst[0]:.3g},{worst[1]:.3g},{whole}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
