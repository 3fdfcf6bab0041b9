#include "common/loader.h"
#include "common/interruption.h"

#include <link.h>
#include <stddef.h>
#include <string.h>

void loader_forget_error(void)
{
    dlerror();
}

void *loader_open_or_why(const char *path, int flags, const char **error)
{
    struct held_signals before;
    held_signals_hold(&before);
    void *library = dlopen(path, flags);
    *error = library ? NULL : dlerror();
    held_signals_return(&before);
    return library;
}

void *loader_open(const char *path, int flags)
{
    const char *error;
    return loader_open_or_why(path, flags, &error);
}

/* With RTLD_NOLOAD the loader looks for the file all the same; NULL without an error says that it is there,
 * and not loaded. */
bool loader_finds(const char *path, const char **error)
{
    loader_forget_error();
    void *const library = loader_open_or_why(path, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD, error);
    if (library)
        loader_close(library);
    return !*error;
}

void *loader_symbol(void *handle, const char *name)
{
    struct held_signals before;
    held_signals_hold(&before);
    void *address = dlsym(handle, name);
    if (!address)
        loader_forget_error();
    held_signals_return(&before);
    return address;
}

void loader_close(void *handle)
{
    struct held_signals before;
    held_signals_hold(&before);
    dlclose(handle);
    held_signals_return(&before);
}

bool loader_address(const void *address, Dl_info *info)
{
    struct held_signals before;
    held_signals_hold(&before);
    const bool found = dladdr(address, info) != 0;
    held_signals_return(&before);
    return found;
}

int loader_objects(loader_object_visitor *visit, void *context)
{
    struct held_signals before;
    held_signals_hold(&before);
    const int answer = dl_iterate_phdr(visit, context);
    held_signals_return(&before);
    return answer;
}

static int take_count(struct dl_phdr_info *info, size_t size, void *loads)
{
    (void)size;
    *(unsigned long long *)loads = info->dlpi_adds;
    return 1;
}

unsigned long long loader_loads(void)
{
    unsigned long long loads = 0;
    dl_iterate_phdr(take_count, &loads);
    return loads;
}

enum { VERSION_HIDDEN = 0x8000 };

/* The C library replaces these distances by addresses, except in tables that it cannot write. */
static const void *address_of(const struct object_symbols *object, const ElfW(Dyn) *entry)
{
    const uintptr_t value = entry->d_un.d_ptr;
    return (const void *)(value < object->base ? object->base + value : value);
}

static void read_entry(struct object_symbols *object, const ElfW(Dyn) *entry)
{
    switch (entry->d_tag) {
    case DT_STRTAB: object->strings = address_of(object, entry); break;
    case DT_SYMTAB: object->symbols = address_of(object, entry); break;
    case DT_HASH: object->hash = address_of(object, entry); break;
    case DT_GNU_HASH: object->gnu_hash = address_of(object, entry); break;
    case DT_VERSYM: object->versions = address_of(object, entry); break;
    }
}

void object_symbols_read(const struct dl_phdr_info *info, struct object_symbols *object)
{
    *object = (struct object_symbols){.base = info->dlpi_addr, .path = info->dlpi_name ? info->dlpi_name : "",
                                      .headers = info->dlpi_phdr, .header_count = info->dlpi_phnum};
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            object->dynamic = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (const ElfW(Dyn) *entry = object->dynamic; entry && entry->d_tag != DT_NULL; entry++)
        read_entry(object, entry);
    for (const ElfW(Dyn) *entry = object->dynamic; entry && entry->d_tag != DT_NULL && object->strings;
         entry++)
        if (entry->d_tag == DT_SONAME)
            object->soname = object->strings + entry->d_un.d_val;
}

static bool is_visible(const struct object_symbols *object, const ElfW(Sym) *symbol)
{
    const int binding = ELF64_ST_BIND(symbol->st_info), visibility = ELF64_ST_VISIBILITY(symbol->st_other);
    const bool is_hidden = object->versions && (object->versions[symbol - object->symbols] & VERSION_HIDDEN);
    return symbol->st_shndx != SHN_UNDEF && symbol->st_value != 0 && !is_hidden &&
           (binding == STB_GLOBAL || binding == STB_WEAK || binding == STB_GNU_UNIQUE) &&
           (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

static bool is_sought(const struct object_symbols *object, uint32_t index, const char *name)
{
    const ElfW(Sym) *symbol = &object->symbols[index];
    return is_visible(object, symbol) && strcmp(object->strings + symbol->st_name, name) == 0;
}

static uint32_t gnu_hash_of(const char *name)
{
    uint32_t hash = 5381;
    for (; *name; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash;
}

/* The number of buckets, the first symbol in one, a filter, and for each bucket a chain whose last entry has
 * the lowest bit set. 0: none. */
static uint32_t find_by_gnu_hash(const struct object_symbols *object, const char *name)
{
    enum { WORD_BITS = 8 * sizeof(ElfW(Addr)) };
    const uint32_t *table = object->gnu_hash, buckets = table[0], first = table[1], words = table[2];
    const ElfW(Addr) *filter = (const ElfW(Addr) *)(const void *)(table + 4);
    const uint32_t *bucket = (const uint32_t *)(const void *)(filter + words), *chain = bucket + buckets;
    const uint32_t hash = gnu_hash_of(name);
    if (buckets == 0 || words == 0)
        return 0;
    const ElfW(Addr) word = filter[hash / WORD_BITS % words];
    if (!(word >> hash % WORD_BITS & word >> (hash >> table[3]) % WORD_BITS & 1))
        return 0;
    for (uint32_t i = bucket[hash % buckets]; i >= first && i != 0; i++) {
        const uint32_t present = chain[i - first];
        if ((present | 1) == (hash | 1) && is_sought(object, i, name))
            return i;
        if (present & 1)
            break;
    }
    return 0;
}

static uint32_t hash_of(const char *name)
{
    uint32_t hash = 0;
    for (; *name; name++) {
        hash = (hash << 4) + (unsigned char)*name;
        hash = (hash ^ (hash & 0xf0000000) >> 24) & 0x0fffffff;
    }
    return hash;
}

static uint32_t find_by_hash(const struct object_symbols *object, const char *name)
{
    const uint32_t *table = object->hash, buckets = table[0], *bucket = table + 2, *chain = bucket + buckets;
    if (buckets == 0)
        return 0;
    for (uint32_t i = bucket[hash_of(name) % buckets]; i != 0; i = chain[i])
        if (is_sought(object, i, name))
            return i;
    return 0;
}

bool object_symbols_find(const struct object_symbols *object, const char *name, const void **address)
{
    if (!object->symbols || !object->strings || (!object->gnu_hash && !object->hash))
        return false;
    const uint32_t found = object->gnu_hash ? find_by_gnu_hash(object, name) : find_by_hash(object, name);
    const ElfW(Sym) *symbol = &object->symbols[found];
    const uintptr_t base = symbol->st_shndx == SHN_ABS ? 0 : object->base;
    const bool is_plain =
        ELF64_ST_TYPE(symbol->st_info) != STT_GNU_IFUNC && ELF64_ST_TYPE(symbol->st_info) != STT_TLS;
    *address = is_plain ? (const void *)(base + symbol->st_value) : NULL;
    return found != 0;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool object_symbols_needs(const struct object_symbols *object, const struct object_symbols *other)
{
    const char *file = last_part(other->path);
    for (const ElfW(Dyn) *entry = object->dynamic; entry && entry->d_tag != DT_NULL && object->strings;
         entry++) {
        if (entry->d_tag != DT_NEEDED)
            continue;
        const char *name = last_part(object->strings + entry->d_un.d_val);
        if (strcmp(name, file) == 0 || (other->soname && strcmp(name, other->soname) == 0))
            return true;
    }
    return false;
}

bool object_symbols_segment(const struct object_symbols *object, uintptr_t address, uintptr_t *start,
                            uintptr_t *end)
{
    for (int i = 0; i < object->header_count; i++) {
        const ElfW(Phdr) *header = &object->headers[i];
        *start = object->base + header->p_vaddr;
        *end = *start + header->p_memsz;
        if (header->p_type == PT_LOAD && address >= *start && address < *end)
            return true;
    }
    return false;
}

struct search {
    uintptr_t address;
    struct loaded_segment *segment;
};

static int find_segment(struct dl_phdr_info *object, size_t size, void *context)
{
    const struct search *search = context;
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[i];
        const uintptr_t begin = object->dlpi_addr + header->p_vaddr, end = begin + header->p_memsz;
        if (header->p_type != PT_LOAD || search->address < begin || search->address >= end)
            continue;
        *search->segment = (struct loaded_segment){begin, end};
        return 1;
    }
    return 0;
}

bool loaded_segment_find(uintptr_t address, struct loaded_segment *segment)
{
    struct search search = {address, segment};
    return loader_objects(find_segment, &search) != 0;
}
