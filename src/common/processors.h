/* processors.h - how many processors this process may use. */
#ifndef MUBLAS_PROCESSORS_H
#define MUBLAS_PROCESSORS_H

#include <stddef.h>

/* The processors in the calling thread's affinity mask; 1 if the system does not say. */
int processors_usable(void);

/* The processors of the machine that are online, whoever may use them; 1 if the system does not say. */
int processors_online(void);

/* The threads that a host BLAS will have: by the first of OPENBLAS_NUM_THREADS, BLIS_NUM_THREADS,
 * MKL_NUM_THREADS and OMP_NUM_THREADS that is set, otherwise the number above. A key for measured times,
 * whether or not the library obeys. */
int processors_for_blas(void);

/* Bytes of the widest vectors that a host BLAS can use here: 64 (AVX-512), 32 or 16. */
int processors_vector_bytes(void);

/* Bytes of the last-level cache; 0 if the system does not say. */
size_t processors_cache_bytes(void);

#endif
