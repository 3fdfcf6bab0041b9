/* The kernels on whatever device there is (in `make check` the emulated one) against
 * contract_model.c, bit for bit, and against the kept digests; accuracy by the BLAS
 * testers' gauge; spmv and hpmv have the bits of symv and hemv; nothing read that must not be (NaN), nothing
 * written but y. trmv runs
 * in place where operands are not aligned.
 * Arguments: the largest n (default 200, under sanitizers 97, which is several tiles, too);
 * "few": only some of the larger complex cases, as without arguments; "blocks": only some of
 * the cases that take several blocks. */
#include "contract_model.h"
#include "digest_file.h"
#include "kernel_cases.h"
#include "kernel_shapes.h"

#include "tap.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double gauge_limit = 16;
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { USUAL_MAX_N = 97, FEW_LARGE_REAL = true };
#else
enum { USUAL_MAX_N = 200, FEW_LARGE_REAL = false };
#endif

/* The last one for axpy only: x and y lie differently. */
static const struct placement placements[] = {
    {8, 0, 0, 1, 1}, {1, 1, 1, 1, 1}, {5, 3, 3, -1, 2}, {0, 2, 2, 3, -3}, {0, 1, 2, 1, 1}};
enum { PLACEMENT_COUNT = sizeof placements / sizeof *placements };
static const struct placement packed = {0, 1, 0, 2, 1};

/* Faults over the cases of one routine; the first name of each kind. */
struct verdict {
    size_t cases;
    double worst_gauge;
    char other_bits[224], guards[224], digest[224], failed[224];
};

static void note(char *where, const struct kernel_case *kernel_case, const struct placement *placement,
                 struct launch_shape shape)
{
    char text[SHAPE_TEXT_MAX];
    kernel_shape_text(&shape, text);
    if (!*where)
        snprintf(where, 224, "%s lda+%lld offset %lld %s", kernel_case->name,
                 (long long)placement->lda_padding, (long long)placement->offset, text);
}

static void note_gauge(const struct blas_call *call, const void *result, struct verdict *verdict)
{
    const double gauge = contract_model_has_gauge(call->type) ? contract_model_gauge(call, result) : 0;
    if (gauge > verdict->worst_gauge)
        verdict->worst_gauge = gauge;
}

static void run_once(struct lane *lane, const struct kernel_case *kernel_case,
                     const struct placement *placement, struct launch_shape shape, const void *expected,
                     struct verdict *verdict)
{
    struct operands operands;
    operands_make(kernel_case, placement, &operands);
    if (kernel_case->family == FAMILY_TRMV && placement->offset % 2 != 0)
        operands_put_in_place(&operands);
    if (placement == &packed)
        operands_pack(&operands);
    unsigned char *buffer = malloc(operands.y.size);
    void *result = calloc((size_t)operands.call.y.length, 16);
    if (!buffer || !result)
        abort();
    launch_shape_override(shape);
    if (operands_run(lane, &operands, buffer) == STATUS_OK) {
        operands_result(&operands, buffer, result);
        if (!results_equal(kernel_case->type, expected, result, operands.call.y.length)) {
            note(verdict->other_bits, kernel_case, placement, shape);
            if (placement != &packed)
                note_gauge(&operands.call, result, verdict);
        }
        if (!operands_guards_intact(&operands, buffer))
            note(verdict->guards, kernel_case, placement, shape);
    } else {
        note(verdict->failed, kernel_case, placement, shape);
    }
    launch_shape_override((struct launch_shape){.edge = 0});
    free(result);
    free(buffer);
    operands_free(&operands);
}

static void run_case(struct lane *lane, const struct kernel_case *kernel_case, const struct digest_file *kept,
                     struct verdict *verdict)
{
    struct operands operands;
    struct launch_shape shapes[KERNEL_SHAPES_MAX] = {{.edge = 0}};
    const bool is_axpy = kernel_case->family == FAMILY_AXPY;
    uint64_t digest;
    operands_make(kernel_case, &placements[0], &operands);
    const int shape_count = is_axpy ? 1 : kernel_shapes(&operands.call, true, shapes);
    const int64_t length = operands.call.y.length;
    void *expected = calloc((size_t)length, 16);
    if (!expected)
        abort();
    contract_model(&operands.call, expected);
    note_gauge(&operands.call, expected, verdict); /* runs have these bits, or gauges of their own */
    if (!digest_file_find(kept, kernel_case->name, &digest) ||
        digest != result_digest(kernel_case->type, expected, length))
        note(verdict->digest, kernel_case, &placements[0], shapes[0]);
    for (int i = 0; i < (is_axpy ? PLACEMENT_COUNT : PLACEMENT_COUNT - 1); i++)
        run_once(lane, kernel_case, &placements[i], shapes[0], expected, verdict);
    for (int i = 1; i < shape_count; i++)
        run_once(lane, kernel_case, &placements[i % 2], shapes[i], expected, verdict);
    if (operands_can_be_packed(kernel_case)) { /* the shape that is chosen, and one that goes round with the order */
        const struct launch_shape other = shapes[kernel_case->n % shape_count];
        run_once(lane, kernel_case, &packed, shapes[0], expected, verdict);
        if (other.variant != VARIANT_STRIPS)
            run_once(lane, kernel_case, &packed, other, expected, verdict);
    }
    verdict->cases++;
    free(expected);
    operands_free(&operands);
}

static const char *const routine_names[FAMILY_COUNT][TYPE_COUNT] = {
    [FAMILY_AXPY] = {"saxpy", "daxpy", "caxpy", "zaxpy"},
    [FAMILY_GEMV] = {"sgemv", "dgemv", "cgemv", "zgemv"},
    [FAMILY_SYMV] = {"ssymv", "dsymv", [TYPE_W] = "wsymv"},
    [FAMILY_HEMV] = {[TYPE_C] = "chemv", "zhemv"},
    [FAMILY_TRMV] = {"strmv", "dtrmv", "ctrmv", "ztrmv"}};

/* The emulated device takes its time, most of all under sanitizers. */
enum choice { EVERY_CASE, FEW_LARGE, SOME_OF_SEVERAL_BLOCKS };
#ifdef __SANITIZE_THREAD__
static const size_t fewer = 5, half = 2;
#else
static const size_t fewer = 1, half = 1;
#endif

static bool is_left_out(const struct kernel_case *kernel_case, size_t index, enum choice choice)
{
    const int64_t m = kernel_case->family == FAMILY_GEMV ? kernel_case->m : kernel_case->n;
    const bool complex = kernel_case->type == TYPE_C || kernel_case->type == TYPE_Z;
    const size_t one_in = kernel_case->family == FAMILY_SYMV   ? fewer
                          : kernel_case->family == FAMILY_HEMV ? 3 * half
                          : kernel_case->family == FAMILY_GEMV ? 7 * fewer
                                                               : 7 * half;
    if (choice == SOME_OF_SEVERAL_BLOCKS)
        return (m <= 64 && kernel_case->n <= 64) || index % one_in != 0;
    return choice == FEW_LARGE && (complex || FEW_LARGE_REAL) && m * kernel_case->n > 70 * 70 &&
           index % 7 != 0;
}

static enum choice choice_of(int argument_count, char **arguments)
{
    if (argument_count < 3)
        return argument_count == 1 ? FEW_LARGE : EVERY_CASE;
    if (strcmp(arguments[2], "blocks") == 0)
        return SOME_OF_SEVERAL_BLOCKS;
    return strcmp(arguments[2], "few") == 0 ? FEW_LARGE : EVERY_CASE;
}

/* Half of the routines a day, others every day; TEST_SEED says which, KERNELS_FULL=1 has all. */
static bool is_of_another_day(int family, int type, int argument_count)
{
    const char *const seed = getenv("TEST_SEED"), *const all = getenv("KERNELS_FULL");
    const long day = seed ? strtol(seed, NULL, 10) : (long)(time(NULL) / 86400);
    const bool is_sampled = argument_count == 1 || argument_count == 3;
    return is_sampled && !(all && *all) && (day + family + type) % 2 != 0;
}

static void test_routine(struct lane *lane, const struct kernel_case *cases, size_t count, enum choice choice,
                         enum blas_family family, enum blas_type type, const struct digest_file *kept)
{
    const char *name = routine_names[family][type];
    struct verdict verdict = {0};
    for (size_t i = 0; i < count; i++)
        if (cases[i].family == family && cases[i].type == type && !is_left_out(&cases[i], i, choice))
            run_case(lane, &cases[i], kept, &verdict);
    tap_ok(verdict.cases > 0 && !*verdict.failed, "%s runs %zu cases %s", name, verdict.cases,
           verdict.failed);
    tap_ok(!*verdict.other_bits, "%s has the bits of the contract in every placement and shape %s", name,
           verdict.other_bits);
    tap_ok(!*verdict.digest, "%s has the kept digests %s", name, verdict.digest);
    tap_ok(!*verdict.guards, "%s writes nothing but y %s", name, verdict.guards);
    if (contract_model_has_gauge(type))
        tap_ok(verdict.worst_gauge < gauge_limit, "%s is accurate: worst error %.2f eps, limit %.0f", name,
               verdict.worst_gauge, gauge_limit);
    else
        tap_skip(name,
                 "its accuracy is measured with MPFR, which configure did not find (Debian: libmpfr-dev)");
}

int main(int argument_count, char **arguments)
{
    const int64_t max_n = argument_count > 1 ? strtoll(arguments[1], NULL, 10) : USUAL_MAX_N;
    const enum choice choice = choice_of(argument_count, arguments);
    const char *source = getenv("top_srcdir");
    char path[4096];
    size_t count;
    struct device *device;
    struct device_scope scope;
    struct lane *lane;
    snprintf(path, sizeof path, "%s/tests/gpu/kernel_digests.txt", source ? source : ".");
    struct digest_file *kept = digest_file_read(path);
    if (!kept) {
        fprintf(stderr, "%s cannot be read; set top_srcdir\n", path);
        return 1;
    }
    if (device_wake(&device) != STATUS_OK)
        tap_skip_all("no device, not even an emulated one");
    if (device_enter(device, &scope) != STATUS_OK || lane_acquire(device, &lane) != STATUS_OK)
        return 1;
    struct kernel_case *cases = kernel_cases(max_n, &count);
    for (int family = FAMILY_AXPY; family <= FAMILY_TRMV; family++)
        for (int type = TYPE_S; type < TYPE_COUNT; type++)
            if (routine_names[family][type] && !is_of_another_day(family, type, argument_count))
                test_routine(lane, cases, count, choice, family, type, kept);
    lane_release(lane);
    device_leave(device, &scope);
    free(cases);
    digest_file_free(kept);
    return tap_done();
}
