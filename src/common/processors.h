/* processors.h - how many processors this process may use. */
#ifndef MUBLAS_PROCESSORS_H
#define MUBLAS_PROCESSORS_H

#include <stddef.h>

/* Of the calling thread's affinity mask; 1 when the system does not say. */
int processors_usable(void);

/* How many threads a host BLAS will have: what OPENBLAS_NUM_THREADS, BLIS_NUM_THREADS,
 * MKL_NUM_THREADS or OMP_NUM_THREADS, the first that is set, say; otherwise the above. A key for
 * measured times, whether or not the library obeys. */
int processors_for_blas(void);

/* Bytes of the widest vectors that a host BLAS will compute with here: 64 (AVX-512), 32 or 16. */
int processors_vector_bytes(void);

/* Bytes of the last-level cache; 0 where the system does not say. */
size_t processors_cache_bytes(void);

#endif
