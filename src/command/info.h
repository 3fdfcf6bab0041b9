/* info.h - `mublas info`: settings, device, host BLAS and tracker, in words. */
#ifndef MUBLAS_INFO_H
#define MUBLAS_INFO_H

#include <stdio.h>

/* Print everything to `stream`. Wakes no context. Exit status: 0, or 1 when it
 * could not be written. */
int info_print(FILE *stream);

#endif
