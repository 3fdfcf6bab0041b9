/* A matrix-vector call over several devices: every element of the matrix has its part in every sum once, and
 * the columns are dealt by pace and memory. */
#include "interpose/execute/split.h"
#include "tap.h"
#include "unit_test.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ORDER_MOST = 1200 };

/* A time so long that even parts are worth any number of pieces. */
static const double LONG_US = 1e7;

/* How often A(i, j) times x(j) came to result i, of the matrix as the routine sees it. */
static unsigned char seen[ORDER_MOST][ORDER_MOST];
static int64_t piece_of[ORDER_MOST][ORDER_MOST];

struct look {
    const struct split_plan *plan;
    int device;
    bool good;
};

static void see(struct look *look, int64_t result, int64_t term, int64_t piece)
{
    look->good = look->good && term >= piece && term < split_plan_piece_end(look->plan, piece);
    seen[result][term]++;
    piece_of[result][term] = piece;
}

/* Notes the element's place in the whole matrix. */
static void see_element(struct look *look, const struct split_step *step, int64_t row, int64_t column)
{
    struct blas_matrix parts[SPLIT_PARTS];
    const struct blas_matrix *const part = &parts[step->part];
    const struct blas_call *const call = look->plan->call;
    const bool symmetric = blas_is_symmetric(&step->call);
    const bool across = !symmetric && blas_is_transposed(&step->call);
    const int64_t result = step->result_first + (across ? column : row),
                  term = step->x_first + (across ? row : column);
    if (step->part >= split_plan_parts(look->plan, look->device, parts)) {
        look->good = false;
        return;
    }
    const int64_t at = ((double *)part->pointer - (double *)call->a.pointer) + step->row + row +
                       (step->column + column) * call->a.ld;
    const int64_t there = across ? term + result * call->a.ld : result + term * call->a.ld;
    look->good = look->good && (at == there || symmetric) && step->row + row < part->rows &&
                 step->column + column < part->columns;
    see(look, result, term, step->piece);
}

static enum status visit(void *context, const struct split_step *step)
{
    struct look *look = context;
    const struct blas_call *const call = &step->call;
    const bool full = call->family == FAMILY_GEMV;
    const int64_t rows = full ? call->m : call->n;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < call->n; j++)
            if (full || blas_is_symmetric(call) || (call->uplo == UPLO_LOWER) == (i >= j) || i == j)
                see_element(look, step, i, j);
    return STATUS_OK;
}

/* The result's index is a row of op(A). */
static bool is_term(const struct blas_call *call, int64_t result, int64_t term)
{
    if (call->family != FAMILY_TRMV)
        return true;
    return (call->uplo == UPLO_LOWER) != blas_is_transposed(call) ? term <= result : term >= result;
}

static bool covers_all(const struct split_plan *plan)
{
    struct look look = {.plan = plan, .good = true};
    const int64_t results = split_plan_results(plan), terms = split_plan_terms(plan);
    memset(seen, 0, sizeof seen);
    for (look.device = 0; look.device < plan->devices; look.device++)
        split_plan_each(plan, look.device, visit, &look);
    for (int64_t i = 0; i < results && look.good; i++)
        for (int64_t j = 0; j < terms; j++)
            look.good = look.good && seen[i][j] == (is_term(plan->call, i, j) ? 1 : 0);
    return look.good;
}

static struct blas_call call_of(enum blas_family family, enum blas_trans trans, enum blas_uplo uplo,
                                int64_t m, int64_t n)
{
    static double a[1];
    return (struct blas_call){.family = family,
                              .type = TYPE_D,
                              .trans = trans,
                              .uplo = uplo,
                              .m = m,
                              .n = n,
                              .a = {a, family == FAMILY_GEMV ? m : n, n, ORDER_MOST,
                                    family == FAMILY_GEMV ? PART_FULL
                                    : uplo == UPLO_LOWER  ? PART_LOWER
                                                          : PART_UPPER}};
}

static void test_cover(void)
{
    static const struct {
        enum blas_family family;
        enum blas_trans trans;
        enum blas_uplo uplo;
        const char *name;
    } kinds[] = {
        {FAMILY_GEMV, TRANS_NONE, UPLO_LOWER, "gemv"},
        {FAMILY_GEMV, TRANS_TRANSPOSE, UPLO_LOWER, "gemv, transposed"},
        {FAMILY_SYMV, TRANS_NONE, UPLO_LOWER, "symv, lower"},
        {FAMILY_SYMV, TRANS_NONE, UPLO_UPPER, "symv, upper"},
        {FAMILY_TRMV, TRANS_NONE, UPLO_LOWER, "trmv, lower"},
        {FAMILY_TRMV, TRANS_NONE, UPLO_UPPER, "trmv, upper"},
        {FAMILY_TRMV, TRANS_TRANSPOSE, UPLO_LOWER, "trmv, lower, transposed"},
        {FAMILY_TRMV, TRANS_TRANSPOSE, UPLO_UPPER, "trmv, upper, transposed"},
    };
    static const struct split_share shares[3] = {{600, 3}, {500, 1}, {700, 2}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct blas_call call = call_of(kinds[i].family, kinds[i].trans, kinds[i].uplo, 700, 1030);
        struct split_plan plan;
        tap_ok(split_plan_make(&plan, &call, shares, 3, LONG_US) && plan.first[1] % SPLIT_NODE == 0 &&
                   plan.first[2] % SPLIT_NODE == 0 && plan.first[3] == 1030 && covers_all(&plan),
               "%s: each element once, in its piece", kinds[i].name);
    }
}

static bool deals_at(double alone_us, const struct blas_call *call, const struct split_share *shares,
                     int devices, const int64_t *first)
{
    struct split_plan plan;
    if (!split_plan_make(&plan, call, shares, devices, alone_us))
        return !first;
    for (int d = 0; d <= devices && first; d++)
        if (plan.first[d] != first[d])
            return false;
    return first != NULL;
}

static bool deals(const struct blas_call *call, const struct split_share *shares, int devices,
                  const int64_t *first)
{
    return deals_at(LONG_US, call, shares, devices, first);
}

static void test_shares(void)
{
    const struct blas_call gemv = call_of(FAMILY_GEMV, TRANS_NONE, UPLO_LOWER, 1, 8 * SPLIT_NODE);
    const struct blas_call lower = call_of(FAMILY_SYMV, TRANS_NONE, UPLO_LOWER, 0, 8 * SPLIT_NODE);
    const struct blas_call upper = call_of(FAMILY_SYMV, TRANS_NONE, UPLO_UPPER, 0, 8 * SPLIT_NODE);
    const struct blas_call large = call_of(FAMILY_GEMV, TRANS_NONE, UPLO_LOWER, 1, 8 * (int64_t)SPLIT_CHAIN);
    const int64_t node = SPLIT_NODE, chain = SPLIT_CHAIN, many = INT64_C(1) << 40;
    tap_ok(deals(&gemv, (struct split_share[]){{many, 3}, {many, 1}}, 2, (int64_t[]){0, 6 * node, 8 * node}),
           "columns by pace: three parts of four");
    tap_ok(
        deals(&lower, (struct split_share[]){{many, 1}, {many, 1}}, 2, (int64_t[]){0, 2 * node, 8 * node}) &&
            deals(&upper, (struct split_share[]){{many, 1}, {many, 1}}, 2,
                  (int64_t[]){0, 6 * node, 8 * node}),
        "of a triangle by its area");
    tap_ok(deals(&gemv, (struct split_share[]){{3 * node + 5, 3}, {many, 1}}, 2,
                 (int64_t[]){0, 3 * node, 8 * node}),
           "as far as a device can hold them");
    tap_ok(
        deals(&gemv, (struct split_share[]){{many, 1}, {2 * node, 3}}, 2, (int64_t[]){0, 6 * node, 8 * node}),
        "and no more to others than they can");
    tap_ok(deals(&gemv, (struct split_share[]){{4 * node, 1}, {4 * node - 1, 3}}, 2, NULL),
           "no device has too many");
    tap_ok(deals(&gemv, (struct split_share[]){{many, 1}, {0, 1}, {many, 1}}, 3,
                 (int64_t[]){0, 3 * node, 3 * node, 8 * node}),
           "one without memory has none");
    tap_ok(
        deals(&large, (struct split_share[]){{many, 5}, {many, 3}}, 2, (int64_t[]){0, 5 * chain, 8 * chain}),
        "a large one is cut at chains");
    const struct blas_call small = call_of(FAMILY_GEMV, TRANS_NONE, UPLO_LOWER, 1, node + 1);
    tap_ok(deals(&small, (struct split_share[]){{many, 1}, {many, 3}}, 2, (int64_t[]){0, node, node + 1}) &&
               deals(&small, (struct split_share[]){{many, 1e3}, {many, 1}}, 2,
                     (int64_t[]){0, node, node + 1}),
           "none has all, if its part comes closest to that");
    const struct blas_call axpy = {.family = FAMILY_AXPY, .n = 1000},
                           gemm = {.family = FAMILY_GEMM, .n = 1000};
    tap_ok(deals(&axpy, (struct split_share[]){{many, 5}, {many, 3}}, 2, NULL) &&
               deals(&gemm, (struct split_share[]){{many, 5}, {many, 3}}, 2, NULL),
           "other routines are not split");
}

static void test_poor_last(void)
{
    const int64_t node = SPLIT_NODE;
    const struct blas_call gemv = call_of(FAMILY_GEMV, TRANS_NONE, UPLO_LOWER, 1, 8 * node + 40);
    const struct split_share shares[] = {{6 * node, 1}, {2 * node + 50, 1}, {10, 1}};
    struct split_plan plan;
    tap_ok(split_plan_make(&plan, &gemv, shares, 3, LONG_US) && plan.devices == 2 &&
               plan.first[1] == 6 * node && plan.first[2] == 8 * node + 40,
           "a last one with hardly any room does not spoil it");
    tap_ok(!split_plan_make(&plan, &gemv, shares + 1, 2, LONG_US), "too little room for two");
}

/* A resident matrix of double precision on an H100, whose times these are about. */
static void test_cuts(void)
{
    const int64_t chain = SPLIT_CHAIN, many = INT64_C(1) << 40;
    const struct split_share alike[] = {{many, 1}, {many, 1}, {many, 1}};
    static const int64_t orders[] = {20000, 24000, 33000, 40000, 60000};
    const double bytes_a_us = 2.6e6;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        const int64_t n = orders[i], cut = n < 49152 ? chain : 2 * chain;
        const struct blas_call call = call_of(FAMILY_GEMV, TRANS_NONE, UPLO_LOWER, n, n),
                               across = call_of(FAMILY_GEMV, TRANS_TRANSPOSE, UPLO_LOWER, n, n);
        const double alone_us = (double)(8 * n * n) / bytes_a_us,
                     longer = (double)(cut > n - cut ? cut : n - cut);
        const int64_t chains = (n + chain - 1) / chain; /* of which one device brings one, too */
        struct split_plan plan;
        tap_ok(deals_at(alone_us, &call, alike, 2, (int64_t[]){0, cut, n}) &&
                   split_plan_make(&plan, &call, alike, 2, alone_us) &&
                   fabs(split_plan_us(&plan, alone_us) -
                        (alone_us * longer / (double)n + 100 + (double)((chains - 1) * 8 * n) / 4000)) < 1,
               "order %" PRId64 ": between chains, and the longer part counts", n);
        tap_ok(split_plan_make(&plan, &across, alike, 2, alone_us) &&
                   llabs(plan.first[1] - n / 2) <= SPLIT_NODE / 2,
               "order %" PRId64 ", transposed: anywhere", n);
    }
    const struct blas_call call = call_of(FAMILY_GEMV, TRANS_NONE, UPLO_LOWER, 40000, 40000);
    tap_ok(deals_at(1000, &call, alike, 3, (int64_t[]){0, chain, 2 * chain, 40000}), "three devices");
    const struct split_share poor[] = {{34000, 1}, {7000, 1}};
    tap_ok(deals_at(1000, &call, poor, 2, (int64_t[]){0, 129 * SPLIT_NODE, 40000}),
           "inside a chain where there is no room for another cut");
    const struct split_share unlike[] = {{many, 1}, {many, 7}};
    struct split_plan plan;
    tap_ok(split_plan_make(&plan, &call, unlike, 2, 1e5) && plan.first[1] == 20 * SPLIT_NODE &&
               fabs(plan.longest - 20.0 * SPLIT_NODE / 40000) < 0.001,
           "unlike ones by pace, and the part of the slow one is the longest");
}

/* Takes the cuts of products by A itself if it is transposed, and the other way round. */
static bool serves(struct split_plan *plan, const struct blas_call *call, double alone_us)
{
    const int64_t many = INT64_C(1) << 40;
    const struct split_share alike[] = {{many, 1}, {many, 1}};
    struct blas_call turned;
    if (!split_plan_turn(&turned, call) || !split_plan_make(plan, &turned, alike, 2, alone_us))
        return false;
    split_plan_serve(plan, call);
    return plan->call == call;
}

static void test_turned(void)
{
    const int64_t chain = SPLIT_CHAIN, n = 40000;
    const double alone_us = 5000;
    const struct blas_call call = call_of(FAMILY_GEMV, TRANS_NONE, UPLO_LOWER, n, n),
                           across = call_of(FAMILY_GEMV, TRANS_TRANSPOSE, UPLO_LOWER, n, n),
                           lower = call_of(FAMILY_SYMV, TRANS_NONE, UPLO_LOWER, 0, n),
                           small = call_of(FAMILY_TRMV, TRANS_NONE, UPLO_UPPER, 0, 1030);
    struct split_plan plan;
    tap_ok(serves(&plan, &across, alone_us) && plan.first[1] == chain && plan.added == 0 &&
               fabs(split_plan_us(&plan, alone_us) - (alone_us * (double)(n - chain) / (double)n + 100)) < 1,
           "a transposed one by the other's cuts: without partials");
    tap_ok(serves(&plan, &call, alone_us) && llabs(plan.first[1] - n / 2) <= SPLIT_NODE / 2 &&
               plan.added > 64 * n,
           "the other by its cuts: with many");
    tap_ok(!serves(&plan, &lower, alone_us), "a symmetric one is not turned");
    tap_ok(serves(&plan, &small, LONG_US) && covers_all(&plan), "each element once, in its piece");
}

static struct split_plan plan_alike(const struct blas_call *call, int devices, double alone_us)
{
    struct split_share shares[DEVICES_MAX];
    struct split_plan plan;
    for (int d = 0; d < devices; d++)
        shares[d] = (struct split_share){.columns_most = call->n, .pace = 1};
    if (!split_plan_make(&plan, call, shares, devices, alone_us))
        plan.devices = 0;
    return plan;
}

/* Fewer chains than devices. */
static void test_fewer(void)
{
    const int64_t chain = SPLIT_CHAIN, many = INT64_C(1) << 40;
    const struct blas_call two = call_of(FAMILY_GEMV, TRANS_NONE, UPLO_LOWER, 32768, 32768),
                           less = call_of(FAMILY_GEMV, TRANS_NONE, UPLO_LOWER, 24000, 24000);
    struct split_plan plan = plan_alike(&two, 3, 3300);
    tap_ok(plan.devices == 2 && plan.first[1] == chain, "two chains on three devices: one each");
    plan = plan_alike(&less, 8, 1770);
    tap_ok(plan.devices == 2 && plan.first[1] == chain &&
               fabs(split_plan_us(&plan, 1770) - (1770 * 16384.0 / 24000 + 100 + 8 * 24000 / 4000)) < 1,
           "more devices than chains do not make it longer");
    tap_ok(split_plan_expected_us(&less, 1770, 8, 1, 1400) == split_plan_us(&plan, 1770) &&
               split_plan_expected_us(&less, 1770, 2, 1, 1400) == split_plan_us(&plan, 1770) &&
               isinf(split_plan_expected_us(&less, 1770, 8, 1, 1300)),
           "as long as is expected of up to so many, if that is short enough");
    tap_ok(isinf(split_plan_expected_us(&two, 3300, 2, 0.6, 0.8 * 3300)) &&
               fabs(split_plan_expected_us(&two, 3300, 2, 0.7, 0.8 * 3300) -
                    (3300 * 0.5 / 0.7 + 100 + 65.536)) < 1,
           "of the last one by its pace");
    const struct blas_call narrow = call_of(FAMILY_GEMV, TRANS_NONE, UPLO_LOWER, 1000, SPLIT_NODE),
                           wide = call_of(FAMILY_GEMV, TRANS_NONE, UPLO_LOWER, 1, 65 * (int64_t)SPLIT_CHAIN);
    tap_ok(isinf(split_plan_expected_us(&narrow, 0, 8, 1, HUGE_VAL)) &&
               isinf(split_plan_expected_us(&wide, 0, 8, 1, HUGE_VAL)) &&
               !isinf(split_plan_expected_us(&two, 0, 8, 1, HUGE_VAL)),
           "what no number of devices splits");
    const struct blas_call tall = call_of(FAMILY_GEMV, TRANS_NONE, UPLO_LOWER, 10000000, 512),
                           lower = call_of(FAMILY_SYMV, TRANS_NONE, UPLO_LOWER, 0, 24000);
    tap_ok(isinf(split_plan_expected_us(&tall, 15800, 2, 1, 15800)),
           "a second result may cost more than the half");
    plan = plan_alike(&lower, 2, 890);
    tap_ok(plan.first[1] == chain && plan.added == 24000, "of a triangle most partials are shorter");
    const struct blas_call large = call_of(FAMILY_GEMV, TRANS_TRANSPOSE, UPLO_LOWER, 21 * 4096, 21 * 4096);
    const struct split_share slow[] = {{many, 1}, {many, 1}, {many, 0.1}},
                             room[] = {{many, 1}, {0, 1}, {many, 1}};
    tap_ok(split_plan_make(&plan, &large, slow, 3, 1e4) && plan.devices == 3 &&
               fabs(plan.longest - 10.0 / 21) < 0.002,
           "a slow one does what it can, beside the first's pace");
    tap_ok(split_plan_make(&plan, &large, slow, 3, 500) && plan.devices == 2,
           "and is left out where that is not worth it");
    const struct blas_call four = call_of(FAMILY_GEMV, TRANS_NONE, UPLO_LOWER, 50000, 50000);
    tap_ok(split_plan_make(&plan, &four, room, 3, 7000) && plan.devices == 3 && plan.first[2] == chain &&
               plan.added == 3 * 50000,
           "all are asked where only the last has room; one without columns brings nothing");
}

static enum status count_elements(void *context, const struct split_step *step)
{
    const struct blas_call *const call = &step->call;
    const double n = (double)call->n;
    *(double *)context += call->family == FAMILY_GEMV ? (double)call->m * n : n * (n + 1) / 2;
    return STATUS_OK;
}

/* The most that its steps read on one device, as a part of the whole. */
static double longest_read(const struct split_plan *plan)
{
    const double n = (double)plan->call->n;
    double longest = 0;
    for (int d = 0; d < plan->devices; d++) {
        double elements = 0;
        split_plan_each(plan, d, count_elements, &elements);
        longest = fmax(longest, elements / (n * (n + 1) / 2));
    }
    return longest;
}

static void test_triangles(void)
{
    static const struct {
        enum blas_family family;
        enum blas_uplo uplo;
        const char *name;
    } kinds[] = {{FAMILY_SYMV, UPLO_LOWER, "symv, lower"},
                 {FAMILY_SYMV, UPLO_UPPER, "symv, upper"},
                 {FAMILY_TRMV, UPLO_LOWER, "trmv, lower"},
                 {FAMILY_TRMV, UPLO_UPPER, "trmv, upper"}};
    static const int64_t orders[] = {316, 1600, 40000, 80000};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (size_t j = 0; j < sizeof orders / sizeof *orders; j++) {
            const struct blas_call call = call_of(kinds[i].family, TRANS_NONE, kinds[i].uplo, 0, orders[j]);
            const struct split_plan plan = plan_alike(&call, 2, 100);
            tap_ok(plan.devices == 2 && fabs(plan.longest - longest_read(&plan)) < 0.02,
                   "%s of order %" PRId64 ": the longest part is what is read there", kinds[i].name,
                   orders[j]);
        }
    const struct blas_call lower = call_of(FAMILY_SYMV, TRANS_NONE, UPLO_LOWER, 0, 40000),
                           large = call_of(FAMILY_SYMV, TRANS_NONE, UPLO_LOWER, 0, 80000);
    tap_ok(isinf(split_plan_expected_us(&lower, 1700, 2, 1, 1700)) &&
               isinf(split_plan_expected_us(&large, 6800, 2, 1, 6800)) &&
               split_plan_expected_us(&large, 6800, 4, 1, 6800) < 6000,
           "a symmetric matrix is worth more than two devices, if any");
}

UNIT_TEST(test_split_plan)
{
    test_triangles();
    test_cuts();
    test_turned();
    test_fewer();
    test_cover();
    test_poor_last();
    test_shares();
    return tap_done();
}
