/* A LAPACK for the emulated cuSOLVER whose dsyevd, dpotrf and dgeqrf are wrong for matrices of order 65, in
 * what ROUGH_LAPACK says: "value", "vector", "factor" or "reflector", the last value or an element of the
 * vectors, the factor or TAU by 1e-11, or "nan", a value that is none. */
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef void syevd(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
                   double *work, const int *lwork, int *iwork, const int *liwork, int *info,
                   size_t jobz_length, size_t uplo_length);
syevd dsyevd_;

/* Linkers leave out a library of which nothing is used; cuSOLVER looks the others up in this one. */
void dgetrf_(void);
void (*rough_lapack_needs)(void);
void (*rough_lapack_needs)(void) = dgetrf_;

typedef void geqrf(const int *m, const int *n, double *a, const int *lda, double *tau, double *work,
                   const int *lwork, int *info);
geqrf dgeqrf_;
typedef void potrf(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t uplo_length);
potrf dpotrf_;

static const char *wrong(void)
{
    const char *const what = getenv("ROUGH_LAPACK");
    return what ? what : "";
}

static void *right_one(const char *symbol)
{
    void *const library = dlopen("liblapack.so.3", RTLD_LAZY), *const found = library ? dlsym(library, symbol)
                                                                                      : NULL;
    if (!found)
        abort();
    return found;
}

void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t uplo_length)
{
    potrf *const right = (potrf *)right_one("dpotrf_");
    right(uplo, n, a, lda, info, uplo_length);
    if (*n == 65 && strcmp(wrong(), "factor") == 0)
        a[64 + 64 * (int64_t)*lda] += 1e-11;
}

void dgeqrf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work,
             const int *lwork, int *info)
{
    geqrf *const right = (geqrf *)right_one("dgeqrf_");
    right(m, n, a, lda, tau, work, lwork, info);
    if (*n == 65 && *lwork != -1 && strcmp(wrong(), "reflector") == 0)
        tau[3] *= 1 + 1e-11;
}

void dsyevd_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
             double *work, const int *lwork, int *iwork, const int *liwork, int *info, size_t jobz_length,
             size_t uplo_length)
{
    syevd *const right = (syevd *)right_one("dsyevd_");
    right(jobz, uplo, n, a, lda, w, work, lwork, iwork, liwork, info, jobz_length, uplo_length);
    if (*n != 65 || *lwork == -1)
        return;
    if (strcmp(wrong(), "value") == 0)
        w[*n - 1] *= 1 + 1e-11;
    else if (strcmp(wrong(), "nan") == 0)
        w[0] = NAN;
    else if (strcmp(wrong(), "vector") == 0 && *jobz == 'V')
        a[3] += 1e-11;
}
