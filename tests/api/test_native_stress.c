/* One handle on many streams at once, and replays of graphs beside it: every result of every
 * round has the contract's bits. On whatever device there is; on a GPU the launches really
 * overlap. Arguments: the size of the matrices (default 140), rounds (default 3). */
#include "native.h"

#include "emulated_driver/cuda_calls.h"

enum { CALLS = 6, STREAMS = 4 };

static struct mublas_handle *handle;

static void open_driver(void)
{
    CUcontext context;
    look_up_graphs(open_cuda("cuStreamBeginCapture_v2", "there is no CUDA driver that captures graphs"));
    if (cuda.init(0) != CUDA_SUCCESS || cuda.primary_retain(&context, 0) != CUDA_SUCCESS ||
        cuda.context_push(context) != CUDA_SUCCESS)
        tap_skip_all("there is no CUDA device");
}

/* A set of calls with results of its own. beta is 0: each round gives the same. */
struct set {
    struct native_operands operands[CALLS];
    unsigned char *expected[CALLS], *present[CALLS];
};

static void make_set(int64_t n, struct set *set)
{
    const struct kernel_case cases[CALLS] = {
        {.family = FAMILY_SYMV, .type = TYPE_D, .n = n, .alpha = {1.5}, .name = "dsymv"},
        {.family = FAMILY_HEMV,
         .type = TYPE_Z,
         .uplo = UPLO_UPPER,
         .n = n - 7,
         .alpha = {0.5, 1},
         .name = "zhemv"},
        {.family = FAMILY_GEMV, .type = TYPE_S, .m = n, .n = n + 65, .alpha = {-1}, .name = "sgemv"},
        {.family = FAMILY_GEMV,
         .type = TYPE_D,
         .trans = TRANS_TRANSPOSE,
         .m = 3 * n,
         .n = n,
         .alpha = {2},
         .name = "dgemv"},
        {.family = FAMILY_SYMV,
         .type = TYPE_S,
         .uplo = UPLO_UPPER,
         .n = n + 1,
         .alpha = {1},
         .name = "ssymv"},
        {.family = FAMILY_SYMV, .type = TYPE_W, .n = n / 2, .alpha = {1}, .name = "wsymv"},
    };
    const struct placement placement = {1, 1, 1, 1, 1};
    for (int i = 0; i < CALLS; i++) {
        MUST(!native_operands_make(handle, &cases[i], &placement, &set->operands[i]));
        MUST(!(set->expected[i] = malloc(set->operands[i].host.y.size)));
        MUST(!(set->present[i] = malloc(set->operands[i].host.y.size)));
    }
}

static void queue_set(const struct set *set, int turn)
{
    for (int i = 0; i < CALLS; i++)
        MUST(native_operands_run(handle, &set->operands[(i + turn) % CALLS], turn % 2));
}

/* Spoil the results, so that each round has to make them. */
static void spoil(const struct set *set)
{
    for (int i = 0; i < CALLS; i++)
        MUST(mublas_copy_to_device(handle, set->operands[i].y, set->operands[i].host.y.bytes,
                                   set->operands[i].host.y.size));
}

static bool is_as_expected(const struct set *set)
{
    bool good = true;
    for (int i = 0; i < CALLS; i++) {
        const size_t bytes = set->operands[i].host.y.size;
        MUST(mublas_copy_to_host(handle, set->present[i], set->operands[i].y, bytes));
        good = good && memcmp(set->present[i], set->expected[i], bytes) == 0;
    }
    return good;
}

static void free_set(struct set *set)
{
    for (int i = 0; i < CALLS; i++) {
        native_operands_free(handle, &set->operands[i]);
        free(set->expected[i]);
        free(set->present[i]);
    }
}

/* Alone, one after another, against the model: what all rounds must give. */
static void run_alone(struct set *sets, int count)
{
    bool good = true;
    for (int i = 0; i < CALLS; i++) {
        MUST(native_operands_run(handle, &sets[0].operands[i], true));
        good = good && native_operands_right(handle, &sets[0].operands[i]);
        const size_t bytes = sets[0].operands[i].host.y.size;
        MUST(mublas_copy_to_host(handle, sets[0].expected[i], sets[0].operands[i].y, bytes));
        for (int k = 1; k < count; k++)
            memcpy(sets[k].expected[i], sets[0].expected[i], bytes);
    }
    tap_ok(good, "each call alone has the contract's bits");
}

static CUgraphExec capture(CUstream stream, const struct set *set)
{
    CUgraph graph;
    CUgraphExec executable;
    mublas_set_stream(handle, stream);
    MUST(graphs.begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    queue_set(set, 0);
    queue_set(set, 1);
    MUST(graphs.end(stream, &graph));
    MUST(graphs.instantiate(&executable, graph, 0));
    MUST(graphs.destroy(graph));
    return executable;
}

int main(int argument_count, char **arguments)
{
    const int64_t n = argument_count > 1 ? strtoll(arguments[1], NULL, 10) : 140;
    const int rounds = argument_count > 2 ? atoi(arguments[2]) : 3;
    struct set sets[2 * STREAMS]; /* plain calls on each stream, and a graph for each */
    CUstream streams[2 * STREAMS];
    CUgraphExec executables[STREAMS];
    int wrong = 0;
    open_driver();
    if (mublas_create(&handle) != MUBLAS_SUCCESS)
        tap_skip_all(mublas_last_error(NULL));
    for (int i = 0; i < 2 * STREAMS; i++) {
        MUST(cuda.stream_create(&streams[i], CU_STREAM_NON_BLOCKING));
        make_set(n, &sets[i]);
    }
    run_alone(sets, 2 * STREAMS);
    for (int i = 0; i < STREAMS; i++)
        executables[i] = capture(streams[i], &sets[STREAMS + i]);
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < 2 * STREAMS; i++) {
            mublas_set_stream(handle, streams[i]);
            spoil(&sets[i]);
        }
        for (int i = 0; i < STREAMS; i++) {
            MUST(graphs.launch(executables[i], streams[STREAMS + i]));
            mublas_set_stream(handle, streams[i]);
            queue_set(&sets[i], round + i);
        }
        for (int i = 0; i < 2 * STREAMS; i++) {
            mublas_set_stream(handle, streams[i]);
            wrong += !is_as_expected(&sets[i]);
        }
    }
    tap_ok(wrong == 0,
           "%d calls of %d rounds on %d streams at once, half of them replays, have the same bits",
           rounds * 3 * STREAMS * CALLS, rounds, 2 * STREAMS);
    mublas_set_stream(handle, NULL);
    for (int i = 0; i < STREAMS; i++)
        MUST(graphs.destroy_executable(executables[i]));
    for (int i = 0; i < 2 * STREAMS; i++) {
        free_set(&sets[i]);
        MUST(cuda.stream_destroy(streams[i]));
    }
    mublas_destroy(handle);
    return tap_done();
}
