/* A plug-in that has its Fortran and its C names from different libraries (numbered_blas.c), and
 * one Fortran routine from the latter. */
double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
double dnrm2_(const int *n, const double *x, const int *incx);
double cblas_ddot(int n, const double *x, int incx, const double *y, int incy);
int two_languages_call(void);

int two_languages_call(void)
{
    static const int one = 1;
    static const double number = 1;
    int fortran = (int)ddot_(&one, &number, &one, &number, &one), rest = (int)dnrm2_(&one, &number, &one);
    return 100 * fortran + 10 * rest + (int)cblas_ddot(one, &number, one, &number, one);
}
