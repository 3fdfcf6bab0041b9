#include "command/tune/tune_rows.h"

#include "tuner/online/regular_file.h"
#include "tuner/learn/tuning_data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* False: of none. */
static bool read_class(const char *line, int *class, enum tuning_form *form)
{
    char name[32], form_name[16];
    if (sscanf(line, "%31[^,],%15[^,],", name, form_name) != 2)
        return false;
    *class = tuning_class_parse(name);
    return *class != TUNING_CLASS_NONE && tuning_form_parse(form_name, form);
}

/* A row goes to `copy`. NULL, or what is wrong with the line. */
static const char *take_line(const char *line, int number, const char *device, FILE *copy)
{
    static const char device_line[] = "# device ";
    int class;
    enum tuning_form form;
    if (number == 1 && strcmp(line, TUNING_DATA_FIRST_LINE "\n") != 0)
        return "not '" TUNING_DATA_FIRST_LINE "'";
    if (strncmp(line, device_line, sizeof device_line - 1) == 0) {
        const char *name = line + sizeof device_line - 1;
        return strncmp(name, device, strlen(device)) == 0 && name[strlen(device)] == '\n' ? NULL : "of another device";
    }
    if (line[0] == '#' || strcmp(line, TUNING_DATA_COLUMNS "\n") == 0 || !strchr(line, '\n'))
        return NULL;
    if (!read_class(line, &class, &form))
        return "a line of no class";
    return fputs(line, copy) < 0 ? "out of memory" : NULL;
}

char *tune_rows_read(const char *path, const char *device, char fault[TUNING_FAULT_BYTES])
{
    char *rows = NULL, *line = NULL;
    const char *wrong = NULL;
    size_t bytes, room = 0;
    FILE *stream = regular_file_open(path), *copy = stream ? open_memstream(&rows, &bytes) : NULL;
    *fault = '\0';
    if (!stream) {
        if (errno != ENOENT)
            snprintf(fault, TUNING_FAULT_BYTES, "%s: %s", path, regular_file_fault());
        return NULL;
    }
    for (int number = 1; !wrong && copy && getline(&line, &room, stream) > 0; number++)
        wrong = take_line(line, number, device, copy);
    free(line);
    fclose(stream);
    if (!copy || fclose(copy) != 0)
        wrong = "out of memory";
    if (!wrong)
        return rows;
    snprintf(fault, TUNING_FAULT_BYTES, "%s: %s", path, wrong);
    free(rows);
    return NULL;
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
