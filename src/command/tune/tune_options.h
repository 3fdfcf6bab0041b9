/* tune_options.h - the command line of `mublas tune`. */
#ifndef MUBLAS_TUNE_OPTIONS_H
#define MUBLAS_TUNE_OPTIONS_H

#include "tuner/learn/class_tuning.h"

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

#endif
