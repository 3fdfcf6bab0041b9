#include "tuner/sample_moments.h"
#include "tuner/statistics.h"

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

void sample_moments_add(struct sample_moments *moments, double us, int set, double columns)
{
    const int place = moments->count++ % SAMPLE_MOMENTS;
    moments->timed++;
    moments->us[place] = us;
    moments->sets[place] = (unsigned char)set;
    moments->columns[place] = (float)columns;
}

double sample_moments_time(const struct sample_moments *moments, const double *factors, double narrow)
{
    const int count = moments->count < SAMPLE_MOMENTS ? moments->count : SAMPLE_MOMENTS;
    double us[SAMPLE_MOMENTS];
    for (int i = 0; i < count; i++) {
        const double more = factors ? factors[moments->sets[i]] : 1;
        us[i] = moments->us[i] / (more * (1 + narrow * (double)moments->columns[i]));
    }
    return statistics_usual_mean(us, (size_t)count);
}
