#include "interpose/call/program_call.h"
#include "common/clock.h"
#include "common/log.h"
#include "host/host_search.h"

#include <stdlib.h>

enum host_reason call_reason_of(const char *name, enum status status)
{
    if (status == STATUS_RESULT_LOST) {
        log_message(LOG_ERROR,
                    "%s: the device failed while results were copied back; they are lost, stopping", name);
        abort();
    }
    switch (status) {
    case STATUS_OK: return HOST_NO_REASON;
    case STATUS_NO_DEVICE: return HOST_NO_DEVICE;
    case STATUS_OUT_OF_MEMORY: return HOST_OUT_OF_MEMORY;
    case STATUS_UNSUPPORTED: return HOST_UNSUPPORTED;
    case STATUS_BUSY: return HOST_BUSY;
    case STATUS_INACCESSIBLE: return HOST_INACCESSIBLE;
    case STATUS_VALUES: return HOST_VALUES;
    case STATUS_UNSUCCESSFUL: return HOST_UNSUCCESSFUL;
    default: return HOST_DEVICE_ERROR;
    }
}

/* A BLAS call of a LAPACK routine that was rejected is a part of that, which is counted. */
static void count(const struct program_call *call, struct device_counts *counts)
{
    if (!stats_wanted() || (!call->kind->is_route && nested_in_host(call->caller)))
        return;
    counts->shape = call->sizes;
    counts->operations = call->operations;
    counts->foretold_us = call->kind->is_route ? call->route_times.host_us : call->times.host_us;
    stats_device_call(call->symbol, counts);
}

void call_attempt_begin(struct call_attempt *attempt)
{
    attempt->moved = (struct transfer_count){0, 0};
    call_span_begin(&attempt->span, false);
    if (stats_wanted())
        phase_clock_start();
}

enum host_reason call_attempt_end(const struct program_call *call, struct call_attempt *attempt,
                                  enum status status)
{
    struct device_counts counts = {.bytes_up = attempt->moved.bytes_up,
                                   .bytes_down = attempt->moved.bytes_down};
    phase_clock_stop(&counts.phases);
    call_span_end(&attempt->span);
    const enum host_reason reason = call_reason_of(symbol_name(call->symbol), status);
    if (reason == HOST_NO_REASON)
        count(call, &counts);
    return reason;
}
