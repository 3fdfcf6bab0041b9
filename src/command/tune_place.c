#include "command/tune_place.h"

#include "tuner/file_replace.h"
#include "tuner/regular_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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

static bool is_there(const char *path)
{
    struct stat state;
    return lstat(path, &state) == 0;
}

static void path_of(const char *path, const char *old, bool data, char name[TUNE_PATH_BYTES])
{
    snprintf(name, TUNE_PATH_BYTES, "%s%s%s", path, old, data ? ".csv" : "");
}

void tune_place_find_old(const char *recipe, char old[16])
{
    char path[TUNE_PATH_BYTES], data[TUNE_PATH_BYTES];
    for (int number = 1; number < 100000; number++) {
        snprintf(old, 16, number > 1 ? ".old.%d" : ".old", number);
        path_of(recipe, old, false, path);
        path_of(recipe, old, true, data);
        if (!is_there(path) && !is_there(data))
            return;
    }
}

bool tune_place_set_aside(const char *recipe, const char *old, bool data)
{
    char path[TUNE_PATH_BYTES], aside[TUNE_PATH_BYTES], fault[FILE_FAULT_BYTES];
    path_of(recipe, "", data, path);
    path_of(recipe, old, data, aside);
    return file_set_aside(path, aside, fault) || tune_complain(aside, fault);
}

bool tune_place_move_aside(const char *recipe, const char *old, bool data)
{
    char path[TUNE_PATH_BYTES], aside[TUNE_PATH_BYTES];
    path_of(recipe, "", data, path);
    path_of(recipe, old, data, aside);
    return rename(path, aside) == 0 || errno == ENOENT || tune_complain(path, strerror(errno));
}

bool tune_place_keep_left(const char *left, const char *fault)
{
    char old[16], kept[64];
    tune_place_find_old(left, old);
    /* The data last: without them what is there would not be gone on with either. */
    if (!tune_place_move_aside(left, old, false) || !tune_place_move_aside(left, old, true))
        return false;
    snprintf(kept, sizeof kept, "begun anew, and it is kept with the ending %s", old);
    tune_note(left, fault, kept);
    return true;
}
