/* Workspace of captured graphs: graphs that live at once share none, and graphs that are gone
 * leave theirs to later ones. On whatever device there is; whose workspace is whose only the
 * emulated one tells. Arguments: the size of the matrices (default 140), rounds (default 20), calls
 * in a graph (default 2). */
#include "native.h"

#include "emulated_driver/cuda_calls.h"
#include "emulated_driver/emulated.h"
#include "gpu/kernels/arguments.h"

#include <unistd.h>

enum { SETS = 6 };

static struct {
    __typeof(emulated_watch_launches) *watch;
    __typeof(emulated_census) *census;
    __typeof(emulated_set_faults) *set_faults;
    __typeof(emulated_poke) *poke;
    __typeof(emulated_await_destructors) *await;
} emulated; /* of a GPU all NULL */
static struct mublas_handle *handle;
static int calls_in_graph = 2;

/* Calls that differ in their results, each on a stream of its own. */
static struct set {
    struct native_operands operands;
    unsigned char *expected, *present; /* y after a plain call; now */
    CUstream stream;
} sets[SETS];

struct graph {
    const struct set *set;
    CUgraph graph;
    CUgraphExec executable;
    const void *counters; /* what tells workspaces apart; of a GPU NULL */
};

static const void *seen; /* by the latest call */
static void watch(CUstream stream, const char *kernel, const void *arguments)
{
    (void)stream;
    (void)kernel;
    seen = ((const struct matrix_vector_arguments *)arguments)->counters;
}

static void open_driver(void)
{
    CUcontext context;
    void *library = open_cuda("cuGraphClone", "there is no CUDA driver that captures graphs");
    look_up_graphs(library);
    if (dlsym(library, "emulated_await_destructors")) {
        look_up(library, "emulated_watch_launches", &emulated.watch);
        look_up(library, "emulated_census", &emulated.census);
        look_up(library, "emulated_set_faults", &emulated.set_faults);
        look_up(library, "emulated_poke", &emulated.poke);
        look_up(library, "emulated_await_destructors", &emulated.await);
        emulated.watch(watch);
    }
    if (cuda.init(0) != CUDA_SUCCESS || cuda.primary_retain(&context, 0) != CUDA_SUCCESS ||
        cuda.context_push(context) != CUDA_SUCCESS)
        tap_skip_all("there is no CUDA device");
}

static void await_destructors(void)
{
    if (emulated.await)
        emulated.await();
    else
        usleep(1000); /* CUDA has no way; later ones only cost a workspace more */
}

/* Tiles, of every size: strips need counters alone. */
static void create_handle(void)
{
    const struct mublas_launch_shape tiles = {.edge = 64, .threads_x = 32, .threads_y = 4, .leaf_columns = 1,
                                              .team_groups = 1, .variant = MUBLAS_LAST_ARRIVER};
    if (mublas_create(&handle) != MUBLAS_SUCCESS)
        tap_skip_all(mublas_last_error(NULL));
    MUST(mublas_set_launch_shape(handle, &tiles));
}

static void queue(const struct set *set)
{
    MUST(native_operands_run(handle, &set->operands, true));
}

static void make_sets(int64_t n)
{
    const struct placement placement = {1, 1, 1, 1, 1};
    bool good = true;
    for (int i = 0; i < SETS; i++) {
        struct set *set = &sets[i];
        const struct kernel_case kernel_case = {.family = FAMILY_SYMV, .type = TYPE_D, .name = "dsymv",
                                                .uplo = i % 2 ? UPLO_UPPER : UPLO_LOWER, .n = n - 3 * i,
                                                .alpha = {1.5 + i}};
        MUST(cuda.stream_create(&set->stream, CU_STREAM_NON_BLOCKING));
        MUST(!native_operands_make(handle, &kernel_case, &placement, &set->operands));
        MUST(!(set->expected = malloc(set->operands.host.y.size)));
        MUST(!(set->present = malloc(set->operands.host.y.size)));
        queue(set);
        good = good && native_operands_right(handle, &set->operands);
        MUST(mublas_copy_to_host(handle, set->expected, set->operands.y, set->operands.host.y.size));
    }
    tap_ok(good, "plain calls have the contract's bits");
}

static void free_sets(void)
{
    for (int i = 0; i < SETS; i++) {
        native_operands_free(handle, &sets[i].operands);
        free(sets[i].expected);
        free(sets[i].present);
        MUST(cuda.stream_destroy(sets[i].stream));
    }
}

static void capture(const struct set *set, struct graph *graph)
{
    *graph = (struct graph){.set = set};
    mublas_set_stream(handle, set->stream);
    MUST(graphs.begin(set->stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    for (int i = 0; i < calls_in_graph; i++) {
        queue(set);
        MUST(i > 0 && seen != graph->counters);
        graph->counters = seen;
    }
    MUST(graphs.end(set->stream, &graph->graph));
    mublas_set_stream(handle, NULL);
}

/* The graph itself goes at once: its executable is enough. */
static void make_executable(struct graph *graph)
{
    MUST(graphs.instantiate(&graph->executable, graph->graph, 0));
    MUST(graphs.destroy(graph->graph));
}

static void destroy_executable(struct graph *graph)
{
    MUST(graphs.destroy_executable(graph->executable));
    graph->executable = NULL;
}

/* Spoil the result, so that the replay has to make it. */
static void launch(const struct graph *graph)
{
    const struct native_operands *operands = &graph->set->operands;
    mublas_set_stream(handle, graph->set->stream);
    MUST(mublas_copy_to_device(handle, operands->y, operands->host.y.bytes, operands->host.y.size));
    MUST(graphs.launch(graph->executable, graph->set->stream));
    mublas_set_stream(handle, NULL);
}

static bool is_right(const struct set *set)
{
    const size_t bytes = set->operands.host.y.size;
    MUST(cuda.stream_synchronise(set->stream));
    MUST(mublas_copy_to_host(handle, set->present, set->operands.y, bytes));
    return memcmp(set->present, set->expected, bytes) == 0;
}

static bool all_right_at_once(const struct graph *live, int count)
{
    bool good = true;
    for (int i = 0; i < count; i++)
        launch(&live[i]);
    for (int i = 0; i < count; i++)
        good = is_right(live[i].set) && good;
    return good;
}

/* A graph that is captured, replayed and destroyed. */
static const void *pass(const struct set *set, bool *good)
{
    struct graph graph;
    capture(set, &graph);
    make_executable(&graph);
    *good = all_right_at_once(&graph, 1) && *good;
    destroy_executable(&graph);
    await_destructors();
    return graph.counters;
}

static size_t free_memory(void)
{
    size_t available, total;
    MUST(cuda.memory_info(&available, &total));
    return available;
}

static void test_rounds(int rounds)
{
    bool good = true;
    const void *first = pass(&sets[0], &good), *latest = first;
    const size_t before = free_memory();
    for (int i = 1; i < rounds && good; i++)
        latest = pass(&sets[i % SETS], &good);
    const size_t after = free_memory();
    printf("# %d graphs one after another, %.1f MiB\n", rounds, ((double)before - (double)after) / (1 << 20));
    tap_ok(good, "each of %d graphs, one after another, has the bits of plain calls", rounds);
    tap_ok(after + (8 << 20) >= before && latest == first, "all with the workspace of the first");
}

static void test_live_graphs(void)
{
    struct graph live[SETS];
    const void *counters[SETS];
    bool distinct = true, reused = true;
    for (int i = 0; i < SETS; i++) {
        capture(&sets[i], &live[i]);
        make_executable(&live[i]);
        counters[i] = live[i].counters;
        for (int k = 0; k < i; k++)
            distinct = distinct && (!emulated.watch || counters[k] != counters[i]);
    }
    tap_ok(distinct && all_right_at_once(live, SETS), "graphs that live at once have each their own workspace");
    for (int i = 0; i < SETS; i += 2)
        destroy_executable(&live[i]);
    await_destructors();
    for (int i = 0; i < SETS; i += 2) {
        capture(&sets[i], &live[i]);
        make_executable(&live[i]);
        reused = reused && (live[i].counters == counters[0] || live[i].counters == counters[2] ||
                            live[i].counters == counters[4]);
        for (int k = 0; k < i; k += 2)
            reused = reused && (!emulated.watch || live[k].counters != live[i].counters);
    }
    tap_ok(reused && all_right_at_once(live, SETS), "those that follow some have theirs, beside the rest");
    for (int i = 0; i < SETS; i++)
        destroy_executable(&live[i]);
    await_destructors();
}

int main(int argument_count, char **arguments)
{
    const int64_t n = argument_count > 1 ? strtoll(arguments[1], NULL, 10) : 140;
    const int rounds = argument_count > 2 ? atoi(arguments[2]) : 20;
    if (argument_count > 3)
        calls_in_graph = atoi(arguments[3]);
    open_driver();
    create_handle();
    make_sets(n);
    test_rounds(rounds);
    test_live_graphs();
    free_sets();
    mublas_destroy(handle);
    return tap_done();
}
