#include "scalapack/counts.h"
#include "interpose/report/stats.h"

#include <pthread.h>

static struct parallel_counts counts[PARALLEL_COUNT]; /* guarded by lock, as is what follows */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    pid_t process;
    int rank;
    bool is_here, is_known;
} owned_by;

void counts_ungated(enum parallel_symbol symbol)
{
    if (!stats_wanted())
        return;
    pthread_mutex_lock(&lock);
    counts[symbol].ungated_calls++;
    pthread_mutex_unlock(&lock);
}

void counts_host(enum parallel_symbol symbol, enum host_reason reason)
{
    if (!stats_wanted())
        return;
    pthread_mutex_lock(&lock);
    counts[symbol].host_calls[reason]++;
    pthread_mutex_unlock(&lock);
}

void counts_device(enum parallel_symbol symbol, int64_t order, const uint64_t nanoseconds[STEP_COUNT])
{
    if (!stats_wanted())
        return;
    pthread_mutex_lock(&lock);
    struct parallel_counts *const of = &counts[symbol];
    of->device_calls++;
    of->largest = order > of->largest ? order : of->largest;
    for (int i = 0; i < STEP_COUNT; i++)
        of->nanoseconds[i] += nanoseconds[i];
    pthread_mutex_unlock(&lock);
}

void counts_owner(pid_t owner, int rank, bool is_here)
{
    pthread_mutex_lock(&lock);
    owned_by.process = owner;
    owned_by.rank = rank;
    owned_by.is_here = is_here;
    owned_by.is_known = true;
    pthread_mutex_unlock(&lock);
}

struct parallel_counts counts_of(enum parallel_symbol symbol)
{
    pthread_mutex_lock(&lock);
    const struct parallel_counts of = counts[symbol];
    pthread_mutex_unlock(&lock);
    return of;
}

bool counts_find_owner(pid_t *owner, int *rank, bool *is_here)
{
    pthread_mutex_lock(&lock);
    *owner = owned_by.process;
    *rank = owned_by.rank;
    *is_here = owned_by.is_here;
    const bool is_known = owned_by.is_known;
    pthread_mutex_unlock(&lock);
    return is_known;
}
