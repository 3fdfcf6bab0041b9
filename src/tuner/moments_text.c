#include "tuner/moments_text.h"

#include <stdlib.h>

static const char *const side_names[CALL_SIDES] = {[SIDE_HOST] = "host", [SIDE_DEVICE] = "device"};
static const double greatest = 1e18;

static int kept(const struct sample_moments *sample)
{
    return sample->count < SAMPLE_MOMENTS ? sample->count : SAMPLE_MOMENTS;
}

static void write_sample(FILE *stream, int side, int class, const struct sample_moments *sample)
{
    char name[TIMED_CLASS_NAME];
    fprintf(stream, "sample %s %s %.15g %.15g %d %u\n", side_names[side], timed_class_name(class, name),
            sample->amount, sample->asked, sample->scouted, sample->timed);
    for (int i = 0; i < kept(sample); i++)
        fprintf(stream, "%.6g %d %.6g\n", sample->us[i], sample->sets[i], (double)sample->columns[i]);
}

void moments_text_write(FILE *stream, const struct moments_table *table)
{
    for (int class = 0; class < TIMED_CLASSES; class++)
        for (int side = 0; side < CALL_SIDES; side++)
            for (int i = 0; i < table->counts[class][side]; i++)
                if (table->samples[class][side][i].count > 0)
                    write_sample(stream, side, class, &table->samples[class][side][i]);
}

static bool read_side(struct line_reader *reader, int *side)
{
    for (*side = 0; *side < CALL_SIDES; ++*side)
        if (line_reader_is(reader, side_names[*side]))
            return true;
    return line_reader_fault(reader, "neither host nor device");
}

static bool read_class(struct line_reader *reader, int *class)
{
    char name[TIMED_CLASS_NAME];
    if (!line_reader_name(reader, name, sizeof name))
        return false;
    *class = timed_class_parse(name);
    return *class != TIMED_CLASS_NONE || line_reader_fault(reader, "there is no class of calls '%s'", name);
}

/* NULL: a fault. */
static struct sample_moments *read_sample(struct line_reader *reader, struct moments_table *table, int *class)
{
    int side;
    double amount, asked;
    int64_t scouted, timed;
    if (!read_side(reader, &side) || !read_class(reader, class) ||
        !line_reader_decimal(reader, 1e-9, greatest, &amount) ||
        !line_reader_decimal(reader, 1e-9, greatest, &asked) || !line_reader_integer(reader, 0, 1, &scouted) ||
        !line_reader_integer(reader, 1, INT32_MAX, &timed) || !line_reader_end(reader))
        return NULL;
    struct sample_moments *sample = sample_moments_at(table, *class, side, amount);
    if (!sample || sample->timed > 0) {
        line_reader_fault(reader, sample ? "a sample a second time" : "more than %d samples", TIME_CURVE_SAMPLES);
        return NULL;
    }
    sample->asked = asked;
    sample->scouted = scouted;
    sample->timed = (unsigned)timed;
    return sample;
}

static bool read_time(struct line_reader *reader, struct sample_moments *sample, int class)
{
    double us, columns;
    int64_t set;
    if (!line_reader_decimal(reader, 1e-6, greatest, &us) ||
        !line_reader_integer(reader, 0, device_sets_of(class) - 1, &set) ||
        !line_reader_decimal(reader, 0, greatest, &columns) || !line_reader_end(reader))
        return false;
    if (sample->count == SAMPLE_MOMENTS)
        return line_reader_fault(reader, "more than %d times", SAMPLE_MOMENTS);
    const unsigned timed = sample->timed;
    sample_moments_add(sample, us, (int)set, columns);
    sample->timed = timed;
    return true;
}

static bool has_times(struct line_reader *reader, const struct sample_moments *sample)
{
    return !sample || sample->count > 0 || line_reader_fault(reader, "a sample without times");
}

bool moments_text_read(struct line_reader *reader, struct moments_table *table)
{
    struct sample_moments *sample = NULL;
    int class = 0;
    while (line_reader_next(reader)) {
        if (line_reader_is(reader, "sample")) {
            if (!has_times(reader, sample) || !(sample = read_sample(reader, table, &class)))
                return false;
        } else if (!sample)
            return line_reader_fault(reader, "a time of no sample");
        else if (!read_time(reader, sample, class))
            return false;
    }
    return !*reader->fault && has_times(reader, sample);
}

int moments_text_times(const struct moments_table *table)
{
    int times = 0;
    for (int class = 0; class < TIMED_CLASSES; class++)
        for (int side = 0; side < CALL_SIDES; side++)
            for (int i = 0; i < table->counts[class][side]; i++)
                times += kept(&table->samples[class][side][i]);
    return times;
}
