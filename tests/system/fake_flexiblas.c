/* A host BLAS that, like FlexiBLAS, has no routines of its own: it loads a backend
 * (FAKE_BACKEND) when it is loaded itself, and passes calls on by addresses from dlsym.
 * At exit it says how many. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

typedef double dot_function(const int *, const double *, const int *, const double *, const int *);
typedef void axpy_function(const int *, const double *, const double *, const int *, double *, const int *);
typedef void symv_function(const char *, const int *, const double *, const double *, const int *,
                           const double *, const int *, const double *, double *, const int *, size_t);
typedef double _Complex dotc_function(const int *, const double _Complex *, const int *,
                                      const double _Complex *, const int *);
typedef int isamax_function(const int *, const float *, const int *);
dot_function ddot_;
axpy_function daxpy_;
symv_function dsymv_;
dotc_function zdotc_;
isamax_function isamax_;
void dgemm_(void);

static dot_function *backend_dot;
static axpy_function *backend_axpy;
static symv_function *backend_symv;
static dotc_function *backend_dotc;
static isamax_function *backend_isamax;
static int passed_on;

__attribute__((constructor)) static void load_backend(void)
{
    const char *path = getenv("FAKE_BACKEND");
    void *backend = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!backend) {
        fprintf(stderr, "FAKE_BACKEND: %s\n", path ? dlerror() : "not set");
        exit(2);
    }
    backend_dot = (dot_function *)dlsym(backend, "ddot_");
    backend_axpy = (axpy_function *)dlsym(backend, "daxpy_");
    backend_symv = (symv_function *)dlsym(backend, "dsymv_");
    backend_isamax = (isamax_function *)dlsym(backend, "isamax_");
    backend_dotc = (dotc_function *)dlsym(backend, "zdotc_");
}

__attribute__((destructor)) static void tell(void)
{
    printf("%d calls passed on\n", passed_on);
}

void dgemm_(void)
{
}

/* mublas tells the width of integers by it: not counted. */
int isamax_(const int *n, const float *x, const int *incx)
{
    return backend_isamax(n, x, incx);
}

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy)
{
    passed_on++;
    return backend_dot(n, x, incx, y, incy);
}

void daxpy_(const int *n, const double *alpha, const double *x, const int *incx, double *y, const int *incy)
{
    passed_on++;
    backend_axpy(n, alpha, x, incx, y, incy);
}

void dsymv_(const char *uplo, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy,
            size_t uplo_length)
{
    passed_on++;
    backend_symv(uplo, n, alpha, a, lda, x, incx, beta, y, incy, uplo_length);
}

double _Complex zdotc_(const int *n, const double _Complex *x, const int *incx, const double _Complex *y,
                       const int *incy)
{
    passed_on++;
    return backend_dotc(n, x, incx, y, incy);
}
