/* tune_files.h - what `mublas tune` reads and writes: the recipe, FILE.csv beside it, and while it
 * runs FILE.partial and FILE.partial.csv, which an interrupted run leaves for the next one, as it does the
 * times of calls, FILE.partial.calls (tune_left.h). */
#ifndef MUBLAS_TUNE_FILES_H
#define MUBLAS_TUNE_FILES_H

#include "command/tune_place.h"

struct tune_files {
    const struct tune_options *options;
    struct recipe recipe;    /* what was there before and fits, and what this run learned */
    bool done[TUNING_CLASSES][TUNING_FORMS]; /* by this run, or the one that it goes on with */
    bool calls_done;         /* crossovers were learned */
    char present[TUNE_PATH_BYTES];
    char *data;              /* lines of the data file, from open_memstream */
    size_t data_bytes;
    char *before; /* lines of the data file that was there, if it is the recipe's */
    bool is_outdated, has_outdated_data; /* what is there does not fit here, or is not the recipe's data */
    char old[16]; /* the ending with which it stays: ".old", ".old.2" */
};

/* `signature` of this machine. False, with one line: they cannot be written, or something else is there. What
 * is of no use here gives a line, and stays with the ending .old. */
bool tune_files_begin(struct tune_files *files, const struct tune_options *options,
                      const struct recipe_signature *signature, int resident_warps, int resident_blocks);

/* A class and form was learned, with these lines of data; keep it in the partial files. */
bool tune_files_keep(struct tune_files *files, int class, enum tuning_form form,
                     const struct class_recipe *rules, const char *lines, size_t bytes);
/* The crossover section, from malloc, is taken over. */
void tune_files_keep_crossover(struct tune_files *files, char *crossover, const char *host);

/* Has this run, or the one that it goes on with, learned any class? */
bool tune_files_any_done(const struct tune_files *files);

/* What makes a run like another one: "2026-11-25 by mublas tune --full, 4096 MiB"; and was that one like this,
 * its day apart? */
void tune_files_made_with(const struct tune_files *files, char made[RECIPE_MADE_BYTES]);
bool tune_files_is_like(const struct tune_files *files, const char *made);

/* Where times of calls lie that an interruption leaves (tune_left.h). */
void tune_files_left_path(const struct tune_files *files, char path[TUNE_PATH_BYTES]);

/* The file that holds what this run has learned so far, or "none". */
const char *tune_files_present(struct tune_files *files);

/* Has this run, or the one that it goes on with, learned nothing? */
bool tune_files_have_nothing(const struct tune_files *files);

/* Write the recipe and the data, if anything was learned, and remove the partial files of what was. */
bool tune_files_finish(struct tune_files *files);
void tune_files_free(struct tune_files *files);

#endif
