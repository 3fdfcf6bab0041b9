"""pytest plugin: write "OUTCOME MODULE::TEST" for every test to the file $OUTCOMES, and leave
out those that the file $LEAVE_OUT names; SAMPLE="PARTS SEED" takes one in so many of the others.

Tests that draw random numbers without a seed get the same ones in every run."""

import os
import random
import zlib

import numpy

_names = {}
_outcomes = {}


def _name(item):
    return item.module.__name__ + "::" + item.nodeid.split("::", 1)[-1]


def pytest_collection_modifyitems(config, items):
    left_out = set()
    if os.environ.get("LEAVE_OUT"):
        with open(os.environ["LEAVE_OUT"], encoding="utf-8") as file:
            left_out = {line.strip() for line in file}
    parts, seed = map(int, os.environ.get("SAMPLE", "1 0").split())
    chosen = [item for item in items if _name(item) not in left_out
              and (zlib.crc32(_name(item).encode()) + seed) % parts == 0]
    kept = set(chosen)
    dropped = [item for item in items if item not in kept]
    items[:] = chosen
    config.hook.pytest_deselected(items=dropped)
    _names.update((item.nodeid, _name(item)) for item in items)


def pytest_runtest_setup(item):
    random.seed(20)
    numpy.random.seed(20)


def pytest_runtest_logreport(report):
    outcome = report.outcome
    if hasattr(report, "wasxfail"):
        outcome = "xfailed" if report.skipped else "xpassed"
    elif report.failed and report.when != "call":
        outcome = "error"
    if report.when == "call" or outcome != "passed":
        _outcomes[_names.get(report.nodeid, report.nodeid)] = outcome


def pytest_collectreport(report):
    if report.failed:
        _outcomes[report.nodeid] = "not-collected"


def pytest_sessionfinish(session):
    with open(os.environ["OUTCOMES"], "w", encoding="utf-8", errors="backslashreplace") as file:
        for test in sorted(_outcomes):
            file.write("%s %s\n" % (_outcomes[test], " ".join(test.split())))
