/* A plug-in that has its Fortran and its C names from different libraries (numbered_blas.c). */
double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
double cblas_ddot(int n, const double *x, int incx, const double *y, int incy);
int two_languages_call(void);

int two_languages_call(void)
{
    static const int one = 1;
    static const double number = 1;
    int fortran = (int)ddot_(&one, &number, &one, &number, &one);
    return 10 * fortran + (int)cblas_ddot(one, &number, one, &number, one);
}
