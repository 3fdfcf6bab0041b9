#include "mirror/host_memory/mapping.h"
#include "mirror/host_memory/kernel_interface.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

unsigned page_shift(void)
{
    static atomic_uint shift;
    unsigned known = atomic_load_explicit(&shift, memory_order_relaxed);
    if (known == 0) {
        known = (unsigned)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
        atomic_store_explicit(&shift, known, memory_order_relaxed);
    }
    return known;
}

static uintptr_t floor_to(uintptr_t address, unsigned shift)
{
    return address >> shift << shift;
}

static uintptr_t ceiling_to(uintptr_t address, unsigned shift)
{
    return floor_to(address + ((uintptr_t)1 << shift) - 1, shift);
}

uintptr_t page_floor(uintptr_t address)
{
    return floor_to(address, page_shift());
}

uintptr_t page_ceiling(uintptr_t address)
{
    return ceiling_to(address, page_shift());
}

uintptr_t block_floor(uintptr_t address)
{
    return floor_to(address, BLOCK_SHIFT);
}

uintptr_t block_ceiling(uintptr_t address)
{
    return ceiling_to(address, BLOCK_SHIFT);
}

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

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

static void *as_pointer(uintptr_t address)
{
    return (void *)address;
}

/* Not by the C library's function, which may be ours. */
static bool remap(uintptr_t from, size_t bytes, size_t new_bytes, int flags, uintptr_t to)
{
    return syscall(SYS_mremap, from, bytes, new_bytes, flags, to) != -1;
}

/* From `begin` on, at most to `end`; 0: not of the kind. */
static size_t piece_bytes(uintptr_t begin, uintptr_t end)
{
    struct mapping mapping;
    if (mapping_find(begin, &mapping) != STATUS_OK || !mapping.trackable)
        return 0;
    return (mapping.end < end ? mapping.end : end) - begin;
}

static bool is_legal(uintptr_t old, size_t old_bytes, size_t new_bytes, int flags, uintptr_t to)
{
    const uintptr_t bytes = old_bytes > new_bytes ? old_bytes : new_bytes;
    if ((flags & ~(MREMAP_MAYMOVE | MREMAP_FIXED)) || old != page_floor(old) || old_bytes == 0 ||
        new_bytes == 0 || bytes > UINTPTR_MAX / 4 || old > UINTPTR_MAX / 2)
        return false;
    if (!(flags & MREMAP_FIXED))
        return new_bytes > old_bytes;
    return (flags & MREMAP_MAYMOVE) && to == page_floor(to) && to <= UINTPTR_MAX / 2 &&
           (to + new_bytes <= old || old + old_bytes <= to);
}

bool split_move_is_due(void *old, size_t old_bytes, size_t new_bytes, int flags, void *new_address)
{
    const uintptr_t begin = (uintptr_t)old, end = page_ceiling(begin + old_bytes);
    const int saved_errno = errno;
    bool good = maps_file_answers() && is_legal(begin, old_bytes, new_bytes, flags, (uintptr_t)new_address);
    bool several = false;
    for (uintptr_t at = begin; good && at < end;) {
        const size_t bytes = piece_bytes(at, end);
        good = bytes > 0;
        at += bytes;
        several = several || at < end;
    }
    errno = saved_errno;
    return good && several;
}

/* The pages alone: the mappings stay, so that nobody else comes to be there, as far as *done says. */
static bool move_pieces(uintptr_t from, size_t bytes, uintptr_t to, size_t *done)
{
    const int flags = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP;
    for (*done = 0; *done < bytes;) {
        const size_t piece = piece_bytes(from + *done, from + bytes);
        if (piece == 0 || !remap(from + *done, piece, piece, flags, to + *done))
            return false;
        *done += piece;
    }
    return true;
}

/* A mapping of ours lies there already, without access: it gets the old one's pages, and zeros behind. */
static bool move_into(uintptr_t from, size_t old_bytes, uintptr_t to, size_t new_bytes)
{
    const size_t common = old_bytes < new_bytes ? old_bytes : new_bytes;
    size_t done = 0, ignored;
    if ((new_bytes == common ||
         mprotect(as_pointer(to + common), new_bytes - common, PROT_READ | PROT_WRITE) == 0) &&
        move_pieces(from, common, to, &done))
        return munmap(as_pointer(from), old_bytes) == 0;
    const int saved_errno = errno;
    move_pieces(to, done, from, &ignored);
    munmap(as_pointer(to), new_bytes);
    errno = saved_errno;
    return false;
}

static bool grow_in_place(uintptr_t begin, uintptr_t end, size_t more)
{
    uintptr_t last = begin;
    for (size_t bytes; (bytes = piece_bytes(last, end)) > 0 && last + bytes < end;)
        last += bytes;
    return remap(last, end - last, end - last + more, 0, 0);
}

static void *move(uintptr_t from, size_t old_bytes, size_t new_bytes, int flags, void *new_address)
{
    const bool fixed = flags & MREMAP_FIXED;
    if (!fixed && grow_in_place(from, from + old_bytes, new_bytes - old_bytes))
        return as_pointer(from);
    if (!(flags & MREMAP_MAYMOVE))
        return MAP_FAILED;
    void *to = mmap(fixed ? new_address : NULL, new_bytes, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | (fixed ? MAP_FIXED : 0), -1, 0);
    return to == MAP_FAILED || move_into(from, old_bytes, (uintptr_t)to, new_bytes) ? to : MAP_FAILED;
}

void *split_move(void *old, size_t old_bytes, size_t new_bytes, int flags, void *new_address)
{
    const int saved_errno = errno;
    void *result = move((uintptr_t)old, page_ceiling(old_bytes), page_ceiling(new_bytes), flags, new_address);
    if (result != MAP_FAILED)
        errno = saved_errno;
    return result;
}
