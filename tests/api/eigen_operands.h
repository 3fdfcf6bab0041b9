/* eigen_operands.h - what the tests of the native API's eigenproblems share: matrices and vectors in device
 * memory with guards around them, in double complex on the host whatever the type, and calls by type. */
#ifndef MUBLAS_TESTS_EIGEN_OPERANDS_H
#define MUBLAS_TESTS_EIGEN_OPERANDS_H

#include "hermitian_matrices.h"
#include "mublas.h"
#include "tap.h"

#include <string.h>

enum { EIGEN_GAP = 3 }; /* rows between the columns that belong to nobody */

static struct mublas_handle *handle;
static const enum blas_type all_types[] = {TYPE_S, TYPE_D, TYPE_C, TYPE_Z};

/* The emulated device as the eigensolver needs it; before the driver is opened. */
static inline void set_up_device(void)
{
    setenv("EMULATED_COOPERATIVE", "1", 0);
    setenv("EMULATED_MULTIPROCESSORS", "3", 0);
}

static inline void make_handle(void)
{
    if (mublas_create(&handle) != MUBLAS_SUCCESS)
        tap_skip_all(mublas_last_error(NULL));
}

static inline void need(enum mublas_status status)
{
    if (status == MUBLAS_SUCCESS)
        return;
    printf("Bail out! %s\n", mublas_last_error(handle));
    exit(1);
}

static inline enum mublas_type letter_of(enum blas_type type)
{
    return (enum mublas_type) "SDCZ"[type];
}
static inline enum blas_type real_of(enum blas_type type)
{
    return blas_is_single(type) ? TYPE_S : TYPE_D;
}
static inline double epsilon_of(enum blas_type type)
{
    return blas_is_single(type) ? 0x1p-23 : 0x1p-52;
}

/* Allocates `bytes`, all 0xff; a pointer even for none. */
static inline void *filled(size_t bytes)
{
    void *device, *host = malloc(bytes + 1);
    memset(host, 0xff, bytes + 1);
    need(mublas_device_allocate(handle, bytes + 1, &device));
    need(mublas_copy_to_device(handle, device, host, bytes + 1));
    free(host);
    return device;
}

static inline double complex number_at(enum blas_type type, const void *numbers, size_t place)
{
    const float *const narrow = numbers;
    const double *const wide = numbers;
    switch (type) {
    case TYPE_S: return (double)narrow[place];
    case TYPE_D: return wide[place];
    case TYPE_C: return CMPLX((double)narrow[2 * place], (double)narrow[2 * place + 1]);
    default: return CMPLX(wide[2 * place], wide[2 * place + 1]);
    }
}

static inline void put_number(enum blas_type type, void *numbers, size_t place, double complex number)
{
    const double wide[2] = {creal(number), cimag(number)};
    const float narrow[2] = {(float)wide[0], (float)wide[1]};
    const size_t bytes = blas_element_bytes(type);
    memcpy((char *)numbers + place * bytes, blas_is_single(type) ? (const void *)narrow : wide, bytes);
}

/* A matrix or, of one column, a vector. */
struct operand_on_device {
    enum blas_type type;
    int rows, columns, ld;
    void *device;
};

static inline struct operand_on_device operand_make(enum blas_type type, int rows, int columns)
{
    struct operand_on_device operand = {type, rows, columns,
                                        columns > 1 ? rows + EIGEN_GAP
                                        : rows > 0  ? rows
                                                    : 1,
                                        NULL};
    operand.device = filled((size_t)operand.ld * (size_t)columns * blas_element_bytes(type));
    return operand;
}

static inline size_t operand_bytes(const struct operand_on_device *operand)
{
    return (size_t)operand->ld * (size_t)operand->columns * blas_element_bytes(operand->type);
}

/* Values of leading dimension `rows`, all or the triangle 'L' or 'U' of them; 0xff elsewhere, and in the
 * imaginary parts of a triangle's diagonal. */
static inline void operand_put(const struct operand_on_device *operand, const double complex *values,
                               char part)
{
    const size_t bytes = operand_bytes(operand), element = blas_element_bytes(operand->type);
    unsigned char *const host = malloc(bytes + 1);
    memset(host, 0xff, bytes + 1);
    for (int j = 0; j < operand->columns; j++)
        for (int i = 0; i < operand->rows; i++) {
            const size_t place = (size_t)i + (size_t)j * (size_t)operand->ld;
            if ((part == 'L' && i < j) || (part == 'U' && i > j))
                continue;
            put_number(operand->type, host, place, values[i + j * operand->rows]);
            if (part != 'A' && i == j && blas_scalar_parts(operand->type) == 2)
                memset(host + place * element + element / 2, 0xff, element / 2);
        }
    need(mublas_copy_to_device(handle, operand->device, host, bytes));
    free(host);
}

/* The values, to be freed; *kept becomes false if a gap between columns, or outside `part`, was written. */
static inline double complex *operand_get(const struct operand_on_device *operand, char part, bool *kept)
{
    const size_t bytes = operand_bytes(operand), element = blas_element_bytes(operand->type);
    double complex *const values =
        calloc((size_t)operand->rows * (size_t)operand->columns + 1, sizeof *values);
    unsigned char *const host = malloc(bytes + 1);
    need(mublas_copy_to_host(handle, host, operand->device, bytes + 1));
    for (int j = 0; j < operand->columns; j++)
        for (int i = 0; i < operand->ld; i++) {
            const size_t place = (size_t)i + (size_t)j * (size_t)operand->ld;
            if (i < operand->rows && !(part == 'L' && i < j) && !(part == 'U' && i > j)) {
                values[i + j * operand->rows] = number_at(operand->type, host, place);
                continue;
            }
            for (size_t byte = 0; byte < element; byte++)
                *kept = *kept && host[place * element + byte] == 0xff;
        }
    *kept = *kept && host[bytes] == 0xff;
    free(host);
    return values;
}

static inline void operand_free(struct operand_on_device *operand)
{
    need(mublas_device_free(handle, operand->device));
}

/* Numbers as they are; `count` may be 0. */
static inline double *real_values(const struct operand_on_device *operand, bool *kept)
{
    double complex *const values = operand_get(operand, 'A', kept);
    double *const reals = calloc((size_t)operand->rows + 1, sizeof *reals);
    for (int i = 0; i < operand->rows; i++)
        reals[i] = creal(values[i]);
    free(values);
    return reals;
}

static inline int int_of(const int *device)
{
    int value;
    need(mublas_copy_to_host(handle, &value, device, sizeof value));
    return value;
}

/* The routine whose first letter is the type's, with arguments that fit all. */
#define BY_TYPE(type, real, complex_name, ...)                                                               \
    ((type) == TYPE_S   ? mublas_s##real(handle, __VA_ARGS__)                                                \
     : (type) == TYPE_D ? mublas_d##real(handle, __VA_ARGS__)                                                \
     : (type) == TYPE_C ? mublas_c##complex_name(handle, __VA_ARGS__)                                        \
                        : mublas_z##complex_name(handle, __VA_ARGS__))

static const double BOUND = 10; /* in units of n eps */
static const struct matrix_kind *const random_kind = &matrix_kinds[0];

/* One eigenproblem on its way. */
struct problem {
    enum blas_type type;
    enum mublas_uplo uplo;
    int n;
    double complex *given;
    struct operand_on_device a, w;
    int *info, *m;
};

static inline struct problem problem_make(enum blas_type type, enum mublas_uplo uplo, int n,
                                          const struct matrix_kind *kind)
{
    struct problem problem = {.type = type,
                              .uplo = uplo,
                              .n = n,
                              .given = hermitian_matrix(kind, type, n),
                              .a = operand_make(type, n, n),
                              .w = operand_make(real_of(type), n, 1),
                              .info = filled(sizeof(int)),
                              .m = filled(sizeof(int))};
    if (n > 0)
        operand_put(&problem.a, problem.given, (char)uplo);
    return problem;
}

static inline void problem_free(struct problem *problem)
{
    free(problem->given);
    operand_free(&problem->a);
    operand_free(&problem->w);
    need(mublas_device_free(handle, problem->info));
    need(mublas_device_free(handle, problem->m));
}

static const char *words_of(const struct problem *problem)
{
    static char words[40];
    snprintf(words, sizeof words, "%c, %s, n = %d", "sdcz"[problem->type],
             problem -> uplo == MUBLAS_UPPER ? "upper" : "lower", problem->n);
    return words;
}

static inline enum mublas_status solve(struct problem *problem, enum mublas_vectors vectors)
{
    size_t bytes;
    const struct operand_on_device *const a = &problem->a;
    need(mublas_syevd_workspace(handle, letter_of(problem->type), vectors, problem->uplo, problem->n, a->ld,
                                &bytes));
    void *const workspace = filled(bytes);
    const enum mublas_status status =
        BY_TYPE(problem->type, syevd, heevd, vectors, problem->uplo, problem->n, a->device, a->ld,
                problem->w.device, workspace, bytes, problem->info);
    unsigned char behind;
    need(mublas_copy_to_host(handle, &behind, (char *)workspace + bytes, 1));
    need(mublas_device_free(handle, workspace));
    return behind == 0xff ? status : MUBLAS_DEVICE_ERROR;
}

static inline bool is_ascending(const double *w, int n)
{
    bool good = true;
    for (int i = 0; i < n; i++)
        good = good && isfinite(w[i]) && (i == 0 || w[i - 1] <= w[i]);
    return good;
}

/* |A V - V W| by |A| and |V'V - I| of `count` columns. */
static inline bool are_eigenvectors(const struct problem *problem, const double complex *v, const double *w,
                                    int count)
{
    const int n = problem->n;
    const double norm = one_norm(problem->given, n), bound = BOUND * n * epsilon_of(problem->type);
    double residual = 0, skew = 0;
    for (int j = 0; j < count; j++) {
        for (int i = 0; i < n; i++) {
            double complex sum = -w[j] * v[i + j * n];
            for (int k = 0; k < n; k++)
                sum += problem->given[i + k * n] * v[k + j * n];
            residual = fmax(residual, isnan(cabs(sum)) ? INFINITY : cabs(sum));
        }
        for (int l = 0; l <= j; l++) {
            double complex sum = l == j ? -1 : 0;
            for (int k = 0; k < n; k++)
                sum += conj(v[k + l * n]) * v[k + j * n];
            skew = fmax(skew, isnan(cabs(sum)) ? INFINITY : cabs(sum));
        }
    }
    if (residual <= bound * (norm > 0 ? norm : 1) && skew <= bound)
        return true;
    printf("# %s: residual %g, skew %g\n", words_of(problem), residual / norm, skew);
    return false;
}

static inline bool are_equal_values(const struct problem *problem, const double *one, const double *other,
                                    int count)
{
    const double bound =
        BOUND * problem->n * epsilon_of(problem->type) * one_norm(problem->given, problem->n);
    bool good = true;
    for (int i = 0; i < count; i++)
        good = good && fabs(one[i] - other[i]) <= bound;
    return good;
}

#endif
