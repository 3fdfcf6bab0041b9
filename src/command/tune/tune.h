/* tune.h - `mublas tune`: its command line, its files, the device while it times launch shapes, and the
 * line that tells how far it is. */
#ifndef MUBLAS_TUNE_H
#define MUBLAS_TUNE_H

#include "tuner/learn/class_tuning.h"
#include "tuner/online/recipe.h"

struct tune_options {
    bool exhaustive;              /* all shapes; not the quick way */
    bool quick;                   /* said so */
    const char *routines;         /* as given; NULL: all */
    char call_routines[512];      /* names of the routines that these are, with commas between */
    bool eigensolvers;            /* LAPACK's are among those */
    bool classes[TUNING_CLASSES]; /* of launch shapes, that are wanted */
    bool shapes, calls;           /* learn launch shapes, crossovers */
    char output[512];             /* the recipe */
    double time_limit;            /* seconds for everything; 0: none */
    size_t memory;                /* bytes for matrices */
    int evaluate;                 /* > 0: judge the recipe at so many sizes a class instead */
};

/* `mublas tune`, with arguments up to NULL. The exit status. */
int tune_run(char **arguments);

/* Read the arguments. -1: go on; otherwise the exit status, all being said. */
int tune_options_read(char **arguments, struct tune_options *options);

/* The recipe that is read and written, and FILE.csv beside it with what this run timed. Both are written at
 * the end. */
struct tune_files {
    const struct tune_options *options;
    struct recipe recipe;    /* what was there before and fits, and what this run learned */
    bool done[TUNING_CLASSES][TUNING_FORMS]; /* by this run */
    bool calls_done;         /* crossovers were learned */
    FILE *data; /* what the data file will have, as text */
    char *data_text;
    size_t data_bytes;
    bool fits; /* the recipe that was there is of this machine and these kernels */
};

/* If the recipe is of another kind of device, what is learned goes beside it, after a line that says so. */
void tune_files_choose(struct tune_options *options, const struct recipe_signature *signature);

/* `signature` and `limits` of this machine. False, with one line: they cannot be written, or something else
 * is there. A recipe that is there and does not fit here gives a line, and is replaced if anything is
 * learned. */
bool tune_files_begin(struct tune_files *files, const struct tune_options *options,
                      const struct recipe_signature *signature, const struct occupancy_figures *limits);

/* Has this run learned nothing? */
bool tune_files_have_nothing(const struct tune_files *files);

/* Write the recipe and the data, if anything was learned. */
bool tune_files_finish(struct tune_files *files);
void tune_files_free(struct tune_files *files);

/* The device while launch shapes are timed on it. */
struct tune_session {
    struct device *device;
    struct device_scope scope;
    struct lane *lane;
    struct tuning_pool pool;
    struct shape_timer timer;
    struct recipe_signature signature;
    struct occupancy_figures limits; /* without active blocks */
    double wake_seconds; /* that waking the device took */
};

/* Wake and enter the device, fill memory for matrices of `memory` bytes (less where the device
 * has not that much). 0, or the exit status, with one line, where that cannot be. */
int tune_session_open(struct tune_session *session, size_t memory, const volatile bool *stop);
/* Gives the device up for the rest of the process. */
void tune_session_close(struct tune_session *session);

/* `mublas tune --evaluate`: judges the recipe, prints a table and closes the session. The exit status. */
int tune_evaluate(struct tune_session *session, const struct tune_options *options);

/* The line that tells how far it is: on a terminal one that is overwritten, elsewhere nothing. */
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
