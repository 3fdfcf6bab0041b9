/* file_replace.h - writing files that are whole or not there, in the place of nothing but files.
 * Thread-safe. */
#ifndef MUBLAS_FILE_REPLACE_H
#define MUBLAS_FILE_REPLACE_H

#include <stdbool.h>
#include <stddef.h>

enum { FILE_FAULT_BYTES = 256 };

/* Write a file of this text by way of a temporary beside it, for all to read. Makes the folders of the path
 * that are missing. False: `fault` is a phrase that says why, and what was there before is there still: also
 * where that is a folder, a device, a fifo or a symbolic link, which another user may have put there, or a
 * file of another user that only its owner may replace (in a folder like /tmp), or one that is mounted by
 * itself. */
bool file_replace(const char *path, const char *text, size_t bytes, char fault[FILE_FAULT_BYTES]);

/* Could file_replace write there, space aside? Makes the folders, too. */
bool file_is_replaceable(const char *path, char fault[FILE_FAULT_BYTES]);

#endif
