/* A plug-in that calls BLAS with integers of CALLER_BITS, linked with a library that takes
 * them. caller_check: is everything right? A 32-bit integer's other half of the word is garbage, by reference
 * and by value. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if CALLER_BITS == 64
typedef int64_t integer;
#define AS_WORD(value) (value)
#else
typedef int32_t integer;
#define AS_WORD(value) ((int64_t)0x7654321000000000 | (value))
#endif

struct argument {
    integer value, garbage;
};

void daxpy_(const integer *n, const double *alpha, const double *x, const integer *incx, double *y,
            const integer *incy);
void dgemm_(const char *transa, const char *transb, const integer *m, const integer *n, const integer *k,
            const double *alpha, const double *a, const integer *lda, const double *b, const integer *ldb,
            const double *beta, double *c, const integer *ldc, size_t transa_length, size_t transb_length);
void dsymv_(const char *uplo, const integer *n, const double *alpha, const double *a, const integer *lda,
            const double *x, const integer *incx, const double *beta, double *y, const integer *incy,
            size_t uplo_length);
/* The sizes as whole registers. */
void cblas_dgemv(int64_t layout, int64_t trans, int64_t m, int64_t n, double alpha, const double *a,
                 int64_t lda, const double *x, int64_t incx, double beta, double *y, int64_t incy);
int caller_check(void);

int caller_check(void)
{
    static const struct argument one = {1, 0x7bcdef01}, two = {2, 0x7bcdef01};
    static const double vector[2] = {3, 4}, matrix[4] = {1, 2, 0, 3}, alpha = 1, beta = 0;
    enum { COLUMN_MAJOR = 102, NO_TRANS = 111 };
    double y[2] = {1, 1}, product[2], square[4], image[2];
    daxpy_(&two.value, &alpha, vector, &one.value, y, &one.value);
    dsymv_("L", &two.value, &alpha, matrix, &two.value, vector, &one.value, &beta, product, &one.value, 1);
    dgemm_("N", "N", &two.value, &two.value, &two.value, &alpha, matrix, &two.value, matrix, &two.value,
           &beta, square, &two.value, 1, 1);
    cblas_dgemv(AS_WORD(COLUMN_MAJOR), AS_WORD(NO_TRANS), AS_WORD(2), AS_WORD(2), alpha, matrix, AS_WORD(2),
                vector, AS_WORD(1), beta, image, AS_WORD(1));
    return y[0] == 4 && y[1] == 5 && product[0] == 11 && product[1] == 18 && square[0] == 1 &&
           square[1] == 8 && square[2] == 0 && square[3] == 9 && image[0] == 3 && image[1] == 18;
}
