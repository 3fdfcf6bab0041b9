/* The BLACS' answers with integers of either width. */
#include "scalapack/grid.h"
#include "tap.h"

/* The BLACS of this program: found by their names. */
#define EXPORTED __attribute__((visibility("default")))
EXPORTED void igamn2d_(void);
EXPORTED void igamx2d_(void);
EXPORTED void blacs_gridinfo_(const void *context, void *rows, void *columns, void *row, void *column);

static int width;
static long long asked;

void igamn2d_(void)
{
}

void igamx2d_(void)
{
}

static void put(void *to, int value)
{
    if (width == 64)
        *(int64_t *)to = value;
    else
        *(int32_t *)to = value;
}

/* The last first, so that a wide one would overwrite what a narrow one holds behind it. */
void blacs_gridinfo_(const void *context, void *rows, void *columns, void *row, void *column)
{
    asked = width == 64 ? *(const int64_t *)context : *(const int32_t *)context;
    put(column, asked == 7 ? 2 : -1);
    put(row, asked == 7 ? 1 : -1);
    put(columns, asked == 7 ? 5 : -1);
    put(rows, asked == 7 ? 3 : -1);
}

static void test_width(int bits)
{
    width = bits;
    const struct grid_place place = blacs_place(7);
    tap_ok(asked == 7, "%d bits: the handle arrives", bits);
    tap_ok(place.rows == 3 && place.columns == 5 && place.row == 1 && place.column == 2,
           "%d bits: the place is %d x %d, (%d, %d)", bits, place.rows, place.columns, place.row, place.column);
    const struct grid_place none = blacs_place(8);
    tap_ok(none.rows < 1 && none.row < 0, "%d bits: a context that the process is not in", bits);
}

int main(void)
{
    tap_ok(blacs_find((const void *)(uintptr_t)test_width), "found in the program");
    test_width(32);
    test_width(64);
    return tap_done();
}
