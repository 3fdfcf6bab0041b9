#include "api/context.h"
#include "tuner/online/recipe_search.h"

#include <pthread.h>
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

static struct context *contexts;
static pthread_mutex_t contexts_lock = PTHREAD_MUTEX_INITIALIZER;

int capture_relax(void)
{
    int mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    driver()->capture_mode(&mode);
    return mode;
}

void capture_restore(int mode)
{
    driver()->capture_mode(&mode);
}

/* Launch shapes come from the process's one recipe, that of the device that the settings choose. */
static void shape_launches(CUdevice device)
{
    struct device_properties properties;
    struct device_choice choice;
    CUdevice chosen;
    if (device_choose(&choice) == STATUS_OK && driver()->device_get(&chosen, choice.ordinal) == CUDA_SUCCESS &&
        chosen == device && device_query(choice.ordinal, &properties) == STATUS_OK)
        recipe_of_process(&properties);
}

static CUresult make(CUcontext handle, unsigned long long id, struct context **result)
{
    struct context *context = calloc(1, sizeof *context);
    if (!context)
        return CUDA_ERROR_OUT_OF_MEMORY;
    context->handle = handle;
    context->id = id;
    CUresult outcome = driver()->context_device(&context->device);
    if (outcome == CUDA_SUCCESS) {
        const int mode = capture_relax();
        outcome = device_of_context(&context->own);
        capture_restore(mode);
    }
    if (outcome != CUDA_SUCCESS) {
        free(context);
        return outcome;
    }
    shape_launches(context->device);
    context->next = contexts;
    contexts = context;
    *result = context;
    return CUDA_SUCCESS;
}

CUresult context_find(struct context **result)
{
    CUcontext handle = NULL;
    unsigned long long id = 0;
    CUresult outcome = driver()->context_current(&handle);
    if (outcome == CUDA_SUCCESS)
        outcome = driver()->context_id(handle, &id);
    if (outcome != CUDA_SUCCESS)
        return outcome;
    pthread_mutex_lock(&contexts_lock);
    struct context *context = contexts;
    while (context && context->id != id)
        context = context->next;
    if (context)
        *result = context;
    else
        outcome = make(handle, id, result);
    pthread_mutex_unlock(&contexts_lock);
    return outcome;
}

/* The program may have destroyed a context and made another at its address. */
static CUresult check_identity(const struct context *context)
{
    unsigned long long id = 0;
    CUresult outcome = driver()->context_id(context->handle, &id);
    if (outcome == CUDA_SUCCESS && id != context->id)
        outcome = CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return outcome;
}

CUresult context_enter(const struct context *context, struct context_scope *scope)
{
    CUcontext current = NULL;
    CUresult outcome = driver()->context_current(&current);
    scope->pushed = false;
    if (outcome == CUDA_SUCCESS && current != context->handle) {
        outcome = driver()->context_push(context->handle);
        scope->pushed = outcome == CUDA_SUCCESS;
    }
    if (outcome == CUDA_SUCCESS)
        outcome = check_identity(context);
    if (outcome != CUDA_SUCCESS)
        context_leave(scope);
    return outcome;
}

void context_leave(const struct context_scope *scope)
{
    CUcontext ignored;
    if (scope->pushed)
        driver()->context_pop(&ignored);
}
