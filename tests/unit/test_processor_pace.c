/* What is made of the paces that were noted. */
#include "command/processor_pace.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>

static struct pace_log *log_of(int count)
{
    struct pace_log *log = calloc(1, sizeof *log);
    if (!log)
        abort();
    for (int i = 0; i < count; i++)
        pace_log_add(log, 1 + (i * 37) % count); /* 1 to count, mixed, for counts without 37 */
    return log;
}

int main(void)
{
    double least = 0, most = 0;
    const double pace = processor_pace();
    tap_ok(pace > 0 && isfinite(pace), "a processor has a pace: %.1f us", pace);
    struct pace_log *log = log_of(9);
    tap_ok(!pace_log_range(log, &least, &most), "of nine paces nothing is said");
    pace_log_add(log, 0);
    pace_log_add(log, -1);
    tap_ok(log->count == 9 && !pace_log_range(log, &least, &most), "what was not measured is none");
    free(log);
    log = log_of(101);
    const bool known = pace_log_range(log, &least, &most);
    tap_ok(known && fabs(least - 11) < 1e-9 && fabs(most - 91) < 1e-9,
           "a tenth at either end is left out: %.1f to %.1f", least, most);
    const double first = log->us[0];
    pace_log_range(log, &least, &most);
    tap_ok(log->us[0] == first, "asking changes nothing");
    for (int i = 0; i < PACES_MOST; i++)
        pace_log_add(log, 7);
    tap_ok(pace_log_range(log, &least, &most) && least == 7 && most == 7, "the last %d count", PACES_MOST);
    free(log);
    return tap_done();
}
