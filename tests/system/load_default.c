/* A program that brings no BLAS calls ddot_ all the same: the shim must find one. */
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
    typedef double dot_function(const int *, const double *, const int *, const double *, const int *);
    const double vector[3] = {1, 2, 3};
    const int n = 3, increment = 1;
    dot_function *dot = (dot_function *)dlsym(RTLD_DEFAULT, "ddot_");
    if (!dot)
        return 2;
    double product = dot(&n, vector, &increment, vector, &increment);
    printf("%g\n", product);
    return product != 14;
}
