/* Streams, threads and graphs of the native API on the emulated device: no two launches that
 * could overlap on a GPU share workspace or counters, and all have the contract's bits. */
#include "native.h"

#include "emulated_driver/cuda_calls.h"
#include "emulated_driver/emulated.h"
#include "gpu/kernels/arguments.h"

#include <pthread.h>

static struct {
    __typeof(emulated_watch_launches) *watch;
    __typeof(emulated_census) *census;
    __typeof(emulated_call_count) *call_count;
} emulated;
static CUcontext context;
static struct mublas_handle *handle;

static const struct placement placement = {1, 1, 1, 1, 1};
static const struct kernel_case small_case = {.family = FAMILY_SYMV, .type = TYPE_D, .n = 130, .alpha = {1.5},
                                              .beta = {0}, .name = "dsymv"};
/* More than the least workspace. */
static const struct kernel_case large_case = {.family = FAMILY_GEMV, .type = TYPE_Z, .m = 700, .n = 7000,
                                              .alpha = {1.5}, .beta = {0}, .name = "zgemv"};

static void open_driver(void)
{
    void *library = open_cuda("emulated_watch_launches", "this test runs on the emulated driver");
    look_up_graphs(library);
    look_up(library, "emulated_watch_launches", &emulated.watch);
    look_up(library, "emulated_census", &emulated.census);
    look_up(library, "emulated_call_count", &emulated.call_count);
}

/* The counters of the latest launches: what tells workspaces apart. */
static const void *seen[64];
static int seen_count;
static void watch(CUstream stream, const char *kernel, const void *arguments)
{
    (void)stream;
    (void)kernel;
    const struct matrix_vector_arguments *given = arguments;
    seen[seen_count++ % 64] = given->counters;
}

static CUstream new_stream(void)
{
    CUstream stream;
    MUST(cuda.stream_create(&stream, CU_STREAM_NON_BLOCKING));
    return stream;
}

static size_t allocations(void)
{
    struct emulated_census census;
    emulated.census(&census);
    return census.allocations;
}

/* Queue the call; which counters did it get? */
static const void *counters_of(const struct native_operands *operands)
{
    seen_count = 0;
    if (native_operands_run(handle, operands, true) != MUBLAS_SUCCESS || seen_count != 1) {
        printf("# %s\n", mublas_last_error(handle));
        return NULL;
    }
    return seen[0];
}

static void test_two_streams(void)
{
    struct native_operands one, two;
    CUstream first = new_stream(), second = new_stream();
    native_operands_make(handle, &small_case, &placement, &one);
    native_operands_make(handle, &small_case, &placement, &two);
    mublas_set_stream(handle, first);
    const void *by_first = counters_of(&one);
    const unsigned long fills = emulated.call_count("cuMemsetD8Async");
    const void *again = counters_of(&one);
    tap_ok(fills > 0 && emulated.call_count("cuMemsetD8Async") == fills, "counters are cleared once");
    mublas_set_stream(handle, second);
    const void *by_second = counters_of(&two);
    tap_ok(by_first && by_first == again, "calls on one stream use one workspace");
    tap_ok(by_second && by_second != by_first, "calls on two streams do not");
    mublas_set_stream(handle, first);
    const void *third = counters_of(&one);
    mublas_set_stream(handle, second);
    const void *fourth = counters_of(&two);
    tap_ok(third && third != by_second && fourth == by_second, "back and forth each has its own");
    /* For all the handle knows the stream may be a new one at the address of one that still runs. */
    tap_ok(third != by_first, "but nobody gets one whose last launch left no event");
    const unsigned long waits = emulated.call_count("cuStreamWaitEvent");
    mublas_set_stream(handle, second);
    tap_ok(counters_of(&two) == by_second && emulated.call_count("cuStreamWaitEvent") == waits + 1,
           "and one that did is waited for");
    tap_ok(native_operands_right(handle, &two), "the second stream's result has the contract's bits");
    mublas_set_stream(handle, first);
    tap_ok(native_operands_right(handle, &one), "the first's too");
    const size_t before = allocations();
    for (int i = 0; i < 20; i++) {
        CUstream passing = new_stream();
        mublas_set_stream(handle, passing);
        native_operands_run(handle, &one, true);
        MUST(cuda.stream_synchronise(passing));
        MUST(cuda.stream_destroy(passing));
    }
    tap_ok(allocations() <= before + 2, "streams that come and go are served by the same workspaces");
    mublas_set_stream(handle, NULL);
    tap_ok(native_operands_right(handle, &one), "after all of them, too");
    MUST(cuda.stream_destroy(first));
    MUST(cuda.stream_destroy(second));
    native_operands_free(handle, &one);
    native_operands_free(handle, &two);
}

/* More streams at once than there are workspaces. */
static void test_many_streams(void)
{
    enum { STREAMS = 20 };
    struct native_operands operands[STREAMS];
    CUstream streams[STREAMS];
    bool good = true;
    for (int i = 0; i < STREAMS; i++) {
        streams[i] = new_stream();
        native_operands_make(handle, &small_case, &placement, &operands[i]);
        mublas_set_stream(handle, NULL);
    }
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < STREAMS; i++) {
            mublas_set_stream(handle, streams[i]);
            good = good && native_operands_run(handle, &operands[i], true) == MUBLAS_SUCCESS;
        }
    for (int i = STREAMS - 1; i >= 0; i--) { /* waiting for the last runs what it waits for */
        mublas_set_stream(handle, streams[i]);
        good = good && native_operands_right(handle, &operands[i]);
    }
    tap_ok(good, "%d streams at once have the contract's bits", STREAMS);
    mublas_set_stream(handle, NULL);
    for (int i = 0; i < STREAMS; i++) {
        native_operands_free(handle, &operands[i]);
        MUST(cuda.stream_destroy(streams[i]));
    }
}

/* The workspace grows while a call is in flight, whose memory must not go. */
static void test_growth(void)
{
    struct native_operands small, large;
    struct mublas_handle *shared = handle;
    CUstream stream = new_stream();
    mublas_create(&handle);
    native_operands_make(handle, &small_case, &placement, &small);
    native_operands_make(handle, &large_case, &placement, &large);
    mublas_set_stream(handle, stream);
    const unsigned long run = emulated.call_count("KERNEL");
    const void *before = counters_of(&small), *grown = counters_of(&large), *after = counters_of(&small);
    mublas_set_stream(handle, NULL);
    mublas_set_stream(handle, stream);
    tap_ok(before && grown && after && emulated.call_count("KERNEL") == run,
           "the workspace grows, and streams are changed, without waiting for calls in flight");
    tap_ok(native_operands_right(handle, &large) && native_operands_right(handle, &small),
           "which have the contract's bits");
    native_operands_free(handle, &small);
    native_operands_free(handle, &large);
    MUST(cuda.stream_destroy(stream));
    tap_ok(mublas_destroy(handle) == MUBLAS_SUCCESS, "a handle may outlive its stream");
    handle = shared;
}

struct worker {
    pthread_t thread;
    CUstream stream; /* NULL: one of its own */
    bool good;
};

#ifdef __SANITIZE_THREAD__
enum { TURNS = 6 }; /* a race is seen when it could happen, not only when it does */
#else
enum { TURNS = 20 };
#endif

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct mublas_handle *own;
    struct native_operands operands;
    MUST(cuda.context_push(context));
    CUstream stream = worker->stream ? worker->stream : new_stream();
    worker->good = mublas_create(&own) == MUBLAS_SUCCESS &&
                   mublas_set_stream(own, stream) == MUBLAS_SUCCESS &&
                   native_operands_make(own, &small_case, &placement, &operands);
    for (int i = 0; i < TURNS && worker->good; i++)
        worker->good = native_operands_run(own, &operands, i % 2) == MUBLAS_SUCCESS &&
                       native_operands_right(own, &operands);
    native_operands_free(own, &operands);
    worker->good = mublas_destroy(own) == MUBLAS_SUCCESS && worker->good;
    if (!worker->stream)
        MUST(cuda.stream_destroy(stream));
    MUST(cuda.context_pop(NULL));
    return NULL;
}

static void test_threads(CUstream stream, const char *what)
{
    enum { THREADS = 4 };
    struct worker workers[THREADS] = {{0}};
    bool good = true;
    emulated.watch(NULL);
    for (int i = 0; i < THREADS; i++) {
        workers[i].stream = stream;
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        good = good && workers[i].good;
    }
    emulated.watch(watch);
    tap_ok(good, "handles of %d threads on %s", THREADS, what);
}

/* One handle handed from thread to thread, on the default stream that each has of its own. */
static void *queue_on_own_default(void *operands)
{
    MUST(cuda.context_push(context));
    if (native_operands_run(handle, operands, true) != MUBLAS_SUCCESS)
        exit(1);
    MUST(cuda.context_pop(NULL));
    return NULL;
}

static void test_per_thread_stream(void)
{
    struct native_operands one, two;
    pthread_t thread;
    native_operands_make(handle, &small_case, &placement, &one);
    native_operands_make(handle, &small_case, &placement, &two);
    mublas_set_stream(handle, CU_STREAM_PER_THREAD);
    pthread_create(&thread, NULL, queue_on_own_default, &one);
    pthread_join(thread, NULL);
    bool good = native_operands_run(handle, &two, true) == MUBLAS_SUCCESS &&
                native_operands_right(handle, &two);
    /* The workspace's earlier users have been waited for. */
    unsigned char now[8], queued = 1;
    unsigned char *first = (unsigned char *)one.call.y.pointer;
    good = good && mublas_copy_to_host(handle, now, first, 8) == MUBLAS_SUCCESS;
    for (int i = 0; i < 8; i++)
        queued = queued && now[i] == 0xff;
    tap_ok(good && !queued && native_operands_right(handle, &one),
           "a handle on the default streams of two threads");
    mublas_set_stream(handle, NULL);
    native_operands_free(handle, &one);
    native_operands_free(handle, &two);
}

static void test_capture(void)
{
    struct native_operands one, two, plain;
    CUstream stream = new_stream(), other = new_stream();
    CUgraph graph, second_graph;
    CUgraphExec executable, second;
    native_operands_make(handle, &small_case, &placement, &one);
    native_operands_make(handle, &large_case, &placement, &two);
    native_operands_make(handle, &small_case, &placement, &plain);
    mublas_set_stream(handle, stream);
    const void *before = counters_of(&plain);
    MUST(cuda.stream_synchronise(stream));
    MUST(graphs.begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    const void *captured = counters_of(&one), *captured_too = counters_of(&two),
               *captured_again = counters_of(&one);
    tap_ok(mublas_copy_to_host(handle, &graph, one.y, 8) == MUBLAS_DEVICE_ERROR,
           "a captured stream cannot be waited for: %s", mublas_last_error(handle));
    tap_ok(graphs.end(stream, &graph) == CUDA_SUCCESS && graph,
           "calls can be captured in the strictest mode");
    tap_ok(captured && captured_too && captured != before && captured_too != before &&
               captured_again != before,
           "with workspace of the graph's own");
    MUST(graphs.begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    const void *captured_later = counters_of(&plain);
    MUST(graphs.end(stream, &second_graph));
    tap_ok(captured_later && captured_later != captured && captured_later != captured_too &&
               captured_later != before,
           "another graph on the same stream has another");
    tap_ok(counters_of(&plain) == before, "and plain calls have what they had");
    MUST(graphs.instantiate(&executable, graph, 0));
    MUST(graphs.instantiate(&second, second_graph, 0));
    for (int i = 0; i < 3; i++) {
        MUST(graphs.launch(executable, other));
        MUST(graphs.launch(second, stream));
        native_operands_run(handle, &plain, true);
    }
    MUST(cuda.stream_synchronise(other));
    tap_ok(native_operands_right(handle, &one) && native_operands_right(handle, &two) &&
               native_operands_right(handle, &plain),
           "replays beside other calls have the contract's bits");
    mublas_set_stream(handle, NULL);
    MUST(graphs.destroy_executable(executable));
    MUST(graphs.destroy_executable(second));
    MUST(graphs.destroy(graph));
    MUST(graphs.destroy(second_graph));
    MUST(cuda.stream_destroy(stream));
    MUST(cuda.stream_destroy(other));
    native_operands_free(handle, &one);
    native_operands_free(handle, &two);
    native_operands_free(handle, &plain);
}

/* Two branches of one graph, the handle's very first calls, with scalars on the device. */
static void test_branches(void)
{
    struct mublas_handle *shared = handle;
    struct native_operands one, two;
    CUstream stream = new_stream(), branch = new_stream();
    CUevent forked, joined;
    CUgraph graph;
    CUgraphExec executable;
    native_operands_make(handle, &small_case, &placement, &one);
    native_operands_make(handle, &small_case, &placement, &two);
    MUST(cuda.event_create(&forked, CU_EVENT_DISABLE_TIMING));
    MUST(cuda.event_create(&joined, CU_EVENT_DISABLE_TIMING));
    mublas_create(&handle);
    mublas_set_stream(handle, stream);
    seen_count = 0;
    MUST(graphs.begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    MUST(cuda.event_record(forked, stream));
    MUST(cuda.stream_wait_event(branch, forked, 0));
    bool good = native_operands_run(handle, &one, false) == MUBLAS_SUCCESS;
    mublas_set_stream(handle, branch);
    good = good && native_operands_run(handle, &two, false) == MUBLAS_SUCCESS;
    MUST(cuda.event_record(joined, branch));
    MUST(cuda.stream_wait_event(stream, joined, 0));
    MUST(graphs.end(stream, &graph));
    tap_ok(good && seen_count == 2 && seen[0] != seen[1], "branches of one graph do not share");
    MUST(graphs.instantiate(&executable, graph, 0));
    mublas_set_stream(handle, NULL);
    MUST(graphs.launch(executable, NULL));
    tap_ok(native_operands_right(handle, &one) && native_operands_right(handle, &two),
           "a replay of both has the contract's bits");
    MUST(graphs.destroy_executable(executable));
    MUST(graphs.destroy(graph));
    mublas_destroy(handle);
    handle = shared;
    MUST(cuda.event_destroy(forked));
    MUST(cuda.event_destroy(joined));
    MUST(cuda.stream_destroy(stream));
    MUST(cuda.stream_destroy(branch));
    native_operands_free(handle, &one);
    native_operands_free(handle, &two);
}

int main(void)
{
    struct emulated_census before, after;
    open_driver();
    MUST(cuda.init(0));
    MUST(cuda.primary_retain(&context, 0));
    MUST(cuda.context_push(context));
    emulated.census(&before);
    emulated.watch(watch);
    if (mublas_create(&handle) != MUBLAS_SUCCESS)
        tap_skip_all(mublas_last_error(NULL));
    test_two_streams();
    test_many_streams();
    test_growth();
    test_threads(NULL, "streams of their own");
    test_threads(CU_STREAM_LEGACY, "the default stream");
    test_per_thread_stream();
    test_capture();
    test_branches();
    mublas_destroy(handle);
    emulated.census(&after);
    tap_ok(after.allocations == before.allocations && after.streams == before.streams &&
               after.events == before.events,
           "destroyed handles leave nothing behind");
    return tap_done();
}
