/* The largest eigenvalue of a symmetric matrix by power iteration, with everything on the GPU:
 * even the scale of a step is a scalar in device memory.
 *
 *     cc -o power_iteration power_iteration.c $(pkg-config --cflags --libs mublas) -lm
 *     ./power_iteration [N]
 *
 * The matrix is min(i, j), i, j = 1..n, whose largest eigenvalue is 1 / (4 sin(pi / (4n + 2))^2).
 * Exit status: 0, 1 when the eigenvalue is wrong or a call fails, 2 for a bad argument. */
#include <errno.h>
#include <math.h>
#include <mublas.h>
#include <stdio.h>
#include <stdlib.h>

static struct mublas_handle *handle;

static void check(enum mublas_status status)
{
    if (status == MUBLAS_SUCCESS)
        return;
    fprintf(stderr, "power_iteration: %s: %s\n", mublas_status_text(status), mublas_last_error(handle));
    exit(1);
}

static double *allocate(int64_t count, int64_t n)
{
    double *values = malloc((size_t)count * sizeof *values);
    if (values)
        return values;
    fprintf(stderr, "power_iteration: out of memory: N = %lld needs %.3g GiB\n", (long long)n,
            (double)count * sizeof *values / (1 << 30));
    exit(1);
}

static double *to_device(const double *values, int64_t count)
{
    void *device;
    check(mublas_device_allocate(handle, (size_t)count * sizeof(double), &device));
    check(mublas_copy_to_device(handle, device, values, (size_t)count * sizeof(double)));
    return device;
}

static double *make_matrix(int64_t n)
{
    double *a = allocate(n * n, n);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            a[i + j * n] = (double)((i < j ? i : j) + 1);
    double *device = to_device(a, n * n);
    free(a);
    return device;
}

static double *make_vector(int64_t n, double value)
{
    double *x = allocate(n, n);
    for (int64_t i = 0; i < n; i++)
        x[i] = value;
    double *device = to_device(x, n);
    free(x);
    return device;
}

/* N: the bytes of the matrix fit an int64_t. */
static int64_t read_size(int argument_count, char **arguments)
{
    const long long largest = 1000000000;
    char *end;
    if (argument_count < 2)
        return 300;
    errno = 0;
    const long long n = strtoll(arguments[1], &end, 10);
    if (argument_count > 2)
        fprintf(stderr, "power_iteration: '%s' is one argument too many; usage: power_iteration [N]\n", arguments[2]);
    else if (errno != 0 || end == arguments[1] || *end != '\0' || n < 1 || n > largest)
        fprintf(stderr, "power_iteration: N must be a whole number from 1 to %lld, not '%s'\n", largest, arguments[1]);
    else
        return n;
    exit(2);
}

int main(int argument_count, char **arguments)
{
    enum { STEPS = 30 };
    const int64_t n = read_size(argument_count, arguments);
    check(mublas_create(&handle));
    double *a = make_matrix(n), *x = make_vector(n, 1), *y = make_vector(n, 0);
    double *one = make_vector(1, 1), *zero = make_vector(1, 0), *scale = make_vector(1, 1), *dot = make_vector(1, 0);
    double squares = (double)n, eigenvalue = 0;
    check(mublas_set_pointer_mode(handle, MUBLAS_POINTER_DEVICE));
    for (int step = 0; step < STEPS; step++) {
        const double factor = 1 / sqrt(squares);
        double *swapped = x;
        check(mublas_copy_to_device(handle, scale, &factor, sizeof factor));
        check(mublas_dsymv(handle, MUBLAS_LOWER, n, scale, a, n, x, 1, zero, y, 1));
        /* The sum of squares: y as a matrix of one column, its transpose times y. */
        check(mublas_dgemv(handle, MUBLAS_TRANS, n, 1, one, y, n, y, 1, zero, dot, 1));
        check(mublas_copy_to_host(handle, &squares, dot, sizeof squares));
        eigenvalue = sqrt(squares);
        x = y;
        y = swapped;
    }
    struct mublas_occupancy occupancy;
    check(mublas_get_occupancy(handle, &occupancy));
    const double exact = 1 / (4 * pow(sin(acos(-1) / (4 * (double)n + 2)), 2));
    printf("n = %lld\ncomputed %.16e\nexact    %.16e\n", (long long)n, eigenvalue, exact);
    printf("the last launch: %lld blocks of %d threads\n", (long long)occupancy.blocks, occupancy.threads_per_block);
    double *const memory[] = {a, x, y, one, zero, scale, dot};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        check(mublas_device_free(handle, memory[i]));
    check(mublas_destroy(handle));
    return fabs(eigenvalue - exact) <= 1e-12 * exact ? 0 : 1;
}
