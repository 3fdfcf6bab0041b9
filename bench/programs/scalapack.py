#!/usr/bin/env python3
"""Measure ScaLAPACK's routines on the host and through mublas, in turns, under mpirun.

Writes OUTPUT, a row for each repetition of each process, behind comments with device, host, date and command, and
prints a table: the median of the later repetitions and the first call, host beside mublas. The program is scalapack.c,
which says what its lines are. In a round each contender makes each case in turn; each round begins with the other one.
A process that fails, or whose residual is too large, is a row with its status, and the exit status is 1.

    scalapack.py -s SHIM [-p FOLDER] [-o OUTPUT] [--mpirun COMMAND] [--cases LIST] ...
"""
import argparse
import itertools
import os
import pathlib
import platform
import shlex
import statistics
import subprocess
import sys
import time

sys.dont_write_bytecode = True

import run  # noqa: E402

CASES = ("pdsyevd:4096", "pdsyevd:8192", "pzheevd:4096", "pdsygvx:4096", "pdpotrf:8192", "pdgemm:8192")
COLUMNS = "contender,round,status,routine,n,block,ranks,repetition,seconds,error"
CONTENDERS = ("host", "mublas")


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-s", "--shim", required=True, help="libmublas_shim.so")
    parser.add_argument("-p", "--programs", default="bench/programs", help="folder of the built programs")
    parser.add_argument("-o", "--output", default="scalapack.csv", metavar="FILE")
    parser.add_argument("--mpirun", default="mpirun --bind-to core -n {ranks}",
                        help="what starts ranks; {ranks} stands for their number. Default: %(default)s")
    parser.add_argument("--ranks", type=int, default=16)
    parser.add_argument("--cases", default=",".join(CASES), help="ROUTINE:N with commas between; default: %(default)s")
    parser.add_argument("--block", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--repetitions", type=int, default=4, help="of mublas, in a process")
    parser.add_argument("--host-repetitions", type=int, default=1, help="nothing wakes on the host")
    parser.add_argument("--timeout", type=float, default=300, metavar="SECONDS", help="for a process")
    options = parser.parse_args()
    options.shim = os.path.abspath(options.shim)
    options.cases = [case.split(":") for case in options.cases.split(",")]
    for case in options.cases:
        if len(case) != 2 or not case[1].isdigit():
            parser.error(f"--cases: '{':'.join(case)}' is not ROUTINE:N")
    if not os.path.isfile(options.shim):
        parser.error(f"--shim: there is no file '{options.shim}'")
    return options


def heading(options):
    device = run.first_line(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"])
    settings = [f"{name}={value}" for name, value in sorted(environment().items())
                if name.startswith(("MUBLAS_", "OPENBLAS_", "OMP_"))]
    yield f"device: {device or 'none seen by nvidia-smi (emulated or absent)'}"
    yield f"host: {run.processor()}, {len(os.sched_getaffinity(0))} cores, Linux {platform.release()}"
    yield f"date: {time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())}"
    yield f"command: bench/programs/scalapack.py {shlex.join(sys.argv[1:])}"
    yield f"ranks: {options.ranks}, by {options.mpirun}"
    yield f"settings: {' '.join(settings)}"


def environment():
    """A rank has one thread."""
    return {"OMP_NUM_THREADS": "1", **os.environ, "OPENBLAS_NUM_THREADS": "1"}


def command_of(options, contender, routine, n):
    repetitions = options.repetitions if contender == "mublas" else options.host_repetitions
    preload = [f"LD_PRELOAD={options.shim}"] if contender == "mublas" else []
    program = os.path.abspath(os.path.join(options.programs, "scalapack"))
    return [*shlex.split(options.mpirun.replace("{ranks}", str(options.ranks))), "env", *preload, program, routine, n,
            str(options.block), str(repetitions)]


def measure(options, contender, routine, n):
    """Status and lines of a process."""
    command = command_of(options, contender, routine, n)
    try:
        done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False,
                              timeout=options.timeout)
    except subprocess.TimeoutExpired:
        return "over", []
    lines = [line for line in done.stdout.splitlines() if line.startswith(routine + ",") and line.count(",") == 6]
    if done.returncode != 0 or not lines:
        print(f"scalapack.py: {shlex.join(command)}: exit status {done.returncode}\n{done.stderr}", file=sys.stderr)
        return "failed", lines
    return "ok", lines


def measure_all(options):
    rows = []
    with open(options.output, "w", encoding="utf-8") as file:
        for line in heading(options):
            print(f"# {line}", file=file)
        print(COLUMNS, file=file, flush=True)
        for turn, (routine, n) in itertools.product(range(options.rounds), options.cases):
            for contender in CONTENDERS if turn % 2 == 0 else reversed(CONTENDERS):
                status, lines = measure(options, contender, routine, n)
                for line in lines or [f"{routine},{n},{options.block},{options.ranks},,,"]:
                    row = f"{contender},{turn + 1},{status},{line}"
                    rows.append(row.split(","))
                    print(row, file=file, flush=True)
    return rows


def seconds(rows, contender, case, is_first):
    """First calls of processes, or later ones; the host's are alike."""
    return [float(row[8]) for row in rows
            if row[0] == contender and row[3:5] == case and row[2] == "ok" and
            (contender == "host" or (row[7] == "0") == is_first)]


def print_table(options, rows):
    print(f"{'routine':8} {'n':>6} {'host s':>9} {'first s':>9} {'later s':>9} {'gain':>7}")
    for case in options.cases:
        host = seconds(rows, "host", case, False)
        first, later = (seconds(rows, "mublas", case, is_first) for is_first in (True, False))
        figures = [f"{statistics.median(of):9.3f}" if of else f"{'-':>9}" for of in (host, first, later)]
        gain = f"{statistics.median(host) / statistics.median(later):7.1f}" if host and later else f"{'-':>7}"
        print(f"{case[0]:8} {case[1]:>6} {' '.join(figures)} {gain}")


def main():
    options = read_arguments()
    if not (pathlib.Path(options.programs) / "scalapack").is_file():
        print(f"scalapack.py: there is no scalapack in {options.programs}: make bench-programs, with ScaLAPACK",
              file=sys.stderr)
        return 2
    rows = measure_all(options)
    print_table(options, rows)
    return 0 if all(row[2] == "ok" for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
