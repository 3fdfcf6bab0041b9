/* Workspace of captured graphs: graphs that live at once share none, and graphs that are gone
 * leave theirs to later ones. On whatever device there is. Arguments: the size of the matrices
 * (default 140), rounds (default 20), calls in a graph (default 2). */
#include "captures.h"

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

/* Destructors come when they like, also while the handle looks for workspace. */
static void test_haste(int rounds)
{
    struct graph graph;
    bool good = true;
    const size_t before = free_memory();
    for (int i = 0; i < rounds; i++) {
        capture(&sets[i % SETS], &graph);
        MUST(graphs.destroy(graph.graph));
    }
    printf("# %d graphs in haste, %.1f MiB\n", rounds, ((double)before - (double)free_memory()) / (1 << 20));
    await_destructors();
    pass(&sets[0], &good);
    tap_ok(good, "captures that do not wait for the driver's word");
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
            distinct = distinct && counters[k] != counters[i];
    }
    tap_ok(distinct && all_right_at_once(live, SETS),
           "graphs that live at once have each their own workspace");
    for (int i = 0; i < SETS; i += 2)
        destroy_executable(&live[i]);
    await_destructors();
    for (int i = 0; i < SETS; i += 2) {
        capture(&sets[i], &live[i]);
        make_executable(&live[i]);
        reused = reused && (live[i].counters == counters[0] || live[i].counters == counters[2] ||
                            live[i].counters == counters[4]);
        for (int k = 0; k < i; k += 2)
            reused = reused && live[k].counters != live[i].counters;
    }
    tap_ok(reused && all_right_at_once(live, SETS), "those that follow some have theirs, beside the rest");
    for (int i = 0; i < SETS; i++)
        destroy_executable(&live[i]);
    await_destructors();
}

/* Two graphs that live at once have these two workspaces. */
static bool serve_later_ones(const void *one, const void *two)
{
    struct graph first, second;
    capture(&sets[2], &first);
    capture(&sets[3], &second);
    MUST(graphs.destroy(first.graph));
    MUST(graphs.destroy(second.graph));
    await_destructors();
    return (first.counters == one && second.counters == two) ||
           (first.counters == two && second.counters == one);
}

/* On the emulated device it waits to run. */
static void test_running(void)
{
    struct mublas_handle *shared = handle;
    struct graph running, next;
    create_handle();
    capture(&sets[0], &running);
    make_executable(&running);
    launch(&running);
    destroy_executable(&running);
    if (emulated.await)
        emulated.await();
    capture(&sets[1], &next);
    make_executable(&next);
    launch(&next);
    const bool good = is_right(&sets[0]) && is_right(&sets[1]);
    tap_ok(good && next.counters != running.counters,
           "a graph that still runs keeps its workspace without its executable");
    destroy_executable(&next);
    await_destructors();
    tap_ok(serve_later_ones(running.counters, next.counters), "until it has run");
    mublas_destroy(handle);
    handle = shared;
}

static void test_clone(void)
{
    struct mublas_handle *shared = handle;
    struct graph both[2];
    CUgraph clone;
    create_handle();
    capture(&sets[0], &both[0]);
    MUST(graphs.clone(&clone, both[0].graph));
    MUST(graphs.destroy(both[0].graph));
    await_destructors();
    capture(&sets[1], &both[1]);
    both[0].graph = clone;
    make_executable(&both[0]);
    make_executable(&both[1]);
    tap_ok(both[0].counters != both[1].counters && all_right_at_once(both, 2),
           "a clone keeps the workspace, too");
    destroy_executable(&both[0]);
    destroy_executable(&both[1]);
    await_destructors();
    tap_ok(serve_later_ones(both[0].counters, both[1].counters), "until it is gone");
    mublas_destroy(handle);
    handle = shared;
}

/* (A sanitizer sees what the destructor does.) */
static void test_handle_gone(void)
{
    struct mublas_handle *shared = handle;
    struct graph graph;
    bool good = true;
    create_handle();
    capture(&sets[0], &graph);
    make_executable(&graph);
    good = all_right_at_once(&graph, 1);
    good = mublas_destroy(handle) == MUBLAS_SUCCESS && good;
    handle = shared;
    destroy_executable(&graph);
    await_destructors();
    pass(&sets[0], &good);
    tap_ok(good, "a graph may be destroyed after its handle");
}

int main(int argument_count, char **arguments)
{
    const int64_t n = argument_count > 1 ? strtoll(arguments[1], NULL, 10) : 140;
    const int rounds = argument_count > 2 ? atoi(arguments[2]) : 20;
    if (argument_count > 3)
        calls_in_graph = atoi(arguments[3]);
    open_driver();
    create_handle();
    tap_ok(make_sets(n), "plain calls have the contract's bits");
    test_rounds(rounds);
    test_haste(rounds);
    test_live_graphs();
    test_running();
    test_clone();
    test_handle_gone();
    free_sets();
    mublas_destroy(handle);
    return tap_done();
}
