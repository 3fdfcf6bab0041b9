#include "api/graph_hold.h"

#include <stdatomic.h>
#include <stdlib.h>

/* The last of its two owners frees it. */
struct graph_hold {
    atomic_int owners; /* the caller and the graph */
};

static void drop(void *data)
{
    struct graph_hold *hold = data;
    if (atomic_fetch_sub_explicit(&hold->owners, 1, memory_order_acq_rel) == 1)
        free(hold);
}

struct graph_hold *graph_hold_begin(CUgraph graph)
{
    struct graph_hold *hold = malloc(sizeof *hold);
    CUuserObject object;
    if (!hold)
        return NULL;
    atomic_init(&hold->owners, 2);
    if (driver()->user_object_create(&object, hold, drop, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC) != CUDA_SUCCESS) {
        free(hold);
        return NULL;
    }
    if (driver()->graph_retain_user_object(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE) == CUDA_SUCCESS)
        return hold;
    driver()->user_object_release(object, 1); /* this drops the graph's part */
    drop(hold);
    return NULL;
}

bool graph_hold_is_over(const struct graph_hold *hold)
{
    return atomic_load_explicit(&hold->owners, memory_order_acquire) == 1;
}

void graph_hold_forget(struct graph_hold *hold)
{
    if (hold)
        drop(hold);
}
