#include "tuner/sample_moments.h"
#include "tuner/statistics.h"

#include <string.h>

struct sample_moments *sample_moments_at(struct moments_table *table, int class, int side, double amount)
{
    struct sample_moments *samples = table->samples[class][side];
    int *count = &table->counts[class][side];
    for (int i = 0; i < *count; i++)
        if (samples[i].amount == amount)
            return &samples[i];
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
