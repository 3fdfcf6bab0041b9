/* Parts from several devices add up as a plain sum in the contract's order does, bit for bit. */
#include "interpose/execute/split.h"
#include "tap.h"
#include "unit_test.h"

#include <math.h>
#include <string.h>

enum { ADDENDS_MOST = 2048 };

static uint64_t state = 1;

/* Numbers have many sizes, so that another order of summation has other bits. */
static double next(void)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    const double number = (double)(int64_t)state / (double)INT64_MAX;
    return ldexp(number, (int)(state % 30));
}

/* A call, and what its steps would bring. Numbers of single precision are kept in double, too. */
struct problem {
    struct blas_call call;
    struct split_plan plan;
    int parts;
    bool single;
    struct split_addend addends[ADDENDS_MOST];
    double *plain[ADDENDS_MOST]; /* their values */
    int count;
    double *before;
};

static double rounded(const struct problem *problem, double number)
{
    return problem->single ? (double)(float)number : number;
}

static void *make_numbers(const struct problem *problem, int64_t count, double *plain)
{
    void *const numbers = malloc((size_t)count * sizeof(double));
    for (int64_t i = 0; i < count && numbers; i++) {
        plain[i] = rounded(problem, next());
        if (problem->single)
            ((float *)numbers)[i] = (float)plain[i];
        else
            ((double *)numbers)[i] = plain[i];
    }
    return numbers;
}

static enum status bring(void *context, const struct split_step *step)
{
    struct problem *const problem = context;
    const int64_t count = step->results * problem->parts;
    if (problem->count == ADDENDS_MOST)
        return STATUS_OUT_OF_MEMORY;
    problem->plain[problem->count] = malloc((size_t)count * sizeof(double));
    problem->addends[problem->count] = (struct split_addend){
        .values = make_numbers(problem, count, problem->plain[problem->count]), .piece = step->piece,
        .result_first = step->result_first, .results = step->results};
    problem->count++;
    return STATUS_OK;
}

/* One number's sum. */
struct chains {
    double chain, all;
    int64_t chain_number;
    bool has_chain, has_all;
};

static void end_chain(const struct problem *problem, struct chains *chains)
{
    if (!chains->has_chain)
        return;
    chains->all = chains->has_all ? rounded(problem, chains->all + chains->chain) : chains->chain;
    chains->has_all = true;
    chains->has_chain = false;
}

static void add(const struct problem *problem, struct chains *chains, int64_t piece, double value)
{
    if (chains->has_chain && chains->chain_number != piece / SPLIT_CHAIN)
        end_chain(problem, chains);
    chains->chain = chains->has_chain ? rounded(problem, chains->chain + value) : value;
    chains->chain_number = piece / SPLIT_CHAIN;
    chains->has_chain = true;
}

static void add_pieces(const struct problem *problem, struct chains *sums)
{
    const int64_t terms = split_plan_terms(&problem->plan);
    for (int64_t piece = 0; piece < terms; piece = split_plan_piece_end(&problem->plan, piece))
        for (int k = 0; k < problem->count; k++) {
            const struct split_addend *const addend = &problem->addends[k];
            for (int64_t i = 0; i < addend->results * problem->parts && addend->piece == piece; i++)
                add(problem, &sums[addend->result_first * problem->parts + i], piece, problem->plain[k][i]);
        }
}

static double fused(const struct problem *problem, double a, double b, double c)
{
    return problem->single ? (double)fmaf((float)a, (float)b, (float)c) : fma(a, b, c);
}

/* acc + a x */
static void add_term(const struct problem *problem, const double a[2], const double x[2], double acc[2])
{
    acc[0] = fused(problem, -a[1], x[1], fused(problem, a[0], x[0], acc[0]));
    acc[1] = fused(problem, a[1], x[0], fused(problem, a[0], x[1], acc[1]));
}

static const double alpha[2] = {1.25, -0.75}, beta[2] = {-0.5, 2.125};

static void expect(const struct problem *problem, const struct chains *sums, int64_t i, double *expected)
{
    const double zero[2] = {-0.0, -0.0}; /* adds nothing to a product */
    const double *const old = &problem->before[i];
    memcpy(expected, zero, sizeof zero);
    if (problem->call.family == FAMILY_TRMV) {
        for (int part = 0; part < problem->parts; part++)
            expected[part] = sums[i + part].all;
    } else if (problem->parts == 1) {
        expected[0] = fused(problem, alpha[0], sums[i].all, rounded(problem, beta[0] * old[0]));
    } else {
        add_term(problem, beta, old, expected);
        add_term(problem, alpha, (double[]){sums[i].all, sums[i + 1].all}, expected);
    }
}

static int64_t count_wrong(const struct problem *problem, const void *result)
{
    const int64_t numbers = split_plan_results(&problem->plan) * problem->parts;
    struct chains *const sums = calloc((size_t)numbers, sizeof *sums);
    int64_t wrong = 0;
    add_pieces(problem, sums);
    for (int64_t i = 0; i < numbers; i += problem->parts) {
        double expected[2];
        for (int part = 0; part < problem->parts; part++)
            end_chain(problem, &sums[i + part]);
        expect(problem, sums, i, expected);
        for (int part = 0; part < problem->parts; part++) {
            const double there = problem->single ? (double)((const float *)result)[i + part]
                                                 : ((const double *)result)[i + part];
            wrong += !(there == expected[part]);
        }
    }
    free(sums);
    return wrong;
}

static void set_scalars(struct blas_call *call, bool single)
{
    for (int part = 0; part < 2; part++)
        if (single) {
            call->alpha.c[part] = (float)alpha[part];
            call->beta.c[part] = (float)beta[part];
        } else {
            call->alpha.z[part] = alpha[part];
            call->beta.z[part] = beta[part];
        }
}

static const struct kind {
    enum blas_family family;
    enum blas_type type;
    enum blas_trans trans;
    enum blas_uplo uplo;
    const char *name;
} kinds[] = {
    {FAMILY_GEMV, TYPE_D, TRANS_NONE, UPLO_LOWER, "dgemv"},
    {FAMILY_GEMV, TYPE_C, TRANS_CONJUGATE, UPLO_LOWER, "cgemv, transposed"},
    {FAMILY_SYMV, TYPE_S, TRANS_NONE, UPLO_LOWER, "ssymv, lower"},
    {FAMILY_HEMV, TYPE_Z, TRANS_NONE, UPLO_UPPER, "zhemv, upper"},
    {FAMILY_TRMV, TYPE_D, TRANS_NONE, UPLO_LOWER, "dtrmv, lower"},
    {FAMILY_TRMV, TYPE_C, TRANS_NONE, UPLO_UPPER, "ctrmv, upper"},
    {FAMILY_TRMV, TYPE_S, TRANS_TRANSPOSE, UPLO_LOWER, "strmv, lower, transposed"},
    {FAMILY_TRMV, TYPE_Z, TRANS_TRANSPOSE, UPLO_UPPER, "ztrmv, upper, transposed"},
};

static struct problem *make_problem(const struct kind *kind, int64_t n, const struct split_share *shares,
                                    int devices)
{
    static double a[1];
    struct problem *const problem = calloc(1, sizeof *problem);
    problem->parts = blas_scalar_parts(kind->type);
    problem->single = blas_is_single(kind->type);
    problem->call = (struct blas_call){
        .family = kind->family, .type = kind->type, .trans = kind->trans, .uplo = kind->uplo,
        .m = kind->family == FAMILY_GEMV ? n / 4 : 0, .n = n,
        .a = {.pointer = a, .rows = n, .columns = n, .ld = n}};
    set_scalars(&problem->call, problem->single);
    bool good = split_plan_make(&problem->plan, &problem->call, shares, devices, 1e6);
    for (int d = 0; d < devices && good; d++)
        good = split_plan_each(&problem->plan, d, bring, problem) == STATUS_OK;
    if (!good)
        abort();
    return problem;
}

static void free_problem(struct problem *problem)
{
    for (int k = 0; k < problem->count; k++) {
        free((void *)problem->addends[k].values);
        free(problem->plain[k]);
    }
    free(problem->before);
    free(problem);
}

static enum status sum(struct problem *problem, void *result)
{
    struct split_memory memory;
    enum status status = STATUS_OUT_OF_MEMORY;
    if (split_memory_take(&memory, split_sum_bytes(&problem->plan)))
        status = split_sum(&problem->plan, problem->addends, problem->count, &memory, result);
    split_memory_give_back(&memory);
    return status;
}

/* The plain sum first: the addends and their plain values are in one order until then. */
static void *sum_and_count(struct problem *problem, int64_t *wrong)
{
    const int64_t numbers = split_plan_results(&problem->plan) * problem->parts;
    const struct problem as_brought = *problem;
    problem->before = malloc((size_t)numbers * sizeof(double));
    void *const result = make_numbers(problem, numbers, problem->before);
    struct problem plain = as_brought;
    plain.before = problem->before;
    *wrong = sum(problem, result) == STATUS_OK ? count_wrong(&plain, result) : numbers;
    return result;
}

static void test_sum(const struct kind *kind, int64_t n, const struct split_share *shares, int devices)
{
    struct problem *const problem = make_problem(kind, n, shares, devices);
    int64_t wrong;
    free(sum_and_count(problem, &wrong));
    tap_ok(wrong == 0, "%s of order %lld on %d devices: %d addends, %lld results differ from a plain sum",
           kind->name, (long long)n, devices, problem->count, (long long)wrong);
    free_problem(problem);
}

/* A complex number that is not finite is for the host; in real types it is one like others. */
static void test_not_finite(const struct kind *kind, enum status expected)
{
    static const struct split_share shares[2] = {{1 << 20, 1}, {1 << 20, 1}};
    struct problem *const problem = make_problem(kind, 1030, shares, 2);
    const int64_t bytes = split_plan_results(&problem->plan) * (int64_t)blas_element_bytes(kind->type);
    unsigned char *const result = malloc((size_t)bytes);
    memset(result, 0x11, (size_t)bytes);
    const int last = problem->count - 1;
    const int64_t at = problem->addends[last].results * problem->parts - 1;
    if (problem->single)
        ((float *)problem->addends[last].values)[at] = INFINITY;
    else
        ((double *)problem->addends[last].values)[at] = NAN;
    bool good = sum(problem, result) == expected;
    for (int64_t i = 0; i < bytes && expected != STATUS_OK; i++)
        good = good && result[i] == 0x11;
    tap_ok(good, "%s with a number that is not finite: %s", kind->name,
           expected == STATUS_OK ? "summed" : "refused, with the result as it was");
    free(result);
    free_problem(problem);
}

UNIT_TEST(test_split_sum)
{
    static const struct split_share few[3] = {{600, 3}, {500, 1}, {700, 2}},
                                    many[2] = {{1 << 20, 3}, {1 << 20, 2}},
                                    chains[2] = {{1 << 20, 1}, {1 << 20, 1}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        test_sum(&kinds[i], 1030, few, 3);
        test_sum(&kinds[i], 2 * SPLIT_CHAIN + 5000, many, 2); /* a chain is on both */
        test_sum(&kinds[i], 4 * SPLIT_CHAIN + 100, chains, 2);
        test_not_finite(&kinds[i], blas_scalar_parts(kinds[i].type) == 2 ? STATUS_UNSUPPORTED : STATUS_OK);
    }
    return tap_done();
}
