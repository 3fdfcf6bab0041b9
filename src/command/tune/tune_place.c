#include "command/tune/tune_place.h"

#include "command/file_replace.h"
#include "common/regular_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool tune_complain(const char *path, const char *fault)
{
    fprintf(stderr, "mublas tune: %s: %s\n", path, fault);
    return false;
}

void tune_note(const char *path, const char *fault, const char *consequence)
{
    fprintf(stderr, "mublas tune: %s: %s; %s\n", path, fault, consequence);
}

/* Is there a line that begins so at the head of the file, or is it empty or not there? */
static bool has_line(const char *path, const char *wanted, char fault[FILE_FAULT_BYTES])
{
    enum { HEAD_LINES = 4 };
    char line[256];
    int lines = 0;
    bool found = false;
    FILE *stream = regular_file_open(path);
    if (!stream) {
        snprintf(fault, FILE_FAULT_BYTES, "%s", regular_file_fault());
        return errno == ENOENT;
    }
    for (; lines < HEAD_LINES && !found && fgets(line, sizeof line, stream); lines++)
        found = strncmp(line, wanted, strlen(wanted)) == 0;
    fclose(stream);
    return found || lines == 0;
}

bool tune_place_is_ours(const char *path, const char *line, const char *what)
{
    char fault[FILE_FAULT_BYTES];
    if (!file_is_replaceable(path, fault))
        return tune_complain(path, fault);
    snprintf(fault, sizeof fault, "not %s, and not overwritten", what);
    return has_line(path, line, fault) || tune_complain(path, fault);
}
