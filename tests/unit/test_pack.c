/* Shapes, legality and the row-major mapping, against elements looked up one by one. */
#include "interpose/entries/pack.h"
#include "tap.h"
#include "unit_test.h"

static double storage[1024];

static struct blas_call gemv_of(int64_t m, int64_t n, enum blas_trans trans, int64_t ld)
{
    return (struct blas_call){.family = FAMILY_GEMV, .type = TYPE_Z, .m = m, .n = n, .trans = trans,
                              .alpha.z = {0, 1}, .a = {.pointer = storage, .ld = ld},
                              .x = {.pointer = storage + 400, .increment = 1},
                              .y = {.pointer = storage + 600, .increment = -2}};
}

static void test_legal(void)
{
    struct blas_call call = gemv_of(3, 5, TRANS_NONE, 3);
    tap_ok(pack_legal(&call) && call.x.length == 5 && call.y.length == 3 && call.a.rows == 3 &&
               call.a.columns == 5,
           "gemv: x is as long as a row, y as a column");
    call = gemv_of(3, 5, TRANS_CONJUGATE, 3);
    tap_ok(pack_legal(&call) && call.x.length == 3 && call.y.length == 5, "transposed, the other way round");
    call = gemv_of(3, 5, TRANS_CONJUGATE_ONLY, 3);
    tap_ok(pack_legal(&call) && call.x.length == 5 && call.y.length == 3, "only conjugated, as they were");
    call = gemv_of(3, 5, TRANS_NONE, 2);
    tap_ok(!pack_legal(&call), "a leading dimension below the rows is illegal");
    call = gemv_of(0, 5, TRANS_NONE, 3);
    tap_ok(!pack_legal(&call), "no rows are nothing to do");
    call = gemv_of(3, -1, TRANS_NONE, 3);
    tap_ok(!pack_legal(&call), "nor are -1 columns");
    call = gemv_of(3, 5, TRANS_NONE, 3);
    call.y.increment = 0;
    tap_ok(!pack_legal(&call), "increment 0 is the host's");
    call = gemv_of(INT64_C(1) << 40, 5, TRANS_NONE, (INT64_C(1) << 40) - 1);
    tap_ok(!pack_legal(&call), "sizes are compared in 64 bits");
}

static void test_work(void)
{
    struct blas_call call = gemv_of(3, 5, TRANS_NONE, 3);
    tap_ok(pack_legal(&call) && pack_scalars(&call), "alpha = i is work");
    call.alpha.z[1] = -0.0;
    tap_ok(!pack_scalars(&call), "alpha = 0 - 0i is none");
    call.alpha.z[1] = -__builtin_inf();
    tap_ok(!pack_scalars(&call), "an infinite alpha is the host's");
    call.alpha.z[1] = __builtin_nan("");
    tap_ok(pack_scalars(&call), "alpha = NaN is work");
    call = gemv_of(3, 5, TRANS_NONE, 3);
    call.y.pointer = storage + 401;
    tap_ok(pack_legal(&call) && !pack_scalars(&call), "overlapping vectors are the host's");
    call = gemv_of(INT64_C(1) << 33, INT64_C(1) << 33, TRANS_NONE, INT64_C(1) << 33);
    tap_ok(pack_legal(&call) && !pack_scalars(&call), "so is more than there can be memory");
}

/* op(A)(i, j) of a caller, as an index into a and whether it is conjugated; -1: zero. */
struct element {
    int64_t index;
    bool conjugated;
};

/* Read in columns, as a struct blas_call says. */
static struct element element_of(const struct blas_call *call, int64_t i, int64_t j)
{
    bool swapped = call->trans == TRANS_TRANSPOSE || call->trans == TRANS_CONJUGATE;
    bool conjugated = call->trans == TRANS_CONJUGATE || call->trans == TRANS_CONJUGATE_ONLY;
    int64_t row = swapped ? j : i, column = swapped ? i : j;
    if (call->a.part != PART_FULL && row != column && (row > column) != (call->a.part == PART_LOWER)) {
        if (call->family == FAMILY_TRMV)
            return (struct element){-1, false};
        int64_t other = row;
        row = column;
        column = other;
        conjugated ^= call->family == FAMILY_HEMV;
    }
    conjugated ^= call->conjugated;
    return (struct element){row + column * call->a.ld, conjugated};
}

/* As the caller of a row-major routine means it. */
static struct element element_meant(const struct blas_call *call, int64_t i, int64_t j)
{
    struct blas_call columns = *call;
    columns.a.part = call->family == FAMILY_GEMV ? PART_FULL
                     : call->uplo == UPLO_UPPER  ? PART_UPPER
                                                 : PART_LOWER;
    struct element element = element_of(&columns, i, j);
    if (element.index >= 0)
        element.index = element.index / call->a.ld + element.index % call->a.ld * call->a.ld;
    return element;
}

static void test_row_major(enum blas_family family, const char *name)
{
    int wrong = 0, cases = 0;
    for (int flags = 0; flags < 8; flags++) {
        struct blas_call meant = {.family = family,
                                  .type = TYPE_Z,
                                  .n = 4,
                                  .uplo = flags & 1 ? UPLO_UPPER : UPLO_LOWER,
                                  .a = {.pointer = storage, .ld = 7},
                                  .x = {.pointer = storage + 400, .increment = 1},
                                  .y = {.pointer = storage + 600, .increment = 1}};
        if (family == FAMILY_GEMV || family == FAMILY_TRMV)
            meant.trans = (enum blas_trans)(flags >> 1);
        if (family == FAMILY_GEMV)
            meant.m = 6;
        struct blas_call call = meant;
        pack_row_major(&call);
        wrong += !pack_legal(&call);
        bool upright = meant.trans == TRANS_NONE || meant.trans == TRANS_CONJUGATE_ONLY;
        int64_t rows = family == FAMILY_GEMV && upright ? 6 : 4,
                columns = family == FAMILY_GEMV && !upright ? 6 : 4;
        wrong += call.x.length != columns || (family != FAMILY_TRMV && call.y.length != rows);
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++, cases++) {
                struct element is = element_of(&call, i, j), expected = element_meant(&meant, i, j);
                wrong += is.index != expected.index;
                /* The diagonal of a Hermitian matrix is real. */
                wrong += is.conjugated != expected.conjugated && !(family == FAMILY_HEMV && i == j);
            }
    }
    tap_ok(wrong == 0, "row-major %s: every element is where the caller put it (%d looked up)", name, cases);
}

static void test_row_major_syr2k(void)
{
    struct blas_call call = {.family = FAMILY_SYR2K, .type = TYPE_D, .n = 3, .k = 2, .uplo = UPLO_UPPER,
                             .a = {.pointer = storage, .ld = 2}, .b = {.pointer = storage + 100, .ld = 2},
                             .c = {.pointer = storage + 200, .ld = 3}};
    pack_row_major(&call);
    tap_ok(pack_legal(&call) && call.a.rows == 2 && call.b.columns == 3 && call.c.part == PART_LOWER &&
           call.trans == TRANS_TRANSPOSE, "row-major syr2k: n by k in rows is k by n in columns");
}

UNIT_TEST(test_pack)
{
    test_legal();
    test_work();
    test_row_major(FAMILY_GEMV, "gemv");
    test_row_major(FAMILY_SYMV, "symv");
    test_row_major(FAMILY_HEMV, "hemv");
    test_row_major(FAMILY_TRMV, "trmv");
    test_row_major_syr2k();
    return tap_done();
}
