/* The worth of residency: bought, earned, and used up by the host's writes. */
#include "mirror/mirror_table.h"
#include "operand_calls.h"
#include "unit_test.h"

#include <sys/mman.h>

enum { ORDER = 1024, BYTES = ORDER * ORDER * 8 };

static struct mirror_table *table;
static struct lane *lane;
static size_t page;

static struct operand whole(void *memory, enum operand_access access)
{
    return operand_of(memory, ORDER, ORDER, ORDER, PART_FULL, access);
}

static struct residency residency_of(void *memory, enum operand_access access)
{
    struct operand operand = whole(memory, access);
    return operands_residency(table, &operand, 1, NULL);
}

/* A device call that reads all, `saved_us` faster than the host's. */
static bool call(void *memory, double saved_us)
{
    uint64_t state = 1;
    struct operand operand = whole(memory, OPERAND_READ);
    struct call_result result = run_call(table, lane, &operand, 1, &state, 0);
    operands_earn(table, &operand, 1, saved_us);
    return result.held == STATUS_OK && result.written == STATUS_OK && result.equal;
}

/* Calls, each after the host wrote to a tenth of the pages, until residency is lost; 100 at most. */
static int calls_until_lost(unsigned char *memory, double saved_us)
{
    int calls = 0;
    while (calls < 100 && residency_of(memory, OPERAND_READ).resident) {
        for (size_t at = 0; at < BYTES; at += 10 * page)
            memory[at]++;
        if (!call(memory, saved_us))
            return -1;
        calls++;
    }
    return calls;
}

static void test_worth(unsigned char *memory)
{
    struct operand operand = whole(memory, OPERAND_READ);
    tap_ok(residency_of(memory, OPERAND_UPDATE).kept_bytes == 0, "what is not on the device is not kept");
    operands_credit(table, &operand, 1, 1000);
    struct operand part = operand_of(memory, ORDER, 1, ORDER, PART_FULL, OPERAND_READ);
    uint64_t state = 1;
    run_call(table, lane, &part, 1, &state, 0);
    tap_ok(residency_of(memory, OPERAND_READ).credit_us > 980,
           "a column that goes up takes only its share of the account");
    tap_ok(call(memory, 70), "a matrix goes up");
    struct residency residency = residency_of(memory, OPERAND_UPDATE);
    tap_ok(residency.kept_bytes == BYTES && residency.worth_us == 1070 && residency.credit_us == 0,
           "it is worth what it was bought for and has earned");
    tap_ok(residency_of(memory, OPERAND_READ).kept_bytes == 0,
           "nothing is to be kept from a call that only reads it");
    tap_ok(residency_of(memory, OPERAND_OVERWRITE).kept_bytes == BYTES, "but from one that overwrites it");
}

static void test_dirt(unsigned char *memory)
{
    tap_ok(calls_until_lost(memory, 2000) == 100,
           "it stays where it earns more than what the host writes costs");
    const double worth = residency_of(memory, OPERAND_UPDATE).worth_us;
    const int calls = calls_until_lost(memory, -worth / 10);
    tap_ok(calls > 1 && calls <= 11, "where it does not it is given up once its worth is used up (call %d)",
           calls);
    struct residency residency = residency_of(memory, OPERAND_READ);
    tap_ok(residency.setbacks == 1 && residency.credit_us == 0 && residency.missing_bytes == BYTES,
           "and must be earned anew, with more patience");
    tap_ok(call(memory, 0) && calls_until_lost(memory, 0) == 1, "what went up on no account is lost at once");
    for (int i = 0; i < 9; i++)
        call(memory, -1);
    tap_ok(residency_of(memory, OPERAND_READ).setbacks == 8, "patience has an end");
}

/* A factorisation's panel, written by the host, beside the matrix that it updates on the device. */
static void test_part_rewritten(unsigned char *memory)
{
    struct operand operand = whole(memory, OPERAND_READ);
    struct operand panel = operand_of(memory, ORDER, ORDER / 32, ORDER, PART_FULL, OPERAND_READ);
    uint64_t state = 1;
    tap_ok(residency_of(memory, OPERAND_READ).trackable, "other memory gets an account");
    operands_credit(table, &operand, 1, 1e6);
    call(memory, 0);
    memset(memory, 1, BYTES / 32);
    run_call(table, lane, &panel, 1, &state, 0);
    struct operand rest = operand_of(memory + BYTES / 32, ORDER, ORDER / 32 * 31, ORDER, PART_FULL,
                                     OPERAND_UPDATE);
    struct residency residency = operands_residency(table, &rest, 1, NULL);
    tap_ok(residency.resident && residency.setbacks == 0 && residency.worth_us > 1000,
           "a part that is rewritten takes nothing from the rest");
    residency = operands_residency(table, &panel, 1, NULL);
    tap_ok(!residency.resident && residency.credit_us > 9e5,
           "it is not resident itself, but has the mapping's savings");
}

static void test_setbacks_forgotten(unsigned char *memory)
{
    struct operand operand = whole(memory, OPERAND_READ);
    for (int i = 0; i < 3; i++) {
        operands_credit(table, &operand, 1, 1000);
        call(memory, 0);
        memset(memory, i, BYTES);
        call(memory, 0);
    }
    tap_ok(residency_of(memory, OPERAND_READ).setbacks == 3,
           "a matrix that is rewritten at once has setbacks");
    operands_credit(table, &operand, 1, 1000);
    call(memory, 1500);
    memset(memory, 9, BYTES);
    call(memory, 0);
    tap_ok(residency_of(memory, OPERAND_READ).setbacks == 1,
           "which are forgotten once it has paid for itself");
}

/* Two allocations in one mapping: what becomes of one is nothing to the other. */
static void test_neighbours(unsigned char *memory)
{
    uint64_t state = 1;
    enum { PART = ORDER / 4 };
    struct operand matrix = operand_of(memory, ORDER, ORDER - PART, ORDER, PART_FULL, OPERAND_READ);
    struct operand basis =
        operand_of(memory + (size_t)(ORDER - PART) * ORDER * 8, ORDER, PART, ORDER, PART_FULL, OPERAND_READ);
    matrix.kind = 1;
    basis.kind = 2;
    tap_ok(operands_residency(table, &matrix, 1, NULL).trackable, "a matrix and a basis in one mapping");
    for (int i = 0; i < 4; i++) {
        operands_credit(table, &matrix, 1, 100);
        operands_credit(table, &basis, 1, 1);
        memset(basis.matrix.pointer, i, (size_t)PART * ORDER * 8);
        run_call(table, lane, &basis, 1, &state, 0);
        operands_earn(table, &basis, 1, -1000);
    }
    struct residency residency = operands_residency(table, &matrix, 1, NULL);
    tap_ok(residency.credit_us == 400 && residency.setbacks == 0,
           "a basis beside the matrix has an account of its own");
    residency = operands_residency(table, &basis, 1, NULL);
    tap_ok(residency.credit_us < 4 && residency.setbacks >= 2, "which has the setbacks");
    operands_credit(table, &matrix, 1, 1e5);
    bool good = run_call(table, lane, &matrix, 1, &state, 0).equal;
    matrix.access = OPERAND_UPDATE;
    tap_ok(good && operands_residency(table, &matrix, 1, NULL).worth_us > 600,
           "the matrix is bought from its own");
    struct operand corner = matrix;
    corner.matrix.pointer = memory + (size_t)ORDER * 8 * 32;
    corner.matrix.columns -= 32;
    tap_ok(operands_residency(table, &corner, 1, NULL).worth_us ==
               operands_residency(table, &matrix, 1, NULL).worth_us,
           "which its submatrices share");
}

/* There are no pins here, so results come by staging, which nobody had counted on. */
static void test_staged_results(unsigned char *memory)
{
    struct operand operand = whole(memory, OPERAND_READ);
    operands_residency(table, &operand, 1, NULL);
    operands_credit(table, &operand, 1, 1e6);
    call(memory, 5000);
    const double before = residency_of(memory, OPERAND_UPDATE).worth_us;
    operand.access = OPERAND_UPDATE;
    uint64_t state = 1;
    run_call(table, lane, &operand, 1, &state, 0);
    const double spent = before - residency_of(memory, OPERAND_UPDATE).worth_us;
    tap_ok(before > 5000 && spent > BYTES / 8000 && spent < BYTES / 4000,
           "a staged result takes %.0f us of the worth", spent);
}

static void test_mostly_rewritten(unsigned char *memory)
{
    struct operand operand = whole(memory, OPERAND_READ);
    operands_credit(table, &operand, 1, 1000);
    call(memory, 0);
    memset(memory, 1, BYTES / 4 * 3);
    call(memory, 0);
    struct residency residency = residency_of(memory, OPERAND_READ);
    tap_ok(!residency.resident && residency.setbacks == 2,
           "what is mostly rewritten is lost where it does not pay each time");
}

/* Some rows of each column: every column is a page, of which the operand has a few bytes. */
static void test_few_rows(unsigned char *memory)
{
    struct operand rows = operand_of(memory, 32, ORDER, ORDER, PART_FULL, OPERAND_READ);
    struct residency residency = operands_residency(table, &rows, 1, NULL);
    uint64_t state = 1;
    bool good = residency.trackable;
    operands_credit(table, &rows, 1, 1e6);
    for (int use = 0; use < 8; use++) {
        for (int column = 0; column < ORDER; column += 10)
            memory[(size_t)column * ORDER * 8]++;
        good = good && run_call(table, lane, &rows, 1, &state, 0).equal;
    }
    struct call_result result = run_call(table, lane, &rows, 1, &state, 0);
    residency = operands_residency(table, &rows, 1, NULL);
    tap_ok(good && result.equal && result.count.bytes_up == 0 && residency.resident &&
               residency.setbacks == 0,
           "a tenth of the pages that few rows touch is not most of them");
}

/* A panel that is rewritten before each use is not looked at; the matrix around it is. */
static void test_hot_panel(unsigned char *memory)
{
    struct operand panel = operand_of(memory, ORDER, ORDER / 16, ORDER, PART_FULL, OPERAND_READ);
    struct operand matrix = whole(memory, OPERAND_READ);
    uint64_t state = 1;
    bool good = true;
    for (int use = 0; use < 6; use++) {
        memset(memory, use, BYTES / 16);
        good = good && run_call(table, lane, &panel, 1, &state, 0).equal;
    }
    run_call(table, lane, &matrix, 1, &state, 0);
    struct call_result result = run_call(table, lane, &matrix, 1, &state, 0);
    tap_ok(good && result.equal && result.count.bytes_up == 0,
           "a matrix is not rewritten because a panel in it is");
}

static unsigned char *map(void)
{
    unsigned char *memory = mmap(NULL, BYTES + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + page, BYTES, PROT_READ | PROT_WRITE) != 0)
        abort();
    memset(memory + page, 3, BYTES);
    return memory + page;
}

/* 8 MiB cost 3 ms of faults at each rewriting, and 2 of the way up. */
static void test_recurring(unsigned char *memory)
{
    static const double saved_us[] = {9000, 9000, 9000, 3500, 9000, 9000, 9000};
    static const bool stays[] = {false, true, true, false, false, true}; /* from the second period on */
    bool good = true;
    for (int period = 0; period < 7; period++) {
        memset(memory, 10 + period, BYTES);
        good = call(memory, 0) && good; /* finds it rewritten, or is the first */
        if (period > 0)
            good = residency_of(memory, OPERAND_READ).resident == stays[period - 1] && good;
        good = call(memory, saved_us[period]) && good;
    }
    tap_ok(good, "what has paid in two periods stays over a rewriting, until it does not");
}

static void test_recurring_on_host(unsigned char *memory, enum operand_access access)
{
    struct operand operand = whole(memory, access);
    bool recurs[4];
    for (int period = 0; period < 4; period++) {
        memset(memory, 20 + period, BYTES);
        recurs[period] = residency_of(memory, OPERAND_READ).recurs;
        operands_credit(table, &operand, 1, 9000);
        residency_of(memory, OPERAND_READ);
    }
    if (access == OPERAND_READ)
        tap_ok(!recurs[0] && !recurs[1] && recurs[2] && recurs[3], "what would have paid in two is bought in the third");
    else
        tap_ok(!recurs[1] && !recurs[2] && !recurs[3], "not by what calls that write matrices would have saved");
}

static struct residency route_finds(struct operand *operand, bool is_result)
{
    operand->kind = OPERAND_ROUTE_KINDS;
    return operands_residency_of_route(table, operand, is_result, NULL);
}

/* As dpotrf and dpotrs are, the one of which leaves a triangle there. */
static void test_routes(unsigned char *memory)
{
    struct operand factor = operand_of(memory, ORDER, ORDER, ORDER, PART_LOWER, OPERAND_READ);
    struct residency found[4];
    bool reads_renewed = false;
    double numbers[4] = {0};
    for (int period = 0; period < 4; period++) {
        for (int i = 0; i < BYTES / 8; i++)
            ((double *)memory)[i] = i % 57 + period;
        found[period] = route_finds(&factor, true);
        for (int i = 0; i < BYTES / 8; i++)
            ((double *)memory)[i] = i % 37 - period; /* by the route */
        operands_note_result(table, &factor);
        reads_renewed = route_finds(&factor, false).renewed || reads_renewed;
        operands_credit(table, &factor, 1, 2500);
    }
    tap_ok(!found[0].renewed && found[1].renewed && found[3].renewed && !reads_renewed,
           "a route tells the program's writing from its own");
    tap_ok(!found[0].recurs && found[1].recurs && found[3].recurs, "its result stays once that pays each time");
    struct operand on_stack = operand_of(numbers, 2, 2, 2, PART_LOWER, OPERAND_READ);
    found[0] = route_finds(&on_stack, true);
    tap_ok(!found[0].trackable && !found[0].resident && found[0].missing_bytes == 24, "nothing stays on a stack");
    struct operand result = factor, all = whole(memory, OPERAND_READ);
    uint64_t state = 1;
    result.access = OPERAND_OVERWRITE;
    run_held(table, lane, &result, 1, &state, 0, HOLD_RESULT);
    operands_note_result(table, &factor);
    tap_ok(operands_are_resident(table, &factor) && !operands_are_resident(table, &all),
           "then the triangle is there, and the other one is not");
    run_call(table, lane, &all, 1, &state, 0);
    tap_ok(operands_are_resident(table, &all), "until that was sent, too");
}

UNIT_TEST(test_account)
{
    page = (size_t)1 << page_shift();
    lane = emulated_lane();
    if (mirror_table_create(emulated_device, 64 << 20, 0, true, &table) != STATUS_OK ||
        !mirror_table_tracks(table))
        tap_skip_all("host writes cannot be tracked here");
    unsigned char *memory = map(), *other = map();
    test_worth(memory);
    test_dirt(memory);
    test_part_rewritten(other);
    test_mostly_rewritten(other);
    test_setbacks_forgotten(map());
    test_neighbours(map());
    test_staged_results(map());
    test_few_rows(map());
    test_hot_panel(map());
    test_recurring(map());
    test_recurring_on_host(map(), OPERAND_READ);
    test_recurring_on_host(map(), OPERAND_UPDATE);
    test_routes(map());
    mirror_table_destroy(table);
    lane_release(lane);
    return tap_done();
}
