#include "captures.h"

#include "gpu/kernels/arguments.h"

#include <unistd.h>

struct emulated_calls emulated;
struct mublas_handle *handle;
int calls_in_graph = 2;
struct set sets[SETS];
const void *seen;
static void watch(CUstream stream, const char *kernel, const void *arguments)
{
    (void)stream;
    (void)kernel;
    seen = ((const struct matrix_vector_arguments *)arguments)->counters;
}

/* Only a GPU's driver has these (CUDA Driver API, CUDA_KERNEL_NODE_PARAMS_v2). */
static struct {
    CUresult (*nodes)(CUgraph graph, CUgraphNode *nodes, size_t *count);
    CUresult (*kernel)(CUgraphNode node, void *description);
} look_into;

static const void *counters_in(CUgraph graph)
{
    CUgraphNode first;
    size_t count = 1;
    struct {
        CUfunction function;
        unsigned grid[3], block[3], shared_bytes;
        struct matrix_vector_arguments **arguments;
        void *others[8];
    } kernel;
    if (emulated.watch)
        return seen;
    MUST(look_into.nodes(graph, &first, &count));
    MUST(look_into.kernel(first, &kernel));
    return kernel.arguments[0]->counters;
}

void open_captures(void)
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
    } else {
        look_up(library, "cuGraphGetNodes", &look_into.nodes);
        look_up(library, "cuGraphKernelNodeGetParams_v2", &look_into.kernel);
    }
    if (cuda.init(0) != CUDA_SUCCESS || cuda.primary_retain(&context, 0) != CUDA_SUCCESS ||
        cuda.context_push(context) != CUDA_SUCCESS)
        tap_skip_all("there is no CUDA device");
}

void await_destructors(void)
{
    if (emulated.await)
        emulated.await();
    else
        usleep(20000); /* CUDA has no way */
}

/* Tiles, of every size: strips need counters alone. */
void create_handle(void)
{
    const struct mublas_launch_shape tiles = {.edge = 64, .threads_x = 32, .threads_y = 4, .leaf_columns = 1,
                                              .team_groups = 1, .variant = MUBLAS_LAST_ARRIVER};
    if (mublas_create(&handle) != MUBLAS_SUCCESS)
        tap_skip_all(mublas_last_error(NULL));
    MUST(mublas_set_launch_shape(handle, &tiles));
}

void queue(const struct set *set)
{
    MUST(native_operands_run(handle, &set->operands, true));
}

bool make_sets(int64_t n)
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
    return good;
}

void free_sets(void)
{
    for (int i = 0; i < SETS; i++) {
        native_operands_free(handle, &sets[i].operands);
        free(sets[i].expected);
        free(sets[i].present);
        MUST(cuda.stream_destroy(sets[i].stream));
    }
}

void capture(const struct set *set, struct graph *graph)
{
    *graph = (struct graph){.set = set};
    mublas_set_stream(handle, set->stream);
    MUST(graphs.begin(set->stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    for (int i = 0; i < calls_in_graph; i++)
        queue(set);
    MUST(graphs.end(set->stream, &graph->graph));
    graph->counters = counters_in(graph->graph);
    mublas_set_stream(handle, NULL);
}

/* The graph itself goes at once: its executable is enough. */
void make_executable(struct graph *graph)
{
    MUST(graphs.instantiate(&graph->executable, graph->graph, 0));
    MUST(graphs.destroy(graph->graph));
}

void destroy_executable(struct graph *graph)
{
    MUST(graphs.destroy_executable(graph->executable));
    graph->executable = NULL;
}

/* Spoil the result, so that the replay has to make it. */
void launch(const struct graph *graph)
{
    const struct native_operands *operands = &graph->set->operands;
    mublas_set_stream(handle, graph->set->stream);
    MUST(mublas_copy_to_device(handle, operands->y, operands->host.y.bytes, operands->host.y.size));
    MUST(graphs.launch(graph->executable, graph->set->stream));
    mublas_set_stream(handle, NULL);
}

bool is_right(const struct set *set)
{
    const size_t bytes = set->operands.host.y.size;
    MUST(cuda.stream_synchronise(set->stream));
    MUST(mublas_copy_to_host(handle, set->present, set->operands.y, bytes));
    return memcmp(set->present, set->expected, bytes) == 0;
}

bool all_right_at_once(const struct graph *live, int count)
{
    bool good = true;
    for (int i = 0; i < count; i++)
        launch(&live[i]);
    for (int i = 0; i < count; i++)
        good = is_right(live[i].set) && good;
    return good;
}

/* A graph that is captured, replayed and destroyed. */
const void *pass(const struct set *set, bool *good)
{
    struct graph graph;
    capture(set, &graph);
    make_executable(&graph);
    *good = all_right_at_once(&graph, 1) && *good;
    destroy_executable(&graph);
    await_destructors();
    return graph.counters;
}
