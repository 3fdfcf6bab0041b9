"""What bench/programs/run.py measures: sizes, repetitions and rounds."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Case:
    program: str
    n: int
    extra: int = 0  # the program's third argument; 0: its default
    rounds: int = 1
    repetitions: int = 2
    host_repetitions: int = 0  # 0: as many as the others; nothing wakes on the host, so 1 says it all
    leave_out: tuple = ()  # contenders that would take too long
    again: tuple = ()  # the only ones in rounds after the first; (): all. Without host: for bits alone

    @property
    def name(self):
        return f"{self.program} {self.n}"

    def repetitions_of(self, contender):
        if contender in ("host", "nvblas") and self.host_repetitions:
            return self.host_repetitions
        return self.repetitions


HARMFUL = ("small_calls", "rewritten", "single_use")
TOO_SMALL = ("dsyevd_loop",)  # for the device; beside small_calls

PLANS = {
    # Does everything run, and rightly? A few seconds on an emulated device.
    "tiny": [
        *(Case(program, 60, rounds=2) for program in
          ("dsytrd", "dsyevd", "dsyevr", "zheevd", "dgels", "dgelsd", "dpotrf", "dgesdd", "dsyev", "dsygvd", "zhegvx",
           "dgeev", "dgeqrf", "dgetrf", "dgesv")),
        Case("dsyevd_loop", 60, 4, rounds=2), Case("dsyevd_threads", 60, 4, rounds=2),
        Case("dgemm", 60, rounds=2),
        Case("lanczos", 60, 10, rounds=2), Case("power", 60, 10, rounds=2),
        Case("small_calls", 1, rounds=2),
        Case("rewritten", 60, 6, rounds=2), Case("single_use", 60, 6, rounds=2),
    ],
    # The same on a device, in about a minute.
    "small": [
        *(Case(program, 2048) for program in ("dsytrd", "dsyevd", "dsyevr", "zheevd", "dpotrf", "dgesdd")),
        Case("dgels", 1024), Case("lanczos", 4096, 50), Case("power", 4096, 50),
        Case("small_calls", 100, repetitions=3), Case("rewritten", 2048), Case("single_use", 2048),
    ],
    # The acceptance figures first, then what else is worth knowing; some 6 minutes on an H100
    # with 16 cores, so --only or --budget split it. NVBLAS hands level 2 to the host.
    "full": [
        Case("small_calls", 500, rounds=3, repetitions=6, leave_out=("run",)),
        Case("rewritten", 4096, 6, rounds=4, repetitions=12, leave_out=("run",), again=("host", "mublas")),
        Case("single_use", 4096, 3, rounds=4, repetitions=10, leave_out=("run",), again=("host", "mublas")),
        Case("lanczos", 16384, 100, rounds=2, leave_out=("nvblas",)),
        Case("power", 16384, 100, rounds=2, leave_out=("nvblas",), again=("mublas",)),
        Case("dsytrd", 8192, rounds=2, host_repetitions=1, again=("mublas",)),
        Case("dsyevd", 8192, host_repetitions=1, leave_out=("nvblas", "run")),
        Case("dsytrd", 16384, repetitions=1, leave_out=("nvblas", "run")),
        Case("zheevd", 4096, host_repetitions=1, leave_out=("run",)),
        Case("dsyevd", 4096, host_repetitions=1, leave_out=("run",)),
        Case("dgesdd", 2048, host_repetitions=1, leave_out=("run",)),
        Case("dgels", 3072, host_repetitions=1, leave_out=("run",)),
        Case("dsyevr", 4096, host_repetitions=1, leave_out=("run",)),
        Case("dpotrf", 12288, host_repetitions=1, leave_out=("run",)),
        Case("zheevd", 8192, repetitions=1, leave_out=("nvblas", "run")),
    ],
    # The figures of LAPACK's routes, in some 3 minutes on an H100 with 16 cores: 80 s are the host's, which
    # has one repetition where it takes seconds.
    "routes": [
        Case("dsyevd", 1024, repetitions=16), Case("dsyevd", 2048, repetitions=5),
        Case("dsyevd", 4096, repetitions=4, host_repetitions=2),
        Case("zheevd", 2048, repetitions=4, host_repetitions=2),
        Case("dsygvd", 4096, repetitions=3, host_repetitions=1),
        Case("dgesdd", 4096, repetitions=3, host_repetitions=1),
        Case("dgelsd", 3072, repetitions=3, host_repetitions=1),
        Case("dsyevr", 4096, repetitions=3, host_repetitions=2),
        Case("dgeqrf", 8192, repetitions=6, host_repetitions=1),
        Case("dgetrf", 8192, repetitions=6, host_repetitions=2),
        Case("dgesv", 8192, repetitions=6, host_repetitions=2),
        Case("dpotrf", 12288, repetitions=6, host_repetitions=2),
        Case("dsytrd", 8192, repetitions=3, host_repetitions=1),
        Case("dsyevd_loop", 300, 50, rounds=2, repetitions=4),
        Case("dgeev", 2048, repetitions=3, host_repetitions=1),
        Case("dsyev", 2048, repetitions=3, host_repetitions=1),
        Case("zhegvx", 4096, repetitions=3, host_repetitions=1),
        Case("zheevd", 4096, repetitions=3, host_repetitions=1),
        Case("dsyevd", 8192, repetitions=3, host_repetitions=1),
    ],
    # What several devices are for (--contenders host,mublas,several); some 6 minutes on two H200. No single
    # one holds the last matrix, of 104 GB.
    "devices": [
        Case("dgemm", 16384, 2, repetitions=8, host_repetitions=1),
        Case("dpotrf", 32768, 2, repetitions=8, host_repetitions=1),
        Case("power", 32768, 300, repetitions=16, host_repetitions=1),
        Case("power", 40000, 200, repetitions=16, host_repetitions=1),
        Case("dsyevd_threads", 4096, 2, repetitions=20, host_repetitions=1),
        Case("dsyevd", 4096, repetitions=4, host_repetitions=1),
        Case("power", 114000, 20, repetitions=3, host_repetitions=1, leave_out=("mublas",)),
    ],
    # The same for NumPy and SciPy, where there are these; some 2 minutes.
    "python": [Case(program, 3000, repetitions=3, host_repetitions=2) for program in
               ("numpy_eigh", "scipy_eigh", "numpy_eigh_complex", "scipy_eigh_complex", "numpy_svd",
                "numpy_svd_complex")],
}
