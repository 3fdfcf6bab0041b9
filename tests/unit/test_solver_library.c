/* cuSOLVER and its cuBLAS: opened, tried, refused with what is wrong. Each case in a process of its own,
 * since a process opens one pair. */
#include "emulated_lane.h"
#include "common/log.h"
#include "gpu/vendor/solver_library.h"
#include "unit_test.h"

#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CANDIDATE "tests/unit/.libs/solver_candidate.so"

static char words[4096];

/* The child's standard error goes to words; a case calls exit with 0 where all is well. */
static bool is_good_apart(int (*function)(void), const char *variable, const char *value)
{
    int pipes[2], status;
    size_t used = 0;
    ssize_t got;
    if (pipe(pipes) != 0)
        exit(1);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        dup2(pipes[1], STDERR_FILENO);
        close(pipes[0]), close(pipes[1]);
        log_note_standard_error();
        if (variable)
            setenv(variable, value, 1);
        exit(function());
    }
    close(pipes[1]);
    while (used < sizeof words - 1 && (got = read(pipes[0], words + used, sizeof words - 1 - used)) > 0)
        used += (size_t)got;
    words[used] = '\0';
    close(pipes[0]);
    waitpid(child, &status, 0);
    if (status != 0)
        printf("# status %d: %s\n", status, words);
    return status == 0;
}

static bool is_one_line(void)
{
    const char *end = strchr(words, '\n');
    return strncmp(words, "mublas: ", 8) == 0 && end && !end[1];
}

static enum status open_solver(const struct solver_library **library)
{
    if (device_wake(&emulated_device) != STATUS_OK)
        _exit(2);
    return solver_library_open(emulated_device, library);
}

/* Each of the cases below gives the number of the first thing that is wrong, or 0. */
static int opens_well(void)
{
    const struct solver_library *library = NULL, *again = NULL;
    if (solver_library_was_opened() || solver_library_is_open() || solver_library_is_missing())
        return 1;
    if (open_solver(&library) != STATUS_OK || !library ||
        solver_library_open(emulated_device, &again) != STATUS_OK || again != library)
        return 2;
    if (!solver_library_was_opened() || !solver_library_is_open() || solver_library_is_missing() ||
        library->version_number != 12004)
        return 3;
    if (!strstr(library->file, "libcusolver.so.12") || !strstr(library->blas_file, "libcublas.so.13"))
        return 4;
    if (!library->syevd || !library->syevd_buffer || !library->sygvd[TYPE_S] || !library->sygvd[TYPE_Z] ||
        !library->narrow.her2k[TYPE_D] || !library->narrow.her2k[TYPE_C] || library->wide.trsm[TYPE_D])
        return 5;
    if (take_census().allocations != 0 || take_census().streams != 0)
        return 6;
    return call_count("cusolverDnCreate") == 1 && call_count("cusolverDnDestroy") == 1 &&
                   call_count("cublasDestroy_v2") == 1 && call_count("cusolverDnDestroyParams") == 1
               ? 0
               : 7;
}

static void *open_in_thread(void *result)
{
    struct device *device;
    const struct solver_library *library;
    *(enum status *)result = device_wake(&device) == STATUS_OK ? solver_library_open(device, &library)
                                                               : STATUS_NO_DEVICE;
    return NULL;
}

static int opens_once(void)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    enum status results[THREADS];
    int good = 0;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, open_in_thread, &results[i]) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        good += results[i] == STATUS_OK;
    }
    return good == THREADS && call_count("cusolverDnCreate") == 1 ? 0 : 2;
}

static int makes_handles(void)
{
    const struct solver_library *library;
    struct solver_handle handles[2];
    struct lane *own[2];
    const double one = 1;
    if (open_solver(&library) != STATUS_OK || device_enter(emulated_device, &emulated_scope) != STATUS_OK)
        return 1;
    for (int i = 0; i < 2; i++)
        if (lane_create_own(emulated_device, &own[i]) != STATUS_OK ||
            solver_handle_create(library, own[i]->stream, &handles[i]) != STATUS_OK)
            return 2;
    if (handles[0].solver == handles[1].solver || handles[0].cublas == handles[1].cublas ||
        handles[0].stream == handles[1].stream)
        return 3;
    if (solver_trsm(&handles[0], TYPE_D, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                    CUBLAS_DIAG_NON_UNIT, (int64_t)INT_MAX + 1, 1, &one, NULL, (int64_t)INT_MAX + 1, NULL,
                    1) != CUBLAS_STATUS_NOT_SUPPORTED)
        return 4;
    for (int i = 0; i < 2; i++) {
        solver_handle_destroy(&handles[i]);
        solver_handle_destroy(&handles[i]);
        lane_destroy_own(own[i]);
    }
    return take_census().allocations == 0 && take_census().streams == 0 &&
                   call_count("cusolverDnDestroy") == 3 && call_count("cublasDestroy_v2") == 3
               ? 0
               : 5;
}

/* A handle that cannot be made whole. */
static int fails_to_make_one(void)
{
    static const char *const faults[] = {"cusolverDnCreate:1:2", "cusolverDnSetStream:1:7",
                                         "cusolverDnCreateParams:1:7", "cublasCreate_v2:1:3",
                                         "cublasSetMathMode:1:7"};
    static const enum status wanted[] = {STATUS_OUT_OF_MEMORY, STATUS_DEVICE_ERROR, STATUS_DEVICE_ERROR,
                                         STATUS_OUT_OF_MEMORY, STATUS_DEVICE_ERROR};
    const struct solver_library *library;
    struct solver_handle handle, zero;
    memset(&zero, 0, sizeof zero);
    if (open_solver(&library) != STATUS_OK || device_enter(emulated_device, &emulated_scope) != STATUS_OK)
        return 1;
    for (int i = 0; i < 5; i++) {
        set_faults(faults[i]);
        if (solver_handle_create(library, NULL, &handle) != wanted[i] ||
            memcmp(&handle, &zero, sizeof zero) != 0)
            return 2 + i;
    }
    return 0;
}

static int is_refused(void)
{
    const struct solver_library *library = NULL;
    if (open_solver(&library) != STATUS_UNSUPPORTED || library || !solver_library_was_opened() ||
        solver_library_is_open() || !solver_library_is_missing() || !device_is_usable(emulated_device))
        return 1;
    return take_census().allocations == 0 && take_census().streams == 0 ? 0 : 2;
}

/* The device on which it is opened first is lost at that. */
static int is_opened_on_the_other(void)
{
    struct device *lost;
    const struct solver_library *library = NULL;
    setenv("MUBLAS_DEVICE", "all", 1);
    if (device_wake(&emulated_device) != STATUS_OK || device_wake_at(1, &lost) != STATUS_OK)
        return 1;
    set_faults("cuMemcpyHtoDAsync_v2@1:1:719:sticky");
    if (solver_library_open(lost, &library) != STATUS_DEVICE_LOST || library || solver_library_is_missing())
        return 2;
    return solver_library_open(emulated_device, &library) == STATUS_OK && library && solver_library_is_open()
               ? 0
               : 3;
}

static int lacks_an_option(void)
{
    const struct solver_library *library;
    if (open_solver(&library) != STATUS_OK)
        return 1;
    return !library->sygvd[TYPE_D] && library->sygvd[TYPE_S] && library->sygvd_buffer[TYPE_D] &&
                   library->wide.trsm[TYPE_D] && !library->wide.trsm[TYPE_S] &&
                   call_count("cublasDtrsm_v2") == 1
               ? 0
               : 2;
}

static int is_not_found(void)
{
    return !solver_library_find() && solver_library_is_missing() && !solver_library_was_opened()
               ? is_refused()
               : 1;
}

static void test_good(void)
{
    tap_ok(is_good_apart(opens_well, NULL, NULL) && !*words, "a pair is opened, tried and left as it was");
    tap_ok(is_good_apart(opens_once, NULL, NULL) && !*words, "by threads at the same time once");
    tap_ok(is_good_apart(makes_handles, NULL, NULL) && !*words, "handles are made on several streams");
    tap_ok(is_good_apart(fails_to_make_one, NULL, NULL) && strstr(words, "its parameters cannot be created"),
           "one that fails leaves nothing of itself");
    tap_ok(is_good_apart(is_opened_on_the_other, "EMULATED_DEVICES", "2"),
           "a device that is lost meanwhile does not keep it from another");
    tap_ok(is_good_apart(lacks_an_option, "MUBLAS_CUSOLVER", CANDIDATE) && !*words,
           "a function that is optional may be missing, and the 64-bit cuBLAS is preferred");
}

static void test_refused(void)
{
    static const struct {
        const char *variable, *value, *reason, *what;
    } cases[] = {
        {"EMULATED_SOLVER_DETERMINISM", "missing", "it lacks cusolverDn", "without the deterministic mode"},
        {"EMULATED_SOLVER_DETERMINISM", "refused", "its results cannot be made deterministic (status 9)",
         "where that cannot be set"},
        {"EMULATED_FAULTS", "cusolverDnCreate:1:7", "its handle cannot be created (status 7)",
         "without a handle"},
        {"EMULATED_FAULTS", "cublasCreate_v2:1:1", "the handle of its cuBLAS cannot be created (status 1)",
         "without one of cuBLAS"},
        {"EMULATED_FAULTS", "cusolverDnXpotrf:1:7", "cusolverDnXpotrf (status 7)", "where the trial fails"},
        {"EMULATED_FAULTS", "cusolverDnXsyevd_bufferSize:1:3", "its workspace (status 3)",
         "where it does not tell its workspace"},
        {"EMULATED_SOLVER_WORKSPACE", "huge", "there is no memory for its trial", "where it wants too much"},
        {"EMULATED_SOLVER_INFO", "cusolverDnXpotrf:3", "cusolverDnXpotrf computes wrong numbers",
         "where it fails at what is well"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        tap_ok(is_good_apart(is_refused, cases[i].variable, cases[i].value) && is_one_line() &&
                   strstr(words, cases[i].reason) && strstr(words, "libcusolver.so.12") &&
                   strstr(words, "LAPACK stays on the host"),
               "%s it is refused in one line that says why", cases[i].what);
}

/* The pair does all else well. */
static int lacks_eigensolvers(void)
{
    const struct solver_library *library;
    if (open_solver(&library) != STATUS_OK)
        return 1;
    if (solver_library_try_eigensolvers(library) != STATUS_UNSUPPORTED ||
        solver_library_try_eigensolvers(library) != STATUS_UNSUPPORTED)
        return 2;
    return solver_library_is_open() && take_census().allocations == 0 ? 0 : 3;
}

static int has_eigensolvers(void)
{
    const struct solver_library *library;
    const bool has = open_solver(&library) == STATUS_OK && call_count("cusolverDnXsyevd") == 0 &&
                     solver_library_try_eigensolvers(library) == STATUS_OK &&
                     solver_library_try_eigensolvers(library) == STATUS_OK;
    return has && call_count("cusolverDnXsyevd") == 1 ? 0 : 1;
}

/* The second handle is the trial's. */
static int is_tried_again(void)
{
    const struct solver_library *library;
    const bool was_short = open_solver(&library) == STATUS_OK &&
                           solver_library_try_eigensolvers(library) == STATUS_OUT_OF_MEMORY;
    return was_short && solver_library_try_eigensolvers(library) == STATUS_OK ? 0 : 1;
}

static void test_wrong(void)
{
    static const char *const cases[][2] = {{"mode", "its results cannot be made deterministic"},
                                           {"trsm", "cublasDtrsm computes wrong numbers"}};
    setenv("MUBLAS_CUSOLVER", CANDIDATE, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        tap_ok(is_good_apart(is_refused, "SOLVER_FAULT", cases[i][0]) && is_one_line() &&
                   strstr(words, cases[i][1]) && strstr(words, CANDIDATE) && strstr(words, "libcublas.so.13"),
               "one that does wrongly is refused by name: %s", cases[i][1]);
    tap_ok(is_good_apart(lacks_eigensolvers, "SOLVER_FAULT", "syevd") && is_one_line() &&
               strstr(words, "eigensolvers are not used: cusolverDnXsyevd computes wrong numbers ("),
           "of one whose eigensolvers are wrong these are not used, once they are asked for, which is said once");
    unsetenv("MUBLAS_CUSOLVER");
    tap_ok(is_good_apart(has_eigensolvers, NULL, NULL) && !*words, "good ones are tried once, when they are asked for");
    tap_ok(is_good_apart(is_tried_again, "EMULATED_FAULTS", "cusolverDnCreate:2:2") && !*words &&
               is_good_apart(is_tried_again, "EMULATED_FAULTS", "cublasCreate_v2:2:3") && !*words &&
               is_good_apart(is_tried_again, "EMULATED_FAULTS", "cusolverDnXsyevd:1:2") && !*words,
           "a shortage at that says nothing of them, and they are tried again");
    tap_ok(is_good_apart(is_not_found, "MUBLAS_CUSOLVER", "/nowhere/libcusolver.so") &&
               strstr(words, "MUBLAS_CUSOLVER=/nowhere/libcusolver.so cannot be used"),
           "and one that is not there is none");
}

UNIT_TEST(test_solver_library)
{
    unsetenv("MUBLAS_VERBOSE");
    unsetenv("MUBLAS_CUSOLVER");
    dlopen("libcuda.so.1", RTLD_NOW);
    emulated_symbol("emulated_peek"); /* or skip all */
    test_good();
    test_refused();
    test_wrong();
    return tap_done();
}
