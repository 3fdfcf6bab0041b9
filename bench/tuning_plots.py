#!/usr/bin/env python3
"""tuning_plots.py [--output=FOLDER] [--peer=FILE] FILE...

Sums up and draws what `mublas tune` measured. FILE is RECIPE.csv, which lies beside a recipe, or the
crossovers.csv of `mublas report`. Of launch shapes it prints how close choices come to the fastest shape;
with matplotlib it draws for every class a box plot of all shapes at each size, as the papers do, with curves
of the chosen and the built-in shape, and below it the edge and block that were chosen; of calls the times on
host and device. --peer: a table by bench/kernels/measure of the same device, whose cuBLAS times are drawn as
well."""
import csv
import math
import os
import sys

FIRST_LINE = "# mublas tuning data 1"
ELEMENT_BYTES = {"s": 4, "d": 8, "c": 8, "z": 16, "w": 16}
STYLES = {"default": ("#8a8a8a", "built-in rules"), "chosen": ("#d02020", "chosen by the recipe"),
          "cublas": ("#2f5fd0", "cuBLAS")}
PEER_CLASSES = {("axpy", "-"): "", ("gemv", "N"): "_none", ("gemv", "T"): "_transpose", ("symv", "L"): "",
                ("hemv", "L"): "", ("trmv", "LNN"): "_none", ("trmv", "LTN"): "_transpose"}


def call_bytes(name, m, n):
    """What the call moves at least: each element of a matrix once, and the vectors."""
    element = ELEMENT_BYTES[name[0]]
    if "axpy" in name:
        return 3 * n * element
    if "gemv" in name:
        return (m * n + (m + 2 * n if "transpose" in name else n + 2 * m)) * element
    return (n * (n + 1) / 2 + (2 if "trmv" in name else 3) * n) * element


def read_shapes(path):
    """The device, when it was made, and {(class, form): {(n, m): {stage: rows, the fastest first}}}."""
    device, made, classes = "an unknown device", "not dated", {}
    with open(path, newline="") as stream:
        if stream.readline().rstrip("\n") != FIRST_LINE:
            sys.exit(f"tuning_plots.py: {path}: not '{FIRST_LINE}'")
        lines = []
        for line in stream:
            if line.startswith("# device "):
                device = line[9:].strip()
            elif line.startswith("# made "):
                made = line[7:].strip()
            elif line.endswith("\n"):  # or it is being written
                lines.append(line)
        for row in csv.DictReader(lines):
            try:
                size = int(row["n"]), int(row["m"])
                row["us"] = float(row["us"])
            except (TypeError, ValueError):
                line = ",".join(map(str, row.values()))
                sys.exit(f"tuning_plots.py: {path}: '{line}' is no time of a shape")
            stages = classes.setdefault((row["class"], row["form"]), {}).setdefault(size, {})
            stages.setdefault(row["stage"], []).append(row)
    for sizes in classes.values():
        for stages in sizes.values():
            for rows in stages.values():
                rows.sort(key=lambda row: row["us"])
    return device, made, classes


def quantile(values, part):
    values = sorted(values)
    at = part * (len(values) - 1)
    below = int(at)
    above = min(below + 1, len(values) - 1)
    return values[below] + (at - below) * (values[above] - values[below])


def closeness(sizes, stage):
    """Median and 5th percentile of the fastest time over the stage's, where both are known."""
    parts = [min(1, (stages.get("best") or stages["final"])[0]["us"] / stages[stage][0]["us"])
             for stages in sizes.values() if stage in stages and ("best" in stages or "final" in stages)]
    if not parts:
        return "     -      -"
    return f"{100 * quantile(parts, 0.5):5.1f}% {100 * quantile(parts, 0.05):5.1f}%"


def print_shapes(device, made, classes):
    print(f"{device}, {made}")
    print("how fast a choice is, of the fastest shape: median and 5th percentile, by rules and occupancy over "
          "the\nsizes held out, built-in over all of them\n")
    print(f"{'class':16} {'form':6} {'sizes':>6}  {'by rules':>13}  {'by occupancy':>13}  {'built-in':>13}")
    for (name, form), sizes in classes.items():
        parts = "  ".join(closeness(sizes, stage) for stage in ("rules", "occupancy", "default"))
        print(f"{name:16} {form:6} {len(sizes):6}  {parts}")


def add_peer(path, device, classes):
    """Rows of stage cublas for every case that a class stands for: aligned, cold, lower, not unit."""
    with open(path, newline="") as stream:
        lines = stream.readlines()
    known = next((line[10:] for line in lines if line.startswith("# device: ")), "")
    if not known.startswith(device):
        sys.exit(f"tuning_plots.py: {path}: measured on another device")
    for row in csv.DictReader(line for line in lines if not line.startswith("#")):
        ending = PEER_CLASSES.get((row["routine"], row["flags"]))
        if ending is None or row["layout"] != "aligned" or row["cache"] != "cold" or not row["cublas_us"]:
            continue
        name, n = row["type"] + row["routine"] + ending, int(row["n"])
        m = int(row["m"]) if row["routine"] == "gemv" else n
        form = "tall" if m >= 4 * n else "wide" if n >= 4 * m else "square"
        if (name, form) in classes:
            stages = classes[name, form].setdefault((n, m), {})
            stages["cublas"] = [{"us": float(row["cublas_us"])}]


def draw_class(pyplot, path, title, name, sizes):
    figure, (upper, lower) = pyplot.subplots(2, 1, figsize=(10, 8), height_ratios=(2, 1), sharex=True)
    rate = {size: call_bytes(name, size[1], size[0]) / 1e3 for size in sizes}  # over microseconds: GB/s
    at = {size: math.sqrt(size[0] * size[1]) for size in sizes}
    boxes = {size: [rate[size] / row["us"] for stage, rows in stages.items() if stage != "cublas"
                    for row in rows] for size, stages in sizes.items()}
    boxes = {size: rates for size, rates in boxes.items() if len(rates) >= 5}
    upper.boxplot(list(boxes.values()), positions=[at[size] for size in boxes], manage_ticks=False,
                  widths=[0.06 * at[size] for size in boxes], showfliers=False)
    for stage, (colour, text) in STYLES.items():
        points = sorted((at[size], rate[size] / stages[stage][0]["us"])
                        for size, stages in sizes.items() if stage in stages)
        if points:
            upper.plot(*zip(*points), color=colour, label=text, marker=".", linewidth=1)
    chosen = []
    for stage in ("chosen", "final"):
        chosen = chosen or sorted((at[size], stages[stage][0]["n"], stages[stage][0])
                                  for size, stages in sizes.items() if stage in stages)
    for column in ("edge", "threads_x", "threads_y"):
        lower.plot([point[0] for point in chosen], [int(point[2][column]) for point in chosen], label=column,
                   drawstyle="steps-post")
    upper.set(title=title, ylabel="GB/s", xscale="log")
    lower.set(xlabel="sqrt(m n)" if "gemv" in name else "n", ylabel="chosen", yscale="log")
    upper.legend()
    lower.legend()
    figure.savefig(path)
    pyplot.close(figure)


def draw_crossovers(pyplot, path, folder):
    with open(path, newline="") as stream:
        rows = list(csv.DictReader(stream))
    for name in dict.fromkeys(row["class"] for row in rows):
        figure, axes = pyplot.subplots()
        for column, text in (("host_us", "host"), ("resident_us", "device, resident"),
                             ("upload_us", "device, with upload")):
            points = [(float(row["size"]), float(row[column])) for row in rows
                      if row["class"] == name and row[column]]
            if points:
                axes.plot(*zip(*points), label=text)
        axes.set(title=name, xlabel="n", ylabel="microseconds", xscale="log", yscale="log")
        axes.legend()
        figure.savefig(os.path.join(folder, f"crossover-{name}.svg"))
        pyplot.close(figure)


def load_pyplot():
    try:
        import matplotlib
    except ImportError:
        print("no plots: there is no matplotlib", file=sys.stderr)
        return None
    matplotlib.use("svg")
    from matplotlib import pyplot
    return pyplot


def main(arguments):
    options = {"output": ".", "peer": None}
    files = []
    for argument in arguments:
        name, equals, value = argument[2:].partition("=")
        if not argument.startswith("--"):
            files.append(argument)
        elif equals and name in options:
            options[name] = value
        else:
            sys.exit(__doc__)
    if not files:
        sys.exit(__doc__)
    pyplot = load_pyplot()
    os.makedirs(options["output"], exist_ok=True)
    for path in files:
        if os.path.basename(path) == "crossovers.csv":
            if pyplot:
                draw_crossovers(pyplot, path, options["output"])
            continue
        device, made, classes = read_shapes(path)
        if options["peer"]:
            add_peer(options["peer"], device, classes)
        print_shapes(device, made, classes)
        for (name, form), sizes in classes.items():
            if pyplot:
                draw_class(pyplot, os.path.join(options["output"], f"{name}-{form}.svg"),
                           f"{name}, {form}, on {device}", name, sizes)


if __name__ == "__main__":
    main(sys.argv[1:])
