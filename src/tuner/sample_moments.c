#include "tuner/sample_moments.h"
#include "tuner/statistics.h"

#include <string.h>

static int place_of(const struct moments_table *table, int class, int side, double amount)
{
    int place = 0;
    while (place < table->counts[class][side] && table->samples[class][side][place].amount != amount)
        place++;
    return place;
}

const struct sample_moments *sample_moments_find(const struct moments_table *table, int class, int side,
                                                 double amount)
{
    const int place = place_of(table, class, side, amount);
    return place < table->counts[class][side] ? &table->samples[class][side][place] : NULL;
}

struct sample_moments *sample_moments_at(struct moments_table *table, int class, int side, double amount)
{
    struct sample_moments *samples = table->samples[class][side];
    int *count = &table->counts[class][side];
    const int place = place_of(table, class, side, amount);
    if (place < *count)
        return &samples[place];
    if (*count == TIME_CURVE_SAMPLES)
        return NULL;
    samples[*count] = (struct sample_moments){.amount = amount};
    return &samples[(*count)++];
}

void sample_moments_add(struct sample_moments *moments, double us)
{
    moments->us[moments->count++ % SAMPLE_MOMENTS] = us;
}

double sample_moments_time(const struct sample_moments *moments)
{
    const int count = moments->count < SAMPLE_MOMENTS ? moments->count : SAMPLE_MOMENTS;
    double us[SAMPLE_MOMENTS];
    memcpy(us, moments->us, (size_t)count * sizeof *us);
    return statistics_faster_half(us, (size_t)count);
}
