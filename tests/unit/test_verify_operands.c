/* The ratio of `mublas verify`, and its eye for what is written where it should not be. */
#include "command/verify/verify.h"
#include "tap.h"

#include <math.h>
#include <string.h>

/* y = 2 A x + 3 y, A of order 1: the magnitudes are 2 |a| |x| + 3 |y|. */
static void test_ratio(void)
{
    struct blas_call call = {.family = FAMILY_GEMV, .type = TYPE_D, .m = 1, .n = 1, .alpha = {.d = 2},
                             .beta = {.d = 3},
                             .a.ld = 3, .x.increment = 2, .y.increment = -1};
    struct verify_operands operands;
    uint64_t seed = 1;
    tap_ok(verify_operands_make(&operands, &call, &seed), "operands are made");
    double a = *(double *)operands.hosts.a.pointer, x = *(double *)operands.hosts.x.pointer;
    double y = *(double *)operands.hosts.y.pointer, *result = operands.ours.y.pointer;
    tap_ok(a != 0 && x != 0 && y != 0 && *result == y && verify_operands_ratio(&operands) == 0,
           "the same in both copies");
    *result += 100 * 0x1p-53 * (2 * fabs(a * x) + 3 * fabs(y));
    double ratio = verify_operands_ratio(&operands);
    tap_ok(ratio > 90 && ratio < 110, "a difference of 100 units measures %g", ratio);
    *result = NAN;
    tap_ok(isinf(verify_operands_ratio(&operands)), "a NaN on one side is infinitely wrong");
    tap_ok(verify_operands_kept(&operands), "results may be written");
    verify_operands_free(&operands);
}

/* Change one byte at each offset in turn: which changes are seen? */
static int64_t seen_changes(const struct verify_operands *operands, const struct verify_buffer *buffer)
{
    int64_t seen = 0;
    for (size_t i = 0; i < buffer->elements * 8; i += 8) {
        buffer->ours[i] ^= 1;
        seen += !verify_operands_kept(operands);
        buffer->ours[i] ^= 1;
    }
    return seen;
}

static void test_kept(void)
{
    struct blas_call call = {.family = FAMILY_SYMV, .type = TYPE_D, .n = 5, .alpha = {.d = 1},
                             .beta = {.d = 1},
                             .a.ld = 7, .x.increment = 2, .y.increment = 3};
    struct verify_operands operands;
    uint64_t seed = 2;
    verify_operands_make(&operands, &call, &seed);
    tap_ok(seen_changes(&operands, &operands.a) == 35 && seen_changes(&operands, &operands.x) == 9 &&
           seen_changes(&operands, &operands.y) == 13 - 5,
               "symv may write the 5 elements of y and nothing else");
    const double *a = operands.ours.a.pointer;
    tap_ok(isnan(a[7]) && isnan(a[5]) && !isnan(a[1]) && a[1] == ((double *)operands.hosts.a.pointer)[1],
           "the other triangle and the gaps are NaN for mublas alone");
    verify_operands_free(&operands);
    call = (struct blas_call){.family = FAMILY_SYR2K, .type = TYPE_D, .n = 5, .k = 2, .uplo = UPLO_UPPER,
                              .alpha = {.d = 1},
                              .a.ld = 5, .b.ld = 6, .c.ld = 7};
    verify_operands_make(&operands, &call, &seed);
    tap_ok(seen_changes(&operands, &operands.a) == 10 && seen_changes(&operands, &operands.b) == 12 &&
           seen_changes(&operands, &operands.c) == 35 - 15, "syr2k may write the 15 elements of a triangle");
    tap_ok(isnan(*(double *)operands.ours.c.pointer), "which it must not read when beta is 0");
    verify_operands_free(&operands);
    call = (struct blas_call){.family = FAMILY_TRMV, .type = TYPE_D, .n = 5, .diag = DIAG_UNIT, .a.ld = 5,
                              .x.increment = -1};
    verify_operands_make(&operands, &call, &seed);
    tap_ok(seen_changes(&operands, &operands.a) == 25 && seen_changes(&operands, &operands.x) == 0 &&
           isnan(*(double *)operands.ours.a.pointer), "trmv may write x; a unit diagonal is not there");
    verify_operands_free(&operands);
}

int main(void)
{
    test_ratio();
    test_kept();
    return tap_done();
}
