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

    @property
    def name(self):
        return f"{self.program} {self.n}"

    def repetitions_of(self, contender):
        if contender in ("host", "nvblas") and self.host_repetitions:
            return self.host_repetitions
        return self.repetitions


HARMFUL = ("small_calls", "rewritten", "single_use")

PLANS = {
    # Does everything run, and rightly? A few seconds on an emulated device.
    "tiny": [
        *(Case(program, 60, rounds=2) for program in
          ("dsytrd", "dsyevd", "dsyevr", "zheevd", "dgels", "dpotrf", "dgesdd")),
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
    # The acceptance figures and what else is worth knowing; some 5 minutes on an H100 with 16 cores.
    "full": [
        Case("small_calls", 200, rounds=5, repetitions=6),
        Case("rewritten", 4096, rounds=3, repetitions=4),
        Case("single_use", 4096, rounds=3, repetitions=4),
        Case("lanczos", 16384, 100, rounds=2),
        Case("power", 16384, 200, rounds=2),
        Case("dsytrd", 8192, rounds=2, host_repetitions=1),
        Case("dpotrf", 12288), Case("dgels", 4096),
        Case("dsyevr", 6144, host_repetitions=1),
        Case("dgesdd", 4096, host_repetitions=1),
        Case("dsyevd", 8192, host_repetitions=1),
        Case("zheevd", 8192, host_repetitions=1, leave_out=("nvblas",)),
        Case("zheevd", 4096, host_repetitions=1),
        Case("dsytrd", 16384, host_repetitions=1, leave_out=("nvblas",)),
    ],
}
