#include "tuner/learn/champion_sieve.h"
#include "tuner/learn/statistics.h"

#include <stdlib.h>
#include <string.h>

static int better_first(const void *one, const void *other)
{
    const struct champion *a = one, *b = other;
    if (a->points != b->points)
        return a->points > b->points ? -1 : 1;
    return (a->candidate > b->candidate) - (a->candidate < b->candidate);
}

/* One size: points by rank. Who takes less time is better, so in the field points are minus the time. */
static void award(const double *times, size_t candidates, unsigned scoring, struct champion *field,
                  struct champion *champions)
{
    size_t count = 0, rank = 0;
    for (size_t i = 0; i < candidates; i++)
        if (statistics_is_time(times[i]))
            field[count++] = (struct champion){i, -times[i]};
    qsort(field, count, sizeof *field, better_first);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && field[i].points < field[i - 1].points)
            rank = i;
        if (rank < scoring)
            champions[field[i].candidate].points += (double)(scoring - rank) / scoring;
    }
}

size_t champion_sieve(const double *times, size_t sizes, size_t candidates, unsigned scoring,
                      struct champion *kept, size_t wanted)
{
    size_t count = 0;
    struct champion *champions = calloc(candidates + 1, sizeof *champions);
    struct champion *field = calloc(candidates + 1, sizeof *field);
    if (champions && field) {
        for (size_t size = 0; size < sizes; size++)
            award(times + size * candidates, candidates, scoring, field, champions);
        for (size_t i = 0; i < candidates; i++)
            if (champions[i].points > 0)
                champions[count++] = (struct champion){i, champions[i].points};
        qsort(champions, count, sizeof *champions, better_first);
        if (count > wanted)
            count = wanted;
        memcpy(kept, champions, count * sizeof *kept);
    }
    free(champions);
    free(field);
    return count;
}
