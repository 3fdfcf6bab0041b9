/* ScaLAPACK's distribution against the naive one: rows are dealt in blocks, one after the other, and lie in a
 * process's part in the order in which it got them. Random grids, blocks, sources, submatrices and triangles;
 * what is not of the part stays as it was on both sides.
 *   test_scalapack_distribution [SEED] */
#include "scalapack/grid.h"
#include "tap.h"
#include "unit_test.h"

#include <string.h>
#include <time.h>

enum { ORDER_MOST = 70, PROCESSES_MOST = 5, GAP_MOST = 3, ELEMENT_MOST = 16 };
enum { LOCAL_MOST = (ORDER_MOST + GAP_MOST) * ORDER_MOST, CASES = 400 };

static uint64_t state;

/* From 0 to below `limit`. */
static int64_t pick(int64_t limit)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)((state >> 33) % (uint64_t)limit);
}

/* Whose each element of one dimension is, and which of his it is. */
struct deal {
    int owner[ORDER_MOST];
    int64_t local[ORDER_MOST];
    int64_t counts[PROCESSES_MOST];
};

static void deal_out(struct deal *deal, int64_t count, int64_t block, int source, int processes)
{
    int who = source;
    int64_t left = block;
    memset(deal, 0, sizeof *deal);
    for (int64_t i = 0; i < count; i++) {
        if (left == 0) {
            left = block;
            who = who + 1 == processes ? 0 : who + 1;
        }
        left--;
        deal->owner[i] = who;
        deal->local[i] = deal->counts[who]++;
    }
}

struct problem {
    int64_t all_rows, all_columns; /* of the distributed matrix */
    struct distribution of;
    int grid_rows, grid_columns;
    enum blas_part part;
    size_t element;
    int64_t whole_ld;
    struct deal rows, columns;
};

static void draw(struct problem *problem)
{
    static const size_t elements[] = {4, 8, 16};
    static const int64_t blocks[] = {1, 2, 3, 8, 32, 64, 100};
    *problem = (struct problem){.all_rows = pick(ORDER_MOST) + 1,
                                .all_columns = pick(ORDER_MOST) + 1,
                                .grid_rows = (int)pick(PROCESSES_MOST) + 1,
                                .grid_columns = (int)pick(PROCESSES_MOST) + 1,
                                .part = (enum blas_part)pick(3),
                                .element = elements[pick(3)]};
    struct distribution *const of = &problem->of;
    of->row_block = blocks[pick(7)];
    of->column_block = blocks[pick(7)];
    of->row_source = (int)pick(problem->grid_rows);
    of->column_source = (int)pick(problem->grid_columns);
    of->first_row = pick(problem->all_rows);
    of->first_column = pick(problem->all_columns);
    of->rows = pick(problem->all_rows - of->first_row + 1);
    of->columns = pick(problem->all_columns - of->first_column + 1);
    if (problem->part != PART_FULL)
        of->rows = of->columns = of->rows < of->columns ? of->rows : of->columns;
    problem->whole_ld = of->rows + 1 + pick(GAP_MOST);
    deal_out(&problem->rows, problem->all_rows, of->row_block, of->row_source, problem->grid_rows);
    deal_out(&problem->columns, problem->all_columns, of->column_block, of->column_source,
             problem->grid_columns);
}

static bool counts_are_right(const struct problem *problem)
{
    for (int me = 0; me < problem->grid_rows; me++)
        if (distribution_count(problem->all_rows, problem->of.row_block, me, problem->of.row_source,
                               problem->grid_rows) != problem->rows.counts[me])
            return false;
    for (int64_t i = 0; i < problem->all_columns; i++)
        if (distribution_owner(i, problem->of.column_block, problem->of.column_source,
                               problem->grid_columns) != problem->columns.owner[i] ||
            distribution_local(i, problem->of.column_block, problem->grid_columns) !=
                problem->columns.local[i])
            return false;
    return true;
}

static bool is_in_part(enum blas_part part, int64_t i, int64_t j)
{
    return part == PART_FULL || (part == PART_LOWER ? i >= j : i <= j);
}

/* Copies element by element from `from` to `to`, whichever of them is the process's part. */
static void copy_naively(const struct problem *problem, const struct grid_place *place, int64_t ld,
                         unsigned char *local, unsigned char *whole, bool takes)
{
    const struct distribution *const of = &problem->of;
    for (int64_t j = 0; j < of->columns; j++)
        for (int64_t i = 0; i < of->rows; i++) {
            const int64_t row = of->first_row + i, column = of->first_column + j;
            if (!is_in_part(problem->part, i, j) || problem->rows.owner[row] != place->row ||
                problem->columns.owner[column] != place->column)
                continue;
            unsigned char *const here =
                local +
                (size_t)(problem->columns.local[column] * ld + problem->rows.local[row]) * problem->element;
            unsigned char *const there = whole + (size_t)(j * problem->whole_ld + i) * problem->element;
            memcpy(takes ? here : there, takes ? there : here, problem->element);
        }
}

static void fill_at_random(unsigned char *memory, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        memory[i] = (unsigned char)pick(256);
}

static unsigned char local[LOCAL_MOST * ELEMENT_MOST], whole[LOCAL_MOST * ELEMENT_MOST];
static unsigned char wanted_local[sizeof local], wanted_whole[sizeof whole];

/* One process's copy in one direction, and both memories afterwards, every byte of them. */
static bool copies_as_naively(struct problem *problem, const struct grid_place *place, bool takes)
{
    const int64_t mine = problem->rows.counts[place->row];
    problem->of.ld = (mine > 0 ? mine : 1) + pick(GAP_MOST);
    fill_at_random(local, sizeof local);
    fill_at_random(whole, sizeof whole);
    memcpy(wanted_local, local, sizeof local);
    memcpy(wanted_whole, whole, sizeof whole);
    copy_naively(problem, place, problem->of.ld, wanted_local, wanted_whole, takes);
    if (takes)
        distribution_take(&problem->of, place, problem->part, problem->element, local, whole,
                          problem->whole_ld);
    else
        distribution_put(&problem->of, place, problem->part, problem->element, local, whole,
                         problem->whole_ld);
    return memcmp(local, wanted_local, sizeof local) == 0 && memcmp(whole, wanted_whole, sizeof whole) == 0;
}

static void show(const struct problem *problem, const struct grid_place *place)
{
    const struct distribution *const of = &problem->of;
    printf(
        "# %lld x %lld of %lld x %lld from %lld, %lld; blocks %lld x %lld, sources %d, %d, part %d, process "
        "%d, %d of %d x %d\n",
        (long long)of->rows, (long long)of->columns, (long long)problem->all_rows,
        (long long)problem->all_columns, (long long)of->first_row, (long long)of->first_column,
        (long long)of->row_block, (long long)of->column_block, of->row_source, of->column_source,
        (int)problem->part, place->row, place->column, place->rows, place->columns);
}

UNIT_TEST(test_scalapack_distribution)
{
    const uint64_t seed = count > 1 ? strtoull(arguments[1], NULL, 10) : (uint64_t)time(NULL);
    bool counted = true, put = true, taken = true;
    state = seed;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int i = 0; i < CASES; i++) {
        struct problem problem;
        draw(&problem);
        const struct grid_place place = {problem.grid_rows, problem.grid_columns,
                                         (int)pick(problem.grid_rows), (int)pick(problem.grid_columns)};
        const bool counts = counts_are_right(&problem), puts = copies_as_naively(&problem, &place, false),
                   takes = copies_as_naively(&problem, &place, true);
        if (!counts || !puts || !takes)
            show(&problem, &place);
        counted = counted && counts;
        put = put && puts;
        taken = taken && takes;
    }
    tap_ok(counted, "each process has as many rows as it was dealt, and each column is where it was dealt");
    tap_ok(put, "a process's elements of the part, and no others, come into the whole matrix");
    tap_ok(taken, "and back, into its part");
    return tap_done();
}
