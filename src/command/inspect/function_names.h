/* function_names.h - names of functions in a file: BLAS symbols, and lists of others. */
#ifndef MUBLAS_FUNCTION_NAMES_H
#define MUBLAS_FUNCTION_NAMES_H

#include <stdbool.h>
#include <stdio.h>

/* All zero: empty. */
struct name_list {
    char **names;
    int count, room;
};

/* Appends a copy. False: out of memory. */
bool name_list_add(struct name_list *list, const char *name);

/* Sorts the names; name_list_has needs that. */
void name_list_sort(struct name_list *list);
bool name_list_has(const struct name_list *list, const char *name);

void name_list_clear(struct name_list *list);

/* Prints names on one line, each after a blank: all, or the first few and how many more there are. */
struct name_line {
    FILE *stream;
    int left; /* names to print; the caller sets it to their number */
    bool all;
    int shown;
};
void name_line_add(struct name_line *line, const char *name);

/* Is it the exported name of a parallel routine that can run on the device (scalapack/routines.def)? */
bool parallel_named(const char *name);

/* The BLAS symbol of this exported name, an enum symbol; -1: none. Thread-safe. */
int symbol_named(const char *name);

#endif
