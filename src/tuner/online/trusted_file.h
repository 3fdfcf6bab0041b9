/* trusted_file.h - reading files that only this user or root can have written. Thread-safe. */
#ifndef MUBLAS_TRUSTED_FILE_H
#define MUBLAS_TRUSTED_FILE_H

#include <stddef.h>

enum { TRUSTED_FAULT_BYTES = 256 };

/* All of a regular file of at most `most` bytes that belongs to this user or root and that nobody else may
 * write, to be freed. NULL: `fault` is a phrase; out of memory is a fault like any other. */
char *trusted_file_read(const char *path, size_t most, size_t *bytes, char fault[TRUSTED_FAULT_BYTES]);

#endif
