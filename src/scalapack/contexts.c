#include "scalapack/contexts.h"
#include "common/settings.h"
#include "scalapack/blacs.h"
#include "scalapack/membership.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static struct parallel_context *first; /* guarded by lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int count;

/* The place of the pointer to it, or to NULL. `lock` is held. */
static struct parallel_context **place_of(int handle)
{
    struct parallel_context **at = &first;
    while (*at && (*at)->handle != handle)
        at = &(*at)->next;
    return at;
}

static void take_out(struct parallel_context **at)
{
    struct parallel_context *const context = *at;
    *at = context->next;
    free(context);
    atomic_fetch_sub(&count, 1);
}

static bool is_served(const struct grid_place *place)
{
    if (!settings()->parallel || settings()->offload == OFFLOAD_NEVER)
        return false;
    const int processes = place->rows * place->columns;
    return processes == 1 || (membership_is_whole() && processes <= membership_ranks());
}

void contexts_note(int handle)
{
    struct parallel_context *const context = calloc(1, sizeof *context);
    contexts_drop(handle);
    if (!context)
        return;
    context->handle = handle;
    context->place = blacs_place(handle);
    if (context->place.row < 0 || !is_served(&context->place)) {
        free(context);
        return;
    }
    pthread_mutex_lock(&lock);
    context->next = first;
    first = context;
    pthread_mutex_unlock(&lock);
    atomic_fetch_add(&count, 1);
}

void contexts_drop(int handle)
{
    pthread_mutex_lock(&lock);
    struct parallel_context **const at = place_of(handle);
    if (*at)
        take_out(at);
    pthread_mutex_unlock(&lock);
}

void contexts_drop_all(void)
{
    pthread_mutex_lock(&lock);
    while (first)
        take_out(&first);
    pthread_mutex_unlock(&lock);
}

struct parallel_context *contexts_find(int handle)
{
    pthread_mutex_lock(&lock);
    struct parallel_context *const context = *place_of(handle);
    pthread_mutex_unlock(&lock);
    return context;
}

bool contexts_are_there(void)
{
    return atomic_load_explicit(&count, memory_order_relaxed) > 0;
}
