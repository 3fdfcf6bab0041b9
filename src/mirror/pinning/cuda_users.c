#include "mirror/pinning/cuda_users.h"

#include "common/loader.h"
#include "mirror/pinning/driver_traces.h"

#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool starts_with_any(const char *path, const char *const *names)
{
    const char *slash = strrchr(path, '/');
    const char *file = slash ? slash + 1 : path;
    for (; *names; names++)
        if (strncmp(file, *names, strlen(*names)) == 0)
            return true;
    return false;
}

/* What mublas itself loads, and what that loads. */
static bool is_ours(const char *path)
{
    static const char *const names[] = {"libmublas", "libcuda.so",   "libcublas",    "libcusolver",
                                        "libcusparse", "libnvJitLink", "libnvidia-", NULL};
    return starts_with_any(path, names);
}

static bool is_runtime(const char *path)
{
    static const char *const names[] = {"libcudart.so", "libnccl.so", NULL};
    return starts_with_any(path, names);
}

enum { OBJECTS_MAX = 4096 };

struct survey {
    unsigned long long adds; /* how many objects were ever loaded */
    int memory;
    bool found;
    size_t count;
    struct {
        char *path;
        uint64_t identity;
        uintptr_t begin, end;
    } objects[OBJECTS_MAX]; /* to be looked into without the loader's lock */
};

/* What was looked into and tells of nothing: objects stay, as a rule, while others come. */
static atomic_uint_least64_t innocent[OBJECTS_MAX];

static uint64_t identity_of(const struct dl_phdr_info *info)
{
    uint64_t hash = 0xcbf29ce484222325u ^ info->dlpi_addr;
    for (const char *at = info->dlpi_name; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 0x100000001b3u;
    return hash | 1;
}

static bool was_innocent(uint64_t identity)
{
    return atomic_load(&innocent[identity / 2 % OBJECTS_MAX]) == identity;
}

static void note_innocent(uint64_t identity)
{
    atomic_store(&innocent[identity / 2 % OBJECTS_MAX], identity);
}

static void note_place(const struct dl_phdr_info *info, uintptr_t *begin, uintptr_t *end)
{
    *begin = UINTPTR_MAX;
    *end = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type != PT_LOAD)
            continue;
        if (start < *begin)
            *begin = start;
        if (start + info->dlpi_phdr[i].p_filesz > *end)
            *end = start + info->dlpi_phdr[i].p_filesz;
    }
    if (*begin > *end)
        *begin = *end;
}

static int note_object(struct dl_phdr_info *info, size_t size, void *context)
{
    struct survey *survey = context;
    (void)size;
    survey->adds = info->dlpi_adds;
    const uint64_t identity = identity_of(info);
    const size_t number = survey->count;
    if (is_ours(info->dlpi_name) || was_innocent(identity))
        return 0;
    survey->found = is_runtime(info->dlpi_name) || driver_traces_links(survey->memory, info);
    if (number < OBJECTS_MAX && (survey->objects[number].path = strdup(info->dlpi_name))) {
        survey->objects[number].identity = identity;
        note_place(info, &survey->objects[number].begin, &survey->objects[number].end);
        survey->count++;
    }
    return survey->found;
}

static bool survey_objects(unsigned long long *adds)
{
    struct survey *survey = calloc(1, sizeof *survey);
    if (!survey)
        return true; /* cannot tell: be careful */
    survey->memory = driver_traces_memory();
    survey->found = survey->memory < 0; /* likewise */
    if (!survey->found)
        loader_objects(note_object, survey);
    bool found = survey->found;
    for (size_t i = 0; i < survey->count; i++) {
        if (!found && !(found = driver_traces_in(survey->objects[i].path, survey->memory,
                                                 survey->objects[i].begin, survey->objects[i].end)))
            note_innocent(survey->objects[i].identity);
        free(survey->objects[i].path);
    }
    if (survey->memory >= 0)
        close(survey->memory);
    if (survey->adds > 0)
        *adds = survey->adds;
    free(survey);
    return found;
}

bool cuda_users_present(void)
{
    static atomic_bool present;
    static _Atomic unsigned long long known;
    if (atomic_load(&present))
        return true;
    unsigned long long adds = loader_loads();
    if (adds != atomic_load(&known)) {
        if (survey_objects(&adds))
            atomic_store(&present, true); /* for good: what was written meanwhile is not known */
        atomic_store(&known, adds);
    }
    return atomic_load(&present);
}
