/* processors.h - how many processors this process may use. */
#ifndef MUBLAS_PROCESSORS_H
#define MUBLAS_PROCESSORS_H

/* Of the calling thread's affinity mask; 1 when the system does not say. */
int processors_usable(void);

#endif
