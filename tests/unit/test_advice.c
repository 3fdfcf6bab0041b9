/* Each sentence of the advice, and that it is said for its fact alone. */
#include "interpose/report/report_data.h"
#include "tap.h"
#include "unit_test.h"

#include <string.h>

static char said[16384];

static void take(void *context, const char *sentence)
{
    (void)context;
    strncat(said, sentence, sizeof said - strlen(said) - 2);
    strcat(said, "\n");
}

static void expect(const struct advice_facts *facts, const char *wanted, const char *what)
{
    *said = '\0';
    advice_give(facts, take, NULL);
    if (!tap_ok(strcmp(said, wanted) == 0, "%s", what))
        printf("# said:\n# %s# wanted:\n# %s", said, wanted);
}

static void expect_one(struct advice_routine routine, enum host_reason reason, uint64_t calls, double seconds,
                       const char *wanted)
{
    routine.calls[reason] = calls;
    routine.seconds[reason] = seconds;
    const struct advice_facts facts = {.routines = &routine, .count = 1, .has_recipe = true, .was_called = true};
    expect(&facts, wanted, host_reason_text(reason));
}

static void test_process(void)
{
    struct advice_facts facts = {.has_recipe = true, .was_called = true};
    expect(&facts, "Nothing: all calls ran on the GPU, by a recipe of this machine.\n",
           "nothing held the program back");
    facts.has_recipe = false;
    expect(&facts, "No recipe of this machine is in force, so which sizes pay was not measured here: run "
                   "mublas tune once.\n", "no recipe");
    facts.device_is_emulated = true;
    expect(&facts, "Nothing: all calls ran on the emulated device.\n", "no advice to tune a device that is none");
    facts.device_is_emulated = false;
    facts.device = ADVICE_DEVICE_NONE;
    facts.device_fault = "no CUDA driver (libcuda.so.1: no such file)";
    expect(&facts, "No GPU could be used: no CUDA driver (libcuda.so.1: no such file). Where there is an NVIDIA GPU, "
                   "install its driver; start a container with the GPU. mublas doctor says more.\n", "no device, for a reason; its recipe does not matter");
    facts.device_fault = NULL;
    expect(&facts, "No GPU could be used: MUBLAS_VERBOSE=2 says why. mublas doctor says what to do.\n",
           "no device, for an unknown reason");
    facts.device_fault = "device 0 is busy";
    expect(&facts, "No GPU could be used: device 0 is busy. mublas doctor says what to do.\n", "no device, for another");
    facts.device = ADVICE_DEVICE_LOST;
    expect(&facts, "The GPU was given up in the middle of the run; a line on standard error says why "
                   "(MUBLAS_VERBOSE=0 hides it).\n",
           "a device that was lost");
    facts.device = ADVICE_DEVICE_ASLEEP;
    facts.was_called = false;
    expect(&facts, "This program made no BLAS or LAPACK call that mublas could see. mublas info -- PROGRAM lists "
                   "those that it could make.\n", "a program without calls");
    facts.has_started_others = true;
    expect(&facts, "This program made no BLAS or LAPACK call that mublas could see. mublas info -- PROGRAM lists "
                   "those that it could make.\nIt started other processes, which report for themselves: a fork's "
                   "child to a name of its own, FILE.PID. One that leaves by _exit, as Python's multiprocessing has "
                   "it after a fork, or that a signal ends, writes no report: in Python take multiprocessing's "
                   "spawn.\n", "one that started others");
    facts.has_started_others = false;
    facts.unreachable = "lib/libfoo.so: 3 BLAS routines: a BLAS is linked statically into it";
    expect(&facts, "This program made no BLAS or LAPACK call that mublas could see.\nNot interceptable, so not in this report: lib/libfoo.so: 3 BLAS routines: a BLAS is linked "
                   "statically into it.\n", "what cannot be intercepted");
}

static void test_forked(void)
{
    struct advice_facts facts = {.has_recipe = true, .was_called = true, .has_started_others = true};
    expect(&facts, "Nothing: all calls ran on the GPU, by a recipe of this machine.\n",
           "of programs that one with calls started nothing is said");
    facts.has_forked = true;
    expect(&facts, "Processes that it forked report for themselves, each to a name of its own, FILE.PID. One that "
                   "leaves by _exit, as Python's multiprocessing has it after a fork, or that a signal ends, writes "
                   "no report: in Python take multiprocessing's spawn.\n", "but of what it forked");
}

static void test_waking(void)
{
    struct advice_routine routine = {.name = "dgemv", .calls = {[HOST_NOT_OPENED] = 3},
                                     .seconds = {[HOST_NOT_OPENED] = 0.25}};
    struct advice_facts facts = {.routines = &routine, .count = 1, .was_called = true, .device = ADVICE_DEVICE_ASLEEP};
    const char routine_line[] = "0.250 s of calls on the host, because calls had not yet paid for opening the "
                                "GPU, cuBLAS or cuSOLVER: dgemv 0.250 s (3).\n";
    char wanted[512];
    snprintf(wanted, sizeof wanted, "The GPU was not woken: as foretold, calls that took 0.250 s on the host would "
                                    "not have saved what waking it takes.\n%s", routine_line);
    expect(&facts, wanted, "calls that would not have paid for waking");
    routine.seconds[HOST_NOT_OPENED] = 2.5;
    expect(&facts, "The GPU was not woken: as foretold, calls that took 2.500 s on the host would not have saved what "
                   "waking it takes. Built-in figures foretell a host of 16 cores with OpenBLAS: run mublas tune once, "
                   "which learns those of this host.\n2.500 s of calls on the host, because calls had not yet paid for "
                   "opening the GPU, cuBLAS or cuSOLVER: dgemv 2.500 s (3).\n", "nor on a host that is slow");
    facts.has_recipe = true;
    expect(&facts, "The GPU was not woken: as foretold, calls that took 2.500 s on the host would not have saved what "
                   "waking it takes.\n2.500 s of calls on the host, because calls had not yet paid for opening the GPU, "
                   "cuBLAS or cuSOLVER: dgemv 2.500 s (3).\n", "which mublas tune has learned");
    facts.has_recipe = false;
    routine.seconds[HOST_NOT_OPENED] = 0.25;
    facts.device = ADVICE_DEVICE_NONE;
    facts.device_fault = "no CUDA device is visible";
    expect(&facts, "No GPU could be used: no CUDA device is visible. mublas doctor says what to do.\n"
                   "0.250 s of calls on the host, because there was no usable GPU that they could have paid for: dgemv "
                   "0.250 s (3).\n", "calls that would have paid, had there been a device");
    facts.device = ADVICE_DEVICE_READY;
    snprintf(wanted, sizeof wanted, "The program ended while the GPU was being woken, or that took too long: calls "
                                    "took 0.250 s on the host. A longer run would use it.\n%s", routine_line);
    expect(&facts, wanted, "a program that ended before the device was used");
}

static void test_tracking(void)
{
    struct advice_facts facts = {.has_recipe = true, .was_called = true, .tracking = ADVICE_TRACKING_OFF};
    expect(&facts, "MUBLAS_TRACKING=0: no matrix stays on the GPU, each call sends its own.\n", "tracking off");
    facts.tracking = ADVICE_TRACKING_IMPOSSIBLE;
    facts.tracking_fault = "userfaultfd: Operation not permitted";
    expect(&facts, "This process could not track writes (userfaultfd: Operation not permitted), so no matrix stays "
                   "on the GPU: allow the system call userfaultfd in the container's profile.\n",
           "a container's profile");
    facts.tracking_fault = "asynchronous write protection: Invalid argument";
    expect(&facts, "This process could not track writes (asynchronous write protection: Invalid argument), so no "
                   "matrix stays on the GPU: that takes Linux 6.7 or newer with userfaultfd.\n", "an old kernel");
    facts.tracking_fault = "the program closed its descriptors";
    expect(&facts, "This process could not track writes (the program closed its descriptors), so no matrix stays on "
                   "the GPU: the program should close its own descriptors only.\n", "closed descriptors");
    facts.tracking = ADVICE_TRACKING_BLIND;
    expect(&facts, "No matrix stays on the GPU, since this process uses memory that can be written unseen (RDMA, "
                   "XPMEM, pins of others). If that is never a matrix, set MUBLAS_TRUST_TRACKING=1.\n", "RDMA");
}

static void test_sizes(void)
{
    struct advice_routine routine = {.name = "dsyevd", .is_lapack = true, .m = 900, .n = 900, .k = 900,
                                     .pays_from = 950};
    expect_one(routine, HOST_FASTER, 12, 6.1,
               "dsyevd: 6.100 s on the host in 12 calls; the largest, of order 900, is below the order that pays "
               "here: 950.\n");
    routine.pays_from = 0;
    expect_one(routine, HOST_FASTER, 1, 0.5, "dsyevd: 0.500 s on the host in 1 call, because the host was predicted "
                                             "to be faster; the largest was 900 x 900 x 900.\n");
    expect_one((struct advice_routine){.name = "dgemv", .m = 30, .n = 20}, HOST_FASTER, 2, 0.001,
               "dgemv: 0.001 s on the host in 2 calls, because the host was predicted to be faster; the largest was "
               "30 x 20.\n");
    expect_one((struct advice_routine){.name = "dgemv"}, HOST_FASTER, 2, 0,
               "dgemv: 2 calls on the host (not timed), because the host was predicted to be faster.\n");
}

static void test_trifles(void)
{
    const struct advice_routine routines[] = {
        {.name = "dgemm", .calls = {[HOST_FASTER] = 2}, .seconds = {[HOST_FASTER] = 0.0001}},
        {.name = "dgetrf", .is_lapack = true, .n = 49, .pays_from = 96, .calls = {[HOST_FASTER] = 1},
         .seconds = {[HOST_FASTER] = 0.0004}},
        {.name = "zgemm", .calls = {[HOST_FASTER] = 3}, .seconds = {[HOST_FASTER] = 1}}};
    struct advice_facts facts = {.routines = routines, .count = 3, .has_recipe = true, .was_called = true};
    expect(&facts, "zgemm: 1.000 s on the host in 3 calls, because the host was predicted to be faster.\n"
                   "Less than 0.001 s on the host by each of these routines, because the host was predicted to be "
                   "faster: dgemm (2), dgetrf (1).\n", "what took no time is told together");
    facts.run_seconds = 1500;
    expect(&facts, "Less than 1.500 s on the host by each of these routines, because the host was predicted to be "
                   "faster: dgemm (2), dgetrf (1), zgemm (3).\n", "of a long run what took little");
    facts.routines++;
    facts.count = 1;
    expect(&facts, "dgetrf: 0.000 s on the host in 1 call; the largest, of order 49, is below the order that pays "
                   "here: 96.\n", "but not one alone");
}

static void test_reasons(void)
{
    const struct advice_routine zgemv = {.name = "zgemv"}, geev = {.name = "dgeev", .is_lapack = true,
                                                                    .variant = "JOBVL='V'"};
#define BECAUSE(reason, text) expect_one(zgemv, reason, 2, 1.5, "zgemv: 1.500 s on the host in 2 calls, because " text "\n")
    BECAUSE(HOST_REWRITTEN, "the matrix is rewritten between calls and would have to be sent again each time.");
    BECAUSE(HOST_NOT_RESIDENT, "the matrix was not used often enough yet to be worth sending.");
    BECAUSE(HOST_UNTRACKABLE, "the matrix lies in memory whose writes cannot be followed (shared memory, a file, a "
                              "stack, or unaligned), and sending it for each call is slower.");
    BECAUSE(HOST_FP_ENVIRONMENT, "the program traps floating-point exceptions or rounds in another way, or a scalar "
                                 "is denormal. Build without trapping exceptions (gfortran's -ffpe-trap).");
    BECAUSE(HOST_BUSY, "calls of other threads were in the way.");
    BECAUSE(HOST_SANDBOX, "the program has forbidden itself system calls (seccomp).");
    BECAUSE(HOST_NESTED, "they were made within another BLAS call.");
    BECAUSE(HOST_AFTER_FORK, "a fork's child, or a process under a checkpointer, cannot use the GPU. Start workers "
                             "as programs of their own (in Python: multiprocessing's spawn).");
    BECAUSE(HOST_INTEGERS, "the width of the library's integers is unknown, or several libraries differ in it.");
    BECAUSE(HOST_INACCESSIBLE, "the memory of an operand is protected.");
    BECAUSE(HOST_VALUES, "a matrix is not finite, or near overflow or underflow.");
    BECAUSE(HOST_UNSUCCESSFUL, "they ended with INFO other than 0, which the host has to say.");
    BECAUSE(HOST_DEVICE_ERROR, "the GPU failed. A line on standard error says how (MUBLAS_VERBOSE=0 hides it).");
#undef BECAUSE
    expect_one(geev, HOST_VARIANT, 3, 0, "dgeev: 3 calls on the host (not timed), because of JOBVL='V', which its "
                                         "routine on the GPU does not have.\n");
}

static void test_libraries(void)
{
    const struct advice_routine routines[] = {
        {.name = "dgemm", .calls = {[HOST_UNSUPPORTED] = 5}, .seconds = {[HOST_UNSUPPORTED] = 2}},
        {.name = "dsyevd", .is_lapack = true, .calls = {[HOST_UNSUPPORTED] = 1},
         .seconds = {[HOST_UNSUPPORTED] = 3}}};
    const struct advice_facts facts = {.routines = routines, .count = 2, .was_called = true, .has_recipe = true,
                                       .level3_is_missing = true, .solver_is_missing = true};
    expect(&facts,
           "3.000 s of calls on the host, because no cuSOLVER was found that works: dsyevd 3.000 s (1). Install CUDA's "
           "libcusolver (CUDA 13 or 12) with its libcublas, or name it by MUBLAS_CUSOLVER. mublas doctor shows what "
           "else is missing.\n"
           "2.000 s of calls on the host, because no cuBLAS was found that works: dgemm 2.000 s (5). Install CUDA's "
           "libcublas (CUDA 13, 12 or 11), or name it by MUBLAS_CUBLAS. mublas doctor shows what else is "
           "missing.\n", "missing libraries");
    struct advice_facts nothing = facts;
    nothing.device = ADVICE_DEVICE_NONE;
    nothing.device_fault = "device 0 is busy";
    expect(&nothing,
           "No GPU could be used: device 0 is busy. mublas doctor says what to do.\n"
           "3.000 s of calls on the host, because neither a usable GPU nor cuSOLVER was found: dsyevd 3.000 s (1). mublas "
           "doctor says what to do about both.\n"
           "2.000 s of calls on the host, because neither a usable GPU nor cuBLAS was found: dgemm 2.000 s (5). mublas "
           "doctor says what to do about both.\n", "a missing library is not all, where there is no device either");
    const struct advice_facts unsupported = {.routines = routines, .count = 1, .was_called = true, .has_recipe = true};
    expect(&unsupported, "2.000 s of calls on the host, because the GPU's library does not have them: dgemm 2.000 s "
                         "(5).\n", "what the library there does not have");
}

static void test_untracked(void)
{
    const struct advice_routine routine = {.name = "dsymv", .calls = {[HOST_UNTRACKABLE] = 1},
                                           .seconds = {[HOST_UNTRACKABLE] = 1}};
    const struct advice_facts facts = {.routines = &routine, .count = 1, .was_called = true, .has_recipe = true,
                                       .tracking = ADVICE_TRACKING_OFF};
    expect(&facts, "MUBLAS_TRACKING=0: no matrix stays on the GPU, each call sends its own.\n"
                   "dsymv: 1.000 s on the host in 1 call, because writes are not tracked here, and sending the "
                   "matrix for each call is slower.\n", "memory is not blamed where nothing is tracked");
}

static void test_together(void)
{
    const struct advice_routine routines[] = {
        {.name = "ddot", .calls = {[HOST_FORWARDED] = 7}},
        {.name = "dgemm", .calls = {[HOST_BELOW_FLOOR] = 5, [HOST_ARGUMENTS] = 1},
         .seconds = {[HOST_BELOW_FLOOR] = 0.25}},
        {.name = "dgemv", .calls = {[HOST_BELOW_FLOOR] = 2, [HOST_SWITCHED_OFF] = 4}},
        {.name = "dsyevd", .is_lapack = true, .calls = {[HOST_QUERY] = 3, [HOST_OUT_OF_MEMORY] = 2},
         .seconds = {[HOST_OUT_OF_MEMORY] = 1.5}},
        {.name = "dsymv", .calls = {[HOST_OUT_OF_MEMORY] = 6}, .seconds = {[HOST_OUT_OF_MEMORY] = 0.5}}};
    const struct advice_facts facts = {.routines = routines, .count = 5, .was_called = true, .has_recipe = true};
    expect(&facts,
           "2.000 s of calls on the host, because the GPU's memory is too small for them: dsyevd 1.500 s (2), dsymv "
           "0.500 s (6). MUBLAS_DEVICE_MEMORY says how much mublas may fill.\n"
           "Calls on the host, because MUBLAS_OFFLOAD=never says so (not timed): dgemv (4).\n"
           "0.250 s of calls on the host, because they are too small ever to pay: dgemm 0.250 s (5), dgemv (2).\n"
           "Calls on the host, because of their arguments: invalid, nothing to compute, infinite alpha, or operands "
           "that overlap (not timed): dgemm (1).\n"
           "Calls on the host, because mublas does not offload these routines (not timed): ddot (7).\n",
           "what many routines have is told in one sentence for each reason");
}

/* dsyevd's seconds have those of dsytrd, which it calls. */
static void test_inside(void)
{
    const struct advice_routine routines[] = {
        {.name = "dsytrd", .is_lapack = true, .calls = {[HOST_NO_DEVICE] = 2}, .seconds = {[HOST_NO_DEVICE] = 1.5}},
        {.name = "dsyevd", .is_lapack = true, .calls = {[HOST_NO_DEVICE] = 2}, .seconds = {[HOST_NO_DEVICE] = 2},
         .inside_seconds = {[HOST_NO_DEVICE] = 1.5}}};
    const struct advice_facts facts = {.routines = routines, .count = 2, .was_called = true, .device = ADVICE_DEVICE_NONE,
                                       .device_fault = "no CUDA device is visible"};
    expect(&facts, "No GPU could be used: no CUDA device is visible. mublas doctor says what to do.\n"
                   "2.000 s of calls on the host, because there was no usable GPU: dsytrd 1.500 s (2), dsyevd 0.500 s "
                   "(2). The seconds of each are without those of calls that it makes.\n", "the parts add up to the sum");
    const struct advice_routine zhegvx = {.name = "zhegvx", .is_lapack = true,
                                          .inside_seconds = {[HOST_VALUES] = 1.5}};
    expect_one(zhegvx, HOST_VALUES, 1, 2, "zhegvx: 2.000 s on the host in 1 call (1.500 s of that in calls that it "
                                          "makes), because a matrix is not finite, or near overflow or underflow.\n");
}

static void expect_parallel(struct parallel_row row, enum parallel_unserved why, const char *fault, const char *wanted)
{
    row.counts.unserved_calls[why] = 2;
    const struct parallel_report parallel = {.rows = &row, .count = 1, .fault = fault};
    const struct advice_facts facts = {.parallel = &parallel, .has_recipe = true, .was_called = true};
    expect(&facts, wanted, parallel_unserved_text(why));
}

static void test_parallel(void)
{
    static const char nothing[] = "Nothing: all calls ran on the GPU, by a recipe of this machine.\n";
    const struct parallel_row row = {.name = "pdsyevd"};
    expect_parallel(row, UNSERVED_QUERY, NULL, nothing);
    expect_parallel(row, UNSERVED_JOB, "the job runs on several machines",
                    "Parallel routines are the host's in this job, 2 calls on all ranks alike: the job runs on several "
                    "machines. mublas serves the grids of one machine; calls within a rank still go to the GPU.\n");
    expect_parallel(row, UNSERVED_JOB, "no launcher tells the number of ranks",
                    "Parallel routines are the host's in this job, 2 calls on all ranks alike: no launcher tells the "
                    "number of ranks. Start the ranks by mpirun, mpiexec or srun, which tell each its number.\n");
    expect_parallel(row, UNSERVED_CONTEXT, NULL,
                    "2 calls of parallel routines stayed on the host: mublas did not see their BLACS context made (by "
                    "blacs_gridinit or blacs_gridmap, through the loader).\n");
    expect_parallel(row, UNSERVED_WIDE, NULL,
                    "2 calls of parallel routines stayed on the host: their integers have 64 bits. Link ScaLAPACK with "
                    "32-bit integers (of MKL: lp64).\n");
    expect_parallel(row, UNSERVED_GIVEN_UP, NULL,
                    "2 calls of parallel routines stayed on the host: their context was given up, by all its "
                    "processes: none had a usable GPU, or one had died.\n");
    struct parallel_row faster = row;
    faster.counts.host_calls[HOST_FASTER] = 1;
    const struct parallel_report voted = {.rows = &faster, .count = 1};
    const struct advice_facts of_voted = {.parallel = &voted, .has_recipe = true, .was_called = true};
    expect(&of_voted, "1 call of parallel routines stayed on the host: the host was predicted to be faster.\n",
           "a vote that said no");
    const struct parallel_report elpa = {.has_elpa = true};
    const struct advice_facts facts = {.parallel = &elpa, .has_recipe = true, .was_called = true};
    expect(&facts, "The program has loaded ELPA, whose eigensolvers mublas does not replace. Choose ScaLAPACK's in the "
                   "program's input to have them on the GPU.\n", "ELPA");
}

UNIT_TEST(test_advice)
{
    test_process();
    test_forked();
    test_waking();
    test_tracking();
    test_sizes();
    test_trifles();
    test_reasons();
    test_libraries();
    test_untracked();
    test_together();
    test_inside();
    test_parallel();
    return tap_done();
}
