/* Matrix-vector calls cut over two and over three emulated devices, unlike each other: each has the digest
 * that is kept of it (kernel_digests.txt), whichever devices share it, and nothing but its result is written.
 * Arguments: the largest n (default 700), and which half of the sharings of a case, 0 or 1 (default: another one
 * every day), or -1: all. */
#include "digest_file.h"
#include "interpose/execute/split.h"
#include "kernel_cases.h"

#include "tap.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum { USUAL_MAX_N = 700 };
static int chosen;

enum { DEVICES = 3, BUDGET = 1 << 30 };

static struct place {
    struct device *device;
    struct mirror_table *mirrors;
} places[DEVICES];

/* Which of them share a call, in this order, and their paces: some cut lower triangles of 700 for all, some
 * upper ones. */
static const struct sharing {
    const char *name;
    int devices, numbers[DEVICES];
    double paces[DEVICES];
} sharings[] = {{"0 and 1", 2, {0, 1}, {1, 0.6}},
                {"2 and 0", 2, {2, 0}, {0.8, 1}},
                {"all", 3, {0, 1, 2}, {1, 1, 0.5}},
                {"1, 2 and 0", 3, {1, 2, 0}, {0.2, 0.5, 1}}};
enum { SHARINGS = sizeof sharings / sizeof *sharings };

static const struct placement placements[] = {{8, 0, 0, 1, 1}, {3, 1, 1, -2, 1}};

/* Over the cases of one routine; the first name of each kind. */
struct verdict {
    size_t cases, cut_for[DEVICES + 1];
    char failed[96], digest[96], guards[96];
};

static void note(char *where, const struct kernel_case *kernel_case, const struct sharing *sharing)
{
    if (!*where)
        snprintf(where, sizeof((struct verdict *)NULL)->failed, "%s on %s", kernel_case->name, sharing->name);
}

static bool open_places(void)
{
    struct device_scope scope;
    for (int i = 0; i < DEVICES; i++) {
        struct place *const place = &places[i];
        struct mirror_table **const mirrors = &place->mirrors;
        enum status status = i == 0 ? device_wake(&place->device) : device_wake_at(i, &place->device);
        if (status != STATUS_OK || device_enter(place->device, &scope) != STATUS_OK)
            return false;
        status = i == 0 ? mirror_table_create(place->device, BUDGET, BUDGET, true, mirrors)
                        : mirror_table_create_beside(places[0].mirrors, place->device, BUDGET, mirrors);
        device_leave(place->device, &scope);
        if (status != STATUS_OK)
            return false;
    }
    return true;
}

static void close_places(void)
{
    for (int i = 0; i < DEVICES; i++) {
        struct device_scope scope;
        if (device_enter(places[i].device, &scope) != STATUS_OK)
            continue;
        mirror_table_destroy(places[i].mirrors);
        device_leave(places[i].device, &scope);
    }
}

/* How many of the devices have a part, which is looked for there as for a program's call. */
static int plan_call(struct split_plan *plan, const struct blas_call *call, const struct sharing *sharing,
                     struct split_device *devices, struct patience *patience)
{
    struct split_share shares[DEVICES];
    int parts = 0;
    for (int d = 0; d < sharing->devices; d++) {
        const struct place *const place = &places[sharing->numbers[d]];
        shares[d] = (struct split_share){.columns_most = call->n, .pace = sharing->paces[d]};
        devices[d] = (struct split_device){.device = place->device, .mirrors = place->mirrors};
    }
    if (!split_plan_make(plan, call, shares, sharing->devices, 1e6))
        return 0;
    split_devices_describe(plan, devices, 0);
    for (int d = 0; d < sharing->devices; d++) {
        parts += devices[d].operand_count > 0;
        operands_residency(devices[d].mirrors, devices[d].operands, devices[d].operand_count, patience);
    }
    return parts;
}

/* Into y, which is x of a trmv, as the program's call would. */
static void run_shared(const struct kernel_case *kernel_case, struct operands *operands, uint64_t kept,
                       const struct sharing *sharing, struct verdict *verdict)
{
    const int64_t length = kernel_case_length(kernel_case);
    struct split_device devices[DEVICES];
    struct split_plan plan;
    struct transfer_count moved = {0, 0};
    struct patience patience = patience_of_us(INFINITY);
    unsigned char *const before = malloc(operands->y.size), *const after = malloc(operands->y.size);
    void *const result = calloc((size_t)length, 16);
    if (!before || !after || !result)
        abort();
    memcpy(before, operands->y.bytes, operands->y.size);
    const int parts = plan_call(&plan, &operands->call, sharing, devices, &patience);
    verdict->cut_for[parts]++;
    const enum status status = parts > 0 ? split_run(&plan, devices, &patience, &moved) : STATUS_UNSUPPORTED;
    if (status == STATUS_OK) {
        memcpy(after, operands->y.bytes, operands->y.size);
        memcpy(operands->y.bytes, before, operands->y.size);
        operands_result(operands, after, result);
        if (result_digest(kernel_case->type, result, length) != kept)
            note(verdict->digest, kernel_case, sharing);
        if (!operands_guards_intact(operands, after))
            note(verdict->guards, kernel_case, sharing);
    } else {
        note(verdict->failed, kernel_case, sharing);
    }
    free(before);
    free(after);
    free(result);
}

static void run_case(const struct kernel_case *kernel_case, size_t number, const struct digest_file *kept,
                     struct verdict *verdict)
{
    struct operands operands;
    uint64_t digest;
    operands_make(kernel_case, &placements[number % 2], &operands);
    if (kernel_case->family == FAMILY_TRMV)
        operands_put_in_place(&operands);
    if (!digest_file_find(kept, kernel_case->name, &digest))
        note(verdict->digest, kernel_case, &sharings[0]);
    for (int i = 0; i < SHARINGS; i++)
        if (chosen < 0 || (verdict->cases + verdict->cases / 4 + (size_t)chosen + (size_t)i) % 2 == 0)
            run_shared(kernel_case, &operands, digest, &sharings[i], verdict);
    verdict->cases++;
    operands_free(&operands);
}

/* Below a node there is nothing to cut. */
static bool is_cut(const struct kernel_case *kernel_case)
{
    return kernel_case->n > SPLIT_NODE && kernel_case->n < 64 * SPLIT_CHAIN;
}

static void test_routine(const struct kernel_case *cases, size_t count, const struct digest_file *kept,
                         const struct kernel_case *of, const char *name)
{
    struct verdict verdict = {0};
    for (size_t i = 0; i < count; i++)
        if (cases[i].family == of->family && cases[i].type == of->type && is_cut(&cases[i]))
            run_case(&cases[i], i, kept, &verdict);
    tap_ok(verdict.cases > 0 && !*verdict.failed && verdict.cut_for[2] > 0 &&
               verdict.cut_for[3] > 0,
           "%s: %zu cases, cut for two devices %zu times and for three %zu times %s", name, verdict.cases,
           verdict.cut_for[2], verdict.cut_for[3], verdict.failed);
    tap_ok(!*verdict.digest, "%s has the kept digests %s", name, verdict.digest);
    tap_ok(!*verdict.guards, "%s writes nothing but its result %s", name, verdict.guards);
}

static void test_routines(const struct kernel_case *cases, size_t count, const struct digest_file *kept)
{
    static const char *const families[] = {
        [FAMILY_GEMV] = "gemv", [FAMILY_SYMV] = "symv", [FAMILY_HEMV] = "hemv", [FAMILY_TRMV] = "trmv"};
    for (int family = FAMILY_GEMV; family <= FAMILY_TRMV; family++)
        for (int type = TYPE_S; type <= TYPE_Z; type++) {
            const struct kernel_case of = {.family = (enum blas_family)family, .type = (enum blas_type)type};
            char name[8];
            if (!families[family] || family == (type >= TYPE_C ? FAMILY_SYMV : FAMILY_HEMV))
                continue;
            snprintf(name, sizeof name, "%c%s", "sdcz"[type], families[family]);
            test_routine(cases, count, kept, &of, name);
        }
}

int main(int argument_count, char **arguments)
{
    const int64_t max_n = argument_count > 1 ? strtoll(arguments[1], NULL, 10) : USUAL_MAX_N;
    const char *const source = getenv("top_srcdir");
    char path[4096];
    size_t count;
    chosen = argument_count > 2 ? atoi(arguments[2]) : (int)(time(NULL) / 86400 % 2);
    printf("# half %d of the sharings\n", chosen);
    snprintf(path, sizeof path, "%s/tests/gpu/kernel_digests.txt", source ? source : ".");
    struct digest_file *const kept = digest_file_read(path);
    if (!kept) {
        fprintf(stderr, "%s cannot be read; set top_srcdir\n", path);
        return 1;
    }
    setenv("EMULATED_DEVICES", "3", 1);
    setenv("EMULATED_DEVICE_MEMORY", "2G,1G,512M", 1);
    setenv("EMULATED_MULTIPROCESSORS", "132,20,7", 1);
    setenv("EMULATED_PEER", "0", 1);
    setenv("MUBLAS_DEVICE", "all", 1);
    if (!open_places())
        tap_skip_all("there are not three devices");
    struct kernel_case *const cases = kernel_cases(max_n, &count);
    test_routines(cases, count, kept);
    close_places();
    free(cases);
    digest_file_free(kept);
    return tap_done();
}
