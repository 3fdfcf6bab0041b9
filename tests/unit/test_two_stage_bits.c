/* Eigenvalues and vectors in two stages on devices of other numbers of multiprocessors and with other shared
 * memory: their bits are the same. And the abort word ends a kernel that waits. */
#include "gpu/kernels/two_stage/band_arguments.h"
#include "lapack/eigensolver/own_eigen.h"
#include "two_stage_problem.h"
#include "unit_test.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MULTIPROCESSORS = 3,
    ONE_MULTIPROCESSOR = 1,
    FOUR_PAIRS = 190, /* of warps bring so many vectors back on as many multiprocessors */
    LONG_ORDER = 840, /* its first panel has more chunks of rows than one multiprocessor holds */
    RESULTS_MOST = 1 << 21
};
static const char little_shared[] = "100K"; /* one step's operands on the way back, and two pairs of warps */

#if defined __SANITIZE_THREAD__ || defined __SANITIZE_ADDRESS__
static const int largest_order = 66, long_order = 0;
#else
static const int largest_order = 200, long_order = LONG_ORDER;
#endif

/* Results one behind the other, of one number of multiprocessors. */
static unsigned char *results, *results_end;

static void keep_values(const struct problem *problem)
{
    bool good;
    void *const w = values_by(queue_all, problem, NULL, &good);
    if (!good)
        exit(1);
    results_end = mempcpy(results_end, w, (size_t)problem->n * blas_element_bytes(problem->type));
    free(w);
}

/* All of them. */
static void keep_vectors(const struct problem *problem)
{
    const size_t element = blas_element_bytes(problem->type), n = (size_t)problem->n;
    const struct own_eigen own = {.call = {.type = problem->type, .uplo = problem->uplo, .n = problem->n,
                                           .lda = problem->n + GAP, .a = send(problem),
                                           .w = allocate(n * element), .info = allocate(2 * sizeof(int))},
                                  .count = problem->n, .way = OWN_EIGEN_TWO_STAGES};
    size_t bytes = 0, host_bytes = 0;
    if (own_eigen_workspace(&handle, &own, &bytes, &host_bytes) != STATUS_OK)
        exit(1);
    const CUdeviceptr workspace = allocate(bytes);
    if (own_eigen_run(&handle, &own, workspace, bytes, NULL, 0) != STATUS_OK || !stream_is_done())
        exit(1);
    device_peek(results_end, own.call.a, n * (n + GAP) * element);
    results_end += n * (n + GAP) * element;
    const CUdeviceptr all[] = {workspace, own.call.a, own.call.w, own.call.info};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        device_free(emulated_device, all[i]);
}

static bool queue_band(const struct two_stage *work, CUdeviceptr workspace, void *argument)
{
    const struct two_stage_steps steps = two_stage_steps_of(work, workspace);
    const size_t band_bytes = (size_t)work->n * BAND_STORED * blas_element_bytes(work->type);
    (void)argument;
    if (band_reduction_queue(&handle, &steps.reduction, steps.scratch) != STATUS_OK || !stream_is_done())
        return false;
    device_peek(results_end, steps.reduction.band, band_bytes);
    results_end += band_bytes;
    return true;
}

/* The next step does not know how many chunks the panels had. */
static void keep_band(const struct problem *problem)
{
    bool good;
    free(values_by(queue_band, problem, NULL, &good));
    if (!good)
        exit(1);
}

static void keep_results(void)
{
    const int orders[] = {3, 66, largest_order};
    results_end = results;
    for (enum blas_type type = TYPE_S; type <= TYPE_D; type++)
        for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
            with_matrix(type, orders[i], &matrix_kinds[0], keep_values);
    for (enum blas_type type = long_order > 0 ? TYPE_S : TYPE_D; type <= TYPE_D; type++)
        with_matrix(type, orders[1], &matrix_kinds[0], keep_vectors);
    if (long_order > 0) {
        with_matrix(TYPE_D, FOUR_PAIRS, &matrix_kinds[0], keep_vectors);
        with_matrix(TYPE_D, long_order, &matrix_kinds[0], keep_band);
    }
}

/* In a process of its own: this one's driver is not to be opened yet. */
static bool run_with_one_multiprocessor(void)
{
    int status = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        setenv("EMULATED_BLOCK_THREADS", "1", 1); /* blocks on threads of their own, not by turns */
        setenv("EMULATED_SHARED", little_shared, 1);
        open_handle(ONE_MULTIPROCESSOR);
        keep_results();
        _exit(7);
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

/* The host has ended all waits beforehand. A launch as any other runs one block behind the other, so that
 * each of them comes to a sweep that waits for one of the other block's. */
static void test_abort(void)
{
    enum { ORDER = 200, BLOCKS = 2 };
    const unsigned abort = 1;
    const size_t elements = ORDER * BAND_STORED;
    double *const band = calloc(elements, sizeof *band);
    unsigned progress[ORDER] = {0};
    CUfunction function;
    for (size_t i = 0; i < elements; i++)
        band[i] = i % BAND_STORED <= BAND_WIDTH && i / BAND_STORED + i % BAND_STORED < ORDER
                      ? 1.0 / (double)(1 + i % 97)
                      : 0;
    const CUdeviceptr word = allocate(sizeof abort), gate = allocate(sizeof(struct grid_gate));
    const CUdeviceptr counters = allocate(sizeof progress);
    const struct grid_gate aborted = {.abort = (void *)(uintptr_t)word};
    device_poke(word, &abort, sizeof abort);
    device_poke(gate, &aborted, sizeof aborted);
    device_poke(counters, progress, sizeof progress);
    struct band_chase_arguments arguments = {.band = (void *)(uintptr_t)send_numbers(band, elements),
                                             .order = ORDER,
                                             .progress = (void *)(uintptr_t)counters,
                                             .gate = (void *)(uintptr_t)gate};
    void *parameters[] = {&arguments};
    const unsigned shared_bytes = BAND_CHASE_ELEMENTS * sizeof(double);
    bool good = kernel_set_function(device_kernels(emulated_device), KERNEL_dband_chase, shared_bytes,
                                    &function) == CUDA_SUCCESS;
    good = good &&
           driver()->launch_kernel(function, BLOCKS, 1, 1, BAND_CHASE_THREADS, 1, 1, shared_bytes,
                                   handle.stream, parameters, NULL) == CUDA_SUCCESS &&
           stream_is_done();
    device_peek(progress, counters, sizeof progress);
    tap_ok(good && progress[0] == (ORDER - 3) / BAND_WIDTH + 1 && progress[BLOCKS + 1] == 0,
           "the abort word ends sweeps that wait, and so the kernel");
    device_free(emulated_device, (CUdeviceptr)(uintptr_t)arguments.band);
    device_free(emulated_device, counters);
    device_free(emulated_device, gate);
    device_free(emulated_device, word);
    free(band);
}

UNIT_TEST(test_two_stage_bits)
{
    unsigned char *const other_results =
        mmap(NULL, RESULTS_MOST, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    results = other_results;
    const bool is_kept = run_with_one_multiprocessor();
    open_handle(MULTIPROCESSORS);
    results = malloc(RESULTS_MOST);
    keep_results();
    tap_ok(is_kept && memcmp(results, other_results, (size_t)(results_end - results)) == 0,
           "%d and %d multiprocessors, with little and much shared memory: the same %d bytes",
           ONE_MULTIPROCESSOR, MULTIPROCESSORS, (int)(results_end - results));
    free(results);
    test_abort();
    return tap_done();
}
