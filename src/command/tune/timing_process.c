#include "command/tune/timing_process.h"

#include "common/clock.h"

#include <string.h>

static double seconds_now(void)
{
    return 1e-9 * (double)clock_nanoseconds();
}

bool timing_process_start(struct timing_process *process)
{
    process->started = seconds_now();
    return call_timer_start(&process->timer, process->settings, process->who, process->most_bytes);
}

static void add_end(struct call_timer_end *end, const struct call_timer_end *more)
{
    for (int routine = 0; routine < ROUTINES; routine++)
        end->stayed[routine] = end->stayed[routine] || more->stayed[routine];
    if (!end->reason[0])
        memcpy(end->reason, more->reason, sizeof end->reason);
    end->any_on_device = end->any_on_device || more->any_on_device;
    if (more->host[0])
        memcpy(end->host, more->host, sizeof end->host);
}

void timing_process_stop(struct timing_process *process)
{
    struct call_timer_end end;
    const bool was_running = process->timer.running;
    if (!call_timer_stop(&process->timer, &end) && was_running)
        process->lost = true;
    add_end(&process->end, &end);
}

void timing_process_renew(struct timing_process *process)
{
    if (process->seconds <= 0 || seconds_now() - process->started < process->seconds)
        return;
    timing_process_stop(process);
    timing_process_start(process);
}
