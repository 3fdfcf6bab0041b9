"""How a program is started on each of the libraries that are compared."""
import glob
import os
import pathlib
import shutil
import subprocess
import sys

ORDER = ("host", "mublas", "several", "run", "nvblas", "cusolver")
MEANING = {
    "host": "the host BLAS alone, all cores",
    "mublas": "the same program with libmublas_shim.so preloaded, and MUBLAS_DEVICE=0",
    "several": "the same with MUBLAS_DEVICE=all, for machines with several devices",
    "run": "the same by `mublas run`, which also asks glibc for huge pages",
    "nvblas": "the same program with libnvblas.so preloaded",
    "cusolver": "another program, rewritten for cuSOLVER, with operands in pinned memory",
}
SOLVED_BY_CUSOLVER = ("dsytrd", "dsyevd", "dsyev", "dsyevr", "zheevd", "dsygvd", "zhegvx", "dgeev", "dpotrf",
                      "dgetrf", "dgesv", "dgeqrf", "dgels", "dgesdd")
# Solved in Python by python_linalg.py.
IN_PYTHON = ("numpy_eigh", "numpy_eigh_complex", "numpy_svd", "numpy_svd_complex", "scipy_eigh",
             "scipy_eigh_complex")
NVBLAS_SETTINGS = """NVBLAS_LOGFILE {log}
NVBLAS_CPU_BLAS_LIB {host_blas}
NVBLAS_GPU_LIST ALL
NVBLAS_TILE_DIM 2048
NVBLAS_AUTOPIN_MEM_ENABLED
"""


class Contenders:
    """Commands and environments; `folder` takes symbolic links and settings."""

    def __init__(self, options, folder):
        self.programs = pathlib.Path(options.programs).resolve()
        self.shim = options.shim
        self.command = options.mublas
        self.reports = options.reports
        self.environment = dict(os.environ)
        self.environment.pop("LD_PRELOAD", None)
        libraries = pathlib.Path(folder) / "libraries"
        libraries.mkdir()
        self.link(libraries / "libblas.so.3", options.blas)
        self.link(libraries / "liblapack.so.3", options.lapack or options.blas)
        self.add_library_folder(libraries, first=True)
        self.host_blas = self.found_by_loader("power", "libblas.so.3")
        self.lapack = self.found_by_loader("dsyevd", "liblapack.so.3")
        there = sorted(glob.glob("/usr/local/cuda*/lib64/libnvblas.so*"))
        self.nvblas = options.nvblas or next(iter(there), None)
        if self.nvblas:
            self.add_library_folder(pathlib.Path(self.nvblas).resolve().parent)
        self.settings = pathlib.Path(folder) / "nvblas.conf"
        self.nvblas_log = pathlib.Path(folder) / "nvblas.log"
        self.settings.write_text(NVBLAS_SETTINGS.format(log=self.nvblas_log, host_blas=self.host_blas))

    @staticmethod
    def link(name, library):
        if library:
            name.symlink_to(pathlib.Path(library).resolve())

    def add_library_folder(self, folder, first=False):
        folders = [self.environment["LD_LIBRARY_PATH"]] if self.environment.get("LD_LIBRARY_PATH") else []
        folders.insert(0 if first else len(folders), str(folder))
        self.environment["LD_LIBRARY_PATH"] = ":".join(folders)

    def found_by_loader(self, program, name):
        """The path that the loader takes for a library that a program asks for, by ldd; or None."""
        try:
            found = subprocess.run(["ldd", str(self.programs / program)], capture_output=True, text=True,
                                   env=self.environment, check=False)
        except OSError:
            return None
        for line in found.stdout.splitlines():
            words = line.split()
            if len(words) > 2 and words[0] == name and words[1] == "=>":
                return os.path.realpath(words[2])
        return None

    def missing(self, contender):
        """Why a contender cannot run at all, or None."""
        if contender == "nvblas" and not self.nvblas:
            return "no libnvblas.so under /usr/local/cuda*/lib64 (option --nvblas)"
        if contender == "nvblas" and not self.host_blas:
            return "no host BLAS found for it (option -b)"
        if contender == "run" and not (self.command and shutil.which(self.command)):
            return "no mublas command (option --mublas)"
        return None

    def takes_part(self, contender, case, round_number):
        if round_number > 1 and case.again and contender not in case.again:
            return False
        if contender == "cusolver" and case.program not in SOLVED_BY_CUSOLVER:
            return False
        return contender not in case.leave_out

    def start(self, contender, case):
        """(command, environment) of one process."""
        arguments = [str(case.n), str(case.repetitions_of(contender))]
        if case.extra and contender != "cusolver":
            arguments.append(str(case.extra))
        environment = dict(self.environment)
        command = [str(self.programs / case.program)]
        if case.program in IN_PYTHON:
            script = pathlib.Path(__file__).with_name("python_linalg.py")
            command = [sys.executable, str(script), case.program]
        if contender == "cusolver":
            command = [str(self.programs / "cusolver"), case.program]
        elif contender == "nvblas":
            environment.update(LD_PRELOAD=self.nvblas, NVBLAS_CONFIG_FILE=str(self.settings))
        elif contender in ("mublas", "several"):
            environment["LD_PRELOAD"] = self.shim
            environment["MUBLAS_DEVICE"] = "all" if contender == "several" else "0"
        elif contender == "run":
            command = [self.command, "run", "--", *command]
        if self.reports and contender in ("mublas", "several", "run"):
            environment["MUBLAS_REPORT"] = "1"
        return [*command, *arguments], environment
