#!/usr/bin/env python3
"""Table, acceptance summary and plots of one run of bench/kernels/measure.

    report.py RESULTS.csv[.xz] DIRECTORY

writes DIRECTORY/table.txt, DIRECTORY/summary.txt and, by gnuplot, one SVG per routine,
type and cache state. The summary also goes to standard output.
"""
import pathlib
import sys

sys.dont_write_bytecode = True

import plots  # noqa: E402
import results  # noqa: E402
import summary  # noqa: E402


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: report.py RESULTS.csv[.xz] DIRECTORY")
    run = results.read(sys.argv[1])
    directory = pathlib.Path(sys.argv[2])
    directory.mkdir(parents=True, exist_ok=True)
    text = summary.text(run)
    (directory / "summary.txt").write_text(text)
    (directory / "table.txt").write_text(results.table(run))
    print(text, end="")
    plots.write(run, directory)


if __name__ == "__main__":
    main()
