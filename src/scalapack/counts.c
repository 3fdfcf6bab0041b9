#include "interpose/report/stats.h"
#include "scalapack/engine.h"
#include "scalapack/team.h"

#include <link.h>
#include <pthread.h>
#include <string.h>

static struct parallel_counts counts[PARALLEL_COUNT]; /* guarded by lock, as is what follows */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    pid_t process;
    int rank;
    bool is_here, is_known;
} owned_by;

/* Looks at a loaded object. */
static int is_elpa(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)size;
    (void)data;
    const char *const slash = strrchr(object->dlpi_name, '/');
    return strncmp(slash ? slash + 1 : object->dlpi_name, "libelpa", 7) == 0;
}

/* At exit. `lock` is held. */
static int read_rows(struct parallel_row *rows)
{
    int count = 0;
    for (int i = 0; i < PARALLEL_COUNT; i++)
        if (counts[i].device_calls || parallel_host_calls(&counts[i]))
            rows[count++] =
                (struct parallel_row){parallel_routine_of((enum parallel_symbol)i)->name, counts[i]};
    return count;
}

static const struct parallel_report *read_counts(void)
{
    static struct parallel_row rows[PARALLEL_COUNT];
    static struct parallel_report report;
    pthread_mutex_lock(&lock);
    report = (struct parallel_report){.rows = rows, .count = read_rows(rows), .has_owner = owned_by.is_known,
                                      .owner_is_here = owned_by.is_here, .owner = owned_by.process,
                                      .owner_rank = owned_by.rank};
    pthread_mutex_unlock(&lock);
    report.fault = membership_fault();
    report.has_elpa = dl_iterate_phdr(is_elpa, NULL) != 0;
    return &report;
}

/* The counters of a routine, locked; NULL: nobody wants to know. */
static struct parallel_counts *open_counts(enum parallel_symbol symbol)
{
    if (!stats_wanted())
        return NULL;
    parallel_report_offer(read_counts);
    pthread_mutex_lock(&lock);
    return &counts[symbol];
}

static void close_counts(void)
{
    pthread_mutex_unlock(&lock);
}

void counts_grid_made(void)
{
    if (stats_wanted())
        parallel_report_offer(read_counts);
}

void counts_ungated(enum parallel_symbol symbol, enum parallel_unserved why)
{
    if (!stats_wanted())
        return;
    open_counts(symbol)->unserved_calls[why]++;
    close_counts();
}

void counts_host(enum parallel_symbol symbol, enum host_reason reason)
{
    struct parallel_counts *const of = open_counts(symbol);
    if (!of)
        return;
    of->host_calls[reason]++;
    close_counts();
}

void counts_device(enum parallel_symbol symbol, int64_t order, const uint64_t nanoseconds[STEP_COUNT])
{
    struct parallel_counts *const of = open_counts(symbol);
    if (!of)
        return;
    of->device_calls++;
    of->largest = order > of->largest ? order : of->largest;
    for (int i = 0; i < STEP_COUNT; i++)
        of->nanoseconds[i] += nanoseconds[i];
    close_counts();
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
