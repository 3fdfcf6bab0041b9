/* by_handle LIBRARY: calls BLAS routines of a library that it loads for itself, by the
 * addresses that dlsym gives for its handle, as ctypes and others do. */
#include <dlfcn.h>
#include <stdio.h>

typedef double dot_function(const int *, const double *, const int *, const double *, const int *);
typedef void axpy_function(const int *, const double *, const double *, const int *, double *, const int *);

int main(int count, char **arguments)
{
    const double x[3] = {1, 2, 3}, alpha = 2;
    double y[3] = {1, 1, 1};
    const int n = 3, increment = 1;
    void *library = count > 1 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    dot_function *dot = library ? (dot_function *)dlsym(library, "ddot_") : NULL;
    axpy_function *axpy = library ? (axpy_function *)dlsym(library, "daxpy_") : NULL;
    if (!dot || !axpy) {
        fprintf(stderr, "usage: by_handle LIBRARY: %s\n", dlerror());
        return 2;
    }
    axpy(&n, &alpha, x, &increment, y, &increment);
    printf("%g %g\n", dot(&n, x, &increment, x, &increment), y[2]);
    return !(dot(&n, x, &increment, x, &increment) == 14 && y[0] == 3 && y[1] == 5 && y[2] == 7);
}
