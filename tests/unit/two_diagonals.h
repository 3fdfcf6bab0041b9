/* two_diagonals.h - matrices of two diagonals that are hard for a solver, bidiagonal or symmetric tridiagonal ones, on
 * the host and on the device, and how far vectors are from orthogonal ones. */
#ifndef MUBLAS_TESTS_TWO_DIAGONALS_H
#define MUBLAS_TESTS_TWO_DIAGONALS_H

#include "emulated_lane.h"
#include "gpu/vendor/solver_library.h"
#include "unit_test.h"

#include <math.h>
#include <string.h>

enum { GAP = 3, ORDER_MOST = 640 };

static struct solver_handle handle;

struct kind {
    const char *name;
    void (*make)(int n, double *d, double *e);
};

static uint64_t random_state = 7;

static inline double random_number(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(random_state >> 11) * 0x1p-52 - 1;
}

static inline void make_random(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = random_number(), e[i] = random_number();
}
static inline void make_wilkinson(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = fabs(i - 0.5 * (n - 1)), e[i] = 1;
}
static inline void make_graded_down(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = pow(10, -16.0 * i / n), e[i] = 0.3 * pow(10, -16.0 * (i + 0.5) / n);
}
static inline void make_graded_up(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = pow(10, -16.0 * (n - 1 - i) / n), e[i] = -0.3 * pow(10, -16.0 * (n - 1.5 - i) / n);
}
static inline void make_clusters(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = i % 3 + 0x1p-52 * i, e[i] = 0x1p-53 * (1 + i % 5);
}
static inline void make_torn(int n, double *d, double *e)
{
    make_random(n, d, e);
    for (int i = 0; i < n; i++)
        e[i] = i % 7 == 3 || i % 32 == 31 || i % 64 == 20 ? 0 : e[i];
}
static inline void make_constant(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = -2, e[i] = 0;
}
static inline void make_zero(int n, double *d, double *e)
{
    memset(d, 0, (size_t)n * sizeof *d);
    memset(e, 0, (size_t)n * sizeof *e);
}

static inline double as_type(enum blas_type type, double number)
{
    return type == TYPE_S ? (double)(float)number : number;
}

/* A matrix of the kind; the last element of E is 0. */
static inline void fill(enum blas_type type, const struct kind *kind, int n, double scale, double *d, double *e)
{
    kind->make(n, d, e);
    for (int i = 0; i < n; i++) {
        d[i] = as_type(type, d[i] * scale);
        e[i] = i + 1 < n ? as_type(type, e[i] * scale) : 0;
    }
}

static inline void put(enum blas_type type, CUdeviceptr to, const double *numbers, int count)
{
    float narrow[ORDER_MOST];
    for (int i = 0; i < count; i++)
        narrow[i] = (float)numbers[i];
    if (count > 0)
        device_poke(to, type == TYPE_S ? (const void *)narrow : numbers,
                    (size_t)count * blas_element_bytes(type));
}

static inline void get(enum blas_type type, double *numbers, CUdeviceptr from, int count)
{
    float narrow[ORDER_MOST];
    if (count > 0)
        device_peek(type == TYPE_S ? (void *)narrow : numbers, from,
                    (size_t)count * blas_element_bytes(type));
    for (int i = 0; i < count && type == TYPE_S; i++)
        numbers[i] = (double)narrow[i];
}

static inline CUdeviceptr allocate(size_t bytes)
{
    CUdeviceptr address = 0;
    if (device_allocate(emulated_device, bytes, &address) != STATUS_OK)
        exit(1);
    return address;
}

static inline bool is_untouched(CUdeviceptr address, size_t bytes)
{
    unsigned char found[GAP * sizeof(double)];
    bool good = device_peek(found, address, bytes);
    for (size_t i = 0; i < bytes; i++)
        good = good && found[i] == 0xff;
    return good;
}

static inline double largest_of(int n, const double *d, const double *e)
{
    double norm = 0;
    for (int i = 0; i < n; i++)
        norm = fmax(norm, fmax(fabs(d[i]), fabs(e[i])));
    return norm;
}

static inline double larger_rest(double most, double rest)
{
    return rest <= most ? most : isnan(rest) ? INFINITY : rest;
}

/* Largest element of Q'Q - I. */
static inline double distance_from_orthogonal(const double *q, int n)
{
    double most = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i <= j; i++) {
            double sum = i == j ? -1 : 0;
            for (int k = 0; k < n; k++)
                sum += q[k + (size_t)i * (size_t)n] * q[k + (size_t)j * (size_t)n];
            most = larger_rest(most, fabs(sum));
        }
    return most;
}

/* The sanitizers take their time. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
static const int order_limit = 66;
#else
static const int order_limit = ORDER_MOST;
#endif

/* Opens cuSOLVER, or skips the test. */
static inline void begin(void)
{
    const struct solver_library *library;
    struct lane *const lane = emulated_lane();
    if (solver_library_open(emulated_device, &library) != STATUS_OK ||
        solver_handle_create(library, lane->stream, &handle) != STATUS_OK)
        tap_skip_all("no cuSOLVER");
}

#endif
