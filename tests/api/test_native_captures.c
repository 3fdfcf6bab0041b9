/* Workspace of captured graphs when something goes wrong, on the emulated device alone. */
#include "captures.h"

static const struct placement placement = {1, 1, 1, 1, 1};

static void test_no_user_objects(const char *fault)
{
    bool good = true;
    emulated.set_faults(fault);
    const void *kept = pass(&sets[0], &good), *next = pass(&sets[1], &good);
    tap_ok(good && kept && next != kept, "without a user object (%s) workspace stays with its graph", fault);
}

static void test_left_counters(void)
{
    static const unsigned char garbage[4096] = {1, 2, 3, 4, 5};
    bool good = true;
    const void *released = pass(&sets[0], &good);
    MUST(!emulated.poke((CUdeviceptr)(uintptr_t)released, garbage, sizeof garbage));
    tap_ok(pass(&sets[0], &good) == released && good, "counters that a graph left behind do not matter");
}

static void test_spoilt_capture(void)
{
    struct emulated_census before, after;
    CUgraph graph;
    bool good = true;
    MUST(graphs.begin(sets[0].stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    mublas_set_stream(handle, sets[0].stream);
    queue(&sets[0]);
    const void *counters = seen;
    cuda.stream_synchronise(sets[0].stream);
    emulated.census(&before);
    tap_ok(native_operands_run(handle, &sets[0].operands, true) == MUBLAS_DEVICE_ERROR &&
               strstr(mublas_last_error(handle), "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED") &&
               graphs.end(sets[0].stream, &graph) != CUDA_SUCCESS,
           "a capture that was spoilt: %s", mublas_last_error(handle));
    emulated.census(&after);
    await_destructors();
    tap_ok(pass(&sets[0], &good) == counters && good && after.allocations == before.allocations,
           "its workspace is there for later ones");
}

static void test_short_memory(void)
{
    const struct kernel_case larger = {
        .family = FAMILY_GEMV, .type = TYPE_Z, .m = 700, .n = 7000, .alpha = {1}, .name = "zgemv"};
    struct mublas_handle *shared = handle;
    struct native_operands operands;
    struct emulated_census before, after;
    struct graph unneeded[2];
    CUgraph graph;
    create_handle();
    for (int i = 0; i < 2; i++)
        capture(&sets[i], &unneeded[i]);
    for (int i = 0; i < 2; i++)
        MUST(graphs.destroy(unneeded[i].graph));
    await_destructors();
    native_operands_make(handle, &larger, &placement, &operands);
    emulated.census(&before);
    emulated.set_faults("cuMemAlloc_v2:1:2");
    mublas_set_stream(handle, sets[0].stream);
    MUST(graphs.begin(sets[0].stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    const bool good = native_operands_run(handle, &operands, true) == MUBLAS_SUCCESS;
    MUST(graphs.end(sets[0].stream, &graph));
    MUST(graphs.destroy(graph));
    emulated.census(&after);
    tap_ok(good && after.allocations < before.allocations,
           "when memory is short, what no graph needs is freed");
    native_operands_free(handle, &operands);
    mublas_destroy(handle);
    handle = shared;
    await_destructors();
}

int main(void)
{
    struct emulated_census before, after;
    open_driver();
    if (!emulated.watch)
        tap_skip_all("this test runs on the emulated driver");
    emulated.census(&before);
    create_handle();
    tap_ok(make_sets(140), "plain calls have the contract's bits");
    test_no_user_objects("cuUserObjectCreate:1:801");
    test_no_user_objects("cuGraphRetainUserObject:1:801");
    test_left_counters();
    test_spoilt_capture();
    test_short_memory();
    free_sets();
    mublas_destroy(handle);
    emulated.census(&after);
    tap_ok(after.allocations == before.allocations && after.streams == before.streams &&
               after.events == before.events,
           "a destroyed handle leaves nothing behind");
    return tap_done();
}
