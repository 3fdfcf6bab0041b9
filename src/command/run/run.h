/* run.h - the file of a program that `mublas run` becomes, or `mublas info` looks into. commands.h has
 * both commands. */
#ifndef MUBLAS_RUN_H
#define MUBLAS_RUN_H

#include <stdbool.h>
#include <stddef.h>

/* Finds the file that execvp would run for `name`. False: there is none, or its path does not fit in
 * `size`. */
bool program_file_find(const char *name, char *path, size_t size);

/* Why the loader preloads nothing into this program: it gains rights, or cannot be read. NULL: it does
 * preload. Static storage. */
const char *program_file_refusal(const char *path);

/* The program that a script's first line names, or that env runs there, as it is written. False: the file is
 * no script or cannot be read. */
bool program_file_interpreter(const char *path, char *interpreter, size_t size);

#endif
