#include "command/route_orders.h"
#include "common/settings.h"
#include "gpu/kernels/tridiagonal/tridiagonal_arguments.h"
#include "interpose/policy.h"
#include "lapack/eigensolver/chip_plan.h"
#include "tuner/online/route_times.h"

enum { ORDER_MOST = 1 << 15 };

static const struct {
    const char *name;
    enum lapack_family family;
    enum blas_type type;
} routines[] = {
#define ROUTE(name, family, type, order, words) {#name, LAPACK_##family, TYPE_##type},
#include "host/lapack.def"
#undef ROUTE
};

static bool pays(const struct machine_model *model, int routine, int64_t n)
{
    const uint64_t bytes = (uint64_t)(n * n) * blas_element_bytes(routines[routine].type);
    const struct route_shape shape = {.family = routines[routine].family,
                                      .type = routines[routine].type,
                                      .vectors = true,
                                      .m = n,
                                      .n = n,
                                      .k = n,
                                      .bytes_up = bytes,
                                      .bytes_down = bytes};
    const struct route_times times = route_times_predict(model, &shape);
    const struct residency none = {.trackable = false};
    return policy_decide_route(settings()->offload, &times, &none).device;
}

static void print_order(FILE *stream, const struct machine_model *model, int routine)
{
    const uint64_t floor = policy_route_floor(settings()->offload);
    int64_t n = floor > 2 ? (int64_t)(floor > ORDER_MOST ? ORDER_MOST : floor) : 2;
    while (n < ORDER_MOST && !pays(model, routine, n))
        n += 1 + n / 100;
    if (n < ORDER_MOST)
        fprintf(stream, " %s %lld", routines[routine].name, (long long)n);
    else
        fprintf(stream, " %s never", routines[routine].name);
}

/* What was learned, and that the rest was not. */
static void print_origin(FILE *stream, const struct machine_model *model)
{
    static const char *const names[ROUTE_CURVES] = {[ROUTE_VALUES] = "eigenvalues",
                                                    [ROUTE_VECTORS] = "eigenvectors",
                                                    [ROUTE_LEVEL3] = "factorisations",
                                                    [ROUTE_SINGULAR] = "singular values"};
    const char *before = "learned: ";
    for (int curve = 0; curve < ROUTE_CURVES; curve++)
        if (model->learned && route_factors_have(&model->learned->routes, (enum route_curve)curve)) {
            fprintf(stream, "%s%s", before, names[curve]);
            before = ", ";
        }
    fputs(*before == ',' ? "; others built in" : "built in", stream);
}

static bool has_two_stages(const struct route_factors *learned)
{
    for (int border = BORDER_TWO_STAGES; border <= BORDER_TWO_STAGES_ALL && learned; border++)
        for (int type = 0; type <= TYPE_Z; type++)
            if (learned->orders[border][type] > 0)
                return true;
    return false;
}

static void print_two_stages(FILE *stream, const struct route_factors *learned)
{
    static const enum blas_type types[] = {TYPE_D, TYPE_S};
    fputs("mublas' own eigensolver takes two stages from these orders on (values, a tenth of vectors, all",
          stream);
    for (int i = 0; i < 2; i++) {
        const struct two_stage_borders from = route_factors_two_stages(learned, types[i]);
        fprintf(stream, "%s %s %lld %lld %lld", i ? "," : "):", i ? "single" : "double", (long long)from.none,
                (long long)from.tenth, (long long)from.all);
    }
    fprintf(stream, " (%s)\n", has_two_stages(learned) ? "learned" : "built in");
}

static void print_clusters(FILE *stream, const struct route_factors *learned)
{
    int count = 0;
    fputs("  and reduces up to these by a cluster, where the device has one:", stream);
    for (enum blas_type type = TYPE_S; type <= TYPE_Z; type++) {
        const int64_t to = route_factors_cluster_to(learned, type);
        count += to > 0;
        fprintf(stream, " %c %lld", "sdcz"[type],
                (long long)(to > 0 ? to : chip_cluster_to(type, TRIDIAGONAL_WARPS)));
    }
    fprintf(stream, " (%s%s)\n", count == 0 ? "" : count <= TYPE_Z ? "learned in part; others " : "learned",
            count <= TYPE_Z ? "built in, of 16 blocks" : "");
}

void route_orders_print(FILE *stream, const struct machine_model *model)
{
    const int count = (int)(sizeof routines / sizeof *routines);
    const struct route_factors *const learned = model->learned ? &model->learned->routes : NULL;
    fputs(
        "LAPACK routines leave the host from these orders on, with all vectors or as many right-hand sides (",
        stream);
    print_origin(stream, model);
    fputs(")\n", stream);
    for (int i = 0; i < count; i++) {
        if (i == 0 || routines[i].family != routines[i - 1].family)
            fputs(i ? "\n " : " ", stream);
        print_order(stream, model, i);
    }
    fputc('\n', stream);
    print_two_stages(stream, learned);
    print_clusters(stream, learned);
}
