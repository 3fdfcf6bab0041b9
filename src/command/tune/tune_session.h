/* tune_session.h - the device while `mublas tune` times launch shapes on it, and the line that tells how far
 * it is: on a terminal one that is overwritten, elsewhere nothing. */
#ifndef MUBLAS_TUNE_SESSION_H
#define MUBLAS_TUNE_SESSION_H

#include "command/tune/tune_options.h"

struct tune_session {
    struct device *device;
    struct device_scope scope;
    struct lane *lane;
    struct tuning_pool pool;
    struct shape_timer timer;
    struct recipe_signature signature;
    struct occupancy_figures limits; /* without active blocks */
};

/* Wake and enter the device, fill memory for matrices of `memory` bytes (less where the device
 * has not that much). 0, or the exit status, with one line, where that cannot be. */
int tune_session_open(struct tune_session *session, size_t memory, const volatile bool *stop);
/* Gives the device up for the rest of the process. */
void tune_session_close(struct tune_session *session);

/* tune_evaluate.c: prints a table and closes the session. The exit status. */
int tune_evaluate(struct tune_session *session, const struct tune_options *options);

struct tune_progress {
    double started, limit; /* seconds; no limit: 0 */
    double shown;          /* when it was last written */
    int shown_any;
};

void tune_progress_begin(struct tune_progress *progress, double limit);
/* `part` of everything is done, 0..1; `what` is being done. */
void tune_progress_show(struct tune_progress *progress, double part, const char *what);
void tune_progress_end(struct tune_progress *progress);

#endif
