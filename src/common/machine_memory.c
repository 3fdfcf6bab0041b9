#include "common/machine_memory.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_BYTES = 8192 };

/* The beginning of a file of /proc or /sys; false: it cannot be read. */
static bool read_text(const char *path, char text[TEXT_BYTES])
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t got = file < 0 ? -1 : read(file, text, TEXT_BYTES - 1);
    if (file >= 0)
        close(file);
    text[got > 0 ? got : 0] = 0;
    return got > 0;
}

size_t memory_available(void)
{
    char text[TEXT_BYTES];
    const char *const line = read_text("/proc/meminfo", text) ? strstr(text, "MemAvailable:") : NULL;
    return line ? strtoull(line + strlen("MemAvailable:"), NULL, 10) << 10 : SIZE_MAX;
}

/* A number in a file of a control group; "max" and what is not there: no limit. */
static size_t number_in(const char *group, const char *name, size_t otherwise)
{
    char path[640], text[TEXT_BYTES];
    snprintf(path, sizeof path, "%s/%s", group, name);
    return read_text(path, text) && *text >= '0' && *text <= '9' ? strtoull(text, NULL, 10) : otherwise;
}

/* How the two versions of control groups tell. */
struct group_kind {
    const char *line, *folder, *most, *used;
};

/* The least room in the group of that kind and in those around it. */
static size_t room_in(const char *groups, const struct group_kind *kind)
{
    char path[512];
    const char *const line = strstr(groups, kind->line),
               *const group = line ? line + strlen(kind->line) : NULL;
    size_t room = SIZE_MAX;
    if (!group)
        return room;
    const size_t root = strlen(kind->folder);
    snprintf(path, sizeof path, "%s%.*s", kind->folder, (int)strcspn(group, "\n"), group);
    for (char *last = path; last; last = strlen(path) > root ? strrchr(path, '/') : NULL) {
        if (last != path)
            *last = 0;
        const size_t most = number_in(path, kind->most, SIZE_MAX), used = number_in(path, kind->used, 0);
        const size_t here = most > used ? most - used : 0;
        room = here < room ? here : room;
    }
    return room;
}

size_t memory_room_in_groups(void)
{
    static const struct group_kind kinds[] = {
        {"0::", "/sys/fs/cgroup", "memory.max", "memory.current"},
        {":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"}};
    char text[TEXT_BYTES];
    size_t room = SIZE_MAX;
    if (!read_text("/proc/self/cgroup", text))
        return room;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t here = room_in(text, &kinds[i]);
        room = here < room ? here : room;
    }
    return room;
}
