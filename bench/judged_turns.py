#!/usr/bin/env python3
"""What bench/crossovers' host times say of its turns: judged_turns.py ROUTINE CALLS.csv.xz...

For calls of the routine of which neither side is 2.5 times as fast: the quartiles, over all turns (20 calls of
one round, judged_calls.h), of a turn's mean in logarithms over the calls' own means, as factors. Then how many of
the routine's calls would have been good with 1 to 1.12 times what the host was expected to take."""
import csv
import lzma
import math
import statistics
import sys

TURN, NEAR, LOSS = 20, 2.5, 0.1


def turns_of(rows):
    turns = {}
    for number, row in enumerate(rows):
        times = [math.log(float(us)) for us in row["host_rounds_us"].split()]
        gain = float(row["host_us"]) / float(row["device_us"])
        if len(times) >= 10 and 1 / NEAR < gain < NEAR:
            for moment, time in enumerate(times):
                turns.setdefault((moment, number // TURN), []).append(time - statistics.mean(times))
    return [statistics.mean(times) for times in turns.values() if len(times) >= 8]


def good(rows, more):
    count = 0
    for row in rows:
        host, device = float(row["host_us"]), float(row["device_us"])
        chosen = device if more * float(row["host_expected_us"]) > float(row["device_expected_us"]) else host
        count += chosen / min(host, device) - 1 < LOSS
    return count


if len(sys.argv) < 3:
    sys.exit("judged_turns.py: usage: judged_turns.py ROUTINE CALLS.csv.xz...")
turns = []
for path in sys.argv[2:]:
    with lzma.open(path, "rt") as lines:
        rows = [row for row in csv.DictReader(lines) if row["routine"] == sys.argv[1]]
    turns += turns_of(rows)
    print(path + ":", ", ".join(f"{good(rows, more)} good with {more}" for more in (1, 1.04, 1.08, 1.12)))
if len(turns) < 2:
    sys.exit("judged_turns.py: no turns of such a routine")
print(len(turns), "turns, quartiles", *(f"{math.exp(part):.2f}" for part in statistics.quantiles(turns, n=4)))
