"""Bandwidth over n as SVG, by gnuplot: a file per routine, type and cache state, in it a
panel for each set of flags."""
import re
import shutil
import subprocess
import sys

PANEL = (430, 330)  # pixels
CURVES = (  # member of Row, title, gnuplot style
    ("roof", "read roof(n)", "lines lw 4 lc rgb '#c8c8c8'"),
    ("cublas", "cuBLAS", "linespoints lw 1.5 pt 6 ps 0.6 lc rgb '#2a9d5c'"),
    ("atomics", "cuBLAS, atomics", "linespoints lw 1.5 dt 2 pt 4 ps 0.6 lc rgb '#d9822b'"),
    ("mublas", "mublas", "linespoints lw 2 pt 7 ps 0.6 lc rgb '#1f5fbf'"),
)


def device_name(run):
    for comment in run.comments:
        if comment.startswith("device:"):
            return comment.split(":", 1)[1].split(",")[0].strip()
    return "unknown device"


def power_of_two_like(n):
    """The smooth curve leaves out sizes just beside a tile edge."""
    return n % 64 == 0


def grouped(run):
    """{(routine, type, cache): {flags: rows in order of n}}; aligned and square only, no unit diagonals."""
    groups = {}
    for row in run.rows:
        unit = row.routine == "trmv" and row.flags.endswith("U")
        if row.layout != "aligned" or unit or not (row.square or row.routine == "axpy") or \
                not power_of_two_like(row.n):
            continue
        groups.setdefault((row.routine, row.type, row.cache), {}).setdefault(row.flags, []).append(row)
    for panels in groups.values():
        for rows in panels.values():
            rows.sort(key=lambda row: row.n)
    return groups


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def panel(run, rows, title, warm, number):
    """Commands that draw one set of flags."""
    lines, parts = [], []
    for member, name, style in CURVES:
        points = [(row.n, row.rate(getattr(row, member))) for row in rows]
        points = [point for point in points if point[1]]
        if not points:
            continue
        block = f"$curve_{number}_{member}"
        lines += [f"{block} << END", *(f"{n} {rate:.2f}" for n, rate in points), "END"]
        parts.append(f"{block} using 1:2 with {style} title {quoted(name)}")
    if run.large_roof and not warm and rows[0].routine != "axpy":
        parts.append(f"{run.large_roof} with lines lw 1 dt 3 lc rgb '#606060' title 'read roof over 4 GiB'")
    sizes = [row.n for row in rows]
    lines += [f"set title {quoted(title)}", f"set xrange [{min(sizes) * 0.9}:{max(sizes) * 1.1}]",
              "plot " + ", ".join(parts)]
    return lines


def script(run, key, panels, path):
    routine, letter, cache = key
    columns = min(len(panels), 2)
    lines_of_panels = -(-len(panels) // columns)
    operands = "rotating operands" if cache == "cold" else "warm L2 cache"
    heading = f"{letter}{routine} on {device_name(run)}, {operands}"
    lines = [f"set terminal svg size {columns * PANEL[0]},{lines_of_panels * PANEL[1] + 30} font 'sans,11' "
             "background rgb 'white'",
             f"set output {quoted(str(path))}", "set logscale x 2", "set format x '%.0f'", "set yrange [0:*]",
             "set grid lc rgb '#e8e8e8'", "set key below samplen 2 maxrows 2 font ',9'", "set xlabel 'n'",
             "set ylabel 'GB/s'",
             "set xtics font ',9' rotate by -30",
             f"set multiplot layout {lines_of_panels},{columns} title {quoted(heading)} noenhanced"]
    for number, (flags, rows) in enumerate(panels.items()):
        title = f"{letter}{routine} {flags}" if flags != "-" else f"{letter}{routine}"
        lines += panel(run, rows, title, cache == "warm", number)
    return "\n".join([*lines, "unset multiplot", ""])


def write(run, directory):
    gnuplot = shutil.which("gnuplot")
    if not gnuplot:
        print("report.py: no gnuplot (Debian: gnuplot-nox), so no plots", file=sys.stderr)
        return
    for key, panels in grouped(run).items():
        if max(len(rows) for rows in panels.values()) < 2:
            continue
        path = directory / ("{1}{0}-{2}.svg".format(*key))
        subprocess.run([gnuplot], input=script(run, key, panels, path), text=True, check=True)
        # Creator and date lines would make every run's files differ.
        text = path.read_text(encoding="utf-8")
        path.write_text(re.sub(r"<desc>.*?</desc>", "", text, flags=re.S), encoding="utf-8")
