/* Samples of what the host uses: what they tell, and that nothing is read but what a call reads. The rest
 * cannot be read here. */
#include "mirror/ledger/account.h"
#include "tap.h"
#include "unit_test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ORDER = 600, ROUNDS = 200 };

static size_t page;
static struct rewrite_samples samples;

static unsigned char *map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        abort();
    return memory;
}

static struct operand operand_of(void *pointer, int64_t rows, int64_t columns, int64_t ld,
                                 enum blas_part part, size_t element)
{
    return (struct operand){.matrix = {pointer, rows, columns, ld, part}, .element_bytes = element};
}

/* As many rounds as find most places. */
static double renew_often(const struct operand *operand)
{
    double most = 0;
    for (int i = 0; i < ROUNDS; i++) {
        const double changed = rewrite_samples_renew(&samples, operand);
        most = changed > most ? changed : most;
        samples.taken[i % REWRITE_SAMPLES_MAX].address = 0;
    }
    return most;
}

/* Columns of a page each, a page that is not there behind each. */
static void test_gaps(size_t element)
{
    enum { COLUMNS = 40 };
    unsigned char *memory = map(2 * COLUMNS * page);
    const int64_t rows = (int64_t)(page / element);
    for (size_t j = 0; j < COLUMNS; j++)
        mprotect(memory + (2 * j + 1) * page, page, PROT_NONE);
    const struct operand whole = operand_of(memory, rows, COLUMNS, 2 * rows, PART_FULL, element);
    rewrite_samples_forget(&samples);
    tap_ok(renew_often(&whole) == 0, "elements of %zu bytes: nothing has changed, and no gap was read",
           element);
    rewrite_samples_renew(&samples, &whole);
    for (size_t j = 0; j < COLUMNS; j++)
        memset(memory + 2 * j * page, (int)element, page);
    tap_ok(rewrite_samples_renew(&samples, &whole) == 1, "all has changed");
    unsigned char *other = map(2 * page);
    mprotect(memory, 2 * COLUMNS * page, PROT_NONE);
    const struct operand small = operand_of(other, rows, 1, rows, PART_FULL, element);
    tap_ok(rewrite_samples_renew(&samples, &small) == 0,
           "where another matrix was nothing is read");
    munmap(other, 2 * page);
    munmap(memory, 2 * COLUMNS * page);
}

/* Whole pages of a column that the other triangle has alone are not there. */
static void test_triangle(enum blas_part part)
{
    const size_t column = 2 * page, lower = part == PART_LOWER;
    unsigned char *memory = map(ORDER * column);
    const int64_t ld = (int64_t)(column / 8);
    const size_t in_page = page / 8;
    for (size_t j = 0; j < ORDER; j++)
        if (lower ? j >= in_page : j < in_page)
            mprotect(memory + j * column + (lower ? 0 : page), page, PROT_NONE);
    const struct operand triangle = operand_of(memory, ORDER, ORDER, ld, part, 8);
    rewrite_samples_forget(&samples);
    tap_ok(renew_often(&triangle) == 0, "%s triangle: nothing has changed, and the other was not read",
           lower ? "lower" : "upper");
    for (size_t j = 0; j < ORDER; j++) {
        const size_t first = lower ? (j < in_page ? 0 : in_page) : 0, end = lower ? j + 1 : ORDER;
        for (size_t i = lower ? first : j; i < (lower || j >= in_page ? end : in_page); i++)
            memory[j * column + i * 8] = 7;
    }
    tap_ok(rewrite_samples_renew(&samples, &triangle) == 0,
           "what is written on the diagonal and beyond says nothing of it");
    munmap(memory, ORDER * column);
}

/* The last element of each page, before one that is not there. */
static void test_last(size_t element)
{
    enum { COLUMNS = 40 };
    unsigned char *memory = map(2 * COLUMNS * page);
    for (size_t j = 0; j < COLUMNS; j++)
        mprotect(memory + (2 * j + 1) * page, page, PROT_NONE);
    const struct operand last = operand_of(memory + page - element, 1, COLUMNS, (int64_t)(2 * page / element),
                                            PART_FULL, element);
    rewrite_samples_forget(&samples);
    tap_ok(renew_often(&last) == 0, "of elements of %zu bytes no more is read", element);
    munmap(memory, 2 * COLUMNS * page);
}

/* Another operand in the same place: the other triangle, fewer rows or columns. */
static void test_others(void)
{
    enum { SMALL = 5 };
    static double matrix[SMALL * SMALL];
    const struct operand whole = operand_of(matrix, SMALL, SMALL, SMALL, PART_FULL, 8),
                         others[] = {operand_of(matrix, SMALL, SMALL, SMALL, PART_LOWER, 8),
                                     operand_of(matrix, SMALL, SMALL, SMALL, PART_UPPER, 8),
                                     operand_of(matrix, 2, SMALL, SMALL, PART_FULL, 8),
                                     operand_of(matrix, SMALL, 2, SMALL, PART_FULL, 8)};
    int wrong = 0;
    for (int i = 0; i < ROUNDS; i++) {
        const struct operand *other = &others[i % 4];
        rewrite_samples_forget(&samples);
        rewrite_samples_renew(&samples, &whole);
        for (int at = 0; at < SMALL * SMALL; at++) {
            const int row = at % SMALL, column = at / SMALL;
            const bool in_part = other->matrix.part == PART_LOWER   ? row > column
                                 : other->matrix.part == PART_UPPER ? row < column
                                                                    : true;
            if (!in_part || row >= other->matrix.rows || column >= other->matrix.columns)
                matrix[at] += 1;
        }
        wrong += rewrite_samples_renew(&samples, other) != 0;
    }
    tap_ok(wrong == 0, "what an operand has not tells nothing of it (%d of %d)", ROUNDS - wrong, ROUNDS);
}

UNIT_TEST(test_samples)
{
    page = (size_t)sysconf(_SC_PAGESIZE);
    test_gaps(4);
    test_gaps(8);
    test_gaps(16);
    test_last(4);
    test_last(8);
    test_last(16);
    test_others();
    if (page == 4096) {
        test_triangle(PART_LOWER);
        test_triangle(PART_UPPER);
    } else {
        tap_skip("triangles", "pages are not of 4 KiB");
    }
    return tap_done();
}
