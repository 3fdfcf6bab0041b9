#include "tuner/tuning_table.h"

#include "tuner/regular_file.h"
#include "tuner/tuning_data.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 17 };

static const char *const stages[TUNED_STAGES + 1] = {"sieve",     "final", "default", "rules",
                                                 "occupancy", "best",  "held",    "chosen",
                                                 "rival",     "cublas", NULL};

struct reading {
    const char *path;
    size_t line;
    char *fault;
};

__attribute__((format(printf, 2, 3)))
static bool refuse(const struct reading *reading, const char *format, ...)
{
    char phrase[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(phrase, sizeof phrase, format, arguments);
    va_end(arguments);
    if (reading->line > 0)
        snprintf(reading->fault, TUNING_FAULT_BYTES, "%s, line %zu: %s", reading->path, reading->line,
                 phrase);
    else
        snprintf(reading->fault, TUNING_FAULT_BYTES, "%s: %s", reading->path, phrase);
    return false;
}

/* Cut a line at its commas; false: not so many words. */
static bool cut(char *line, char *words[COLUMNS])
{
    size_t count = 0;
    for (char *word = line; word; count++) {
        char *comma = strchr(word, ',');
        if (count == COLUMNS)
            return false;
        words[count] = word;
        if (comma)
            *comma = '\0';
        word = comma ? comma + 1 : NULL;
    }
    return count == COLUMNS;
}

static bool read_word(const char *word, const char *const *names, int *which)
{
    for (*which = 0; names[*which]; (*which)++)
        if (strcmp(word, names[*which]) == 0)
            return true;
    return false;
}

static bool read_integer(const char *word, int64_t most, int64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoll(word, &end, 10);
    return end != word && *end == '\0' && errno == 0 && *value >= 0 && *value <= most;
}

static bool read_time(const char *word, double *us)
{
    char *end;
    *us = strtod(word, &end);
    return end != word && *end == '\0' && isfinite(*us) && *us > 0;
}

static bool read_shape(const struct reading *reading, char *words[COLUMNS], struct launch_shape *shape)
{
    unsigned *const members[] = {&shape->edge, &shape->threads_x, &shape->threads_y, &shape->leaf_columns,
                                 &shape->blocks_per_multiprocessor, NULL, &shape->team_groups};
    int order, variant;
    int64_t value;
    for (int i = 0; i < 7; i++) {
        if (!members[i])
            continue;
        if (!read_integer(words[5 + i], UINT16_MAX, &value))
            return refuse(reading, "'%s' is no part of a shape", words[5 + i]);
        *members[i] = (unsigned)value;
    }
    if (!read_word(words[10], recipe_orders, &order) || !read_word(words[12], recipe_variants, &variant))
        return refuse(reading, "'%s' or '%s' is no part of a shape", words[10], words[12]);
    shape->order = (enum leaf_order)order;
    shape->variant = (enum symv_variant)variant;
    return true;
}

static bool read_row(const struct reading *reading, char *line, struct tuning_row *row)
{
    char *words[COLUMNS];
    int stage;
    if (!cut(line, words))
        return refuse(reading, "not %d columns", COLUMNS);
    row->class = tuning_class_parse(words[0]);
    if (row->class == TUNING_CLASS_NONE)
        return refuse(reading, "'%s' is not a class", words[0]);
    if (!tuning_form_parse(words[1], &row->form))
        return refuse(reading, "'%s' is not a form", words[1]);
    if (!read_integer(words[2], INT64_MAX, &row->m) || !read_integer(words[3], INT64_MAX, &row->n) ||
        row->n == 0)
        return refuse(reading, "'%s' by '%s' is not a size", words[2], words[3]);
    if (!read_word(words[4], stages, &stage))
        return refuse(reading, "'%s' is not a stage", words[4]);
    row->stage = (enum tuning_stage)stage;
    if (!read_shape(reading, words, &row->shape))
        return false;
    if (!read_time(words[13], &row->us) || !read_time(words[14], &row->low_us) ||
        !read_time(words[15], &row->high_us))
        return refuse(reading, "'%s', '%s' and '%s' are not times", words[13], words[14], words[15]);
    return true;
}

static void keep_comment(const char *line, const char *name, char *text, size_t room)
{
    const size_t length = strlen(name);
    if (strncmp(line, name, length) == 0)
        snprintf(text, room, "%s", line + length);
}

/* One line without its end. */
static bool read_line(const struct reading *reading, char *line, struct tuning_table *table)
{
    struct tuning_row row;
    if (reading->line == 1 && strcmp(line, TUNING_DATA_FIRST_LINE) != 0)
        return refuse(reading, "not '%s'", TUNING_DATA_FIRST_LINE);
    if (line[0] == '#' || strcmp(line, TUNING_DATA_COLUMNS) == 0) {
        keep_comment(line, "# device ", table->device, sizeof table->device);
        keep_comment(line, "# made ", table->made, sizeof table->made);
        return true;
    }
    if (!read_row(reading, line, &row))
        return false;
    return tuning_table_add(table, &row) || refuse(reading, "out of memory");
}

static bool read_lines(struct reading *reading, FILE *stream, struct tuning_table *table)
{
    char *line = NULL;
    size_t bytes = 0;
    ssize_t length;
    bool good = true;
    while (good && (length = getline(&line, &bytes, stream)) > 0) {
        if (line[length - 1] != '\n')
            break;
        line[length - 1] = '\0';
        reading->line++;
        good = strlen(line) == (size_t)length - 1 ? read_line(reading, line, table)
                                                  : refuse(reading, "a zero byte");
    }
    free(line);
    if (good && ferror(stream))
        return refuse(reading, "cannot be read");
    return good && (reading->line > 0 || refuse(reading, "is empty"));
}

static int by_size(const void *one, const void *other)
{
    const struct tuning_row *a = one, *b = other;
    if (a->class != b->class)
        return a->class < b->class ? -1 : 1;
    if (a->form != b->form)
        return a->form < b->form ? -1 : 1;
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    if (a->m != b->m)
        return a->m < b->m ? -1 : 1;
    if (a->stage != b->stage)
        return a->stage < b->stage ? -1 : 1;
    return (a->us > b->us) - (a->us < b->us);
}

bool tuning_table_read(const char *path, struct tuning_table *table, char fault[TUNING_FAULT_BYTES])
{
    struct reading reading = {path, 0, fault};
    FILE *stream = regular_file_open(path);
    *table = (struct tuning_table){.device = "an unknown device"};
    if (!stream)
        return refuse(&reading, "%s", regular_file_fault());
    const bool good = read_lines(&reading, stream, table);
    fclose(stream);
    if (!good)
        tuning_table_free(table);
    else
        tuning_table_sort(table);
    return good;
}

bool tuning_table_add(struct tuning_table *table, const struct tuning_row *row)
{
    if (table->count == table->room) {
        const size_t room = 2 * table->room + 1024;
        struct tuning_row *rows = realloc(table->rows, room * sizeof *rows);
        if (!rows)
            return false;
        table->rows = rows;
        table->room = room;
    }
    table->rows[table->count++] = *row;
    return true;
}

void tuning_table_sort(struct tuning_table *table)
{
    if (table->count > 0)
        qsort(table->rows, table->count, sizeof *table->rows, by_size);
}

void tuning_table_free(struct tuning_table *table)
{
    free(table->rows);
    *table = (struct tuning_table){.rows = NULL};
}

double tuning_row_size(const struct tuning_row *row)
{
    return sqrt((double)row->m * (double)row->n);
}

double tuning_row_bytes(const struct tuning_row *row)
{
    const double element = (double)blas_element_bytes(tuning_class_type(row->class));
    const double m = (double)row->m, n = (double)row->n;
    const bool transposed = tuning_class_call(row->class, 1, 1).trans != TRANS_NONE;
    switch (tuning_class_family(row->class)) {
    case FAMILY_AXPY: return 3 * n * element;
    case FAMILY_GEMV: return (m * n + (transposed ? m + 2 * n : n + 2 * m)) * element;
    case FAMILY_TRMV: return (n * (n + 1) / 2 + 2 * n) * element;
    default: return (n * (n + 1) / 2 + 3 * n) * element;
    }
}
