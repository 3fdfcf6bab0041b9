/* foretold.c - are the times that an estimate foretells of calls on an H100 (mublas run --estimate) right?
 *
 *   xz -dc bench/results/h100-crossovers/calls.csv.xz | bench/foretold
 *
 * Reads calls as bench/crossovers has measured them, resident on the device, and tells for each family of
 * those that take there at most 1.5 times what the host takes: what is foretold over what was measured, as
 * quantiles. */
#include "common/blas_call.h"
#include "tuner/online/crossover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS_MOST = 1 << 14 };
static const double loses_most = 1.5;

struct ratios {
    double of[CALLS_MOST];
    int count;
};

static struct ratios families[FAMILY_COUNT], all;

static struct blas_matrix matrix(int64_t rows, int64_t columns, enum blas_part part)
{
    static double something;
    return (struct blas_matrix){&something, rows, columns, rows, part};
}

/* Without a level 2 vector's length the time would lack its way. */
static void add_operands(struct blas_call *call)
{
    const int64_t order = blas_side_order(call);
    const bool transposed = blas_is_transposed(call);
    if (call->family == FAMILY_GEMV) {
        call->a = matrix(call->m, call->n, PART_FULL);
        call->x.length = transposed ? call->m : call->n;
        call->y.length = transposed ? call->n : call->m;
    } else if (call->family == FAMILY_GEMM) {
        call->a = matrix(call->m, call->k, PART_FULL);
        call->b = matrix(call->k, call->n, PART_FULL);
        call->c = matrix(call->m, call->n, PART_FULL);
    } else if (blas_is_update(call->family)) {
        call->a = matrix(call->n, call->k, PART_FULL);
        if (call->family == FAMILY_SYR2K || call->family == FAMILY_HER2K)
            call->b = call->a;
        call->c = matrix(call->n, call->n, PART_LOWER);
    } else if (blas_has_side(call->family)) {
        call->a = matrix(order, order, PART_LOWER);
        call->c = matrix(call->m, call->n, PART_FULL);
        if (!blas_is_in_place(call))
            call->b = call->c;
    } else {
        call->a = matrix(call->n, call->n, PART_LOWER);
        call->x.length = call->n;
        call->y.length = blas_is_symmetric(call) ? call->n : 0;
    }
}

static bool find_family(const char *routine, struct blas_call *call)
{
    const char *const type = strchr("sdcz", routine[0]);
    for (int family = 0; family < FAMILY_COUNT && type && *type; family++)
        if (strcmp(routine + 1, blas_families[family].name) == 0) {
            call->family = (enum blas_family)family;
            call->type = (enum blas_type)(type - "sdcz");
            return family != FAMILY_AXPY;
        }
    return false;
}

static bool read_call(const char *line, struct blas_call *call, double *host_us, double *device_us)
{
    char routine[16];
    long long m, n, k;
    unsigned side, uplo, trans, trans_b, diag;
    if (sscanf(line, "%15[^,],%lld,%lld,%lld,%u,%u,%u,%u,%u,%lf,%lf", routine, &m, &n, &k, &side, &uplo,
               &trans, &trans_b, &diag, host_us, device_us) != 11)
        return false;
    *call = (struct blas_call){.m = m, .n = n, .k = k, .side = (enum blas_side)side,
                               .uplo = (enum blas_uplo)uplo, .trans = (enum blas_trans)trans,
                               .trans_b = (enum blas_trans)trans_b, .diag = (enum blas_diag)diag};
    if (!find_family(routine, call))
        return false;
    add_operands(call);
    return true;
}

static void add(struct ratios *ratios, double ratio)
{
    if (ratios->count < CALLS_MOST)
        ratios->of[ratios->count++] = ratio;
}

static int ascending(const void *one, const void *other)
{
    const double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

static void tell(const char *name, struct ratios *ratios)
{
    static const int percents[] = {5, 25, 50, 75, 95};
    if (!ratios->count)
        return;
    qsort(ratios->of, (size_t)ratios->count, sizeof(double), ascending);
    printf("%-6s %6d", name, ratios->count);
    for (int i = 0; i < 5; i++)
        printf(" %6.2f", ratios->of[(ratios->count - 1) * percents[i] / 100]);
    putchar('\n');
}

int main(void)
{
    struct machine_model model = crossover_builtin_model(NULL, 16);
    char line[1024];
    crossover_foretell_calls(&model);
    while (fgets(line, sizeof line, stdin)) {
        struct blas_call call;
        double host_us, device_us;
        if (!read_call(line, &call, &host_us, &device_us) || device_us > loses_most * host_us)
            continue;
        const double ratio = crossover_times(&model, &call).resident_us / device_us;
        add(&families[call.family], ratio);
        add(&all, ratio);
    }
    printf("family  calls     5%%    25%%    50%%    75%%    95%%\n");
    for (int family = 0; family < FAMILY_COUNT; family++)
        tell(blas_families[family].name, &families[family]);
    tell("all", &all);
    return all.count == 0;
}
