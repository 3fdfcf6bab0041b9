/* A program's price for residency, decision by decision: matrices that are rewritten, in many places, and
 * constant ones after them. Times are the model's; nothing is measured. */
#include "policy_calls.h"
#include "mirror/ledger/account.h"
#include "mirror/mirror_table.h"
#include "operand_calls.h"
#include "unit_test.h"

#include <sys/mman.h>

enum { ORDER = 1024, BYTES = ORDER * ORDER * 8, RANGES = 24 };

static struct mirror_table *table;
static struct lane *lane;
static struct machine_model model;
static uint64_t state = 1;

static double *map(void)
{
    const size_t page = (size_t)1 << page_shift();
    unsigned char *memory = mmap(NULL, BYTES + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + page, BYTES, PROT_READ | PROT_WRITE) != 0)
        abort();
    return (double *)(memory + page);
}

static void rewrite(double *matrix)
{
    for (int i = 0; i < ORDER * ORDER; i++)
        matrix[i] = (double)(next_random(&state) >> 11);
}

static struct blas_call symv_on(double *matrix, int64_t order)
{
    return (struct blas_call){.family = FAMILY_SYMV, .type = TYPE_D, .n = order,
                              .a = {matrix, order, order, ORDER, PART_LOWER},
                              .x = {matrix, order, 1}, .y = {matrix, order, 1}};
}

/* As interpose/call/blas_kind.c does it. Did the call go to the device, with its matrix uploaded for it? */
static bool use(double *matrix, int64_t order, unsigned kind, bool *on_device)
{
    const struct blas_call call = symv_on(matrix, order);
    struct operand operand = {.matrix = call.a, .element_bytes = 8, .access = OPERAND_READ, .kind = kind};
    const struct residency residency = operands_residency(table, &operand, 1, NULL);
    const struct policy_decision decision = decide(OFFLOAD_AUTO, &model, &call, &residency);
    *on_device = decision.device;
    if (!decision.device) {
        operands_credit(table, &operand, 1, decision.credit_us);
        return false;
    }
    struct call_result result = run_call(table, lane, &operand, 1, &state, 0);
    operands_earn(table, &operand, 1, decision.earned_us);
    return 2 * result.count.bytes_up > BYTES / 2;
}

static int uploads_of(double *matrix, unsigned kind, int uses, bool rewritten)
{
    int uploads = 0;
    bool on_device;
    for (int i = 0; i < uses; i++) {
        if (rewritten)
            rewrite(matrix);
        uploads += use(matrix, ORDER, kind, &on_device);
    }
    return uploads;
}

/* Uses until the first on the device, this included. */
static int uses_until_bought(double *matrix, unsigned kind)
{
    bool on_device = false;
    int uses = 0;
    while (!on_device && uses < 10000) {
        use(matrix, ORDER, kind, &on_device);
        uses++;
    }
    return uses;
}

static void test_samples(double *matrix)
{
    struct rewrite_samples samples = {.sequence = 0};
    struct operand operand = operand_of(matrix, ORDER, ORDER, ORDER, PART_LOWER, OPERAND_READ);
    rewrite(matrix);
    tap_ok(rewrite_samples_renew(&samples, &operand) == 0 && rewrite_samples_renew(&samples, &operand) == 0,
           "nothing has changed");
    for (int j = 0; j < ORDER; j++)
        for (int i = 0; i <= j; i++)
            matrix[i + j * ORDER] = 7;
    tap_ok(rewrite_samples_renew(&samples, &operand) == 0,
           "the other triangle and the diagonal are not looked at");
    rewrite(matrix);
    tap_ok(rewrite_samples_renew(&samples, &operand) == 1 && rewrite_samples_renew(&samples, &operand) == 0,
           "everything has, and is known then");
    for (int j = 0; j < ORDER / 4; j++)
        for (int i = 0; i < ORDER; i++)
            matrix[i + j * ORDER] += 1;
    const double share = rewrite_samples_renew(&samples, &operand);
    tap_ok(share > 0.1 && share < 0.9, "a quarter of the columns has, %.2f of a triangle", share);
    rewrite(matrix);
    struct operand corner = operand_of(matrix + 100 * (ORDER + 1), ORDER - 100, ORDER - 100, ORDER,
                                       PART_LOWER, OPERAND_READ);
    tap_ok(rewrite_samples_renew(&samples, &corner) == 1, "a submatrix is of the same elements");
    rewrite_samples_forget(&samples);
    rewrite(matrix);
    tap_ok(rewrite_samples_renew(&samples, &corner) == 0, "a change that is expected is none");
}

static void test_rewritten_ranges(double *const *ranges)
{
    int uploads = 0;
    for (int i = 0; i < RANGES; i++)
        uploads += uploads_of(ranges[i], 0, 40, true);
    tap_ok(uploads == 0, "matrices that are rewritten before each use stay where they are (%d uploads)",
           uploads);
}

/* Constant until it is bought, which may take `most` uses, and rewritten then: only what happened to
 * others warns of it. Was it bought? */
static bool lose(double *matrix, unsigned kind, int most)
{
    bool on_device = false;
    for (int i = 0; i < most && !on_device; i++)
        use(matrix, ORDER, kind, &on_device);
    if (!on_device)
        return false;
    rewrite(matrix);
    use(matrix, ORDER, kind, &on_device);
    return true;
}

static void test_lost_ranges(double *const *ranges, int alone)
{
    enum { LOSING = 1 };
    int losses = 0;
    for (int i = 0; i < 2; i++)
        losses += lose(ranges[i], LOSING, 100 * alone);
    const int constant = uses_until_bought(ranges[3], LOSING);
    tap_ok(losses == 2 && constant > alone + 1 && constant <= 2 * alone + 1,
           "after two losses one that stays the same goes up after %d uses, alone it does after %d", constant,
           alone);
    for (int i = 4; i < RANGES; i++) /* to be fair: the one that stays has not paid yet */
        losses += lose(ranges[i], LOSING, 4 * alone);
    tap_ok(losses <= 5, "of %d matrices that are rewritten as soon as they are bought %d are", RANGES - 2,
           losses);
    bool on_device;
    tap_ok(uses_until_bought(ranges[3], LOSING + 1) == 1, "what was bought stays");
    const int dear = uses_until_bought(map(), LOSING);
    for (int i = 0; i < 100; i++)
        use(ranges[3], ORDER, LOSING, &on_device);
    tap_ok(uses_until_bought(map(), LOSING) < dear, "a matrix that pays makes the next of its kind cheaper");
}

/* A factorisation writes to what it reads, on the host as long as that is not resident. */
static void test_own_updates(double *matrix, int alone)
{
    const struct blas_call call = symv_on(matrix, ORDER);
    struct operand output = {.matrix = call.a, .element_bytes = 8, .access = OPERAND_UPDATE, .kind = 3};
    bool on_device = false;
    int uses = 0;
    for (; uses < 10 * alone && !on_device; uses++) {
        use(matrix, ORDER, 3, &on_device);
        if (!on_device && uses % 4 == 3) {
            operands_residency(table, &output, 1, NULL);
            rewrite(matrix);
        }
    }
    tap_ok(uses == alone,
           "what the device would have rewritten itself goes up as if it were the same (%d uses)", uses);
}

/* Rewritten now and then: as often as it pays to send it again, or more often. */
static void test_some_changes(double *matrix, double *other, int alone)
{
    bool on_device = false;
    int uses = 0;
    for (; uses < 100 * alone && !on_device; uses++) {
        if (uses % (alone / 4) == 0)
            rewrite(matrix);
        use(matrix, ORDER, 4, &on_device);
    }
    tap_ok(!on_device, "what is rewritten before its uses are worth an upload is never sent");
    on_device = false;
    for (uses = 0; uses < 100 * alone && !on_device; uses++) {
        if (uses % 100 == 99)
            other[uses] += 1;
        use(other, ORDER, 4, &on_device);
    }
    tap_ok(on_device && uses <= alone + 1, "a few elements that change are no matter (%d uses)", uses);
}

UNIT_TEST(test_purchases)
{
    double *ranges[RANGES];
    model = crossover_builtin_model(NULL, 8);
    lane = emulated_lane();
    if (mirror_table_create(emulated_device, (size_t)1 << 30, 0, true, &table) != STATUS_OK ||
        !mirror_table_tracks(table))
        tap_skip_all("host writes cannot be tracked here");
    for (int i = 0; i < RANGES; i++)
        ranges[i] = map();
    test_samples(ranges[0]);
    test_rewritten_ranges(ranges);
    const int alone = uses_until_bought(map(), 2);
    tap_ok(alone > 8 && alone < 64, "a constant matrix goes up after %d uses", alone);
    for (int i = 0; i < RANGES; i++)
        ranges[i] = map();
    test_lost_ranges(ranges, alone);
    test_own_updates(map(), alone);
    test_some_changes(map(), map(), alone);
    mirror_table_destroy(table);
    lane_release(lane);
    return tap_done();
}
