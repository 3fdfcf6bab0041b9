#!/usr/bin/env python3
"""What does Elk, a program of electronic structure, gain? Debian's elk-lapw, which knows nothing of mublas.

    elk.py SIZE [--shim FILE] [--blas FOLDER] [--threads N] [--elk PROGRAM] [--species FOLDER]

The crystal is fcc aluminium in a cube, with one atom replaced by magnesium; Elk makes two steps towards a
self-consistent density, each with an eigenproblem (zhegvx, a few hundred of the lowest states). SIZE: tiny, small,
medium, large (order 3130) or huge (order 5103). --shim: preload this libmublas_shim.so. --blas: a folder with
libblas.so.3 and liblapack.so.3 for Elk, instead of the system's. --threads (all processors) are OpenMP's and
OpenBLAS'. --elk (elk-lapw) and --species (/usr/share/elk-lapw/species) are where apt-get install elk-lapw
puts them. It runs in a new folder under TMPDIR, which is removed. Prints the order, seconds by Elk's own
clock, its energy, and seconds in all; on standard error what the program writes there. Exit status: 2 for bad
arguments, 3 without Elk, 1 where Elk fails.
"""
import argparse
import itertools
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

NOT_THERE = 3
SIZES = {"tiny": (1, 6.0), "small": (1, 10.0), "medium": (2, 7.0), "large": (2, 8.0), "huge": (2, 9.5)}
LATTICE = 7.6534  # of aluminium, in atomic units
FACE_CENTRED = ((0, 0, 0), (0, .5, .5), (.5, 0, .5), (.5, .5, 0))


def aluminium(cells):
    """Where the atoms are in the cube but for the one at the origin, in units of its edges."""
    for cell in itertools.product(range(cells), repeat=3):
        for site in FACE_CENTRED:
            place = tuple((whole + part) / cells for whole, part in zip(cell, site))
            if place != (0, 0, 0):
                yield place


def input_of(size, species):
    cells, cutoff = SIZES[size]
    atoms = list(aluminium(cells))
    blocks = [("tasks", ["0"]), ("maxscl", ["2"]), ("rgkmax", [str(cutoff)]), ("tefvr", [".false."]),
              ("scale", [str(LATTICE * cells)]), ("avec", ["1.0 0.0 0.0", "0.0 1.0 0.0", "0.0 0.0 1.0"]),
              ("sppath", [f"'{species.rstrip('/')}/'"]),
              ("atoms", ["2", "'Mg.in'", "1", "0.0 0.0 0.0  0.0 0.0 0.0", "'Al.in'", str(len(atoms))] +
               ["{:.10f} {:.10f} {:.10f}  0.0 0.0 0.0".format(*place) for place in atoms]),
              ("ngridk", ["1 1 1"]), ("vkloff", ["0.25 0.25 0.25"])]
    return "\n".join(name + "\n" + "".join(f" {line}\n" for line in lines) for name, lines in blocks)


def environment_of(options):
    threads = str(options.threads)
    changes = {"OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads, "OMP_STACKSIZE": "512M",
               "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    if options.blas:
        others = os.environ.get("LD_LIBRARY_PATH")
        changes["LD_LIBRARY_PATH"] = options.blas + (":" + others if others else "")
    if options.shim:
        changes["LD_PRELOAD"] = options.shim
    return {**os.environ, **changes}


def read(folder, name, mode="r"):
    with open(os.path.join(folder, name), mode) as file:
        return file.read()


def report(folder, seconds):
    """Records of EVECFV.OUT begin with the k-point, then the order and how many states were computed."""
    order, states = struct.unpack_from("=2i", read(folder, "EVECFV.OUT", "rb"), 24)
    print(f"order {order}, states {states}")
    timings = read(folder, "INFO.OUT").rpartition("Timings")[2]
    for name, value in re.findall(r"^ *(.+?) *: *([0-9.]+)$", timings, re.MULTILINE):
        if float(value) > 0:
            print(f"{name}: {float(value):.2f} s")
    print("energy", read(folder, "TOTENERGY.OUT").split()[-1])
    print(f"in all {seconds:.2f} s")


def run(options, folder):
    with open(os.path.join(folder, "elk.in"), "w", encoding="ascii") as file:
        file.write(input_of(options.size, options.species))
    start = time.perf_counter()
    status = subprocess.run([options.elk], cwd=folder, env=environment_of(options), stdout=subprocess.DEVNULL,
                            check=False).returncode
    seconds = time.perf_counter() - start
    if status != 0 or not os.path.exists(os.path.join(folder, "TOTENERGY.OUT")):
        print(f"elk.py: {options.elk} ended with status {status} and without an energy", file=sys.stderr)
        return 1
    report(folder, seconds)
    return 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].strip())
    parser.add_argument("size", choices=SIZES)
    for name in ("shim", "blas"):
        parser.add_argument("--" + name, type=os.path.abspath)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--elk", default="elk-lapw")
    parser.add_argument("--species", default="/usr/share/elk-lapw/species", type=os.path.abspath)
    options = parser.parse_args()
    for path in filter(None, (options.shim, options.blas)):
        if not os.path.exists(path):
            parser.error(f"{path} is not there")
    if not shutil.which(options.elk) or not os.path.isdir(options.species):
        print(f"elk.py: no {options.elk}, or no {options.species} (apt-get install elk-lapw)", file=sys.stderr)
        return NOT_THERE
    with tempfile.TemporaryDirectory() as folder:
        return run(options, folder)


if __name__ == "__main__":
    sys.exit(main())
