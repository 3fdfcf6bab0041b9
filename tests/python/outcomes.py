"""pytest plugin: write "OUTCOME MODULE::TEST" for every test to the file $OUTCOMES.

Tests that draw random numbers without a seed get the same ones in every run."""

import os
import random

import numpy

_names = {}
_worst = {}


def pytest_itemcollected(item):
    _names[item.nodeid] = item.module.__name__ + "::" + item.nodeid.split("::", 1)[-1]


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
        _worst[_names.get(report.nodeid, report.nodeid)] = outcome


def pytest_collectreport(report):
    if report.failed:
        _worst[report.nodeid] = "not-collected"


def pytest_sessionfinish(session):
    with open(os.environ["OUTCOMES"], "w", encoding="utf-8", errors="backslashreplace") as file:
        for test in sorted(_worst):
            file.write("%s %s\n" % (_worst[test], " ".join(test.split())))
