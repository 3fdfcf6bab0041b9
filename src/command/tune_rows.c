#include "command/tune_rows.h"

#include "tuner/regular_file.h"
#include "tuner/tuning_data.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_row(const char *line)
{
    return line[0] != '#' && strncmp(line, TUNING_DATA_COLUMNS, sizeof TUNING_DATA_COLUMNS - 1) != 0;
}

static char *copy_rows(const char *path)
{
    char *rows = NULL, *line = NULL;
    size_t bytes, room = 0;
    FILE *stream = regular_file_open(path), *copy = open_memstream(&rows, &bytes);
    while (stream && copy && getline(&line, &room, stream) > 0)
        if (is_row(line) && strchr(line, '\n'))
            fputs(line, copy);
    free(line);
    if (stream)
        fclose(stream);
    if (copy)
        fclose(copy);
    return rows;
}

/* Read as a table first: what has one wrong line is of no use to anybody. */
char *tune_rows_read(const char *path, const char *device, char fault[TUNING_FAULT_BYTES])
{
    struct tuning_table table;
    char *rows = NULL;
    *fault = '\0';
    if (access(path, F_OK) != 0 || !tuning_table_read(path, &table, fault))
        return NULL;
    if (strcmp(table.device, device) != 0)
        snprintf(fault, TUNING_FAULT_BYTES, "%s: of another device", path);
    else
        rows = copy_rows(path);
    tuning_table_free(&table);
    return rows;
}

/* False: of none. */
static bool read_class(const char *line, int *class, enum tuning_form *form)
{
    char name[32], form_name[16];
    if (sscanf(line, "%31[^,],%15[^,],", name, form_name) != 2)
        return false;
    *class = tuning_class_parse(name);
    return *class != TUNING_CLASS_NONE && tuning_form_parse(form_name, form);
}

void tune_rows_write(FILE *stream, const char *rows, bool which[TUNING_CLASSES][TUNING_FORMS], bool value)
{
    for (const char *line = rows, *end; line && (end = strchr(line, '\n')); line = end + 1) {
        int class;
        enum tuning_form form;
        if (read_class(line, &class, &form) && which[class][form] == value)
            fwrite(line, 1, (size_t)(end + 1 - line), stream);
    }
}
