/* The kernels on operands with a few NaN, Inf and signed zeros among them: the bits of
 * contract_model.c, and a NaN wherever the reference's formulas (textbook.c) give one.
 * Nowhere else, too, but for complex products with alpha that those formulas take
 * before the sum and the contract after it.
 * Argument: the seed. */
#include "contract_model.h"
#include "kernel_cases.h"
#include "textbook.h"

#include "tap.h"

#include <math.h>

static const struct placement placements[] = {{8, 0, 0, 1, 1}, {1, 1, 1, -2, 3}};

struct counts {
    size_t cases, parts, nans, infinities, failed, other_bits, missing_nans, extra_nans, low_parts;
};

static bool is_single(enum blas_type type)
{
    return type == TYPE_S || type == TYPE_C;
}

static bool is_complex(enum blas_type type)
{
    return type == TYPE_C || type == TYPE_Z;
}

/* The two ways may differ in Inf times a zero part of alpha. */
static bool nans_are_the_same(const struct kernel_case *kernel_case)
{
    if (!is_complex(kernel_case->type) || kernel_case->family == FAMILY_AXPY ||
        kernel_case->family == FAMILY_TRMV)
        return true;
    return kernel_case->family == FAMILY_GEMV &&
           (kernel_case->trans == TRANS_TRANSPOSE || kernel_case->trans == TRANS_CONJUGATE);
}

static void count_parts(const struct kernel_case *kernel_case, const struct blas_call *call,
                        const void *result, struct counts *counts)
{
    const int parts = is_complex(call->type) ? 2 : 1, numbers = call->type == TYPE_W ? 2 : 1;
    double *expected = calloc((size_t)call->y.length, 2 * sizeof *expected);
    if (!expected)
        abort();
    textbook(call, expected);
    for (int64_t i = 0; i < call->y.length * parts; i++) {
        const double value = is_single(call->type) ? (double)((const float *)result)[i]
                                                   : ((const double *)result)[numbers * i];
        const double wanted = expected[2 / parts * i];
        counts->parts++;
        counts->nans += isnan(value) != 0;
        counts->infinities += isinf(value) != 0;
        counts->missing_nans += isnan(wanted) && !isnan(value);
        if (call->type == TYPE_W && !isfinite(value))
            counts->low_parts += ((const double *)result)[2 * i + 1] != 0;
        counts->extra_nans += !isnan(wanted) && isnan(value) && nans_are_the_same(kernel_case);
    }
    free(expected);
}

static void run_case(struct lane *lane, const struct kernel_case *kernel_case,
                     const struct placement *placement, struct counts *counts)
{
    struct operands operands;
    operands_make(kernel_case, placement, &operands);
    const int64_t length = operands.call.y.length;
    unsigned char *buffer = malloc(operands.y.size);
    void *expected = calloc((size_t)length, 16), *result = calloc((size_t)length, 16);
    if (!buffer || !expected || !result)
        abort();
    contract_model(&operands.call, expected);
    counts->cases++;
    if (operands_run(lane, &operands, buffer) == STATUS_OK) {
        operands_result(&operands, buffer, result);
        counts->other_bits += !results_equal(kernel_case->type, expected, result, length);
        count_parts(kernel_case, &operands.call, result, counts);
    } else {
        counts->failed++;
    }
    free(buffer);
    free(expected);
    free(result);
    operands_free(&operands);
}

/* Every flag of the family, small sizes, each scalar. */
static void run_family(struct lane *lane, struct kernel_case base, unsigned seed, struct counts *counts)
{
    static const int64_t sizes[][2] = {{6, 6}, {37, 37}, {70, 35}, {35, 70}};
    const bool square = base.family != FAMILY_GEMV;
    for (int flags = 0; flags < 32; flags++) {
        base.uplo = flags & 1, base.diag = flags >> 1 & 1, base.trans = flags >> 2 & 3,
        base.conjugated = flags >> 4;
        if ((base.uplo && (base.family == FAMILY_GEMV || base.family == FAMILY_AXPY)) ||
            (base.diag && base.family != FAMILY_TRMV) || (base.conjugated && base.family != FAMILY_HEMV) ||
            (base.trans && base.family != FAMILY_GEMV && base.family != FAMILY_TRMV) ||
            (base.trans > TRANS_TRANSPOSE && !is_complex(base.type)))
            continue;
        for (int turn = 0; turn < 12; turn++) {
            const int64_t *size = sizes[turn / (square ? 6 : 3) % (square ? 2 : 4)];
            base.m = square ? 0 : size[0], base.n = size[1] * (base.family == FAMILY_AXPY ? 40 : 1);
            base.specials = seed + (unsigned)(32 * turn + flags);
            kernel_case_scalars(&base, turn);
            run_case(lane, &base, &placements[turn % 2], counts);
        }
    }
}

static void test_routine(struct lane *lane, enum blas_family family, enum blas_type type, unsigned seed)
{
    static const char *const names[] = {[FAMILY_AXPY] = "axpy",
                                        [FAMILY_GEMV] = "gemv",
                                        [FAMILY_SYMV] = "symv",
                                        [FAMILY_HEMV] = "hemv",
                                        [FAMILY_TRMV] = "trmv"};
    char name[16];
    struct counts counts = {0};
    snprintf(name, sizeof name, "%c%s", "sdczw"[type], names[family]);
    run_family(lane, (struct kernel_case){.family = family, .type = type}, seed, &counts);
    tap_ok(!counts.failed && counts.nans && counts.infinities &&
               counts.nans + counts.infinities < counts.parts,
           "%s runs %zu cases; of %zu parts %zu are NaN, %zu infinite", name, counts.cases, counts.parts,
           counts.nans, counts.infinities);
    tap_ok(!counts.other_bits, "%s has the bits of the contract: %zu cases differ", name, counts.other_bits);
    tap_ok(!counts.missing_nans, "%s gives a NaN where the reference does: %zu missing", name,
           counts.missing_nans);
    tap_ok(!counts.extra_nans, "%s gives no other NaN: %zu found", name, counts.extra_nans);
    if (type == TYPE_W)
        tap_ok(!counts.low_parts, "%s has lo = 0 beside NaN and Inf: %zu do not", name, counts.low_parts);
}

int main(int argument_count, char **arguments)
{
    const unsigned seed = argument_count > 1 ? (unsigned)strtoul(arguments[1], NULL, 10) : 1;
    struct device *device;
    struct device_scope scope;
    struct lane *lane;
    if (device_wake(&device) != STATUS_OK)
        tap_skip_all("no device, not even an emulated one");
    if (device_enter(device, &scope) != STATUS_OK || lane_acquire(device, &lane) != STATUS_OK)
        return 1;
    printf("# seed %u\n", seed);
    for (int family = FAMILY_AXPY; family <= FAMILY_TRMV; family++)
        for (int type = TYPE_S; type < TYPE_COUNT; type++)
            if (blas_full_family((enum blas_family)family) != (enum blas_family)family)
                continue; /* packed, with the same arithmetic */
            else if (type == TYPE_W ? family == FAMILY_SYMV
                               : (family != FAMILY_SYMV || !is_complex(type)) &&
                                     (family != FAMILY_HEMV || is_complex(type)))
                test_routine(lane, family, type, seed);
    lane_release(lane);
    device_leave(device, &scope);
    return tap_done();
}
