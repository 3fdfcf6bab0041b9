#include "interpose/report/parallel_report.h"

#include <stdatomic.h>
#include <stddef.h>

static _Atomic(parallel_report_read *) reader;

void parallel_report_offer(parallel_report_read *read)
{
    atomic_store_explicit(&reader, read, memory_order_release);
}

const struct parallel_report *parallel_report_take(void)
{
    parallel_report_read *const read = atomic_load_explicit(&reader, memory_order_acquire);
    return read ? read() : NULL;
}

uint64_t parallel_host_calls(const struct parallel_counts *counts)
{
    uint64_t sum = 0;
    for (int i = 0; i < HOST_REASON_COUNT; i++)
        sum += counts->host_calls[i];
    for (int i = 0; i < UNSERVED_COUNT; i++)
        sum += counts->unserved_calls[i];
    return sum;
}

bool parallel_any_on_host(const struct parallel_report *report)
{
    for (int i = 0; i < report->count; i++)
        if (parallel_host_calls(&report->rows[i].counts))
            return true;
    return false;
}

const char *parallel_unserved_text(enum parallel_unserved why)
{
    static const char *const texts[UNSERVED_COUNT] = {
        [UNSERVED_QUERY] = "only asks for the size of a workspace",
        [UNSERVED_SMALL] = "too small ever to pay",
        [UNSERVED_ARGUMENTS] = "nothing to do, or no descriptor of a distributed matrix",
        [UNSERVED_WIDE] = "integers of 64 bits",
        [UNSERVED_CONTEXT] = "a context that mublas did not see made",
        [UNSERVED_JOB] = "nothing is served in this job",
        [UNSERVED_GIVEN_UP] = "the context was given up, by all its processes",
    };
    return texts[why];
}
