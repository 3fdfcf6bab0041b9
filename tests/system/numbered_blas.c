/* A host BLAS whose results tell which one it is: NUMBER. With C_NAMES it has C names and one
 * Fortran routine that the others lack. */
#include <stddef.h>

#define NUMBER_TEXT(number) TEXT(number)
#define TEXT(words) #words

double ddot_(void);
double dasum_(void);
double cblas_ddot(void);
double dnrm2_(void);
int isamax_(void);
int cblas_isamax(void);
void cblas_dgemm(void);
void dgemm_(void);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a,
            const int *lda, const double *x, const int *incx, const double *beta, double *y, const int *incy,
            size_t trans_length);

/* No two hosts have a routine in the same place: whoever takes one for the other stops. */
__asm__(".text\n.skip 1024 * (" NUMBER_TEXT(NUMBER) " - 1), 0\n");

#ifdef C_NAMES
/* As with 32-bit integers, and so is isamax_: mublas asks. */
int cblas_isamax(void)
{
    return 1;
}

double dnrm2_(void)
{
    return NUMBER;
}

double cblas_ddot(void)
{
    return NUMBER;
}

void cblas_dgemm(void)
{
}
#else
double ddot_(void)
{
    return NUMBER;
}

double dasum_(void)
{
    return -NUMBER;
}

int isamax_(void)
{
    return 2;
}

void dgemm_(void)
{
}

void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a,
            const int *lda, const double *x, const int *incx, const double *beta, double *y, const int *incy,
            size_t trans_length)
{
    (void)trans, (void)m, (void)n, (void)alpha, (void)a, (void)lda, (void)x, (void)incx, (void)beta,
        (void)incy;
    (void)trans_length;
    *y = NUMBER;
}
#endif
