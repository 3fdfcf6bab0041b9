#include "command/inspect/link_map.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#define CACHE "/etc/ld.so.cache"
#define CAPABILITIES "/glibc-hwcaps/"

enum { LEVEL_COUNT = 3 };

/* The machine that the file must be for. */
struct library_kind {
    bool is_64bit;
    uint16_t machine; /* EM_* */
};

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

/* `text` with the values of $ORIGIN, $LIB and $PLATFORM; to be freed. NULL: out of memory. */
static char *library_search_expand(const char *text, const char *origin)
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

/* Searches a list of folders separated by ":" or ";" (an empty one is the present folder), in which `origin`
 * stands for $ORIGIN. Returns a path to be freed, or NULL. */
static char *library_search_list(const char *list, const char *origin, const char *name,
                                 struct library_kind kind)
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

static bool take_matching_path(const char *path, void *argument)
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

/* Searches the loader's cache. Returns a path to be freed, or NULL. */
static char *library_search_cache(const char *name, struct library_kind kind)
{
    const char *levels[LEVEL_COUNT];
    int count = supported_levels(levels);
    struct cache_search search = {.kind = kind};
    struct loader_cache *cache = loader_cache_open(CACHE);
    for (int i = 0; cache && i <= count && !search.found; i++) {
        search.level = i < count ? levels[i] : NULL;
        loader_cache_visit(cache, name, take_matching_path, &search);
    }
    loader_cache_close(cache);
    return search.found;
}

/* The same in the folders that the loader searches by default. */
static char *library_search_default(const char *name, struct library_kind kind)
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

/* More than any program has: stops at files that never end. */
enum { OBJECTS_MAX = 4096 };

static const char no_memory[] = "out of memory";

struct found {
    char *path;
    const char *how;
};

static struct library_kind kind_of(const struct program_map *map)
{
    return (struct library_kind){map->objects[0].elf.is_64bit, map->objects[0].elf.machine};
}

/* Searches the RPATHs of an object and of those that led to it, unless it has a RUNPATH. */
static char *search_rpaths(const struct program_map *map, int parent, const char *name)
{
    char *path = NULL;
    if (map->objects[parent].elf.runpath)
        return NULL;
    for (int i = parent; i >= 0 && !path;
         i = i > 0 && map->objects[i].parent < 0 ? 0 : map->objects[i].parent) {
        const struct linked_object *object = &map->objects[i];
        if (object->elf.rpath && !object->elf.runpath)
            path = library_search_list(object->elf.rpath, object->origin, name, kind_of(map));
    }
    return path;
}

static struct found find_library(const struct program_map *map, int parent, const char *name)
{
    const struct linked_object *object = &map->objects[parent];
    const char *variable = getenv("LD_LIBRARY_PATH");
    struct found found = {NULL, "by its path"};
    if (strchr(name, '/')) {
        found.path = library_search_expand(name, object->origin);
        if (found.path && !elf_object_matches(found.path, kind_of(map).is_64bit, kind_of(map).machine)) {
            free(found.path);
            found.path = NULL;
        }
        return found;
    }
    found.how = "by RPATH";
    if ((found.path = search_rpaths(map, parent, name)))
        return found;
    found.how = "by LD_LIBRARY_PATH";
    if (variable && *variable &&
        (found.path = library_search_list(variable, object->origin, name, kind_of(map))))
        return found;
    found.how = "by RUNPATH";
    if (object->elf.runpath &&
        (found.path = library_search_list(object->elf.runpath, object->origin, name, kind_of(map))))
        return found;
    found.how = "by the loader's cache";
    if (!object->elf.skips_default_folders && (found.path = library_search_cache(name, kind_of(map))))
        return found;
    found.how = "in the loader's default folders";
    if (!object->elf.skips_default_folders)
        found.path = library_search_default(name, kind_of(map));
    return found;
}

static char *folder_of(const char *path, bool resolved)
{
    char *whole = resolved ? realpath(path, NULL) : NULL;
    char *folder = NULL;
    char here[PATH_MAX];
    if (!whole && (*path == '/' || !getcwd(here, sizeof here)))
        whole = strdup(path);
    else if (!whole && asprintf(&whole, "%s/%s", here, path) < 0)
        whole = NULL;
    const char *slash = whole ? strrchr(whole, '/') : NULL;
    if (slash)
        folder = slash == whole ? strdup("/") : strndup(whole, (size_t)(slash - whole));
    free(whole);
    return folder;
}

static bool is_known(const struct program_map *map, const char *name)
{
    for (int i = 0; i < map->count; i++) {
        const char *soname = map->objects[i].elf.soname;
        if ((soname && strcmp(soname, name) == 0) || strcmp(map->objects[i].path, name) == 0)
            return true;
    }
    return false;
}

static bool is_same_file(const struct program_map *map, const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return false;
    for (int i = 0; i < map->count; i++)
        if (map->objects[i].inode == status.st_ino && map->objects[i].device == status.st_dev)
            return true;
    return false;
}

/* Owns `path` afterwards. */
static const char *add_object(struct program_map *map, char *path, const char *how, int parent)
{
    struct stat status;
    struct linked_object *grown = reallocarray(map->objects, (size_t)map->count + 1, sizeof *grown);
    if (!path || !grown || map->count == OBJECTS_MAX) {
        if (grown)
            map->objects = grown;
        free(path);
        return map->count == OBJECTS_MAX ? "it leads to too many libraries" : no_memory;
    }
    map->objects = grown;
    struct linked_object *object = &grown[map->count++];
    *object = (struct linked_object){.path = path, .how = how, .parent = parent};
    if (stat(path, &status) == 0) {
        object->device = status.st_dev;
        object->inode = status.st_ino;
    }
    object->reason = elf_object_read(path, &object->elf);
    object->origin = folder_of(path, parent < 0 && object->elf.is_program);
    return object->origin ? NULL : no_memory;
}

static const char *add_missing(struct program_map *map, const char *name, int parent)
{
    for (int i = 0; i < map->missing_count; i++)
        if (strcmp(map->missing[i].name, name) == 0)
            return NULL;
    struct missing_library *grown = reallocarray(map->missing, (size_t)map->missing_count + 1, sizeof *grown);
    if (!grown)
        return no_memory;
    map->missing = grown;
    grown[map->missing_count++] = (struct missing_library){name, parent};
    return NULL;
}

/* Adds what LD_PRELOAD holds already, after the shim. */
static const char *add_preloaded(struct program_map *map)
{
    const char *variable = getenv("LD_PRELOAD");
    char *names = strdup(variable ? variable : "");
    char *rest = NULL;
    const char *reason = names ? NULL : no_memory;
    for (char *name = names ? strtok_r(names, ": ", &rest) : NULL; name && !reason;
         name = strtok_r(NULL, ": ", &rest)) {
        struct found found = find_library(map, 0, name);
        if (!found.path || is_known(map, name) || is_same_file(map, found.path)) {
            free(found.path);
            continue;
        }
        reason = add_object(map, found.path, "by LD_PRELOAD", -1);
        if (!reason && map->objects[map->count - 1].elf.is_mublas) {
            struct linked_object *last = &map->objects[--map->count];
            elf_object_clear(&last->elf);
            free(last->path);
            free(last->origin);
        }
    }
    free(names);
    return reason;
}

static const char *add_needed(struct program_map *map, int parent)
{
    const char *reason = NULL;
    for (int i = 0; i < map->objects[parent].elf.needed_count && !reason; i++) {
        const char *name = map->objects[parent].elf.needed[i];
        if (is_known(map, name))
            continue;
        struct found found = find_library(map, parent, name);
        if (!found.path)
            reason = add_missing(map, name, parent);
        else if (is_same_file(map, found.path))
            free(found.path);
        else
            reason = add_object(map, found.path, found.how, parent);
    }
    return reason;
}

const char *link_map_make(const char *path, struct program_map *map)
{
    *map = (struct program_map){0};
    const char *reason = add_object(map, strdup(path), "named", -1);
    if (reason || (reason = map->objects[0].reason))
        return reason;
    if (!map->objects[0].elf.is_native || map->objects[0].elf.is_static)
        return NULL;
    reason = add_preloaded(map);
    for (int i = 0; i < map->count && !reason; i++)
        if (!map->objects[i].reason)
            reason = add_needed(map, i);
    return reason;
}

void link_map_clear(struct program_map *map)
{
    for (int i = 0; i < map->count; i++) {
        elf_object_clear(&map->objects[i].elf);
        free(map->objects[i].path);
        free(map->objects[i].origin);
    }
    free(map->objects);
    free(map->missing);
    *map = (struct program_map){0};
}
