/* cuda_user WAY: a program that uses CUDA itself beside BLAS. One line for everything that
 * is wrong; exit status 77 and the reason when this machine cannot tell.
 *   stack     contexts of its own are current, before and after BLAS
 *   none      no context is current, and none is after BLAS
 *   later     it starts with CUDA when matrices are resident and pinned
 *   pins      it pins a resident matrix itself
 *   capture   it captures a stream while BLAS is called
 *   reset     it resets the device between calls */
#include "blas_program.h"
#include "driver_table.h"
#include "emulated_driver/emulated.h"
#include "emulated_driver/program.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 96, LARGE = 1500, SKIPPED = 77 };

static struct driver cuda;
static __typeof(cuCtxCreate_v2) *create_context;
static __typeof(cuCtxDestroy_v2) *destroy_context;
static __typeof(cuDevicePrimaryCtxReset_v2) *reset_device;
static __typeof(cuStreamBeginCapture_v2) *begin_capture;
static __typeof(cuStreamEndCapture) *end_capture;
static __typeof(emulated_has_dma) *has_dma;
static __typeof(emulated_census) *census;
static int wrong;

static void check(bool good, const char *what)
{
    if (good)
        return;
    printf("wrong: %s\n", what);
    wrong++;
}

static void must(CUresult result, const char *what)
{
    if (result == CUDA_SUCCESS)
        return;
    printf("%s gave %d\n", what, result);
    exit(1);
}
#define MUST(call) must(call, #call)

static void look_up(void *library, const char *symbol, void *member)
{
    if (!driver_look_up(library, symbol, member))
        abort();
}

static void open_cuda(void)
{
    char name[20]; /* not among the constants: mublas finds it there */
    snprintf(name, sizeof name, "%s.so.1", "libcuda");
    void *library = driver_table_open(&cuda, name);
    if (!library)
        abort();
    look_up(library, "cuCtxCreate_v2", &create_context);
    look_up(library, "cuCtxDestroy_v2", &destroy_context);
    look_up(library, "cuDevicePrimaryCtxReset_v2", &reset_device);
    look_up(library, "cuStreamBeginCapture_v2", &begin_capture);
    look_up(library, "cuStreamEndCapture", &end_capture);
    look_up(library, "emulated_has_dma", &has_dma);
    look_up(library, "emulated_census", &census);
    MUST(cuda.init(0));
}

static double *new_matrix(int n)
{
    size_t elements = (size_t)n * (size_t)n;
    double *matrix = mmap(NULL, elements * sizeof(double), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (matrix == MAP_FAILED)
        abort();
    for (size_t i = 0; i < elements; i++)
        matrix[i] = (double)(i * 37 % 63) / 32 - 1;
    return matrix;
}

static void check_calls(const double *matrix, int n, const char *when)
{
    for (int routine = 0; routine < SSYMV; routine++)
        check(call_is_right((enum routine_under_test)routine, matrix, n, n, n, 1.5, 0.5, routine), when);
}

static CUcontext current(void)
{
    CUcontext context;
    MUST(cuda.context_current(&context));
    return context;
}

static CUcontext use_primary(void)
{
    CUcontext primary;
    MUST(cuda.primary_retain(&primary, 0));
    MUST(cuda.context_set_current(primary));
    return primary;
}

static void stack(const double *matrix)
{
    CUcontext mine, other, popped;
    open_cuda();
    MUST(create_context(&mine, 0, 0));
    MUST(create_context(&other, 0, 0));
    CUcontext primary = use_primary(); /* in the place of `other` */
    MUST(cuda.context_push(other));
    check_calls(matrix, SIZE, "calls beside contexts");
    check(current() == other, "the current context after calls");
    MUST(cuda.context_pop(&popped));
    check(popped == other && current() == primary, "the context below");
    MUST(cuda.primary_release(0)); /* mublas has its own hold of it */
    check_calls(matrix, SIZE, "calls after the program's last use of the primary context");
    MUST(cuda.context_pop(&popped));
    check(popped == primary && current() == mine, "the context at the bottom");
    MUST(destroy_context(mine));
    check(current() == NULL, "the end of the stack");
    check_calls(matrix, SIZE, "calls after all");
}

static void none(const double *matrix)
{
    check_calls(matrix, SIZE, "calls");
    open_cuda();
    check(current() == NULL, "no context is left behind");
}

/* New contents by the program's own copy from the device. */
static void fill_from_device(double *matrix)
{
    size_t bytes = (size_t)LARGE * LARGE * sizeof(double);
    CUdeviceptr memory;
    CUstream stream;
    double *source = new_matrix(LARGE);
    for (size_t i = 0; i < (size_t)LARGE * LARGE; i++)
        source[i] = (double)(i * 41 % 61) / 32;
    MUST(cuda.stream_create(&stream, CU_STREAM_NON_BLOCKING));
    MUST(cuda.memory_allocate(&memory, bytes));
    MUST(cuda.copy_to_device_async(memory, source, bytes, stream));
    MUST(cuda.stream_synchronise(stream));
    MUST(cuda.copy_to_host_async(matrix, memory, bytes, stream));
    MUST(cuda.stream_synchronise(stream));
    check(memcmp(matrix, source, bytes) == 0, "the copy itself");
}

static size_t pins(void)
{
    struct emulated_census objects;
    census(&objects);
    return objects.pinned;
}

static bool can_tell(size_t pins_before)
{
    if (has_dma() && pins() > pins_before)
        return true;
    printf("%s\n", has_dma() ? "mublas did not pin the matrix" : "no DMA here (io_uring is blocked)");
    return false;
}

static int later(void)
{
    double *small = new_matrix(SIZE), *large = new_matrix(LARGE);
    check_calls(small, SIZE, "calls before");
    open_cuda();
    size_t before = pins();
    check_calls(large, LARGE, "calls on a matrix that gets pinned");
    if (!can_tell(before))
        return SKIPPED;
    use_primary();
    fill_from_device(large);
    check_calls(large, LARGE, "calls on what the program's copy brought");
    check(pins() == before, "no pins of mublas are left");
    fill_from_device(large);
    check_calls(large, LARGE, "calls on what another copy brought");
    large[LARGE] = 7;
    check_calls(large, LARGE, "calls after an ordinary write");
    return wrong != 0;
}

static int pin_resident(void)
{
    double *large = new_matrix(LARGE);
    open_cuda();
    use_primary();
    check_calls(large, LARGE, "calls before");
    size_t before = pins();
    MUST(cuda.pin(large, (size_t)LARGE * LARGE * sizeof(double), 0));
    if (!can_tell(before))
        return SKIPPED;
    for (int round = 0; round < 3; round++) {
        fill_from_device(large);
        check_calls(large, LARGE, "calls on a matrix that the program has pinned and written by DMA");
        large[round] += 1;
        check_calls(large, LARGE, "calls after an ordinary write");
    }
    MUST(cuda.unpin(large));
    check_calls(large, LARGE, "calls on a matrix that is not pinned any more");
    return wrong != 0;
}

static void capture(void)
{
    CUstream stream;
    CUgraph graph;
    CUdeviceptr memory;
    open_cuda();
    use_primary();
    MUST(cuda.stream_create(&stream, CU_STREAM_NON_BLOCKING));
    MUST(begin_capture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    for (int i = 0; i < 3; i++)
        check_calls(new_matrix(SIZE), SIZE, "calls during a capture");
    MUST(end_capture(stream, &graph));
    MUST(begin_capture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    check(cuda.memory_allocate(&memory, 4096) != CUDA_SUCCESS, "the program's own capture mode");
    check(end_capture(stream, &graph) != CUDA_SUCCESS, "a capture that is spoilt");
}

static void reset(const double *matrix)
{
    CUdeviceptr memory;
    check_calls(matrix, SIZE, "calls before");
    open_cuda();
    use_primary();
    check_calls(matrix, SIZE, "calls beside CUDA");
    MUST(reset_device(0));
    use_primary();
    MUST(cuda.memory_allocate(&memory, 1 << 20));
    for (int i = 0; i < 3; i++)
        check_calls(new_matrix(SIZE), SIZE, "calls after a reset");
    check_calls(matrix, SIZE, "calls on what was resident");
    MUST(cuda.memory_free(memory));
}

int main(int count, char **arguments)
{
    const char *way = count > 1 ? arguments[1] : "";
    double *matrix = new_matrix(SIZE);
    alarm(300);
    if (strcmp(way, "later") == 0)
        return later();
    if (strcmp(way, "pins") == 0)
        return pin_resident();
    if (strcmp(way, "stack") == 0)
        stack(matrix);
    else if (strcmp(way, "none") == 0)
        none(matrix);
    else if (strcmp(way, "capture") == 0)
        capture();
    else if (strcmp(way, "reset") == 0)
        reset(matrix);
    else
        return 2;
    return wrong != 0;
}
