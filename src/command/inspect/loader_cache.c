#include "command/inspect/link_map.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OLD_MAGIC "ld.so-1.7.0"
#define NEW_MAGIC "glibc-ld.so.cache1.1"

enum { OLD_HEADER_SIZE = 16, OLD_ENTRY_SIZE = 12, SIZE_MAX_READ = 64 << 20 };

/* glibc's layout; offsets of strings count from the header. */
struct cache_header {
    char magic[20];
    uint32_t count;
    uint32_t unused[6];
};

struct cache_entry {
    int32_t flags;
    uint32_t name, path;
    uint32_t unused;
    uint64_t capabilities;
};

struct loader_cache {
    char *bytes;       /* the whole file, with a NUL behind it */
    const char *start; /* of the header */
    size_t size;       /* from there */
    uint32_t count;
};

static bool read_whole(FILE *file, struct loader_cache *cache)
{
    size_t room = 0;
    do {
        room += 1 << 18;
        char *grown = realloc(cache->bytes, room + 1);
        if (!grown)
            return false;
        cache->bytes = grown;
        cache->size += fread(cache->bytes + cache->size, 1, room - cache->size, file);
    } while (cache->size == room && room < SIZE_MAX_READ);
    cache->bytes[cache->size] = '\0';
    return !ferror(file);
}

/* A cache in the format before 2.2 may come first, for old programs. */
static size_t skip_old_format(const struct loader_cache *cache)
{
    uint32_t count;
    if (cache->size < OLD_HEADER_SIZE || memcmp(cache->bytes, OLD_MAGIC, sizeof OLD_MAGIC - 1) != 0)
        return 0;
    memcpy(&count, cache->bytes + OLD_HEADER_SIZE - sizeof count, sizeof count);
    return (OLD_HEADER_SIZE + (size_t)count * OLD_ENTRY_SIZE + 7) / 8 * 8;
}

static bool find_header(struct loader_cache *cache)
{
    struct cache_header header;
    size_t before = skip_old_format(cache);
    if (before > cache->size || cache->size - before < sizeof header)
        return false;
    cache->start = cache->bytes + before;
    cache->size -= before;
    memcpy(&header, cache->start, sizeof header);
    cache->count = header.count;
    return memcmp(header.magic, NEW_MAGIC, sizeof header.magic) == 0 &&
           header.count <= (cache->size - sizeof header) / sizeof(struct cache_entry);
}

struct loader_cache *loader_cache_open(const char *path)
{
    FILE *file = fopen(path, "re");
    struct loader_cache *cache = file ? calloc(1, sizeof *cache) : NULL;
    bool good = cache && read_whole(file, cache) && find_header(cache);
    if (file)
        fclose(file);
    if (good)
        return cache;
    loader_cache_close(cache);
    return NULL;
}

void loader_cache_close(struct loader_cache *cache)
{
    if (cache)
        free(cache->bytes);
    free(cache);
}

void loader_cache_visit(const struct loader_cache *cache, const char *name,
                        bool (*visit)(const char *path, void *argument), void *argument)
{
    const char *entries = cache->start + sizeof(struct cache_header);
    for (uint32_t i = 0; i < cache->count; i++) {
        struct cache_entry entry;
        memcpy(&entry, entries + (size_t)i * sizeof entry, sizeof entry);
        if (entry.name < cache->size && entry.path < cache->size &&
            strcmp(cache->start + entry.name, name) == 0 && visit(cache->start + entry.path, argument))
            return;
    }
}
