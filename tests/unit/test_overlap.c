/* Overlap of operands against marking every byte, and the cases that LAPACK relies on. */
#include "interpose/entries/pack.h"
#include "tap.h"
#include "unit_test.h"

#include <string.h>

enum { ARENA = 1024 };
static char arena[ARENA];

static void mark(unsigned char *bytes, const struct extent *extent)
{
    for (size_t run = 0; run < extent->runs; run++)
        memset(bytes + (extent->start - (uintptr_t)arena) + run * extent->stride, 1, extent->run_bytes);
}

static bool share_a_byte(const struct extent *first, const struct extent *second)
{
    unsigned char of_first[ARENA] = {0}, of_second[ARENA] = {0};
    mark(of_first, first);
    mark(of_second, second);
    for (int i = 0; i < ARENA; i++)
        if (of_first[i] && of_second[i])
            return true;
    return false;
}

static unsigned random_state;

static int64_t random_below(int64_t limit)
{
    random_state = random_state * 1103515245u + 12345u;
    return (int64_t)((random_state >> 8) % (unsigned)limit);
}

/* A matrix or vector of doubles somewhere in the arena. */
static struct extent random_extent(int64_t ld)
{
    struct extent extent;
    bool good;
    if (random_below(2)) {
        struct blas_matrix matrix = {arena + 8 * random_below(64), 1 + random_below(ld), 1 + random_below(5),
                                     ld, PART_FULL};
        good = extent_of_matrix(&matrix, 8, &extent);
    } else {
        static const int64_t increments[] = {1, -1, 2, -3};
        int64_t increment = random_below(2) ? ld : increments[random_below(4)];
        struct blas_vector vector = {arena + 8 * random_below(64), 1 + random_below(6), increment};
        good = extent_of_vector(&vector, 8, &extent);
    }
    if (!good)
        abort();
    return extent;
}

static void test_random(unsigned seed)
{
    int missed = 0, inexact = 0, found = 0, apart = 0;
    random_state = seed;
    for (int i = 0; i < 20000; i++) {
        int64_t ld = 1 + random_below(9);
        struct extent first = random_extent(ld), second = random_extent(ld);
        bool exact = first.runs == 1 || second.runs == 1 || first.stride == second.stride;
        bool truth = share_a_byte(&first, &second), answer = extents_overlap(&first, &second);
        missed += truth && !answer;
        inexact += exact && truth != answer;
        found += truth;
        apart += exact && !truth;
    }
    tap_ok(missed == 0, "no overlap is missed (%d pairs overlap, seed %u)", found, seed);
    tap_ok(inexact == 0 && apart > 1000, "equal strides are told apart exactly (%d pairs)", apart);
}

static void test_extents(void)
{
    struct extent extent;
    struct blas_vector vector = {arena, 4, -3};
    tap_ok(extent_of_vector(&vector, 4, &extent) && extent.start == (uintptr_t)arena && extent.stride == 12 &&
           extent.runs == 4 && extent.run_bytes == 4, "a negative increment starts at the pointer too");
    vector.increment = -1;
    tap_ok(extent_of_vector(&vector, 4, &extent) && extent.runs == 1 && extent.run_bytes == 16,
           "increment -1 is one run");
    vector = (struct blas_vector){(void *)(UINTPTR_MAX - 64), 100, 1};
    tap_ok(!extent_of_vector(&vector, 8, &extent), "a vector past the end of memory is none");
    vector = (struct blas_vector){NULL, 1, 1};
    tap_ok(!extent_of_vector(&vector, 8, &extent), "nor is a null pointer");
    struct blas_matrix matrix = {arena, 2, 2147483647, 2147483647, PART_FULL};
    tap_ok(extent_of_matrix(&matrix, 1, &extent), "2^62 bytes are a matrix");
    tap_ok(!extent_of_matrix(&matrix, 16, &extent), "2^66 bytes are not, although the product wraps around");
}

/* Sizes that 64-bit integers can say and no memory holds: none is an extent, and none overflows. */
static void test_huge(void)
{
    static const int64_t sizes[] = {1,
                                    2,
                                    INT64_C(1) << 31,
                                    INT64_C(1) << 32,
                                    INT64_C(1) << 59,
                                    INT64_C(1) << 60,
                                    INT64_C(1) << 61,
                                    INT64_MAX / 16,
                                    INT64_MAX / 8 + 1,
                                    INT64_MAX - 1,
                                    INT64_MAX};
    const int count = sizeof sizes / sizeof *sizes;
    struct extent extent;
    int wrong = 0, legal = 0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            struct blas_vector vector = {arena, sizes[i], sizes[j]};
            long double stride = 16.0L * (long double)sizes[j], start = (long double)(uintptr_t)arena;
            bool fits = (long double)(sizes[i] - 1) * stride + 16 + start < 0x1p63L && stride < 0x1p63L;
            wrong += extent_of_vector(&vector, 16, &extent) != fits;
            vector.increment = -sizes[j];
            wrong += extent_of_vector(&vector, 16, &extent) != fits;
            for (int k = 0; k < count; k++) {
                struct blas_matrix matrix = {arena, sizes[i], sizes[j], sizes[k], PART_FULL};
                stride = 16.0L * (long double)sizes[k];
                long double last = stride * (long double)(sizes[j] - 1) + 16.0L * (long double)sizes[i] +
                                   start;
                fits = last < 0x1p63L && stride < 0x1p63L;
                wrong += extent_of_matrix(&matrix, 16, &extent) != fits;
                legal += fits;
            }
        }
    tap_ok(wrong == 0 && legal > 10, "sizes up to 2^63 - 1 neither overflow nor pass (%d matrices fit)",
           legal);
    struct blas_vector vector = {arena, 1, INT64_MIN};
    tap_ok(!extent_of_vector(&vector, 8, &extent), "nor does an increment of -2^63");
}

static struct blas_call gemv_of(double *a, int64_t m, int64_t n, int64_t ld, double *x, int64_t incx,
                                double *y, int64_t incy)
{
    return (struct blas_call){.family = FAMILY_GEMV,
                              .type = TYPE_D,
                              .m = m,
                              .n = n,
                              .a = {a, m, n, ld, PART_FULL},
                              .x = {x, n, incx},
                              .y = {y, m, incy}};
}

static void test_calls(void)
{
    double *a = (double *)arena;
    struct blas_call call = gemv_of(a, 4, 3, 10, a + 50, 1, a + 30, 1);
    tap_ok(!overlap_is_forbidden(&call), "y in the column after the matrix is legal");
    call = gemv_of(a, 4, 3, 10, a + 50, 1, a + 20, 1);
    tap_ok(overlap_is_forbidden(&call), "y in a column of the matrix is not");
    call = gemv_of(a, 3, 3, 10, a + 80, 1, a + 3, 10);
    tap_ok(!overlap_is_forbidden(&call), "y in the row below the matrix is legal (dlabrd does that)");
    call = gemv_of(a, 4, 3, 10, a + 80, 1, a + 3, 10);
    tap_ok(overlap_is_forbidden(&call), "y in a row of the matrix is not");
    call = gemv_of(a, 4, 3, 10, a + 1, 1, a + 60, 1);
    tap_ok(!overlap_is_forbidden(&call), "x inside the matrix is only read");
    call = gemv_of(a, 4, 3, 10, a + 60, 1, a + 62, 1);
    tap_ok(overlap_is_forbidden(&call), "x and y that share an element are not legal");
    call = gemv_of(a, 4, 3, 10, a + 50, 1, a + 60, 0);
    tap_ok(overlap_is_forbidden(&call), "nor is an output with increment 0");
    call = gemv_of(a, 4, 3, 10, a + 60, 2, a + 61, 2);
    tap_ok(!overlap_is_forbidden(&call), "interleaved x and y are legal");
    call = (struct blas_call){.family = FAMILY_TRMV, .type = TYPE_D, .n = 4, .a = {a, 4, 4, 10, PART_LOWER},
                              .x = {a + 40, 4, 1}};
    tap_ok(!overlap_is_forbidden(&call), "trmv: x after the matrix is legal");
    call.x.pointer = a + 33;
    tap_ok(overlap_is_forbidden(&call), "trmv: x that reaches into it is not");
    call = (struct blas_call){.family = FAMILY_SYR2K,
                              .type = TYPE_D,
                              .n = 3,
                              .k = 2,
                              .a = {a, 3, 2, 10, PART_FULL},
                              .b = {a + 5, 3, 2, 10, PART_FULL},
                              .c = {a + 20, 3, 3, 10, PART_UPPER}};
    tap_ok(!overlap_is_forbidden(&call), "syr2k: c beside a and b is legal");
    call.b.pointer = a + 35;
    tap_ok(!overlap_is_forbidden(&call), "syr2k: c in the rows above b is legal");
    call.b.pointer = a + 32;
    tap_ok(overlap_is_forbidden(&call), "syr2k: c that shares a row with b is not");
    call = (struct blas_call){.family = FAMILY_HEMV, .type = TYPE_Z, .n = 3, .a = {a, 3, 3, 4, PART_LOWER},
                              .x = {a + 30, 3, 1}, .y = {a + 40, 3, -1}};
    tap_ok(!overlap_is_forbidden(&call), "hemv of double complex: all apart is legal");
    call.y.pointer = a + 35;
    tap_ok(overlap_is_forbidden(&call), "hemv: y that starts in the last imaginary part of x is not");
    call.y.pointer = a + 25;
    tap_ok(overlap_is_forbidden(&call), "hemv: nor y that reaches x");
    call = (struct blas_call){.family = FAMILY_SYR2K,
                              .type = TYPE_D,
                              .n = 3,
                              .k = 2,
                              .a = {a, 3, 2, 10, PART_FULL},
                              .c = {a + 20, 3, 3, 10, PART_UPPER}};
    tap_ok(overlap_is_forbidden(&call), "a null operand is left to the host");
}

UNIT_TEST(test_overlap)
{
    test_random(count > 1 ? (unsigned)strtoul(arguments[1], NULL, 10) : 20240607u);
    test_extents();
    test_huge();
    test_calls();
    return tap_done();
}
