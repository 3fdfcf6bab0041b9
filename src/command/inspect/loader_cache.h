/* loader_cache.h - the loader's cache of libraries, /etc/ld.so.cache in glibc's format
 * since 2.2 (header "glibc-ld.so.cache1.1", with or without the older one before it). */
#ifndef MUBLAS_LOADER_CACHE_H
#define MUBLAS_LOADER_CACHE_H

#include <stdbool.h>

struct loader_cache;

/* NULL when the file cannot be read or is in another format. */
struct loader_cache *loader_cache_open(const char *path);
void loader_cache_close(struct loader_cache *cache);

/* Call `visit` with each path that the cache has for `name`, until it returns true. */
void loader_cache_visit(const struct loader_cache *cache, const char *name,
                        bool (*visit)(const char *path, void *argument), void *argument);

#endif
