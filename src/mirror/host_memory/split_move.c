#define _GNU_SOURCE
#include "mirror/host_memory/split_move.h"

#include "mirror/host_memory/mapping.h"
#include "mirror/host_memory/maps_file.h"
#include "mirror/host_memory/pages.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/* Where a mapping of ours already lies, without access: it becomes the old one's, and zeros behind it. */
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
