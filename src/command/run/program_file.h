/* program_file.h - the file behind a program's name, and what the loader makes of it. */
#ifndef MUBLAS_PROGRAM_FILE_H
#define MUBLAS_PROGRAM_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* The file that execvp would run for `name`. False when there is none, or its path
 * does not fit in `size`. */
bool program_file_find(const char *name, char *path, size_t size);

/* Why the loader preloads nothing into this program: it gains rights, or cannot be
 * looked at. NULL: it does preload. Static storage. */
const char *program_file_refusal(const char *path);

/* The program that a script's first line names, through env if need be, as it is
 * written there. False when the file is no script or cannot be read. */
bool program_file_interpreter(const char *path, char *interpreter, size_t size);

#endif
