/* emulated_solver.h - what the tests of the emulated cuSOLVER share: the library opened, operands that
 * are on the host too, calls, residuals. All in double complex on the host, whatever the type. */
#ifndef MUBLAS_TESTS_EMULATED_SOLVER_H
#define MUBLAS_TESTS_EMULATED_SOLVER_H

#include "emulated_device.h"
#include "emulated_driver/cusolver.h"

#include <complex.h>
#include <math.h>

enum { GAP = 3 }; /* rows between a matrix's columns that belong to nobody */

static void *solver_library;
static cusolverDnHandle_t handle;
static cusolverDnParams_t params;

static inline void *solver_symbol(const char *name)
{
    void *address = dlsym(solver_library, name);
    if (!address) {
        printf("Bail out! libcusolver.so.12 has no %s\n", name);
        exit(1);
    }
    return address;
}
/* An exported function, by its prototype. */
#define SOLVER(function) ((__typeof(function) *)solver_symbol(#function))
/* The same of a type known at run time, as cusolverDnDNAME's. */
static inline void *typed_symbol(char type, const char *real, const char *complex_name)
{
    char name[80];
    const bool is_complex = type == 'c' || type == 'z';
    snprintf(name, sizeof name, "cusolverDn%c%s", type - 'a' + 'A', is_complex ? complex_name : real);
    return solver_symbol(name);
}

static inline void open_solver(void)
{
    open_device();
    solver_library = dlopen("libcusolver.so.12", RTLD_NOW | RTLD_LOCAL);
    if (!solver_library) {
        printf("Bail out! %s\n", dlerror());
        exit(1);
    }
    MUST(SOLVER(cusolverDnCreate)(&handle));
    MUST(SOLVER(cusolverDnSetStream)(handle, stream));
    MUST(SOLVER(cusolverDnCreateParams)(&params));
}

static inline size_t element_bytes(char type)
{
    return type == 's' || type == 'i' ? 4 : type == 'z' ? 16 : 8;
}
static inline char real_type(char type)
{
    return type == 'c' ? 's' : type == 'z' ? 'd' : type;
}
static inline int data_type(char type)
{
    return type == 's' ? CUDA_R_32F : type == 'd' ? CUDA_R_64F : type == 'c' ? CUDA_C_32F : CUDA_C_64F;
}
static inline double type_epsilon(char type)
{
    return type == 's' || type == 'c' ? 0x1p-24 : 0x1p-53;
}

/* A matrix in device memory with leading dimension rows + GAP, its values beside it on the host with
 * leading dimension rows. */
struct matrix {
    char type;
    int rows, columns, ld;
    double complex *values;
    CUdeviceptr device;
};

static inline size_t matrix_bytes(const struct matrix *matrix)
{
    return (size_t)matrix->ld * (size_t)matrix->columns * element_bytes(matrix->type);
}
static inline double complex *value_at(const struct matrix *matrix, int row, int column)
{
    return &matrix->values[row + (size_t)column * (size_t)matrix->rows];
}

/* Filled with 0xff on the device, zero on the host. */
static inline struct matrix matrix_make(char type, int rows, int columns)
{
    struct matrix matrix = {type, rows, columns, rows + GAP, NULL, 0};
    matrix.values = calloc((size_t)rows * (size_t)columns + 1, sizeof *matrix.values);
    matrix.device = allocate(matrix_bytes(&matrix) + 16);
    return matrix;
}
static inline void matrix_free(struct matrix *matrix)
{
    MUST(cuda.memory_free(matrix->device));
    free(matrix->values);
}

static inline void store(char type, void *cell, double complex value)
{
    const double wide[2] = {creal(value), cimag(value)};
    const float narrow[2] = {(float)wide[0], (float)wide[1]};
    if (type == 's' || type == 'c')
        memcpy(cell, narrow, element_bytes(type));
    else
        memcpy(cell, wide, element_bytes(type));
}
static inline double complex load(char type, const void *cell)
{
    double wide[2] = {0};
    float narrow[2] = {0};
    if (type == 's' || type == 'c') {
        memcpy(narrow, cell, element_bytes(type));
        return CMPLX((double)narrow[0], (double)narrow[1]);
    }
    memcpy(wide, cell, element_bytes(type));
    return CMPLX(wide[0], wide[1]);
}

/* Values to the device; the gaps hold 0xff. */
static inline void matrix_put(const struct matrix *matrix)
{
    const size_t element = element_bytes(matrix->type);
    char *bytes = malloc(matrix_bytes(matrix));
    memset(bytes, 0xff, matrix_bytes(matrix));
    for (int j = 0; j < matrix->columns; j++)
        for (int i = 0; i < matrix->rows; i++)
            store(matrix->type, bytes + ((size_t)i + (size_t)j * (size_t)matrix->ld) * element,
                  *value_at(matrix, i, j));
    emulated.poke(matrix->device, bytes, matrix_bytes(matrix));
    free(bytes);
}
/* And back; false when a gap was written. */
static inline bool matrix_get(const struct matrix *matrix)
{
    const size_t element = element_bytes(matrix->type);
    bool good = true;
    unsigned char *bytes = malloc(matrix_bytes(matrix));
    emulated.peek(bytes, matrix->device, matrix_bytes(matrix));
    for (int j = 0; j < matrix->columns; j++) {
        const unsigned char *column = bytes + (size_t)j * (size_t)matrix->ld * element;
        for (int i = 0; i < matrix->rows; i++)
            *value_at(matrix, i, j) = load(matrix->type, column + (size_t)i * element);
        for (size_t at = (size_t)matrix->rows * element; at < (size_t)matrix->ld * element; at++)
            good = good && column[at] == 0xff;
    }
    free(bytes);
    return good;
}

/* Are all bytes of this element the poison of its type? */
static inline bool is_poison(const struct matrix *matrix, int row, int column)
{
    uint32_t words[4], narrow = SOLVER_POISON_FLOAT;
    uint64_t wide = SOLVER_POISON_DOUBLE;
    const size_t bytes = element_bytes(matrix->type);
    const bool is_narrow = matrix->type == 's' || matrix->type == 'c';
    bool good = true;
    emulated.peek(words, matrix->device + ((size_t)row + (size_t)column * (size_t)matrix->ld) * bytes, bytes);
    for (size_t at = 0; at < bytes; at += is_narrow ? 4 : 8)
        good = good && memcmp((char *)words + at, is_narrow ? (void *)&narrow : (void *)&wide,
                              is_narrow ? 4 : 8) == 0;
    return good;
}
static inline int count_poison(const struct matrix *matrix)
{
    int count = 0;
    for (int j = 0; j < matrix->columns; j++)
        for (int i = 0; i < matrix->rows; i++)
            count += is_poison(matrix, i, j);
    return count;
}

static uint64_t random_state = 12345;
static inline double random_value(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(random_state >> 11) * 0x1p-52 - 1;
}
static inline void matrix_random(struct matrix *matrix)
{
    const bool is_complex = matrix->type == 'c' || matrix->type == 'z';
    for (int j = 0; j < matrix->columns; j++)
        for (int i = 0; i < matrix->rows; i++)
            *value_at(matrix, i, j) =
                CMPLX((double)(float)random_value(), is_complex ? (double)(float)random_value() : 0);
}
/* Hermitian, with `shift` added on the diagonal. */
static inline void matrix_hermitian(struct matrix *matrix, double shift)
{
    matrix_random(matrix);
    for (int j = 0; j < matrix->columns; j++) {
        *value_at(matrix, j, j) = creal(*value_at(matrix, j, j)) + shift;
        for (int i = 0; i < j; i++)
            *value_at(matrix, i, j) = conj(*value_at(matrix, j, i));
    }
}

/* C = op(A) op(B), op the conjugate transpose where asked for; all by value lists of leading dimension. */
static inline void multiply(int m, int n, int k, const double complex *a, int lda, bool conjugate_a,
                            const double complex *b, int ldb, bool conjugate_b, double complex *c, int ldc)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            double complex sum = 0;
            for (int l = 0; l < k; l++)
                sum += (conjugate_a ? conj(a[l + i * lda]) : a[i + l * lda]) *
                       (conjugate_b ? conj(b[j + l * ldb]) : b[l + j * ldb]);
            c[i + j * ldc] = sum;
        }
}
/* Largest modulus of the difference; NaN counts as infinite. */
static inline double distance(const double complex *a, const double complex *b, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        const double one = cabs(a[i] - b[i]);
        most = one <= most ? most : isnan(one) ? INFINITY : one;
    }
    return most;
}

/* Workspaces, INFO and what stood in it before the wait. */
static struct {
    CUdeviceptr work, info;
    void *host;
    size_t device_bytes, host_bytes;
} buffers;

static inline void buffers_make(size_t device_bytes, size_t host_bytes)
{
    const int zero = 0;
    buffers.work = allocate(device_bytes + 16);
    buffers.info = allocate(sizeof(int));
    emulated.poke(buffers.info, &zero, sizeof zero);
    buffers.host = malloc(host_bytes + 1);
    buffers.device_bytes = device_bytes, buffers.host_bytes = host_bytes;
}
static inline int info_now(void)
{
    int info;
    emulated.peek(&info, buffers.info, sizeof info);
    return info;
}
/* Wait; INFO. False in *poisoned when INFO was told before. */
static inline int buffers_finish(bool *poisoned)
{
    *poisoned = info_now() == (int)SOLVER_POISON_INT;
    MUST(cuda.stream_synchronise(stream));
    const int info = info_now();
    MUST(cuda.memory_free(buffers.work));
    MUST(cuda.memory_free(buffers.info));
    free(buffers.host);
    return info;
}
#define BUFFERS \
    on_device(buffers.work), buffers.device_bytes, buffers.host, buffers.host_bytes, on_device(buffers.info)

#endif
