#!/usr/bin/env python3
"""Measure the programs on the host BLAS, mublas, NVBLAS and cuSOLVER in one run.

Writes FOLDER/programs.csv, a row for each process, FOLDER/repetitions.csv, one for each repetition of each,
FOLDER/programs.log with what the processes said, and by report.py a table, the acceptance figures and plots
beside them.
In a round every contender gets each case in turn, since the host's speed drifts; each
round begins with another contender. The programs' own arguments and output: program.h.
MUBLAS_*, OPENBLAS_* and other settings pass through from the environment.
Exit status: 0, 1 when a program failed, an error is too large or digests of mublas
differ between rounds, 2 for bad arguments.
"""
import argparse
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

import contenders  # noqa: E402
import plan  # noqa: E402
import report  # noqa: E402

PROGRAM_COLUMNS = ("program,n,repetitions,first_seconds,later_seconds,calls_seconds,residual,orthogonality,"
                   "digest")
COLUMNS = "contender,round,status,wall_seconds," + PROGRAM_COLUMNS
NOTHING = "," * 7  # the columns behind program,n of a process without figures
REPETITION_COLUMNS = "routine,n,contender,round,repetition,seconds,digest"
NOT_THERE = 3  # exit status of the cuSOLVER peer without CUDA, and of Python programs without NumPy or SciPy
NO_ROUTINE = 4  # of the peer where cuSOLVER lacks the routine


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-s", "--shim", required=True, help="libmublas_shim.so, or what is to be preloaded")
    parser.add_argument("-m", "--mublas", help="the mublas command, for the contender `run`")
    parser.add_argument("-b", "--blas",
                        help="host BLAS, with LAPACK inside unless -l is given; default: the loader's")
    parser.add_argument("-l", "--lapack", help="LAPACK; default: the host BLAS, or the loader's")
    parser.add_argument("--nvblas", help="libnvblas.so; default: the first under /usr/local/cuda*/lib64")
    parser.add_argument("-p", "--programs", default="bench/programs", help="folder of the built programs")
    parser.add_argument("-o", "--output", default="programs", metavar="FOLDER", help="default: programs")
    parser.add_argument("--plan", choices=sorted(plan.PLANS), default="full")
    parser.add_argument("--only", help="programs, or cases such as 'dsytrd 8192', with commas between")
    parser.add_argument("--contenders", default="host,mublas,nvblas,cusolver",
                        help="of " + ", ".join(contenders.ORDER) + "; default: all but run and several")
    parser.add_argument("--rounds", type=int, help="instead of the plan's")
    parser.add_argument("--budget", type=float, default=float("inf"), metavar="SECONDS",
                        help="begin no process that would end later, judged by its last run or the host's")
    parser.add_argument("--patience", type=float, default=3, metavar="TIMES",
                        help="end a process that takes so many times as long as the host's, and more "
                             "than 20 s; default 3")
    parser.add_argument("--reports", action="store_true", help="mublas' own reports into the log")
    options = parser.parse_args()
    options.contenders = options.contenders.split(",")
    for name in options.contenders:
        if name not in contenders.ORDER:
            parser.error(f"--contenders: '{name}' is none of {', '.join(contenders.ORDER)}")
    for name in options.shim.split(":"):
        if not os.path.isfile(name):
            parser.error(f"--shim: there is no file '{name}'")
    if "host" not in options.contenders:
        parser.error("--contenders: without host there is nothing to compare with")
    return options


def chosen_cases(options):
    cases = plan.PLANS[options.plan]
    if not options.only:
        return cases
    wanted = options.only.split(",")
    for name in wanted:
        if not any(name in (case.program, case.name) for case in cases):
            sys.exit(f"run.py: --only: the plan {options.plan} has no '{name}'")
    return [case for case in cases if case.program in wanted or case.name in wanted]


def first_line(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stdout.split("\n")[0].strip()
    except OSError:
        return ""


def processor():
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.machine()


def heading(setup, script):
    device = first_line(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"])
    huge_pages = first_line(["cat", "/sys/kernel/mm/transparent_hugepage/enabled"])
    settings = [f"{name}={value}" for name, value in sorted(os.environ.items())
                if name.startswith(("MUBLAS_", "OPENBLAS_", "OMP_", "GLIBC_TUNABLES"))]
    yield f"device: {device or 'none seen by nvidia-smi (emulated or absent)'}"
    yield f"host: {processor()}, {len(os.sched_getaffinity(0))} cores, Linux {platform.release()}"
    yield f"huge pages: {huge_pages or 'unknown'}"
    yield f"host BLAS: {setup.host_blas}; LAPACK: {setup.lapack}"
    yield f"date: {time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())}"
    yield f"command: bench/programs/{script} {' '.join(sys.argv[1:])}"
    yield f"settings: {' '.join(settings) or 'none'}"


class Measurement:
    def __init__(self, options, folder):
        self.options = options
        self.setup = contenders.Contenders(options, folder)
        self.begin = time.monotonic()
        self.walls = {}  # (contender, case): seconds of the last process
        self.left_out, self.hopeless, self.failures = [], set(), 0
        output = pathlib.Path(options.output)
        output.mkdir(parents=True, exist_ok=True)
        self.path = output / "programs.csv"
        self.log = open(output / "programs.log", "w", encoding="utf-8")
        self.table = open(self.path, "w", encoding="utf-8")
        self.repetitions = open(output / "repetitions.csv", "w", encoding="utf-8")
        self.of_one_process = pathlib.Path(folder) / "repetitions"
        for line in heading(self.setup, "run.py"):
            self.write(f"# {line}")
        self.active = []
        for name in contenders.ORDER:
            if name in options.contenders:
                reason = self.setup.missing(name)
                self.write(f"# {name}: {'LEFT OUT: ' + reason if reason else contenders.MEANING[name]}")
                if not reason:
                    self.active.append(name)
        self.write(COLUMNS)
        print(REPETITION_COLUMNS, file=self.repetitions)

    def write(self, line):
        print(line, file=self.table, flush=True)
        print(line, file=self.log, flush=True)

    def write_repetitions(self, contender, round_number):
        for line in self.of_one_process.read_text(encoding="utf-8").splitlines():
            program, n, rest = line.split(",", 2)
            print(f"{program},{n},{contender},{round_number},{rest}", file=self.repetitions, flush=True)

    def leave_out(self, contender, case, reason):
        """A program, or all of a contender, that cannot run here."""
        if case is None:
            self.active.remove(contender)
        else:
            self.hopeless.add((contender, case))
        line = f"{contender}{f' {case.name}' if case else ''}: LEFT OUT: {reason}"
        self.write(f"# {line}")
        print(f"run.py: {line}", file=sys.stderr)

    def enough_time(self, contender, case):
        expected = self.walls.get((contender, case), self.walls.get(("host", case), 0))
        return time.monotonic() - self.begin + expected <= self.options.budget

    def limit(self, contender, case):
        """Seconds after which a process is ended."""
        host = self.walls.get(("host", case))
        return None if contender == "host" or host is None else max(self.options.patience * host, 20)

    def measure(self, contender, case, round_number):
        if (contender, case) in self.hopeless:
            return
        if not self.enough_time(contender, case):
            self.left_out.append(f"{contender} {case.name} round {round_number}")
            return
        command, environment = self.setup.start(contender, case)
        environment["BENCH_REPETITIONS"] = str(self.of_one_process)
        self.of_one_process.write_text("", encoding="utf-8")
        limit, start = self.limit(contender, case), time.monotonic()
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=limit,
                                  check=False)
        except subprocess.TimeoutExpired:
            self.hopeless.add((contender, case))
            self.write(f"{contender},{round_number},over,{limit:.3f},{case.program},{case.n}" + NOTHING)
            return
        wall = time.monotonic() - start
        self.walls[contender, case] = wall
        self.log.write(f"== {contender}: {' '.join(command)}\n{done.stderr}")
        if contender == "cusolver" and done.returncode == NOT_THERE:
            self.leave_out(contender, None, done.stderr.strip())
        elif (contender == "cusolver" and done.returncode == NO_ROUTINE
              or case.program in contenders.IN_PYTHON and done.returncode == NOT_THERE):
            self.leave_out(contender, case, done.stderr.strip())
        elif done.returncode != 0 or done.stdout.count(",") != PROGRAM_COLUMNS.count(","):
            self.failures += 1
            self.write(f"{contender},{round_number},failed,{wall:.3f},{case.program},{case.n}" + NOTHING)
            last = (done.stderr.strip().splitlines() or ["no word"])[-1]
            print(f"run.py: {case.name} failed on {contender} with exit status {done.returncode}: {last}",
                  file=sys.stderr)
        else:
            self.write(f"{contender},{round_number},ok,{wall:.3f},{done.stdout.strip()}")
            self.write_repetitions(contender, round_number)

    def measure_all(self, cases):
        for round_number in range(1, max(self.options.rounds or case.rounds for case in cases) + 1):
            for case in cases:
                if round_number > (self.options.rounds or case.rounds):
                    continue
                # the host first in round 1: its time is the others' limit
                shift = (round_number - 1) % len(self.active)
                for contender in self.active[shift:] + self.active[:shift]:
                    if self.setup.takes_part(contender, case, round_number):
                        self.measure(contender, case, round_number)
        for name in self.left_out:
            self.write(f"# no time left for {name}")
        self.table.close()
        self.repetitions.close()
        if self.setup.nvblas_log.exists():
            self.log.write(f"== NVBLAS\n{self.setup.nvblas_log.read_text(errors='replace')[-20000:]}")
        self.log.close()


def main():
    options = read_arguments()
    cases = chosen_cases(options)
    with tempfile.TemporaryDirectory() as folder:
        measurement = Measurement(options, folder)
        measurement.measure_all(cases)
    wrong = report.write([str(measurement.path)], options.output)
    return 1 if measurement.failures or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
