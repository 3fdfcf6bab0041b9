/* info.h - `mublas info`: settings, device, host BLAS and tracker, in words. */
#ifndef MUBLAS_INFO_H
#define MUBLAS_INFO_H

#include <stdio.h>

/* Print everything to `stream`. Wakes no context. */
void info_print(FILE *stream);

#endif
