/* tune_files.h - what `mublas tune` reads and writes: the recipe, and FILE.csv beside it with what this run
 * timed, both at the end. */
#ifndef MUBLAS_TUNE_FILES_H
#define MUBLAS_TUNE_FILES_H

#include "command/tune/tune_options.h"

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

/* Where the recipe of another kind of device is, what is learned goes beside it, after a line that says so. */
void tune_files_choose(struct tune_options *options, const struct recipe_signature *signature);

/* `signature` and `limits` of this machine. False, with one line: they cannot be written, or something else
 * is there. What is there and does not fit here gives a line, and is replaced if anything is learned. */
bool tune_files_begin(struct tune_files *files, const struct tune_options *options,
                      const struct recipe_signature *signature, const struct occupancy_figures *limits);

/* Has this run learned nothing? */
bool tune_files_have_nothing(const struct tune_files *files);

/* Write the recipe and the data, if anything was learned. */
bool tune_files_finish(struct tune_files *files);
void tune_files_free(struct tune_files *files);

#endif
