#include "command/inspect/library_search.h"
#include "command/inspect/elf_object.h"
#include "command/inspect/loader_cache.h"

#include <dlfcn.h>
#include <link.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define CACHE "/etc/ld.so.cache"
#define CAPABILITIES "/glibc-hwcaps/"

enum { LEVEL_COUNT = 3 };

/* The loader looks into the folders for this processor first, the best one first. */
static int supported_levels(const char *levels[LEVEL_COUNT])
{
    int count = 0;
#ifdef __x86_64__
    if (__builtin_cpu_supports("x86-64-v4"))
        levels[count++] = "x86-64-v4";
    if (__builtin_cpu_supports("x86-64-v3"))
        levels[count++] = "x86-64-v3";
    if (__builtin_cpu_supports("x86-64-v2"))
        levels[count++] = "x86-64-v2";
#endif
    (void)levels;
    return count;
}

/* $LIB is a constant of the loader that it does not tell. */
static const char *library_folder(void)
{
#ifdef __x86_64__
    return access("/usr/lib/x86_64-linux-gnu", F_OK) == 0 ? "lib/x86_64-linux-gnu" : "lib64";
#else
    return access("/usr/lib/aarch64-linux-gnu", F_OK) == 0 ? "lib/aarch64-linux-gnu" : "lib64";
#endif
}

static const char *token_value(const char *token, size_t *length, const char *origin)
{
    static const char *const names[] = {"ORIGIN", "LIB", "PLATFORM"};
    bool braces = token[1] == '{';
    const char *platform = (const char *)getauxval(AT_PLATFORM);
    const char *const values[] = {origin, library_folder(), platform ? platform : ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t size = strlen(names[i]);
        if (strncmp(token + 1 + braces, names[i], size) != 0 || (braces && token[2 + size] != '}'))
            continue;
        *length = 1 + size + 2 * braces;
        return values[i];
    }
    return NULL;
}

char *library_search_expand(const char *text, const char *origin)
{
    char *expanded = NULL;
    size_t size, length;
    FILE *stream = open_memstream(&expanded, &size);
    if (!stream)
        return NULL;
    while (*text) {
        const char *value = *text == '$' ? token_value(text, &length, origin) : NULL;
        if (value) {
            fputs(value, stream);
            text += length;
        } else {
            fputc(*text++, stream);
        }
    }
    if (fclose(stream) == 0)
        return expanded;
    free(expanded);
    return NULL;
}

static char *search_folder(const char *folder, const char *name, struct library_kind kind)
{
    const char *levels[LEVEL_COUNT];
    int count = supported_levels(levels);
    char path[PATH_MAX];
    for (int i = 0; i <= count; i++) {
        int length = i < count
                         ? snprintf(path, sizeof path, "%s" CAPABILITIES "%s/%s", folder, levels[i], name)
                         : snprintf(path, sizeof path, "%s/%s", folder, name);
        if (length < (int)sizeof path && elf_object_matches(path, kind.is_64bit, kind.machine))
            return strdup(path);
    }
    return NULL;
}

char *library_search_list(const char *list, const char *origin, const char *name, struct library_kind kind)
{
    char *found = NULL;
    for (const char *next = list; next && !found;) {
        size_t length = strcspn(next, ":;");
        char *written = strndup(next, length);
        char *folder = written ? library_search_expand(*written ? written : ".", origin) : NULL;
        if (folder)
            found = search_folder(folder, name, kind);
        free(folder);
        free(written);
        next = next[length] ? next + length + 1 : NULL;
    }
    return found;
}

struct cache_search {
    struct library_kind kind;
    const char *level; /* NULL: paths for every processor */
    char *found;
};

static bool take(const char *path, void *argument)
{
    struct cache_search *search = argument;
    const char *capabilities = strstr(path, CAPABILITIES);
    if (capabilities) {
        const char *level = capabilities + strlen(CAPABILITIES);
        size_t length = search->level ? strlen(search->level) : 0;
        if (length == 0 || strncmp(level, search->level, length) != 0 || level[length] != '/')
            return false;
    } else if (search->level) {
        return false;
    }
    if (elf_object_matches(path, search->kind.is_64bit, search->kind.machine))
        search->found = strdup(path);
    return search->found != NULL;
}

char *library_search_cache(const char *name, struct library_kind kind)
{
    const char *levels[LEVEL_COUNT];
    int count = supported_levels(levels);
    struct cache_search search = {.kind = kind};
    struct loader_cache *cache = loader_cache_open(CACHE);
    for (int i = 0; cache && i <= count && !search.found; i++) {
        search.level = i < count ? levels[i] : NULL;
        loader_cache_visit(cache, name, take, &search);
    }
    loader_cache_close(cache);
    return search.found;
}

char *library_search_default(const char *name, struct library_kind kind)
{
    /* The folders that the loader searches for this command. They include LD_LIBRARY_PATH, which has
     * found nothing before. */
    char *found = NULL;
    Dl_serinfo size;
    void *self = dlopen(NULL, RTLD_LAZY);
    if (!self || dlinfo(self, RTLD_DI_SERINFOSIZE, &size) != 0)
        return NULL;
    Dl_serinfo *folders = calloc(1, size.dls_size);
    if (folders) {
        folders->dls_size = size.dls_size;
        folders->dls_cnt = size.dls_cnt;
        if (dlinfo(self, RTLD_DI_SERINFO, folders) == 0)
            for (unsigned i = 0; i < folders->dls_cnt && !found; i++)
                found = search_folder(folders->dls_serpath[i].dls_name, name, kind);
    }
    free(folders);
    dlclose(self);
    return found;
}
