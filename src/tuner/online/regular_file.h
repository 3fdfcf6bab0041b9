/* regular_file.h - opening files to read, and nothing that is none. Thread-safe. */
#ifndef MUBLAS_REGULAR_FILE_H
#define MUBLAS_REGULAR_FILE_H

#include <stdio.h>

/* NULL: regular_file_fault is a phrase that says why, by errno, which is EINVAL for what is no regular file:
 * there is no waiting for the writer of a fifo. */
FILE *regular_file_open(const char *path);
const char *regular_file_fault(void);

#endif
