"""mublas in a virtual environment: BLAS and LAPACK calls of Python's modules on the GPU.

    python -m mublas SCRIPT [ARGUMENT...]     runs SCRIPT with its calls on the GPU
    mublas run -- python SCRIPT               the same
    mublas doctor                             checks this machine
    python -m mublas --manual                 prints the manual page
"""
from pathlib import Path

__version__ = "@VERSION@"
_folder = Path(__file__).resolve().parent


def command():
    """The path of the `mublas` command itself, which needs no Python: for job scripts of many ranks."""
    return str(_folder / "bin" / "mublas")


def library():
    """The path of the library for LD_PRELOAD."""
    return str(_folder / "lib" / "libmublas_shim.so")


def recipes():
    """The paths of the recipes that come with mublas, which its library has built in."""
    return sorted(str(path) for path in (_folder / "recipes").iterdir())


def manual():
    """The manual page of the command, as plain text."""
    return (_folder / "mublas.1.txt").read_text(encoding="utf-8")
