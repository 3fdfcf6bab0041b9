"""`python -m mublas` and the `mublas` of a virtual environment: both become the command itself."""
import glob
import importlib.util
import os
import sys

import mublas

USAGE = """usage: python -m mublas [OPTION of mublas run...] SCRIPT [ARGUMENT...]
       python -m mublas [OPTION of mublas run...] -m MODULE [ARGUMENT...]
       python -m mublas [OPTION of mublas run...] -c CODE [ARGUMENT...]
           run Python with those BLAS and LAPACK calls on the GPU that gain there; mublas run --help
           lists the options, of which --report tells at the end what ran where
       python -m mublas --manual | --version | --help
"""


def name_cuda_libraries(environment):
    """Let mublas find the cuBLAS and cuSOLVER that NVIDIA's wheels have brought, unless the user names others."""
    package = importlib.util.find_spec("nvidia")
    for folder in (package and package.submodule_search_locations) or []:
        for setting, name in (("MUBLAS_CUBLAS", "cublas"), ("MUBLAS_CUSOLVER", "cusolver")):
            found = []
            for place in (name, "cu[0-9]*"):
                found += glob.glob(os.path.join(glob.escape(folder), place, "lib", f"lib{name}.so.[0-9]*"))
            if found:
                environment.setdefault(setting, max(found))


def become(arguments):
    """Replace this process by the command with these arguments."""
    name_cuda_libraries(os.environ)
    sys.stdout.flush()
    try:
        os.execv(mublas.command(), ["mublas", *arguments])
    except OSError as error:
        sys.exit(f"mublas: {mublas.command()} cannot be run: {error.strerror}")


def interpreter_options():
    """The options that this Python was started with, before `-m mublas`."""
    if not hasattr(sys, "orig_argv"):  # before Python 3.10
        from subprocess import _args_from_interpreter_flags
        return _args_from_interpreter_flags()
    options = sys.orig_argv[1:len(sys.orig_argv) - len(sys.argv) + 1]
    if options and options[-1] == "mublas":  # -m mublas, -Im mublas
        options[-2:] = [options[-2][:-1]]
    elif options:  # -mmublas, -Immublas
        options[-1] = options[-1][:-len("mmublas")]
    return options[:-1] if options[-1:] == ["-"] else options


def console():
    """The script `mublas`."""
    become(sys.argv[1:])


def main():
    """python -m mublas"""
    arguments = sys.argv[1:]
    if arguments[:1] == ["--version"]:
        become(["--version"])
    elif arguments[:1] == ["--manual"]:
        print(mublas.manual(), end="")
        return
    elif arguments[:1] in (["--help"], ["-h"]):
        print(USAGE, end="")
        return
    count = 0
    while count < len(arguments) and arguments[count].startswith("--") and arguments[count] != "--":
        count += 1
    options, python = arguments[:count], arguments[count:]
    if python[:1] == ["--"]:
        del python[0]
    if not python:
        print("mublas: there is no SCRIPT, -m MODULE or -c CODE to run", USAGE, sep="\n", end="", file=sys.stderr)
        sys.exit(2)
    if not sys.executable:
        sys.exit("mublas: Python does not know its own path; use mublas run -- python SCRIPT")
    become(["run", *options, "--", sys.executable, *interpreter_options(), *python])


if __name__ == "__main__":
    main()
