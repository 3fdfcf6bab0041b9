#include "tuner/narrow_shares.h"

#include <math.h>

enum {
    LEAST_ORDER = 200, /* below that one thread does it all */
    UNIT = 4,
    NARROW = NARROW_SHARE_COLUMNS + 1
};

bool narrow_shares_exist(const struct blas_call *call)
{
    return call->family == FAMILY_SYMV && call->uplo == UPLO_UPPER &&
           (call->type == TYPE_S || call->type == TYPE_D);
}

/* Of the range that begins at a column, for threads that are still without one. */
static int64_t width_of(int64_t begin, int64_t order, double work, int threads)
{
    const double from = (double)begin;
    const int64_t width = ((int64_t)(sqrt(from * from + work) - from) + UNIT - 1) / UNIT * UNIT,
                  most = order - begin, least = width < UNIT ? UNIT : width;
    return threads == 1 || least > most ? most : least;
}

double narrow_shares_columns(const struct blas_call *call, int threads)
{
    const int64_t order = call->n;
    if (!narrow_shares_exist(call) || threads < 2 || order < LEAST_ORDER)
        return 0;
    /* Even the last range is wide: its share of the work without what the others were rounded up by. */
    if ((double)order / (2 * threads) - (UNIT - 1) * threads > NARROW)
        return 0;
    const double work = (double)order * (double)order / threads;
    double most = 0;
    int64_t begin = 0;
    for (int left = threads; begin < order; left--) {
        const int64_t width = width_of(begin, order, work, left);
        begin += width;
        if (width < NARROW)
            most = fmax(most, (double)width * (double)begin / (double)order);
    }
    return most;
}
