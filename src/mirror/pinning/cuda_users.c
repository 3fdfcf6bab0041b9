#include "common/loader.h"
#include "mirror/pinning/pins.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char driver_name[] = "libcuda.so", own_constant[] = "MUBLAS_CUDA_DRIVER";

enum {
    NAME_LENGTH = sizeof driver_name - 1,
    CHUNK = 64 << 10,
    OVERLAP = sizeof own_constant,
    NAMES_MAX = 64 << 10
};
enum { ENTRIES_MAX = 256 }; /* of a dynamic section; some thirty are usual */
static const uint64_t READ_MAX = UINT64_C(4) << 30;

/* The process's memory as a file, to be closed; -1: it cannot be had. The process's own file is not there
 * once its main thread has ended. */
static int driver_traces_memory(void)
{
    return open("/proc/thread-self/mem", O_RDONLY | O_CLOEXEC);
}

static bool read_at(int file, void *to, size_t bytes, uint64_t offset)
{
    return offset <= INT64_MAX - bytes && pread(file, to, bytes, (off_t)offset) == (ssize_t)bytes;
}

/* Addresses in it are what the loader has made of them; the vDSO's are still offsets. */
static bool is_inside(const struct dl_phdr_info *object, uintptr_t address)
{
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[i];
        if (header->p_type == PT_LOAD && address - (object->dlpi_addr + header->p_vaddr) < header->p_memsz)
            return true;
    }
    return false;
}

static bool name_is_driver(int memory, const struct dl_phdr_info *object, uintptr_t name)
{
    char text[NAME_LENGTH];
    return is_inside(object, name) && read_at(memory, text, sizeof text, name) &&
           memcmp(text, driver_name, sizeof text) == 0;
}

static bool dynamic_links(int memory, const struct dl_phdr_info *object, uintptr_t dynamic, size_t bytes)
{
    ElfW(Dyn) entries[ENTRIES_MAX];
    uintptr_t strings = 0;
    size_t count = 0;
    if (bytes > sizeof entries)
        bytes = sizeof entries;
    if (!read_at(memory, entries, bytes, dynamic))
        return false;
    for (; count < bytes / sizeof *entries && entries[count].d_tag != DT_NULL; count++)
        if (entries[count].d_tag == DT_STRTAB)
            strings = entries[count].d_un.d_ptr;
    for (size_t i = 0; i < count; i++)
        if (entries[i].d_tag == DT_NEEDED && name_is_driver(memory, object, strings + entries[i].d_un.d_val))
            return true;
    return false;
}

/* Does it link the driver? Its dynamic section in memory tells. */
static bool driver_traces_links(int memory, const struct dl_phdr_info *object)
{
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
            return dynamic_links(memory, object, object->dlpi_addr + object->dlpi_phdr[i].p_vaddr,
                                 object->dlpi_phdr[i].p_memsz);
    return false;
}

/* A file, or memory, that is being searched; `left`: how many bytes more of it. */
struct search {
    int file;
    uint64_t left;
    size_t gap; /* what to skip where nothing can be read: a page of memory; 0, a file's end: nothing */
    char chunk[OVERLAP + CHUNK];
};

static bool range_has(struct search *search, uint64_t begin, uint64_t bytes, const char *text)
{
    size_t kept = 0;
    for (const uint64_t end = begin + bytes; begin < end && search->left > 0;) {
        const uint64_t most = search->left < CHUNK ? search->left : CHUNK;
        const ssize_t got =
            pread(search->file, search->chunk + kept, end - begin < most ? end - begin : most, (off_t)begin);
        const size_t step = got > 0 ? (size_t)got : search->gap, length = got > 0 ? kept + (size_t)got : 0;
        if (step == 0)
            return false;
        if (memmem(search->chunk, length, text, strlen(text)))
            return true;
        kept = length < OVERLAP ? length : OVERLAP;
        memmove(search->chunk, search->chunk + length - kept, kept);
        begin += step;
        search->left -= step < search->left ? step : search->left;
    }
    return false;
}

/* An object that opens the driver by dlopen has its name among the constants; one that has mublas' own
 * constants, too, is `mublas` or another program with mublas inside. */
static bool range_names_driver(struct search *search, uint64_t begin, uint64_t bytes)
{
    const uint64_t left = search->left;
    if (!range_has(search, begin, bytes, driver_name))
        return false;
    search->left = left;
    return !range_has(search, begin, bytes, own_constant);
}

/* Device code lies in a section of this name, whoever made it. */
static bool is_device_code(const char *name)
{
    return strncmp(name, ".nv_fatbin", 10) == 0;
}

static bool section_tells(struct search *search, const ElfW(Shdr) *section, const char *name)
{
    if (is_device_code(name))
        return true;
    return strncmp(name, ".rodata", 7) == 0 && section->sh_type == SHT_PROGBITS &&
           section->sh_offset <= INT64_MAX / 2 &&
           range_names_driver(search, section->sh_offset,
                              section->sh_size < READ_MAX ? section->sh_size : READ_MAX);
}

/* Sections' headers and names; NULL: the file has none, or not all of what it claims. To be freed. */
static ElfW(Shdr) *read_sections(int file, const ElfW(Ehdr) *header, char **names, size_t *names_bytes)
{
    const size_t count = header->e_shnum;
    ElfW(Shdr) *sections = calloc(count + 1, sizeof *sections);
    *names = NULL;
    if (sections && header->e_shentsize == sizeof *sections && header->e_shstrndx < count &&
        read_at(file, sections, count * sizeof *sections, header->e_shoff)) {
        const ElfW(Shdr) *text = &sections[header->e_shstrndx];
        *names_bytes = text->sh_size;
        *names = text->sh_size <= NAMES_MAX ? calloc(1, text->sh_size + 1) : NULL;
        if (*names && read_at(file, *names, text->sh_size, text->sh_offset))
            return sections;
    }
    free(*names);
    free(sections);
    return NULL;
}

/* False: its sections say nothing. Else *found. */
static bool sections_say(struct search *search, bool *found)
{
    ElfW(Ehdr) header;
    struct stat status;
    char *names;
    size_t bytes;
    if (fstat(search->file, &status) != 0 || !S_ISREG(status.st_mode) ||
        !read_at(search->file, &header, sizeof header, 0) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        return false;
    search->left = (uint64_t)status.st_size < READ_MAX ? (uint64_t)status.st_size : READ_MAX;
    ElfW(Shdr) *sections = read_sections(search->file, &header, &names, &bytes);
    if (!sections)
        return false;
    for (size_t i = 0; i < header.e_shnum && !*found; i++)
        *found = section_tells(search, &sections[i],
                               sections[i].sh_name < bytes ? names + sections[i].sh_name : "");
    free(names);
    free(sections);
    return true;
}

static bool memory_tells(struct search *search, int memory, uintptr_t begin, uintptr_t end)
{
    search->file = memory;
    search->left = READ_MAX;
    search->gap = (size_t)sysconf(_SC_PAGESIZE);
    return range_names_driver(search, begin, end - begin);
}

/* Does it have device code, or name the driver among its constants? An object with mublas' own constants
 * does not count. The sections of its file ("": the program's) tell; if they cannot be read, or are not
 * there, as in packed programs, the driver's name alone does, in memory from `begin` to `end`, where the
 * object was loaded. */
static bool driver_traces_in(const char *path, int memory, uintptr_t begin, uintptr_t end)
{
    struct search *search = malloc(sizeof *search);
    bool found = false, said = false;
    if (!search)
        return true; /* cannot tell: be careful */
    search->gap = 0;
    search->file = open(*path ? path : "/proc/thread-self/exe", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (search->file >= 0) {
        said = sections_say(search, &found);
        close(search->file);
    }
    if (!said)
        found = memory_tells(search, memory, begin, end);
    free(search);
    return found;
}

static bool starts_with_any(const char *path, const char *const *names)
{
    const char *slash = strrchr(path, '/');
    const char *file = slash ? slash + 1 : path;
    for (; *names; names++)
        if (strncmp(file, *names, strlen(*names)) == 0)
            return true;
    return false;
}

/* Libraries that mublas itself loads, and those that they load. */
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

/* Objects that were looked into and tell of nothing: they stay, as a rule, while others come. */
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
