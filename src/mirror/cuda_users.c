#include "mirror/cuda_users.h"

#include "mirror/object_loads.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

static bool read_at(int file, void *to, size_t bytes, uint64_t offset)
{
    return pread(file, to, bytes, (off_t)offset) == (ssize_t)bytes;
}

/* Who opens the driver by dlopen has its name among the constants; who has mublas' own
 * constants, too, is `mublas` or another program with mublas inside. */
static bool names_driver(int file, const ElfW(Shdr) *section)
{
    static const char wanted[] = "libcuda.so", ours[] = "MUBLAS_CUDA_DRIVER";
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), begin = section->sh_offset / page * page;
    const size_t bytes = section->sh_size + (section->sh_offset - begin);
    if (section->sh_type != SHT_PROGBITS || section->sh_size < sizeof wanted - 1)
        return false;
    char *text = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, file, (off_t)begin);
    if (text == MAP_FAILED)
        return false;
    const char *constants = text + (section->sh_offset - begin);
    bool found = memmem(constants, section->sh_size, wanted, sizeof wanted - 1) &&
                 !memmem(constants, section->sh_size, ours, sizeof ours - 1);
    munmap(text, bytes);
    return found;
}

/* Device code lies in a section of this name, whoever made it. */
static bool is_device_code(const char *name)
{
    return strncmp(name, ".nv_fatbin", 10) == 0;
}

static bool section_tells(int file, const ElfW(Shdr) *section, const char *name)
{
    return is_device_code(name) || (strncmp(name, ".rodata", 7) == 0 && names_driver(file, section));
}

static bool sections_tell(int file, const ElfW(Ehdr) *header)
{
    const size_t count = header->e_shnum;
    ElfW(Shdr) *sections = calloc(count + 1, sizeof *sections);
    char *text = NULL;
    bool found = false;
    if (!sections || header->e_shstrndx >= count ||
        !read_at(file, sections, count * sizeof *sections, header->e_shoff))
        goto end;
    const size_t bytes = sections[header->e_shstrndx].sh_size;
    text = bytes <= SECTION_NAMES_MAX ? calloc(1, bytes + 1) : NULL;
    if (!text || !read_at(file, text, bytes, sections[header->e_shstrndx].sh_offset))
        goto end;
    for (size_t i = 0; i < count && !found; i++) {
        const size_t name = sections[i].sh_name;
        found = section_tells(file, &sections[i], name < bytes ? text + name : "");
    }
end:
    free(text);
    free(sections);
    return found;
}

static bool file_tells(const char *path)
{
    ElfW(Ehdr) header;
    int file = open(*path ? path : "/proc/thread-self/exe", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    bool found = read_at(file, &header, sizeof header, 0) && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                 header.e_shentsize == sizeof(ElfW(Shdr)) && sections_tell(file, &header);
    close(file);
    return found;
}

enum { OBJECTS_MAX = 4096 };

struct survey {
    unsigned long long adds; /* how many objects were ever loaded */
    bool found;
    size_t count;
    char *paths[OBJECTS_MAX]; /* to be looked into without the loader's lock */
    uint64_t identities[OBJECTS_MAX];
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

static int note_object(struct dl_phdr_info *info, size_t size, void *context)
{
    struct survey *survey = context;
    (void)size;
    survey->adds = info->dlpi_adds;
    if (is_ours(info->dlpi_name))
        return 0;
    survey->found = is_runtime(info->dlpi_name) || needs_driver(info);
    const uint64_t identity = identity_of(info);
    if (survey->count < OBJECTS_MAX && !was_innocent(identity) &&
        (survey->paths[survey->count] = strdup(info->dlpi_name)))
        survey->identities[survey->count++] = identity;
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
        if (!found && !(found = file_tells(survey->paths[i])))
            note_innocent(survey->identities[i]);
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
