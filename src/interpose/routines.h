/* routines.h - numbers for the BLAS symbols of routines.def. */
#ifndef MUBLAS_ROUTINES_H
#define MUBLAS_ROUTINES_H

enum routine {
#define FORWARDED(name) ROUTINE_##name,
#define OFFLOADED(name, ...) ROUTINE_##name,
#include "interpose/routines.def"
#undef FORWARDED
#undef OFFLOADED
    ROUTINE_COUNT
};

/* The Fortran symbol without underscore ("dsymv"). Static storage. */
const char *routine_name(enum routine routine);

/* True for routines that mublas can run on the device. */
int routine_is_offloaded(enum routine routine);

#endif
