/* Results that a route leaves in a mirror: what is sent again of them, and when. */
#include "operand_table.h"
#include "unit_test.h"

enum { ORDER = 1200, MANY = MIRROR_PARTS_MAX + 4, SMALL = 40 }; /* columns of more than two pages of 4 KiB */
static const size_t all_bytes = (size_t)ORDER * ORDER * 8;

static double *matrix;

static struct operand triangle(enum blas_part part, enum operand_access access)
{
    return operand_of(matrix, ORDER, ORDER, ORDER, part, access);
}

static double *at(size_t row, size_t column)
{
    return matrix + row + column * ORDER;
}

/* The bytes that it moved up, or -1. */
static long leave(struct operand operand)
{
    struct call_result result = run_held(table, lane, &operand, 1, &state, 0, HOLD_RESULT);
    const bool good = result.held == STATUS_OK && result.written == STATUS_OK && result.equal;
    return good ? (long)result.count.bytes_up : -1;
}

/* Pages of which the lower triangle has every byte. */
static size_t filled_bytes(void)
{
    size_t pages = 0;
    for (size_t j = 0; j < ORDER; j++) {
        const uintptr_t begin = page_ceiling((uintptr_t)at(j, j)), end = page_floor((uintptr_t)at(ORDER, j));
        pages += begin < end ? (end - begin) / page : 0;
    }
    return pages * page;
}

/* Alone above the diagonal, the last bytes of a page that begins there. */
static double *beside_the_end(void)
{
    for (size_t j = ORDER / 2; j < ORDER; j++)
        if (((uintptr_t)at(j, j) & (page - 1)) > 64)
            return at(j - 1, j);
    abort();
}

static void test_left(void)
{
    const struct operand lower = triangle(PART_LOWER, OPERAND_READ);
    const struct operand inside = operand_of(at(700, 300), 400, 200, ORDER, PART_FULL, OPERAND_READ);
    tap_ok(leave(triangle(PART_LOWER, OPERAND_OVERWRITE)) == 0 && call(lower, 0) == 0,
           "a triangle that a route has left is not sent");
    tap_ok(call(inside, 0) == 0, "nor is a block inside it");
    *at(ORDER / 2, ORDER - 1) += 1;
    tap_ok(call(lower, 0) == 0, "the other triangle's pages are none of it");
    *beside_the_end() += 1;
    tap_ok(call(lower, 0) == (long)page, "one that both have is sent again once it is written");
    tap_ok(call(lower, 0) == 0, "and then no more");
    *at(ORDER - 1, 0) += 1;
    *at(600, 600) += 1;
    tap_ok(call(lower, 0) == 2 * (long)page, "so are its own elements' pages");
    const long up = call(triangle(PART_FULL, OPERAND_READ), 0), others = (long)(all_bytes - filled_bytes());
    tap_ok(up > 0 && up <= others + 2 * (long)page && up >= others - 4 * (long)page,
           "all of the matrix needs all pages but those that the triangle fills");
    tap_ok(call(lower, 0) == 0 && call(triangle(PART_UPPER, OPERAND_READ), 0) == 0, "then both triangles are there");
}

static void test_again(void)
{
    const struct operand lower = triangle(PART_LOWER, OPERAND_READ);
    leave(triangle(PART_LOWER, OPERAND_OVERWRITE));
    leave(triangle(PART_LOWER, OPERAND_OVERWRITE));
    tap_ok(call(lower, 0) == 0, "a result over a result");
    leave(triangle(PART_UPPER, OPERAND_OVERWRITE));
    tap_ok(call(triangle(PART_UPPER, OPERAND_READ), 0) == 0 && call(lower, 0) > 0,
           "the other triangle's result takes the pages that both have");
    leave(triangle(PART_LOWER, OPERAND_OVERWRITE));
    struct operand block = operand_of(at(500, 100), 300, 50, ORDER, PART_FULL, OPERAND_UPDATE);
    tap_ok(call(block, 0) == 0, "a call that updates a block of it sends nothing");
    *at(500, 100) += 1;
    const long up = call(lower, 0);
    tap_ok(up >= (long)page && up <= 160 * (long)page, "after that the ends of the block's columns are sent");
    leave(triangle(PART_LOWER, OPERAND_OVERWRITE));
    memset(matrix, 0, all_bytes);
    tap_ok(call(lower, 0) > (long)(all_bytes / 2), "all of it, once all is rewritten");
}

static struct operand small_one(int number, enum operand_access access)
{
    return operand_of(matrix + number * SMALL * SMALL, SMALL, SMALL, SMALL, PART_LOWER, access);
}

/* Each new one takes the place of the oldest. */
static void test_many(void)
{
    bool good = true;
    memset(matrix, 0, all_bytes);
    for (int i = 0; i < MANY; i++)
        good = leave(small_one(i, OPERAND_OVERWRITE)) == 0 && good;
    tap_ok(good, "%d results beside each other", MANY);
    matrix[MANY * SMALL * SMALL - 1] += 1;
    tap_ok(call(small_one(MANY - 1, OPERAND_READ), 0) > 0, "a write to the last one is seen");
    matrix[SMALL + 1] += 1;
    matrix[1] += 1;
    tap_ok(call(small_one(0, OPERAND_READ), 0) > 0, "so is one to the first, whose place is another's");
    tap_ok(call(small_one(MANY / 2, OPERAND_READ), 0) >= 0, "and others are as the host has them");
}

/* The mirror goes, and comes again. */
static void test_evicted(void)
{
    leave(triangle(PART_LOWER, OPERAND_OVERWRITE));
    mirror_table_evict(table);
    tap_ok(call(triangle(PART_LOWER, OPERAND_READ), 0) > (long)(all_bytes / 2), "evicted: all of it goes up");
    leave(triangle(PART_LOWER, OPERAND_OVERWRITE));
    if (mmap(matrix, all_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != matrix)
        abort();
    tap_ok(call(triangle(PART_LOWER, OPERAND_READ), 0) > (long)(all_bytes / 2), "so it does where the memory is another");
}

/* A pin would pay for what goes up and down as much, but makes pages unknown. */
static void test_pins(void)
{
    enum { LARGE = 1500, TIMES = 6 }; /* 18 MB */
    const size_t bytes = (size_t)LARGE * LARGE * 8;
    int sent = 0;
    matrix = (double *)map(bytes);
    open_table((size_t)1 << 30, (size_t)1 << 30);
    struct operand factor = operand_of(matrix, LARGE, LARGE, LARGE, PART_LOWER, OPERAND_READ);
    const bool is_new = call(factor, 0) > 0;
    for (int i = 0; i < TIMES; i++) {
        memset(matrix, i, bytes);
        factor.access = OPERAND_OVERWRITE;
        const bool is_left = leave(factor) == 0;
        factor.access = OPERAND_READ;
        sent += !(is_left && call(factor, 0) == 0 && call(factor, 0) == 0);
    }
    /* The kernel may tell of pages as written that it moved: not every time. */
    tap_ok(is_new && sent <= TIMES / 2, "what was left is not sent for a pin's sake");
    unmap((unsigned char *)matrix, bytes);
    mirror_table_destroy(table);
}

UNIT_TEST(test_known_parts)
{
    lane = emulated_lane();
    const struct emulated_census before = take_census();
    page = (size_t)1 << page_shift();
    open_table((size_t)1 << 30, 0);
    if (!mirror_table_tracks(table))
        tap_skip_all("this kernel tracks no writes");
    matrix = (double *)map(all_bytes);
    madvise(matrix, all_bytes, MADV_NOHUGEPAGE);
    test_left();
    test_again();
    test_many();
    test_evicted();
    unmap((unsigned char *)matrix, all_bytes);
    mirror_table_destroy(table);
    test_pins();
    tap_ok(all_given_back(&before), "all memory is given back");
    lane_release(lane);
    return tap_done();
}
