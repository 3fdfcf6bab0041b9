#!/usr/bin/env python3
"""Table, acceptance figures and plots of runs of bench/programs/run.py.

    report.py FILE.csv... FOLDER

writes FOLDER/table.txt, FOLDER/summary.txt and FOLDER/speed-*.svg. Several files, of one
machine, count as one run. Table and summary also go to standard output.
Exit status: 1 when errors of mublas are too large or its bits differ.
"""
import pathlib
import sys

sys.dont_write_bytecode = True

import plots  # noqa: E402
import results  # noqa: E402
import summary  # noqa: E402


def write(files, folder):
    """Returns whether results were wrong."""
    run = results.read(files)
    directory = pathlib.Path(folder)
    directory.mkdir(parents=True, exist_ok=True)
    table, (text, wrong) = summary.table(run), summary.text(run)
    (directory / "table.txt").write_text(table, encoding="utf-8")
    (directory / "summary.txt").write_text(text, encoding="utf-8")
    print(table, end="")
    print("\n".join(line for line in text.splitlines() if not line.startswith("#")))
    plots.write(run, directory)
    return wrong


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: report.py FILE.csv... FOLDER")
    sys.exit(1 if write(sys.argv[1:-1], sys.argv[-1]) else 0)
