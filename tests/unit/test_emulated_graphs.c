/* Capture, graphs and events between streams in the emulated driver. */
#include "emulated_device.h"
#include "unit_test.h"

#include <pthread.h>
#include <stdatomic.h>

enum { COUNT = 64, BYTES = 8 * COUNT };

static CUstream other;

static uint64_t first_word(CUdeviceptr memory)
{
    uint64_t word;
    return emulated.peek(&word, memory, sizeof word) ? word : 0;
}

/* memory[i] += 5 + i, in stream order */
static void queue_increment(CUdeviceptr memory, CUdeviceptr steps)
{
    MUST(queue_kernel("emulated_test_fill", 2, 32, 0,
                      (struct emulated_test_arguments){.output = on_device(steps), .value = 5}));
    MUST(queue_kernel(
        "emulated_test_add", 2, 32, 0,
        (struct emulated_test_arguments){.output = on_device(memory), .input = on_device(steps)}));
}

static void test_replay(void)
{
    CUdeviceptr memory = allocate(BYTES), steps = allocate(BYTES);
    CUgraph graph, shown = NULL;
    CUgraphExec executable;
    int status = 0;
    unsigned long long id = 0;
    MUST(cuda.memory_set_async(memory, 0, BYTES, stream));
    MUST(cuda.stream_synchronise(stream));
    MUST(graphs.begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    queue_increment(memory, steps);
    MUST(cuda.stream_capture_info(stream, &status, &id, &shown, NULL, NULL));
    tap_ok(status == CU_STREAM_CAPTURE_STATUS_ACTIVE && id != 0, "a captured stream says so");
    MUST(cuda.stream_capture_info(other, &status, NULL, NULL, NULL, NULL));
    tap_ok(status == CU_STREAM_CAPTURE_STATUS_NONE, "another does not");
    MUST(graphs.end(stream, &graph));
    MUST(cuda.stream_synchronise(stream));
    tap_ok(shown == graph, "and to which graph");
    tap_ok(first_word(memory) == 0, "what is captured does not run");
    MUST(graphs.instantiate(&executable, graph, 0));
    MUST(graphs.destroy(graph));
    MUST(graphs.launch(executable, stream));
    MUST(graphs.launch(executable, stream));
    MUST(graphs.destroy_executable(executable));
    tap_ok(first_word(memory) == 0, "replays do not run before the wait");
    MUST(cuda.stream_synchronise(stream));
    tap_ok(first_word(memory) == 10, "two replays run twice, also of a graph that was destroyed");
    MUST(cuda.memory_free(memory));
    MUST(cuda.memory_free(steps));
}

static void test_join(void)
{
    CUdeviceptr memory = allocate(BYTES);
    CUgraph graph;
    CUgraphExec executable;
    CUevent fork_event, join_event;
    MUST(cuda.event_create(&fork_event, CU_EVENT_DISABLE_TIMING));
    MUST(cuda.event_create(&join_event, CU_EVENT_DISABLE_TIMING));
    MUST(graphs.begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    MUST(cuda.event_record(fork_event, stream));
    MUST(cuda.stream_wait_event(other, fork_event, 0));
    MUST(cuda.memory_set_async(memory, 7, BYTES, other));
    MUST(cuda.event_record(join_event, other));
    MUST(cuda.stream_wait_event(stream, join_event, 0));
    MUST(graphs.end(stream, &graph));
    MUST(graphs.instantiate(&executable, graph, 0));
    MUST(graphs.launch(executable, other));
    MUST(cuda.stream_synchronise(other));
    tap_ok(first_word(memory) == 0x0707070707070707, "a stream joins a capture by an event");
    MUST(graphs.destroy_executable(executable));
    MUST(graphs.destroy(graph));
    MUST(cuda.event_destroy(fork_event));
    MUST(cuda.event_destroy(join_event));
    MUST(cuda.memory_free(memory));
}

static void test_spoiling(void)
{
    CUgraph graph;
    CUdeviceptr memory;
    int mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    MUST(graphs.begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    tap_ok(cuda.memory_allocate(&memory, 64) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED &&
               graphs.end(stream, &graph) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
           "an unsafe call spoils a capture");
    MUST(graphs.begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    MUST(cuda.capture_mode(&mode));
    MUST(cuda.memory_allocate(&memory, 64));
    MUST(cuda.memory_free(memory));
    tap_ok(cuda.stream_synchronise(stream) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED &&
               graphs.end(stream, &graph) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
           "in relaxed mode only a wait for the captured stream does");
    MUST(cuda.capture_mode(&mode));
}

static void test_events(void)
{
    CUdeviceptr memory = allocate(BYTES);
    CUevent event;
    MUST(cuda.event_create(&event, CU_EVENT_DISABLE_TIMING));
    tap_ok(cuda.event_query(event) == CUDA_SUCCESS, "an event that was never recorded has happened");
    MUST(cuda.memory_set_async(memory, 1, BYTES, stream));
    MUST(cuda.event_record(event, stream));
    MUST(cuda.memory_set_async(memory, 2, BYTES, stream));
    tap_ok(cuda.event_query(event) == CUDA_ERROR_NOT_READY, "one behind queued work has not");
    MUST(cuda.stream_wait_event(other, event, 0));
    MUST(cuda.stream_synchronise(other));
    tap_ok(first_word(memory) == 0x0101010101010101 && cuda.event_query(event) == CUDA_SUCCESS,
           "a stream that waits for it runs the work before it, no more");
    MUST(cuda.event_destroy(event));
    MUST(cuda.memory_free(memory));
}

static void *fill_on_own_stream(void *memory)
{
    MUST(cuda.context_push(context));
    MUST(cuda.memory_set_async(*(CUdeviceptr *)memory, 9, BYTES, CU_STREAM_PER_THREAD));
    MUST(cuda.context_pop(NULL));
    return NULL;
}

static void test_per_thread_stream(void)
{
    CUdeviceptr memory = allocate(BYTES);
    pthread_t thread;
    MUST(cuda.memory_set_async(memory, 8, BYTES, CU_STREAM_PER_THREAD));
    MUST(cuda.stream_synchronise(CU_STREAM_PER_THREAD));
    pthread_create(&thread, NULL, fill_on_own_stream, &memory);
    pthread_join(thread, NULL);
    MUST(cuda.stream_synchronise(CU_STREAM_PER_THREAD));
    tap_ok(first_word(memory) == 0x0808080808080808, "each thread has a default stream of its own");
    MUST(cuda.memory_free(memory));
}

static void note_destroyed(void *count)
{
    atomic_fetch_add((atomic_int *)count, 1);
}

/* Promises to programs (CUDA Programming Guide, "CUDA User Objects"). */
static void test_user_objects(void (*await_destructors)(void))
{
    CUgraph graph, clone;
    CUgraphExec executable;
    CUuserObject object;
    atomic_int destroyed = 0;
    MUST(graphs.begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    MUST(cuda.stream_capture_info(stream, &(int){0}, NULL, &graph, NULL, NULL));
    MUST(cuda.user_object_create(&object, &destroyed, note_destroyed, 2, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    MUST(cuda.graph_retain_user_object(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    MUST(graphs.end(stream, &graph));
    MUST(cuda.user_object_release(object, 1));
    MUST(graphs.clone(&clone, graph));
    MUST(graphs.destroy(graph));
    MUST(graphs.instantiate(&executable, clone, 0));
    MUST(graphs.destroy(clone));
    MUST(graphs.launch(executable, stream));
    MUST(graphs.destroy_executable(executable));
    await_destructors();
    tap_ok(destroyed == 0, "a clone, its executable, a launch in turn hold what a graph holds");
    MUST(cuda.stream_synchronise(stream));
    await_destructors();
    tap_ok(destroyed == 1, "which is destroyed when the last is gone");
    tap_ok(cuda.user_object_create(&object, &destroyed, note_destroyed, 1, 0) == CUDA_ERROR_INVALID_VALUE,
           "nobody may wait for a destructor");
}

UNIT_TEST(test_emulated_graphs)
{
    void (*await_destructors)(void);
    open_device();
    look_up_graphs(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD));
    MUST(cuda.stream_create(&other, CU_STREAM_NON_BLOCKING));
    test_replay();
    test_join();
    test_spoiling();
    test_events();
    look_up(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), "emulated_await_destructors", &await_destructors);
    test_user_objects(await_destructors);
    test_per_thread_stream();
    return tap_done();
}
