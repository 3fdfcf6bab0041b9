#include "mirror/host_memory/mapping.h"

#include "mirror/host_memory/blind_files.h"
#include "mirror/host_memory/maps_file.h"
#include "mirror/host_memory/process_pins.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_stack(const char *name, uintptr_t begin, uintptr_t end)
{
    /* A thread's stack is plain memory to the kernel; our own is where our locals are. */
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return strncmp(name, "[stack", 6) == 0 || (here >= begin && here < end);
}

static bool is_special(const char *name)
{
    /* [heap] and [anon:...] are ordinary; [vdso], [vvar], [uprobes] and the like are not. */
    return name[0] == '[' && strcmp(name, "[heap]") != 0 && strncmp(name, "[anon:", 6) != 0;
}

static enum status query(uintptr_t address, struct mapping *mapping)
{
    char name[128] = "";
    struct mapping_query request = {
        .size = sizeof request, .query_address = address,
        .name_size = sizeof name, .name_address = (uint64_t)(uintptr_t)name,
    };
    enum maps_answer answer = maps_file_ask(&request);
    if (answer == MAPS_NO_ROOM) { /* only files have such names */
        request = (struct mapping_query){.size = sizeof request, .query_address = address};
        answer = maps_file_ask(&request);
    }
    if (answer != MAPS_FOUND)
        return STATUS_NOT_TRACKABLE;
    const uint64_t usual = MAPPING_READABLE | MAPPING_WRITABLE;
    const uint64_t wanted = usual | MAPPING_SHARED | MAPPING_FILE_BACKED;
    mapping->begin = (uintptr_t)request.start;
    mapping->end = (uintptr_t)request.end;
    mapping->trackable = (request.flags & wanted) == usual && request.inode == 0 &&
                         request.page_size == (uint64_t)sysconf(_SC_PAGESIZE) && !is_special(name) &&
                         !is_stack(name, mapping->begin, mapping->end);
    return STATUS_OK;
}

/* One line of /proc/thread-self/maps: "begin-end rwxp offset dev inode   name". */
static bool parse_line(const char *line, struct mapping *mapping)
{
    unsigned long begin, end, inode;
    char permissions[5];
    int name_at = 0;
    if (sscanf(line, "%lx-%lx %4s %*s %*s %lu %n", &begin, &end, permissions, &inode, &name_at) < 4)
        return false;
    const char *name = name_at ? line + name_at : "";
    mapping->begin = begin;
    mapping->end = end;
    /* Private hugetlb memory shows as a deleted file, with an inode. */
    mapping->trackable = strncmp(permissions, "rw", 2) == 0 && permissions[3] == 'p' && inode == 0 &&
                         !is_special(name) && !is_stack(name, begin, end);
    return true;
}

static enum status search_text(uintptr_t address, struct mapping *mapping)
{
    char *line = NULL;
    size_t room = 0;
    enum status status = STATUS_NOT_TRACKABLE;
    FILE *stream = fopen("/proc/thread-self/maps", "re");
    if (!stream)
        return status;
    while (status != STATUS_OK && getline(&line, &room, stream) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (parse_line(line, mapping) && address >= mapping->begin && address < mapping->end)
            status = STATUS_OK;
    }
    free(line);
    fclose(stream);
    return status;
}

enum status mapping_find(uintptr_t address, struct mapping *mapping)
{
    enum status status = STATUS_NOT_TRACKABLE;
    memset(mapping, 0, sizeof *mapping);
    if (maps_file_answers())
        status = query(address, mapping);
    return maps_file_answers() ? status : search_text(address, mapping);
}

enum status mapping_find_range(uintptr_t begin, uintptr_t end, struct mapping *mapping)
{
    enum status status = mapping_find(begin, mapping);
    while (status == STATUS_OK && mapping->trackable && mapping->end < end) {
        struct mapping next;
        status = mapping_find(mapping->end, &next);
        if (status != STATUS_OK || next.begin != mapping->end)
            return STATUS_NOT_TRACKABLE;
        mapping->end = next.end;
        mapping->trackable = next.trackable;
    }
    return status == STATUS_OK && mapping->trackable ? STATUS_OK : STATUS_NOT_TRACKABLE;
}

static bool text_contains_any(const char *line, const char *const *words)
{
    for (; *words; words++)
        if (strstr(line, *words))
            return true;
    return false;
}

bool mapping_has_blind_library(void)
{
    static const char *const names[] = {"/librdmacm", "/libibverbs", "xpmem", "knem", "/libcxi", "/libfabric",
                                        "/libefa", "/libpsm", "/libopx", "/libuct_ib", NULL};
    char *line = NULL;
    size_t room = 0;
    bool found = false;
    FILE *stream = fopen("/proc/thread-self/maps", "re");
    if (!stream)
        return true; /* cannot tell: be careful */
    while (!found && getline(&line, &room, stream) > 0)
        found = text_contains_any(line, names);
    free(line);
    fclose(stream);
    return found;
}

bool mapping_has_blind_spots(uint64_t own_pinned_bytes)
{
    struct process_pins pins = {.process = 0};
    const uint64_t pinned = process_pins_bytes(&pins);
    process_pins_close(&pins);
    return pinned > own_pinned_bytes || mapping_has_blind_library() || blind_files_open();
}
