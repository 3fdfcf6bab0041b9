/* regular_file.h - opening files to read, and nothing that is none. Thread-safe. */
#ifndef MUBLAS_REGULAR_FILE_H
#define MUBLAS_REGULAR_FILE_H

#include <stddef.h>
#include <stdio.h>

/* NULL: regular_file_fault is a phrase that says why, by errno, which is EINVAL for what is no regular file:
 * there is no waiting for the writer of a fifo. */
FILE *regular_file_open(const char *path);
const char *regular_file_fault(void);

/* Reading files that only this user or root can have written. Thread-safe. */
enum { TRUSTED_FAULT_BYTES = 256 };

/* All of a regular file of at most `most` bytes that belongs to this user or root and that nobody else may
 * write, to be freed. NULL: `fault` is a phrase; out of memory is a fault like any other. */
char *trusted_file_read(const char *path, size_t most, size_t *bytes, char fault[TRUSTED_FAULT_BYTES]);

#endif
