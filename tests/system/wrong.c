/* wrong [NAME]: a call with a wrong argument by a program that has no error handler
 * of its own: what is said, and whether the program goes on, is the BLAS's choice. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

void dsymv_(const char *uplo, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy,
            size_t uplo_length);
void dger_(const int *m, const int *n, const double *alpha, const double *x, const int *incx, const double *y,
           const int *incy, double *a, const int *lda);
void cblas_dger(int order, int m, int n, double alpha, const double *x, int incx, const double *y, int incy,
                double *a, int lda);
enum { ROW_MAJOR = 101 };

int main(int count, char **arguments)
{
    const char *name = count > 1 ? arguments[1] : "";
    const int two = 2, one = 1, none = 0, negative = -1;
    const double alpha = 1, x[2] = {1, 2};
    double a[4] = {1, 2, 3, 4}, y[2] = {5, 6};
    if (strcmp(name, "dsymv_") == 0)
        dsymv_("X", &two, &alpha, a, &two, x, &one, &alpha, y, &one, 1);
    else if (strcmp(name, "dger_") == 0)
        dger_(&two, &negative, &alpha, x, &one, y, &one, a, &two);
    else if (strcmp(name, "cblas_dger") == 0)
        cblas_dger(ROW_MAJOR, two, two, alpha, x, one, y, none, a, two);
    else
        return 2;
    printf("went on with %g %g %g %g %g %g\n", a[0], a[1], a[2], a[3], y[0], y[1]);
    return 0;
}
