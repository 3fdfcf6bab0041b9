/* The native API's answers to bad arguments, and its acts around calls: contexts, versions, occupancies,
 * errors of the device. On the emulated device. */
#include "native.h"

#include "emulated_driver/program.h"
#include "tap.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

static struct mublas_handle *handle;
static void *driver_library;

static void *driver_symbol(const char *name)
{
    void *symbol = dlsym(driver_library, name);
    if (!symbol)
        tap_skip_all("this test runs on the emulated driver");
    return symbol;
}

static void set_faults(const char *script)
{
    ((void (*)(const char *))driver_symbol("emulated_set_faults"))(script);
}

static unsigned long calls(const char *function)
{
    return ((unsigned long (*)(const char *))driver_symbol("emulated_call_count"))(function);
}

/* A refusal that names `argument`, by this function, with no launch. */
static void expect(enum mublas_status status, const char *function, const char *message)
{
    char expected[256];
    snprintf(expected, sizeof expected, "%s: %s", function, message);
    if (!tap_ok(status == MUBLAS_BAD_ARGUMENT && strcmp(mublas_last_error(handle), expected) == 0, "%s",
                expected))
        printf("# got %d, \"%s\"\n", status, mublas_last_error(handle));
}

static void test_refusals(double *a)
{
    const double one = 1;
    double *x = a + 64, *y = a + 96;
    const unsigned long before = calls("cuLaunchKernel");
#define GEMV(trans, m, n, alpha, a, lda, x, incx, beta, y, incy) \
    expect(mublas_dgemv(handle, trans, m, n, alpha, a, lda, x, incx, beta, y, incy), "mublas_dgemv",
    GEMV((enum mublas_trans)'X', 4, 4, &one, a, 4, x, 1, &one, y, 1)
         "trans is none of MUBLAS_NO_TRANS, MUBLAS_TRANS, MUBLAS_CONJ_TRANS and MUBLAS_CONJ");
    GEMV(MUBLAS_TRANS, -1, 4, &one, a, 4, x, 1, &one, y, 1) "m is -1, less than 0");
    GEMV(MUBLAS_TRANS, 4, -2, &one, a, 4, x, 1, &one, y, 1) "n is -2, less than 0");
    GEMV(MUBLAS_TRANS, 4, 3, &one, a, 3, x, 1, &one, y, 1) "lda is 3, less than m, which is 4");
    GEMV(MUBLAS_TRANS, 0, 3, &one, a, 0, x, 1, &one, y, 1) "lda is 0, less than the least, which is 1");
    GEMV(MUBLAS_TRANS, 4, 3, &one, a, 4, x, 0, &one, y, 1) "incx is 0");
    GEMV(MUBLAS_TRANS, 4, 3, &one, a, 4, x, 1, &one, y, 0) "incy is 0");
    GEMV(MUBLAS_TRANS, 4, 3, NULL, a, 4, x, 1, &one, y, 1) "alpha is NULL");
    GEMV(MUBLAS_TRANS, 4, 3, &one, NULL, 4, x, 1, &one, y, 1) "a is NULL");
    GEMV(MUBLAS_TRANS, 4, 3, &one, a, 4, NULL, 1, &one, y, 1) "x is NULL");
    GEMV(MUBLAS_TRANS, 4, 3, &one, a, 4, x, 1, NULL, y, 1) "beta is NULL");
    GEMV(MUBLAS_TRANS, 4, 3, &one, a, 4, x, 1, &one, NULL, 1) "y is NULL");
    expect(mublas_dsymv(handle, (enum mublas_uplo)'x', 4, &one, a, 4, x, 1, &one, y, 1), "mublas_dsymv",
           "uplo is neither MUBLAS_LOWER nor MUBLAS_UPPER");
    expect(mublas_zhemv(handle, MUBLAS_UPPER, 4, &one, a, 3, x, 1, &one, y, 1), "mublas_zhemv",
           "lda is 3, less than n, which is 4");
    expect(mublas_strmv(handle, MUBLAS_UPPER, MUBLAS_TRANS, (enum mublas_diag)0, 4, (float *)a, 4, (float *)x,
                        1),
           "mublas_strmv", "diag is neither MUBLAS_NON_UNIT nor MUBLAS_UNIT");
    expect(mublas_dtrmv(handle, MUBLAS_UPPER, MUBLAS_TRANS, MUBLAS_UNIT, 4, NULL, 4, x, 1), "mublas_dtrmv",
           "a is NULL");
    expect(mublas_daxpy(handle, 4, &one, x, 1, y, 0), "mublas_daxpy", "incy is 0");
    expect(mublas_caxpy(handle, 4, &one, NULL, 1, y, 1), "mublas_caxpy", "x is NULL");
    expect(mublas_set_pointer_mode(handle, (enum mublas_pointer_mode)7), "mublas_set_pointer_mode",
           "mode is 7, neither host (0) nor device (1)");
    expect(mublas_device_allocate(handle, 0, (void **)&x), "mublas_device_allocate", "bytes is 0");
    expect(mublas_copy_to_host(handle, NULL, a, 8), "mublas_copy_to_host", "host is NULL");
    tap_ok(calls("cuLaunchKernel") == before, "nothing of all this was launched");
    tap_ok(mublas_dgemv(handle, MUBLAS_NO_TRANS, INT64_C(1) << 31, 1, &one, a, INT64_C(1) << 31, a, 1, &one,
                        a, 1) == MUBLAS_NOT_SUPPORTED,
           "matrices of 2^31 rows are not supported: %s", mublas_last_error(handle));
    tap_ok(mublas_daxpy(handle, INT64_MAX, &one, a, 1, a, 1) == MUBLAS_NOT_SUPPORTED,
           "nor vectors whose bytes 64 bits cannot count");
}

static void test_handles(void)
{
    struct mublas_handle *none = handle;
    struct CUstream_st *stream = NULL;
    char no_handle[sizeof(long) * 64] = "";
    enum mublas_pointer_mode mode = MUBLAS_POINTER_DEVICE;
    tap_ok(mublas_synchronise(NULL) == MUBLAS_BAD_HANDLE &&
               mublas_set_stream((struct mublas_handle *)(void *)no_handle, NULL) == MUBLAS_BAD_HANDLE,
           "what is no handle is refused");
    tap_ok(mublas_create(NULL) == MUBLAS_BAD_ARGUMENT &&
               strcmp(mublas_last_error(NULL), "mublas_create: handle is NULL") == 0,
           "mublas_create wants somewhere to put the handle");
    tap_ok(mublas_create_on_device(&none, 7) == MUBLAS_NO_DEVICE && !none &&
               strcmp(mublas_last_error(NULL),
                      "mublas_create_on_device: there is no device 7, only 1 in all") == 0,
           "a device that does not exist");
    tap_ok(mublas_get_stream(handle, &stream) == MUBLAS_SUCCESS && !stream,
           "the first stream is the default one");
    tap_ok(mublas_get_pointer_mode(handle, &mode) == MUBLAS_SUCCESS && mode == MUBLAS_POINTER_HOST,
           "the first pointer mode is the host's");
    tap_ok(mublas_destroy(NULL) == MUBLAS_SUCCESS, "no handle at all can be destroyed");
    tap_ok(mublas_version() == MUBLAS_VERSION, "header and library are of one version");
    tap_ok(strcmp(mublas_status_text(MUBLAS_BAD_ARGUMENT), "bad argument") == 0 &&
               strcmp(mublas_status_text((enum mublas_status)99), "unknown status") == 0,
           "a status has a text");
}

static void test_occupancy(double *a)
{
    struct mublas_occupancy occupancy;
    struct mublas_handle *fresh;
    const double one = 1;
    mublas_create(&fresh);
    tap_ok(mublas_get_occupancy(fresh, &occupancy) == MUBLAS_BAD_ARGUMENT,
           "there is no occupancy before a launch");
    bool good = mublas_dsymv(fresh, MUBLAS_LOWER, 4, &one, a, 4, a + 64, 1, &one, a + 96, 1) ==
                    MUBLAS_SUCCESS &&
                mublas_get_occupancy(fresh, &occupancy) == MUBLAS_SUCCESS;
    /* The emulated device: 132 multiprocessors of 64 warps or 32 blocks. */
    const double slots = 132.0 * occupancy.active_blocks;
    good = good && occupancy.blocks == 1 && occupancy.active_blocks > 0 && occupancy.threads_per_block > 0 &&
           occupancy.block == occupancy.active_blocks / 32.0 && occupancy.grid == 1 / slots &&
           occupancy.warp == occupancy.active_blocks * ((occupancy.threads_per_block + 31) / 32) / 64.0;
    tap_ok(good, "after it: warp %.3f, block %.3f, grid %.5f", occupancy.warp, occupancy.block,
           occupancy.grid);
    mublas_destroy(fresh);
}

/* More items than blocks, fewer blocks than could be active: 276 tiles, one block a multiprocessor. */
static void test_occupancy_of_waves(void)
{
    const struct kernel_case kernel_case = {
        .family = FAMILY_SYMV, .type = TYPE_S, .n = 23 * 64, .alpha = {1}, .name = "ssymv"};
    const struct placement placement = {.x_increment = 1, .y_increment = 1};
    struct mublas_launch_shape shape = {.edge = 64, .threads_x = 16, .threads_y = 8, .leaf_columns = 1,
                                        .blocks_per_multiprocessor = 1, .team_groups = 1};
    struct mublas_occupancy occupancy = {0};
    struct native_operands operands;
    bool good = native_operands_make(handle, &kernel_case, &placement, &operands) &&
                mublas_set_launch_shape(handle, &shape) == MUBLAS_SUCCESS &&
                native_operands_run(handle, &operands, true) == MUBLAS_SUCCESS &&
                mublas_get_occupancy(handle, &occupancy) == MUBLAS_SUCCESS;
    tap_ok(good && occupancy.blocks == 132 && occupancy.threads_per_block == 128 &&
               occupancy.active_blocks == 1 && occupancy.warp == 4 / 64.0 && occupancy.block == 1 / 32.0 &&
               occupancy.grid == 276 / (3 * 132.0),
           "276 tiles by 132 blocks are three waves: warp %.3f, block %.3f, grid %.5f", occupancy.warp,
           occupancy.block, occupancy.grid);
    mublas_set_launch_shape(handle, NULL);
    shape.blocks_per_multiprocessor = 1000;
    good = good && mublas_set_launch_shape(handle, &shape) == MUBLAS_SUCCESS &&
           native_operands_run(handle, &operands, true) == MUBLAS_SUCCESS &&
           mublas_get_occupancy(handle, &occupancy) == MUBLAS_SUCCESS;
    const int active = occupancy.active_blocks;
    tap_ok(good && occupancy.blocks == 276 && active > 1 && active <= 32 &&
               occupancy.block == active / 32.0 && occupancy.grid == 276 / (132.0 * active),
           "where all can be active they are one wave: %d active blocks, grid %.5f", active, occupancy.grid);
    mublas_set_launch_shape(handle, NULL);
    native_operands_free(handle, &operands);
}

static void test_memory_exhausted(double *a)
{
    void *memory = a;
    const double one = 1;
    set_faults("cuMemAlloc_v2:1:2");
    tap_ok(mublas_device_allocate(handle, 64, &memory) == MUBLAS_OUT_OF_MEMORY && !memory,
           "out of memory: %s", mublas_last_error(handle));
    struct mublas_handle *fresh;
    mublas_create(&fresh);
    set_faults("cuMemAlloc_v2:1:2,cuMemAlloc_v2:2:2");
    const enum mublas_status status = mublas_dsymv(fresh, MUBLAS_LOWER, 4, &one, a, 4, a + 64, 1, &one,
                                                   a + 96, 1);
    set_faults(NULL);
    tap_ok(status == MUBLAS_OUT_OF_MEMORY &&
               mublas_dsymv(fresh, MUBLAS_LOWER, 4, &one, a, 4, a + 64, 1, &one, a + 96, 1) == MUBLAS_SUCCESS,
           "out of memory for the workspace, and the handle goes on");
    mublas_destroy(fresh);
}

/* A launch that fails leaves the handle usable, with the right bits. */
static void test_failed_launch(void)
{
    const struct kernel_case kernel_case = {.family = FAMILY_SYMV, .type = TYPE_D, .n = 130, .alpha = {1.5},
                                            .beta = {2}, .name = "dsymv"};
    const struct placement placement = {1, 1, 1, 1, 1};
    struct native_operands operands;
    bool good = native_operands_make(handle, &kernel_case, &placement, &operands);
    set_faults("cuLaunchKernel:1:701");
    tap_ok(native_operands_run(handle, &operands, true) == MUBLAS_DEVICE_ERROR, "a launch that fails: %s",
           mublas_last_error(handle));
    set_faults(NULL);
    const unsigned long fills = calls("cuMemsetD8Async");
    good = good && native_operands_run(handle, &operands, true) == MUBLAS_SUCCESS &&
           calls("cuMemsetD8Async") == fills + 1 && native_operands_right(handle, &operands);
    tap_ok(good, "before the next counters are cleared, and it has the right bits");
    native_operands_free(handle, &operands);
}

static CUcontext current_context(void)
{
    CUcontext context = NULL;
    ((CUresult(*)(CUcontext *))driver_symbol("cuCtxGetCurrent"))(&context);
    return context;
}

static void *use_on_other_thread(void *good)
{
    double value = 0;
    void *memory;
    *(bool *)good = !current_context() && mublas_device_allocate(handle, 8, &memory) == MUBLAS_SUCCESS &&
                    mublas_copy_to_device(handle, memory, &value, 8) == MUBLAS_SUCCESS &&
                    mublas_device_free(handle, memory) == MUBLAS_SUCCESS && !current_context();
    return NULL;
}

/* Handles of the program's own context and of the primary one, whichever is current. */
static void test_contexts(void)
{
    CUcontext own, ignored;
    struct mublas_handle *in_own;
    const struct kernel_case kernel_case = {
        .family = FAMILY_GEMV, .type = TYPE_S, .m = 100, .n = 90, .alpha = {1}, .name = "sgemv"};
    const struct placement placement = {0, 0, 0, 1, 1};
    struct native_operands operands;
    bool elsewhere = false;
    pthread_t thread;
    tap_ok(!current_context(), "a handle of the primary context leaves none current");
    pthread_create(&thread, NULL, use_on_other_thread, &elsewhere);
    pthread_join(thread, NULL);
    tap_ok(elsewhere, "it works on a thread without a context, and leaves it so");
    ((__typeof(cuCtxCreate_v2) *)driver_symbol("cuCtxCreate_v2"))(&own, 0, 0);
    bool good = mublas_create(&in_own) == MUBLAS_SUCCESS &&
                native_operands_make(in_own, &kernel_case, &placement, &operands) &&
                native_operands_run(handle, &operands, true) == MUBLAS_SUCCESS &&
                mublas_synchronise(handle) == MUBLAS_SUCCESS && current_context() == own;
    tap_ok(good, "with the program's own context current both handles work, and it stays current");
    ((CUresult(*)(CUcontext *))driver_symbol("cuCtxPopCurrent_v2"))(&ignored);
    tap_ok(native_operands_run(in_own, &operands, false) == MUBLAS_SUCCESS &&
               native_operands_right(in_own, &operands) && !current_context(),
           "its handle also works where it is not current");
    native_operands_free(in_own, &operands);
    ((__typeof(cuCtxDestroy_v2) *)driver_symbol("cuCtxDestroy_v2"))(own);
    tap_ok(mublas_synchronise(in_own) == MUBLAS_DEVICE_LOST &&
               mublas_synchronise(in_own) == MUBLAS_DEVICE_LOST && mublas_destroy(in_own) == MUBLAS_SUCCESS,
           "when it is destroyed its handle can only be destroyed");
}

static void test_lost(void)
{
    tap_ok(mublas_synchronise(handle) == MUBLAS_SUCCESS, "the handle still works");
    set_faults("cuStreamSynchronize:1:719:sticky");
    tap_ok(mublas_synchronise(handle) == MUBLAS_DEVICE_LOST, "a device that is lost: %s",
           mublas_last_error(handle));
    tap_ok(mublas_synchronise(handle) == MUBLAS_DEVICE_LOST, "and stays so: %s", mublas_last_error(handle));
    tap_ok(mublas_destroy(handle) == MUBLAS_SUCCESS, "its handle can be destroyed");
    set_faults(NULL);
}

int main(void)
{
    double *memory;
    if (mublas_create(&handle) != MUBLAS_SUCCESS)
        tap_skip_all(mublas_last_error(NULL));
    driver_library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (!driver_library)
        tap_skip_all("this test runs on the emulated driver");
    driver_symbol("emulated_set_faults");
    if (mublas_device_allocate(handle, 1024, (void **)&memory) != MUBLAS_SUCCESS)
        return 1;
    test_refusals(memory);
    test_handles();
    test_occupancy(memory);
    test_occupancy_of_waves();
    test_memory_exhausted(memory);
    test_failed_launch();
    test_contexts();
    mublas_device_free(handle, memory);
    test_lost();
    return tap_done();
}
