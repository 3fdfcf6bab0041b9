/* report_write.h - a report's file: what was there stays until the new one is whole, where the folder allows
 * that. */
#ifndef MUBLAS_REPORT_WRITE_H
#define MUBLAS_REPORT_WRITE_H

#include <stdbool.h>
#include <stddef.h>

/* The whole text to a descriptor; errno says why not. */
bool report_write_all(int descriptor, const char *text, size_t length);

/* NULL: written; else why not, in words that last until the next call. Follows no symbolic link, and waits
 * for nobody to open a pipe. `spares`: a file that is there stays as it is, and that is no fault. */
const char *report_write_file(const char *name, const char *text, size_t length, bool spares);

#endif
