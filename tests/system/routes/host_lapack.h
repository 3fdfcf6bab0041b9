/* host_lapack.h - the plain host LAPACK and BLAS, beside those that the program is linked with.
 *
 * A copy of the host's liblapack is loaded that nothing can interpose: neither the program's calls reach it
 * nor do its own calls reach anything but itself and the host BLAS below it. ROUTES_HOST_LAPACK names the
 * file; by default it is the liblapack.so.3 that the program is linked with. */
#ifndef MUBLAS_TESTS_HOST_LAPACK_H
#define MUBLAS_TESTS_HOST_LAPACK_H

/* "dsyevd" or, of its BLAS, "dgemm". Ends the program where there is none. */
void *host_function(const char *name);

#endif
