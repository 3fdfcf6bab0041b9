#include "mirror/cuda_users.h"

#include "mirror/object_loads.h"

#include <elf.h>
#include <fcntl.h>
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
    static const char *const names[] = {"libmublas", "libcuda.so", "libcublas", "libnvidia-", NULL};
    return starts_with_any(path, names);
}

static bool is_runtime(const char *path)
{
    static const char *const names[] = {"libcudart.so", "libnccl.so", NULL};
    return starts_with_any(path, names);
}

/* The dynamic section of a loaded object: the loader has put addresses in. */
static bool needs_driver(const struct dl_phdr_info *info)
{
    const ElfW(Dyn) *dynamic = NULL;
    const char *strings = NULL;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (const ElfW(Dyn) *entry = dynamic; entry && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_STRTAB && entry->d_un.d_ptr >= info->dlpi_addr) /* the vDSO's is an offset */
            strings = (const char *)entry->d_un.d_ptr;
    for (const ElfW(Dyn) *entry = dynamic; strings && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_NEEDED && strncmp(strings + entry->d_un.d_val, "libcuda.so", 10) == 0)
            return true;
    return false;
}

enum { SECTION_NAMES_MAX = 64 << 10 };

/* Device code lies in a section of this name, whoever made it. */
static bool names_device_code(int file, const ElfW(Ehdr) *header)
{
    static const char wanted[] = ".nv_fatbin";
    ElfW(Shdr) names;
    off_t at = (off_t)(header->e_shoff + (size_t)header->e_shstrndx * sizeof names);
    if (pread(file, &names, sizeof names, at) != sizeof names || names.sh_size > SECTION_NAMES_MAX)
        return false;
    char *text = malloc(names.sh_size + 1);
    bool found = text && pread(file, text, names.sh_size, (off_t)names.sh_offset) == (ssize_t)names.sh_size &&
                 memmem(text, names.sh_size, wanted, sizeof wanted);
    free(text);
    return found;
}

static bool has_device_code(const char *path)
{
    ElfW(Ehdr) header;
    int file = open(*path ? path : "/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    bool found = pread(file, &header, sizeof header, 0) == sizeof header &&
                 memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_shentsize == sizeof(ElfW(Shdr)) &&
                 names_device_code(file, &header);
    close(file);
    return found;
}

enum { OBJECTS_MAX = 4096 };

struct survey {
    unsigned long long adds; /* how many objects were ever loaded */
    bool found;
    size_t count;
    char *paths[OBJECTS_MAX]; /* to be looked into without the loader's lock */
};

static int note_object(struct dl_phdr_info *info, size_t size, void *context)
{
    struct survey *survey = context;
    (void)size;
    survey->adds = info->dlpi_adds;
    if (is_ours(info->dlpi_name))
        return 0;
    survey->found = is_runtime(info->dlpi_name) || needs_driver(info);
    if (survey->count < OBJECTS_MAX && (survey->paths[survey->count] = strdup(info->dlpi_name)))
        survey->count++;
    return survey->found;
}

static bool survey_objects(unsigned long long *adds)
{
    struct survey *survey = calloc(1, sizeof *survey);
    if (!survey)
        return true; /* cannot tell: be careful */
    dl_iterate_phdr(note_object, survey);
    bool found = survey->found;
    for (size_t i = 0; i < survey->count; i++) {
        found = found || has_device_code(survey->paths[i]);
        free(survey->paths[i]);
    }
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
    unsigned long long adds = object_loads();
    if (adds != atomic_load(&known)) {
        if (survey_objects(&adds))
            atomic_store(&present, true); /* for good: what was written meanwhile is not known */
        atomic_store(&known, adds);
    }
    return atomic_load(&present);
}
