#!/usr/bin/env python3
"""Measure whole short processes on the host and under one shim or several, in turns.

short_calls.c makes as many calls of a routine as take the host SECONDS, which is found out first. In a round
each process runs on the host and under every shim; each round begins with another. Writes FOLDER/short.csv,
a row for each process, and FOLDER/summary.csv, medians and what they are beside the host's; the latter also on
standard output. MUBLAS_*, OPENBLAS_* and other settings pass through from the environment.
    short.py --shim new=PATH --shim old=PATH -p build/bench/programs -b LIBOPENBLAS -o FOLDER
    short.py --read FOLDER/short.csv ...        # medians of what was measured in several runs
Exit status: 0, 1 when a process failed, 2 for bad arguments.
"""
import argparse
import csv
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

import contenders  # noqa: E402
import run  # noqa: E402

CASES = "dsyevd 512,dsyevd 1024,dsyevd 2048,dgesv 2048,dgesv 4096,dgemm 2048"
SECONDS = "0.05,0.1,0.2,0.5,1,2,5"
COLUMNS = ("contender", "round", "status", "wall_seconds", "seconds", "routine", "n", "calls", "first_seconds",
           "calls_seconds")
SUMMARY = ("routine", "n", "seconds", "calls", "contender", "processes", "wall_seconds", "over_host",
           "more_milliseconds", "calls_seconds")


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-s", "--shim", action="append", default=[], metavar="[NAME=]PATH",
                        help="libmublas_shim.so; several may be compared, each by a name of its own")
    parser.add_argument("-b", "--blas",
                        help="host BLAS, with LAPACK inside unless -l is given; default: the loader's")
    parser.add_argument("-l", "--lapack", help="LAPACK; default: the host BLAS, or the loader's")
    parser.add_argument("-p", "--programs", default="bench/programs", help="folder of the built programs")
    parser.add_argument("-o", "--output", default="short", metavar="FOLDER", help="default: short")
    parser.add_argument("--only", default=CASES, help=f"cases with commas between; default: {CASES}")
    parser.add_argument("--seconds", default=SECONDS, help=f"of calls on the host; default: {SECONDS}")
    parser.add_argument("--rounds", type=int, default=21, help="default: 21")
    parser.add_argument("--budget", type=float, default=float("inf"), metavar="SECONDS",
                        help="begin no round that would end later, judged by the longest one")
    parser.add_argument("--read", nargs="+", metavar="FILE", help="measure nothing: summarise these")
    options = parser.parse_args()
    options.shims = dict(text.split("=", 1) if "=" in text else ("mublas", text) for text in options.shim)
    if not options.read and not options.shims:
        parser.error("--shim: none is given")
    if len(options.shims) != len(options.shim) or "host" in options.shims:
        parser.error("--shim: names must differ, also from 'host'")
    for path in options.shims.values():
        for name in path.split(":"):
            if not os.path.isfile(name):
                parser.error(f"--shim: there is no file '{name}'")
    try:
        options.cases = [(name, int(n)) for name, n in (case.split() for case in options.only.split(","))]
        options.seconds = [float(text) for text in options.seconds.split(",")]
    except ValueError:
        parser.error("--only: 'ROUTINE N,...'; --seconds: 'NUMBER,...'")
    options.nvblas = options.mublas = None
    options.reports = False
    return options


class Measurement:
    def __init__(self, options, folder):
        self.options = options
        self.setup = contenders.Contenders(options, folder)
        self.failures = 0
        output = pathlib.Path(options.output)
        output.mkdir(parents=True, exist_ok=True)
        self.path = output / "short.csv"
        self.table = open(self.path, "w", encoding="utf-8")
        for line in run.heading(self.setup, "short.py"):
            self.write(f"# {line}")
        self.write(",".join(COLUMNS))

    def write(self, line):
        print(line, file=self.table, flush=True)

    def process(self, contender, routine, n, calls):
        """(status, seconds of the process, the fields that it printed)."""
        environment = dict(self.setup.environment)
        if contender != "host":
            environment["LD_PRELOAD"] = ":".join(map(os.path.abspath, self.options.shims[contender].split(":")))
        command = [str(self.setup.programs / "short_calls"), routine, str(n), str(calls)]
        start = time.monotonic()
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        wall = time.monotonic() - start
        fields = done.stdout.strip().split(",")
        if done.returncode == 0 and len(fields) == 5:
            return "ok", wall, fields
        self.failures += 1
        last = (done.stderr.strip().splitlines() or ["no word"])[-1]
        print(f"short.py: {routine} {n} failed on {contender} with exit status {done.returncode}: {last}",
              file=sys.stderr)
        return "failed", wall, [routine, str(n), str(calls), "", ""]

    def seconds_of_a_call(self, routine, n):
        """On the host, beside its first call, of calls that take 0.2 s or are five."""
        calls, each = 2, 0.0
        for _ in range(3):
            status, _, fields = self.process("host", routine, n, calls)
            if status != "ok":
                return None
            each = max(1e-7, (float(fields[4]) - float(fields[3])) / (calls - 1))
            if each * calls >= 0.2 or calls >= 400:
                break
            calls = max(5, min(400, int(0.3 / each) + 1))
        return each

    def plan(self):
        """(seconds, routine, n, calls): what is measured."""
        for routine, n in self.options.cases:
            each = self.seconds_of_a_call(routine, n)
            if not each:
                continue
            self.write(f"# {routine} {n}: {each:.6f} s a call on the host")
            for seconds in self.options.seconds:
                calls = max(1, round(seconds / each))
                if each > 1.5 * seconds:
                    self.write(f"# {routine} {n}: left out for {seconds:g} s: one call takes longer")
                else:
                    yield seconds, routine, n, calls

    def measure_all(self):
        begin, longest = time.monotonic(), 0.0
        cases, names = list(self.plan()), ["host", *self.options.shims]
        for number in range(1, self.options.rounds + 1):
            start = time.monotonic()
            if start - begin + longest > self.options.budget:
                self.write(f"# no time left for round {number}")
                break
            shift = (number - 1) % len(names)
            for seconds, routine, n, calls in cases:
                for contender in names[shift:] + names[:shift]:
                    status, wall, fields = self.process(contender, routine, n, calls)
                    self.write(",".join([contender, str(number), status, f"{wall:.4f}", f"{seconds:g}", *fields]))
            longest = max(longest, time.monotonic() - start)
        self.table.close()


def summarise(paths):
    """Rows of SUMMARY: medians by case and contender, the host's first."""
    walls, inside = {}, {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for row in csv.DictReader(line for line in file if not line.startswith("#")):
                if row["status"] == "ok":
                    key = row["routine"], int(row["n"]), float(row["seconds"]), int(row["calls"])
                    walls.setdefault(key, {}).setdefault(row["contender"], []).append(float(row["wall_seconds"]))
                    inside.setdefault((key, row["contender"]), []).append(float(row["calls_seconds"]))
    for key, of_case in walls.items():
        host = statistics.median(of_case.get("host", [float("nan")]))
        for contender, times in of_case.items():
            wall = statistics.median(times)
            yield (key[0], key[1], f"{key[2]:g}", key[3], contender, len(times), f"{wall:.4f}",
                   f"{wall / host:.3f}", f"{1e3 * (wall - host):.1f}",
                   f"{statistics.median(inside[key, contender]):.4f}")


def main():
    options = read_arguments()
    paths, failures = options.read, 0
    if not paths:
        with tempfile.TemporaryDirectory() as folder:
            measurement = Measurement(options, folder)
            measurement.measure_all()
        paths, failures = [measurement.path], measurement.failures
    output = pathlib.Path(options.output)
    output.mkdir(parents=True, exist_ok=True)
    heading = [line for path in paths for line in open(path, encoding="utf-8") if line.startswith("# ")]
    rows = [",".join(map(str, row)) for row in (SUMMARY, *summarise(paths))]
    (output / "summary.csv").write_text("".join(heading) + "\n".join(rows) + "\n", encoding="utf-8")
    print("\n".join(rows))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
