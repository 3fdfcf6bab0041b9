#include "command/tune/tune_session.h"

#include "common/clock.h"

#include <stdio.h>
#include <unistd.h>

enum { BAR = 30 };

void tune_progress_begin(struct tune_progress *progress, double limit)
{
    *progress = (struct tune_progress){.started = clock_seconds(), .limit = limit};
}

void tune_progress_show(struct tune_progress *progress, double part, const char *what)
{
    char bar[BAR + 1];
    const double now = clock_seconds(), used = now - progress->started;
    if (!isatty(STDERR_FILENO) || (progress->shown_any && now - progress->shown < 0.1))
        return;
    double left = part > 0.01 ? used / part - used : progress->limit;
    if (progress->limit > 0 && left > progress->limit - used)
        left = progress->limit - used;
    for (int i = 0; i < BAR; i++)
        bar[i] = i < part * BAR ? '#' : '.';
    bar[BAR] = '\0';
    if (left > 0)
        fprintf(stderr, "\r%3.0f%% [%s] %4.0f s left, %-24s", 100 * part, bar, left, what);
    else
        fprintf(stderr, "\r%3.0f%% [%s]             %-24s", 100 * part, bar, what);
    progress->shown = now;
    progress->shown_any = 1;
}

void tune_progress_end(struct tune_progress *progress)
{
    if (progress->shown_any)
        fprintf(stderr, "\r%*s\r", BAR + 60, "");
}
