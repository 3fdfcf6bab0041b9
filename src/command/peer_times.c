#include "command/peer_times.h"

#include "tuner/regular_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The columns that are looked at, by name: the benchmark may add others. */
enum column { ROUTINE, TYPE, FLAGS, M, N, LAYOUT, CACHE, CUBLAS, COLUMNS };
static const char *const names[COLUMNS] = {"routine", "type",   "flags", "m",
                                           "n",       "layout", "cache", "cublas_us"};
enum { PLACES_MAX = 64 };
static const char device_line[] = "# device: ";

struct peer_file {
    int places[COLUMNS]; /* of the columns in a line, -1: not seen */
    bool has_columns;
    size_t added;
};

static size_t cut(char *line, char *words[PLACES_MAX])
{
    size_t count = 0;
    for (char *word = line; word && count < PLACES_MAX; count++) {
        char *comma = strchr(word, ',');
        words[count] = word;
        if (comma)
            *comma = '\0';
        word = comma ? comma + 1 : NULL;
    }
    return count;
}

static bool find_columns(struct peer_file *file, char *words[PLACES_MAX], size_t count)
{
    for (int column = 0; column < COLUMNS; column++) {
        file->places[column] = -1;
        for (size_t i = 0; i < count; i++)
            if (strcmp(words[i], names[column]) == 0)
                file->places[column] = (int)i;
        if (file->places[column] < 0)
            return false;
    }
    return true;
}

/* The class whose canonical call the case is; TUNING_CLASS_NONE: of none. */
static int class_of(const char *routine, const char *type, const char *flags)
{
    static const struct {
        const char *routine, *flags, *ending;
    } cases[] = {{"axpy", "-", ""}, {"gemv", "N", "_none"}, {"gemv", "T", "_transpose"}, {"symv", "L", ""},
                 {"hemv", "L", ""}, {"trmv", "LNN", "_none"}, {"trmv", "LTN", "_transpose"}};
    char name[64];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strcmp(routine, cases[i].routine) == 0 && strcmp(flags, cases[i].flags) == 0) {
            snprintf(name, sizeof name, "%.4s%s%s", type, routine, cases[i].ending);
            return tuning_class_parse(name);
        }
    return TUNING_CLASS_NONE;
}

/* False: out of memory. Cases without a class or a time are passed over. */
static bool add_case(struct peer_file *file, char *words[PLACES_MAX], size_t count,
                     struct tuning_table *table)
{
    const char *word[COLUMNS];
    for (int column = 0; column < COLUMNS; column++) {
        if ((size_t)file->places[column] >= count)
            return true;
        word[column] = words[file->places[column]];
    }
    struct tuning_row row = {.class = class_of(word[ROUTINE], word[TYPE], word[FLAGS]),
                             .n = strtoll(word[N], NULL, 10), .stage = TUNED_CUBLAS,
                             .us = strtod(word[CUBLAS], NULL)};
    if (row.class == TUNING_CLASS_NONE || strcmp(word[LAYOUT], "aligned") != 0 ||
        strcmp(word[CACHE], "cold") != 0 || row.n <= 0 || !(row.us > 0) || !isfinite(row.us))
        return true;
    const bool is_gemv = tuning_class_family(row.class) == FAMILY_GEMV;
    row.m = is_gemv ? strtoll(word[M], NULL, 10) : row.n;
    const struct blas_call call = tuning_class_call(row.class, row.m, row.n);
    row.form = tuning_form_of(&call);
    row.low_us = row.high_us = row.us;
    file->added++;
    return row.m <= 0 || tuning_table_add(table, &row);
}

static const char *take_line(struct peer_file *file, char *line, struct tuning_table *table)
{
    char *words[PLACES_MAX];
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, device_line, sizeof device_line - 1) == 0 &&
        strncmp(line + sizeof device_line - 1, table->device, strlen(table->device)) != 0)
        return "measured on another device";
    if (line[0] == '#' || line[0] == '\0')
        return NULL;
    const size_t count = cut(line, words);
    if (file->has_columns)
        return add_case(file, words, count, table) ? NULL : "out of memory";
    file->has_columns = find_columns(file, words, count);
    return file->has_columns ? NULL : "not written by bench/kernels/measure";
}

bool peer_times_add(const char *path, struct tuning_table *table, char fault[TUNING_FAULT_BYTES])
{
    struct peer_file file = {.has_columns = false};
    const char *wrong = NULL;
    char *line = NULL;
    size_t bytes = 0;
    FILE *stream = regular_file_open(path);
    if (!stream) {
        snprintf(fault, TUNING_FAULT_BYTES, "%s: %s", path, regular_file_fault());
        return false;
    }
    while (!wrong && getline(&line, &bytes, stream) > 0)
        wrong = take_line(&file, line, table);
    if (!wrong && (ferror(stream) || file.added == 0))
        wrong = ferror(stream) ? "cannot be read" : "no case of a tuning class";
    free(line);
    fclose(stream);
    tuning_table_sort(table);
    if (wrong)
        snprintf(fault, TUNING_FAULT_BYTES, "%s: %s", path, wrong);
    return !wrong;
}
