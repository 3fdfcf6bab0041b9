#include "command/inspect/link_map.h"
#include "host/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined __x86_64__
#define NATIVE_MACHINE EM_X86_64
#elif defined __aarch64__
#define NATIVE_MACHINE EM_AARCH64
#else
#error "this machine is not known"
#endif

/* One file being read. */
struct reading {
    Elf *elf;
    uint64_t size;
    struct elf_object *object;
    const char *reason;   /* the first fault */
    bool has_dynamic;     /* by the program headers */
};

static bool fail(struct reading *reading, const char *reason)
{
    reading->reason = reason;
    return false;
}

static bool copy_text(struct reading *reading, char **to, const char *text)
{
    if (!text)
        return fail(reading, "it is damaged: a name lies outside its string table");
    free(*to);
    *to = strdup(text);
    return *to || fail(reading, "out of memory");
}

static bool add_needed(struct reading *reading, const char *text)
{
    struct elf_object *object = reading->object;
    char **grown = reallocarray(object->needed, (size_t)object->needed_count + 1, sizeof *grown);
    if (!grown)
        return fail(reading, "out of memory");
    object->needed = grown;
    grown[object->needed_count] = NULL;
    if (!copy_text(reading, &grown[object->needed_count], text))
        return false;
    object->needed_count++;
    return true;
}

static bool take_dynamic_entry(struct reading *reading, const GElf_Dyn *entry, size_t strings)
{
    struct elf_object *object = reading->object;
    const char *text = NULL;
    if (entry->d_tag == DT_NEEDED || entry->d_tag == DT_SONAME || entry->d_tag == DT_RPATH ||
        entry->d_tag == DT_RUNPATH)
        text = elf_strptr(reading->elf, strings, entry->d_un.d_val);
    switch (entry->d_tag) {
    case DT_NEEDED:
        return add_needed(reading, text);
    case DT_SONAME:
        return copy_text(reading, &object->soname, text);
    case DT_RPATH:
        return copy_text(reading, &object->rpath, text);
    case DT_RUNPATH:
        return copy_text(reading, &object->runpath, text);
    case DT_SYMBOLIC:
        object->is_symbolic = true;
        return true;
    case DT_FLAGS:
        object->is_symbolic |= (entry->d_un.d_val & DF_SYMBOLIC) != 0;
        return true;
    case DT_FLAGS_1:
        object->skips_default_folders = (entry->d_un.d_val & DF_1_NODEFLIB) != 0;
        /* A static position-independent program; others show by their interpreter. */
        object->is_program |= (entry->d_un.d_val & DF_1_PIE) != 0;
        return true;
    default:
        return true;
    }
}

static bool read_dynamic(struct reading *reading, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Dyn entry;
    if (!data)
        return fail(reading, "it is damaged: its dynamic section cannot be read");
    for (int i = 0; gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++)
        if (!take_dynamic_entry(reading, &entry, header->sh_link))
            return false;
    return true;
}

static bool read_sections(struct reading *reading)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(reading->elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            return fail(reading, "it is damaged: a section header cannot be read");
        if (header.sh_type == SHT_DYNAMIC && !read_dynamic(reading, section, &header))
            return false;
    }
    reading->reason = elf_symbols_read(reading->elf, reading->object);
    return reading->reason == NULL;
}

static bool read_interpreter(struct reading *reading, const GElf_Phdr *header)
{
    Elf_Data *data =
        elf_getdata_rawchunk(reading->elf, (int64_t)header->p_offset, header->p_filesz, ELF_T_BYTE);
    if (!data || !data->d_buf || data->d_size == 0 || ((char *)data->d_buf)[data->d_size - 1] != '\0')
        return fail(reading, "it is damaged: the name of its loader cannot be read");
    return copy_text(reading, &reading->object->interpreter, data->d_buf);
}

static bool read_segments(struct reading *reading)
{
    size_t count;
    GElf_Phdr header;
    if (elf_getphdrnum(reading->elf, &count) != 0)
        return fail(reading, "it is damaged: its program headers cannot be read");
    for (size_t i = 0; i < count; i++) {
        if (!gelf_getphdr(reading->elf, (int)i, &header))
            return fail(reading, "it is damaged: its program headers cannot be read");
        bool has_bytes =
            header.p_type == PT_LOAD || header.p_type == PT_INTERP || header.p_type == PT_DYNAMIC;
        if (has_bytes &&
            (header.p_offset > reading->size || header.p_filesz > reading->size - header.p_offset))
            return fail(reading, "it is damaged: it ends too early");
        if (header.p_type == PT_INTERP && !read_interpreter(reading, &header))
            return false;
        reading->has_dynamic |= header.p_type == PT_DYNAMIC;
    }
    return true;
}

static bool read_header(struct reading *reading, GElf_Ehdr *header)
{
    if (elf_kind(reading->elf) == ELF_K_AR)
        return fail(reading, "it is an archive of object files, neither a program nor a shared library");
    if (elf_kind(reading->elf) != ELF_K_ELF || !gelf_getehdr(reading->elf, header))
        return fail(reading, "it is not an ELF file, neither a program nor a shared library");
    if (header->e_type == ET_REL)
        return fail(reading, "it is an object file that is yet to be linked");
    if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
        return fail(reading, "it is neither a program nor a shared library");
    reading->object->machine = header->e_machine;
    reading->object->is_64bit = header->e_ident[EI_CLASS] == ELFCLASS64;
    reading->object->is_native = reading->object->is_64bit && header->e_machine == NATIVE_MACHINE &&
                                 header->e_ident[EI_DATA] == ELFDATA2LSB;
    reading->object->has_sections = header->e_shoff != 0;
    if (header->e_shoff > reading->size ||
        (uint64_t)header->e_shnum * header->e_shentsize > reading->size - header->e_shoff)
        return fail(reading, "it is damaged: it ends too early");
    return true;
}

static void read_object(struct reading *reading)
{
    struct elf_object *object = reading->object;
    GElf_Ehdr header;
    if (!read_header(reading, &header) || !read_segments(reading))
        return;
    object->is_static = !object->interpreter && (header.e_type == ET_EXEC || !reading->has_dynamic);
    object->is_program = object->interpreter || object->is_static;
    if (!object->has_sections || !read_sections(reading))
        return;
    object->is_static |= object->is_program && !object->interpreter;
    object->has_sections = !reading->has_dynamic || object->has_dynamic_symbols;
}

const char *elf_object_read(const char *path, struct elf_object *object)
{
    struct stat status;
    struct reading reading = {.object = object};
    *object = (struct elf_object){.uses = calloc((size_t)SYMBOL_COUNT, sizeof *object->uses)};
    if (!object->uses)
        return "out of memory";
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return strerror(errno);
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        reading.reason = S_ISDIR(status.st_mode) ? "it is a folder" : "it is not a regular file";
    } else {
        reading.size = (uint64_t)status.st_size;
        elf_version(EV_CURRENT);
        /* Not mapped: a file that shrinks meanwhile must not be a SIGBUS. */
        reading.elf = elf_begin(file, ELF_C_READ, NULL);
        if (reading.elf)
            read_object(&reading);
        else
            reading.reason = "it is damaged: not even its header can be read";
        elf_end(reading.elf);
    }
    close(file);
    return reading.reason;
}

void elf_object_clear(struct elf_object *object)
{
    for (int i = 0; i < object->needed_count; i++)
        free(object->needed[i]);
    free(object->needed);
    free(object->interpreter);
    free(object->soname);
    free(object->rpath);
    free(object->runpath);
    free(object->uses);
    name_list_clear(&object->other_imports);
    name_list_clear(&object->other_exports);
    *object = (struct elf_object){0};
}

bool elf_object_matches(const char *path, bool is_64bit, uint16_t machine)
{
    unsigned char start[EI_NIDENT + 4];
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return false;
    bool whole = read(file, start, sizeof start) == (ssize_t)sizeof start;
    close(file);
    if (!whole || memcmp(start, ELFMAG, SELFMAG) != 0)
        return false;
    bool little = start[EI_DATA] == ELFDATA2LSB;
    uint16_t found =
        (uint16_t)(start[EI_NIDENT + (little ? 2 : 3)] | start[EI_NIDENT + (little ? 3 : 2)] << 8);
    return (start[EI_CLASS] == ELFCLASS64) == is_64bit && found == machine;
}

const char *elf_object_machine(const struct elf_object *object)
{
    static char number[40];
    switch (object->machine) {
    case EM_X86_64:
        return object->is_64bit ? "x86-64" : "x86-64 with 32-bit addresses";
    case EM_386:
        return "32-bit x86";
    case EM_AARCH64:
        return "aarch64";
    case EM_ARM:
        return "32-bit ARM";
    case EM_PPC64:
        return "POWER";
    case EM_RISCV:
        return "RISC-V";
    default:
        snprintf(number, sizeof number, "a machine of ELF number %u", object->machine);
        return number;
    }
}
