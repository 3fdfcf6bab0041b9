#!/usr/bin/env python3
"""lapack_plots.py [--output=FOLDER] FILE...

Draws what `bench/lapack --csv=FILE` measured: for each routine microseconds a column over the order, of
mublas and of cuSOLVER, with the time that the memory needs as a floor; and below it how many times as fast
mublas is. Writes a picture, lapack-ROUTINE.svg, for each routine into FOLDER (the present one), and prints
the geometric mean of how many times as fast mublas is over the orders from 512 on. The pictures need
matplotlib."""
import csv
import math
import os
import sys

MEANS_FROM = 512
COLUMNS = {"device", "routine", "vectors", "n", "floor_seconds", "mublas_seconds", "cusolver_seconds"}
STYLES = {"mublas": ("#d02020", "mublas"), "cusolver": ("#2f5fd0", "cuSOLVER")}
LINES = {"-": "-", "all": "-", "tenth": "--", "none": ":"}
NAMES = {"-": "", "all": "all vectors", "tenth": "a tenth", "none": "no vectors"}


def read(path):
    """The device, and {routine: {vectors: [(n, {what: microseconds a column})]}}, without what is missing."""
    device, routines = "an unknown device", {}
    with open(path, newline="") as stream:
        rows = csv.DictReader(stream)
        if not COLUMNS <= set(rows.fieldnames or []):
            sys.exit(f"lapack_plots.py: {path}: not a table by bench/lapack")
        for row in rows:
            try:
                n = int(row["n"])
                seconds = {what: float(row[f"{what}_seconds"]) for what in ("mublas", "cusolver", "floor")}
            except (TypeError, ValueError):
                sys.exit(f"lapack_plots.py: {path}: '{','.join(map(str, row.values()))}' is no line of times")
            times = {what: 1e6 * value / n for what, value in seconds.items() if value > 0}
            device = row["device"]
            routines.setdefault(row["routine"], {}).setdefault(row["vectors"], []).append((n, times))
    return device, routines


def speed_ups(points):
    return [(n, times["cusolver"] / times["mublas"]) for n, times in points
            if {"cusolver", "mublas"} <= times.keys()]


def print_means(path, device, routines):
    print(f"{path}: {device}; cuSOLVER's time over mublas', n from {MEANS_FROM} on\n")
    print(f"{'routine':8} {'vectors':8} {'orders':>6} {'mean':>6} {'least':>6} {'at n':>6}")
    for routine, kinds in routines.items():
        for vectors, points in kinds.items():
            values = [(value, n) for n, value in speed_ups(points) if n >= MEANS_FROM]
            if not values:
                print(f"{routine:8} {vectors:8} {0:6}      -      -      -")
                continue
            mean = math.exp(sum(math.log(value) for value, _ in values) / len(values))
            least, where = min(values)
            print(f"{routine:8} {vectors:8} {len(values):6} {mean:6.2f} {least:6.2f} {where:6}")
    print()


def draw(plt, device, routine, kinds, folder):
    figure, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(8, 9), height_ratios=(2, 1))
    floors = {}
    for vectors, points in kinds.items():
        kind = NAMES.get(vectors, vectors)
        for what, (colour, name) in STYLES.items():
            line = [(n, times[what]) for n, times in points if what in times]
            if line:
                label = f"{name}, {kind}" if kind else name
                above.plot(*zip(*line), LINES.get(vectors, "-"), color=colour, marker=".", label=label)
        floors.update({n: times["floor"] for n, times in points if "floor" in times})
        ratios = speed_ups(points)
        if ratios:
            below.plot(*zip(*ratios), LINES.get(vectors, "-"), color="#202020", marker=".", label=kind)
    if floors:
        above.plot(*zip(*sorted(floors.items())), color="#8a8a8a", label="memory's floor of the reduction")
    above.set(xscale="log", yscale="log", ylabel="microseconds a column", title=f"{routine} on {device}")
    least = [times["mublas"] for points in kinds.values() for _, times in points if "mublas" in times]
    if least:
        above.set_ylim(bottom=min(least) / 4)
    above.legend()
    below.axhline(1, color="#8a8a8a", linewidth=0.8)
    below.set(xlabel="n", ylabel="times as fast as cuSOLVER")
    if len(kinds) > 1:
        below.legend()
    orders = sorted({n for points in kinds.values() for n, _ in points})
    below.set_xticks(orders, [str(n) for n in orders], rotation=45)
    below.minorticks_off()
    figure.tight_layout()
    figure.savefig(os.path.join(folder, f"lapack-{routine}.svg"))
    plt.close(figure)


def main():
    folder, paths = ".", []
    for argument in sys.argv[1:]:
        if argument in ("-h", "--help"):
            print(__doc__)
            return
        if argument.startswith("--output="):
            folder = argument[9:]
        elif argument.startswith("-"):
            sys.exit(f"lapack_plots.py: {argument} is no option; --help tells more")
        else:
            paths.append(argument)
    if not paths:
        sys.exit("lapack_plots.py: no FILE; --help tells more")
    tables = [(path, *read(path)) for path in paths]
    for table in tables:
        print_means(*table)
    try:
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        print("lapack_plots.py: without matplotlib nothing is drawn", file=sys.stderr)
        return
    os.makedirs(folder, exist_ok=True)
    for _, device, routines in tables:
        for routine, kinds in routines.items():
            draw(plt, device, routine, kinds, folder)


if __name__ == "__main__":
    main()
