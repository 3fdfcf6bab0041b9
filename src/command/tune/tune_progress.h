/* tune_progress.h - the line that tells how far `mublas tune` is: on a terminal one that is
 * overwritten, elsewhere nothing. */
#ifndef MUBLAS_TUNE_PROGRESS_H
#define MUBLAS_TUNE_PROGRESS_H

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
