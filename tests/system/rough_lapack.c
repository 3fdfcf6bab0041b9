/* A LAPACK for the emulated cuSOLVER whose dsyevd is wrong for matrices of order 65, in what ROUGH_LAPACK says: "value",
 * "vector" or "nan", the last value or an element of the vectors by 1e-11, or a value that is none. */
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef void syevd(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w, double *work,
                   const int *lwork, int *iwork, const int *liwork, int *info, size_t jobz_length, size_t uplo_length);
syevd dsyevd_;

/* Linkers leave out a library of which nothing is used; cuSOLVER looks the others up in this one. */
void dpotrf_(void);
void (*rough_lapack_needs)(void);
void (*rough_lapack_needs)(void) = dpotrf_;

void dsyevd_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w, double *work,
             const int *lwork, int *iwork, const int *liwork, int *info, size_t jobz_length, size_t uplo_length)
{
    const char *const wrong = getenv("ROUGH_LAPACK");
    void *const library = dlopen("liblapack.so.3", RTLD_LAZY);
    syevd *const right = library ? (syevd *)dlsym(library, "dsyevd_") : NULL;
    if (!right || !wrong)
        abort();
    right(jobz, uplo, n, a, lda, w, work, lwork, iwork, liwork, info, jobz_length, uplo_length);
    if (*n != 65 || *lwork == -1)
        return;
    if (strcmp(wrong, "value") == 0)
        w[*n - 1] *= 1 + 1e-11;
    else if (strcmp(wrong, "nan") == 0)
        w[0] = NAN;
    else if (*jobz == 'V')
        a[3] += 1e-11;
}
