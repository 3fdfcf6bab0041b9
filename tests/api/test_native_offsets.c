/* Elements beyond 2^31 and 2^32 of their operand's first, whose offsets no product of 32-bit
 * integers has: every routine and variant on a few integers far apart. Wants 38 GB of
 * device memory, of which it touches little: on the emulated device only what it touches exists. */
#include "mublas.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

enum { N = 70 };
static const int64_t leading[] = {(INT64_C(1) << 26) + 4,
                                  (INT64_C(1) << 26) + 5}; /* the first: 16-byte loads */
static const int64_t step = (INT64_C(1) << 25) + 3;
static int64_t lda;
static const float two = 2, minus = -1;
static struct mublas_handle *handle;
static float *a, *x, *y;
static double matrix[N][N], x_values[N], y_values[N];

static void put(float *base, int64_t at, double value)
{
    const float number = (float)value;
    if (mublas_copy_to_device(handle, base + at, &number, sizeof number) != MUBLAS_SUCCESS)
        exit(1);
}

static float get(const float *base, int64_t at)
{
    float number = 0;
    if (mublas_copy_to_host(handle, &number, base + at, sizeof number) != MUBLAS_SUCCESS)
        exit(1);
    return number;
}

static int64_t at(int i, int sign)
{
    return (sign > 0 ? i : N - 1 - i) * step;
}

enum routine { GEMV, GEMV_TRANSPOSED, SYMV_LOWER, SYMV_UPPER, TRMV, TRMV_TRANSPOSED, AXPY, ROUTINES };
static const char *const names[ROUTINES] = {"sgemv N",   "sgemv T",   "ssymv L", "ssymv U",
                                            "strmv LNU", "strmv UTN", "saxpy"};

static enum mublas_status run(enum routine routine, int64_t increment)
{
    switch (routine) {
    case GEMV:
        return mublas_sgemv(handle, MUBLAS_NO_TRANS, N, N, &two, a, lda, x, increment, &minus, y, increment);
    case GEMV_TRANSPOSED:
        return mublas_sgemv(handle, MUBLAS_TRANS, N, N, &two, a, lda, x, increment, &minus, y, increment);
    case SYMV_LOWER:
        return mublas_ssymv(handle, MUBLAS_LOWER, N, &two, a, lda, x, increment, &minus, y, increment);
    case SYMV_UPPER:
        return mublas_ssymv(handle, MUBLAS_UPPER, N, &two, a, lda, x, increment, &minus, y, increment);
    case TRMV:
        return mublas_strmv(handle, MUBLAS_LOWER, MUBLAS_NO_TRANS, MUBLAS_UNIT, N, a, lda, y, increment);
    case TRMV_TRANSPOSED:
        return mublas_strmv(handle, MUBLAS_UPPER, MUBLAS_TRANS, MUBLAS_NON_UNIT, N, a, lda, y, increment);
    default: return mublas_saxpy(handle, N, &two, x, increment, y, increment);
    }
}

/* The coefficient of term j of element i. */
static double coefficient(enum routine routine, int i, int j)
{
    switch (routine) {
    case GEMV: return matrix[i][j];
    case GEMV_TRANSPOSED: return matrix[j][i];
    case SYMV_LOWER: return i >= j ? matrix[i][j] : matrix[j][i];
    case SYMV_UPPER: return i <= j ? matrix[i][j] : matrix[j][i];
    case TRMV: return i > j ? matrix[i][j] : i == j;
    case TRMV_TRANSPOSED: return i >= j ? matrix[j][i] : 0;
    default: return i == j;
    }
}

static bool is_right(enum routine routine, int sign)
{
    const bool in_place = routine == TRMV || routine == TRMV_TRANSPOSED;
    for (int i = 0; i < N; i++) {
        put(x, at(i, sign), x_values[i]);
        put(y, at(i, sign), y_values[i]);
    }
    if (run(routine, sign * step) != MUBLAS_SUCCESS)
        return false;
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int j = 0; j < N; j++)
            sum += coefficient(routine, i, j) * (in_place ? y_values[j] : x_values[j]);
        const double expected = in_place ? sum : 2 * sum + (routine == AXPY ? 1 : -1) * y_values[i];
        if ((double)get(y, at(i, sign)) != expected)
            return false;
    }
    return true;
}

static void test_shape(const char *what, struct mublas_launch_shape shape)
{
    for (int routine = 0; routine < ROUTINES; routine++) {
        const bool symmetric = routine == SYMV_LOWER || routine == SYMV_UPPER;
        if (shape.variant != MUBLAS_LAST_ARRIVER && !symmetric &&
            (shape.variant != MUBLAS_STRIPS || routine > GEMV_TRANSPOSED))
            continue;
        mublas_set_launch_shape(handle, &shape);
        tap_ok(is_right((enum routine)routine, 1) && is_right((enum routine)routine, -1), "%s %s, lda %lld",
               names[routine], what, (long long)lda);
    }
}

static void test_shapes(void)
{
    test_shape("by tiles",
               (struct mublas_launch_shape){64, 32, 2, 1, 0, 1, MUBLAS_ORDER_DOWN, MUBLAS_LAST_ARRIVER});
    test_shape("by teams of 4 groups",
               (struct mublas_launch_shape){128, 32, 4, 1, 0, 4, MUBLAS_ORDER_ALONG, MUBLAS_LAST_ARRIVER});
    test_shape("in order",
               (struct mublas_launch_shape){64, 32, 2, 1, 0, 1, MUBLAS_ORDER_DOWN, MUBLAS_IN_ORDER});
    test_shape("by both halves",
               (struct mublas_launch_shape){64, 32, 2, 1, 0, 4, MUBLAS_ORDER_DOWN, MUBLAS_BOTH_HALVES});
    test_shape("by strips",
               (struct mublas_launch_shape){8, 32, 2, 1, 0, 1, MUBLAS_ORDER_DOWN, MUBLAS_STRIPS});
}

static void put_matrix(void)
{
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            put(a, i + j * lda, matrix[i][j]);
}

int main(void)
{
    setenv("EMULATED_DEVICE_MEMORY", "60G", 0);
    setenv("EMULATED_POISON", "0", 0);
    if (mublas_create(&handle) != MUBLAS_SUCCESS)
        tap_skip_all(mublas_last_error(NULL));
    const size_t vector = (size_t)(step * (N - 1) + 1) * sizeof(float);
    if (mublas_device_allocate(handle, (size_t)(leading[1] * (N - 1) + N) * sizeof(float), (void **)&a) !=
            MUBLAS_SUCCESS ||
        mublas_device_allocate(handle, vector, (void **)&x) != MUBLAS_SUCCESS ||
        mublas_device_allocate(handle, vector, (void **)&y) != MUBLAS_SUCCESS)
        tap_skip_all(mublas_last_error(handle));
    for (int i = 0; i < N; i++) {
        x_values[i] = 1 + i % 5, y_values[i] = i % 7;
        for (int j = 0; j < N; j++)
            matrix[i][j] = (i * 7 + j * 3) % 11 - 5;
    }
    for (int i = 0; i < 2; i++) {
        lda = leading[i];
        put_matrix();
        test_shapes();
    }
    mublas_device_free(handle, a);
    mublas_device_free(handle, x);
    mublas_device_free(handle, y);
    mublas_destroy(handle);
    return tap_done();
}
