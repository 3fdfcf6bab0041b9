/* shares.c - how should unequal devices share a large product: by the fourth paper's rule, or as measured?
 *
 *   MUBLAS_DEVICE=all bench/shares [ORDER [TURNS]]
 *
 * A dgemm of this order (4096) that streams from ordinary memory in tiles, as interpose/execute runs it. Each
 * device does it alone; then all do it with the groups of tiles dealt by the rule (gpu/device_shares.h:
 * processing elements by clock, with the weight of products), and by what each took alone. Seconds are the
 * median of some turns (3), after one that does not count. All results are compared with the first.
 */
#include "gpu/device_shares.h"
#include "gpu/vendor/vendor_library.h"
#include "interpose/execute/tile_runner.h"
#include "mirror/mirror_table.h"
#include "timing.h"
#include "tuner/online/crossover.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

enum { TURNS_MOST = 20, ORDER = 4096, TURNS = 3 };

static struct tile_device devices[DEVICES_MAX];
static struct machine_model models[DEVICES_MAX];
static int count;

static struct problem {
    int64_t n;
    int turns;
    double *a, *b, *c, *first;
    struct blas_call call;
    struct shared_plan plan;
} problem;

static bool add_device(int place)
{
    struct tile_device *const added = &devices[count];
    size_t free_bytes, total_bytes;
    struct device_scope scope;
    if (device_wake_at(place, &added->device) != STATUS_OK ||
        device_enter(added->device, &scope) != STATUS_OK)
        return false;
    bool good = driver()->memory_info(&free_bytes, &total_bytes) == CUDA_SUCCESS;
    if (good && count == 0)
        good = mirror_table_create(added->device, free_bytes / 2, 0, false, &added->mirrors) == STATUS_OK;
    else if (good)
        good = mirror_table_create_beside(devices[0].mirrors, added->device, free_bytes / 2,
                                          &added->mirrors) == STATUS_OK;
    if (good)
        level3_open(added->device);
    device_leave(added->device, &scope);
    models[count] = crossover_model_here(device_properties(added->device));
    added->model = &models[count];
    count += good;
    return good;
}

static bool make_problem(void)
{
    const int64_t n = problem.n;
    const size_t bytes = (size_t)(n * n) * sizeof(double);
    double **const matrices[] = {&problem.a, &problem.b, &problem.c, &problem.first};
    for (int i = 0; i < 4; i++)
        if (!(*matrices[i] = calloc(1, bytes)))
            return false;
    for (int64_t i = 0; i < n * n; i++) {
        problem.a[i] = entry(1, (uint64_t)i, 0);
        problem.b[i] = entry(2, (uint64_t)i, 0);
    }
    problem.call = (struct blas_call){.family = FAMILY_GEMM, .type = TYPE_D, .m = n, .n = n, .k = n,
                                      .alpha.d = 1, .a = {problem.a, n, n, n, PART_FULL},
                                      .b = {problem.b, n, n, n, PART_FULL},
                                      .c = {problem.c, n, n, n, PART_FULL}};
    return shared_plan_make(&problem.plan, &problem.call, devices, count);
}

/* Each a kind of its own, so that it gets exactly its share. Negative: it failed. */
static double seconds_of(const int64_t *shares, const struct tile_device *list, int devices_used)
{
    const struct host_steps none = {NULL, NULL};
    const struct patience patience = patience_of_us(1e9);
    struct shared_plan plan = problem.plan;
    struct transfer_count moved;
    double seconds[TURNS_MOST];
    plan.count = 0;
    for (int i = 0; i < devices_used; i++)
        if (shares[i] > 0) {
            plan.kinds[plan.count] = plan.count;
            plan.shares[plan.count] = shares[i];
            plan.devices[plan.count++] = list[i];
        }
    for (int turn = -1; turn < problem.turns; turn++) {
        const double start = seconds_now();
        if (shared_tiles_run(&plan, &patience, &none, &moved) != STATUS_OK)
            return -1;
        if (turn >= 0)
            seconds[turn] = seconds_now() - start;
    }
    return median(seconds, (size_t)problem.turns);
}

/* Devices of one kind have one library, and the same bits. */
static bool is_right(void)
{
    const size_t elements = (size_t)(problem.n * problem.n);
    double worst = 0;
    for (size_t i = 0; i < elements; i++)
        worst = fmax(worst, fabs(problem.c[i] - problem.first[i]));
    memset(problem.c, 0, elements * sizeof(double));
    return worst <= 1e-12 * (double)problem.n;
}

static double power_of(const struct device_properties *properties)
{
    return (double)properties->multiprocessors * properties->clock_hz *
           device_shares_elements(properties->compute_major, properties->compute_minor);
}

static bool share(const char *by, const int64_t *shares, int64_t groups)
{
    const double seconds = seconds_of(shares, devices, count);
    printf("%-8s %8.4f s ", by, seconds);
    for (int i = 0; i < count; i++)
        printf("  device %d: %lld of %lld", device_properties(devices[i].device)->ordinal,
               (long long)shares[i], (long long)groups);
    const bool right = seconds > 0 && is_right();
    puts(right ? "" : "  failed, or wrong");
    return right;
}

static bool run_alone(double *unit_seconds, int64_t groups)
{
    for (int i = 0; i < count; i++) {
        const struct device_properties *const properties = device_properties(devices[i].device);
        const double seconds = seconds_of(&groups, &devices[i], 1);
        if (i == 0)
            memcpy(problem.first, problem.c, (size_t)(problem.n * problem.n) * sizeof(double));
        printf("alone    %8.4f s   device %d: %s, %d multiprocessors\n", seconds, properties->ordinal,
               properties->name, properties->multiprocessors);
        unit_seconds[i] = seconds / (double)groups;
        if (seconds <= 0 || !is_right())
            return false;
    }
    return true;
}

static bool compare(void)
{
    double unit_seconds[DEVICES_MAX], powers[DEVICES_MAX], fractions[DEVICES_MAX];
    int64_t shares[DEVICES_MAX], tiles;
    const int64_t groups = tile_plan_groups(&problem.plan.tiles, &tiles);
    if (!run_alone(unit_seconds, groups))
        return false;
    for (int i = 0; i < count; i++)
        powers[i] = power_of(device_properties(devices[i].device));
    device_shares_by_rule(powers, count, COMPUTATION_LARGE, fractions);
    device_shares_by_fractions(fractions, count, groups, shares);
    bool good = share("rule", shares, groups);
    device_shares_by_seconds(unit_seconds, NULL, count, groups, shares);
    return share("measured", shares, groups) && good;
}

int main(int argument_count, char **arguments)
{
    struct device_choice choice;
    problem.n = argument_count > 1 ? strtol(arguments[1], NULL, 10) : ORDER;
    problem.turns = argument_count > 2 ? (int)strtol(arguments[2], NULL, 10) : TURNS;
    if (problem.n < 64 || problem.n > 65536 || problem.turns < 1 || problem.turns > TURNS_MOST) {
        fprintf(stderr, "shares: an order from 64 to 65536, and 1 to %d turns\n", TURNS_MOST);
        return 2;
    }
    for (int place = 0; device_choose(&choice) == STATUS_OK && place < choice.count; place++)
        add_device(place);
    if (count < 2) {
        fprintf(stderr, "shares: %d of the devices can be used, and it takes two (MUBLAS_DEVICE=all)\n",
                count);
        return 1;
    }
    if (!make_problem()) {
        fprintf(stderr, "shares: a product of order %lld is not shared\n", (long long)problem.n);
        return 1;
    }
    return compare() ? 0 : 1;
}
