#include "command/verify/judge.h"
#include "command/run/offload_report.h"
#include "common/plural.h"

#include <stdio.h>
#include <sys/wait.h>

void judge(const char *name, const struct verify_outcome *outcome, double limit, const char *report,
           struct score *score)
{
    struct offload_row row;
    score->listed++;
    if (outcome->calls == 0) {
        printf("%-8s %6s %10s  FAIL: %s\n", name, "-", "-",
               outcome->begun ? "the process ended in it" : "not reached");
        return;
    }
    const bool counted = offload_report_row(report, name, &row);
    printf("%-8s %6d %10.3g  ", name, outcome->calls, outcome->ratio);
    if (!(outcome->ratio < limit))
        puts("FAIL: the results differ");
    else if (!outcome->kept)
        puts("FAIL: something beside the results was written");
    else if (!counted)
        puts("FAIL: nothing was counted");
    else if (row.on_host)
        printf("FAIL: %llu of %llu call%s stayed on the host: %s\n", row.on_host, row.calls,
               plural(row.calls), row.reason);
    else if (row.on_device < (unsigned long long)outcome->calls)
        puts("FAIL: calls are missing in the report");
    else {
        puts("pass");
        score->passed++;
    }
}

bool judge_end(struct shim_child *child, int status)
{
    if (WIFSIGNALED(status))
        printf("the checking process ended by signal %d\n", WTERMSIG(status));
    shim_child_clean(child);
    return status == 0;
}
