#include "host/loaded_object.h"
#include "common/loader.h"

#include <link.h>

/* Of the C library. Runs `handler` when the library whose handle this is goes, or at exit. */
int __cxa_atexit(void (*handler)(void *), void *argument, void *library_handle);

struct search {
    uintptr_t inside;
    struct loaded_object *object;
};

/* Reads what belongs to the library, whatever guards a sanitizer has put in between. */
__attribute__((no_sanitize("address", "thread"))) static void
find_handles(struct loaded_object *object, uintptr_t start, uintptr_t end)
{
    uintptr_t *first = (uintptr_t *)((start + sizeof start - 1) / sizeof start * sizeof start);
    for (uintptr_t *word = first; (uintptr_t)(word + 1) <= end; word++) {
        if (*word != (uintptr_t)word)
            continue;
        if (object->handle_count++ == LOADED_OBJECT_HANDLES_MAX)
            return;
        object->handles[object->handle_count - 1] = word;
    }
}

/* Exit handlers run at unloading by a library's termination code only. */
static bool has_termination(const ElfW(Dyn) *entry)
{
    for (; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_FINI || entry->d_tag == DT_FINI_ARRAY)
            return true;
    return false;
}

static int describe(struct dl_phdr_info *info, size_t size, void *argument)
{
    struct search *search = argument;
    struct loaded_object *object = search->object;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        uintptr_t end = start + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && search->inside >= start && search->inside < end) {
            object->start = start;
            object->end = end;
        }
    }
    if (!object->end)
        return 0;
    object->unloads = info->dlpi_subs;
    object->is_program = !info->dlpi_name || !*info->dlpi_name;
    bool terminates = false;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            terminates = has_termination((const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr));
    for (int i = 0; i < info->dlpi_phnum && terminates && !object->is_program; i++) {
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_W) &&
            object->handle_count <= LOADED_OBJECT_HANDLES_MAX)
            find_handles(object, start, start + info->dlpi_phdr[i].p_filesz);
    }
    return 1;
}

bool loaded_object_find(uintptr_t inside, struct loaded_object *object)
{
    struct search search = {inside, object};
    *object = (struct loaded_object){0};
    return loader_objects(describe, &search) != 0;
}

static int read_unloads(struct dl_phdr_info *info, size_t size, void *argument)
{
    (void)size;
    *(uint64_t *)argument = info->dlpi_subs;
    return 1;
}

uint64_t loaded_object_unloads(void)
{
    uint64_t unloads = 0;
    dl_iterate_phdr(read_unloads, &unloads);
    return unloads;
}

bool loaded_object_watch(const struct loaded_object *object, void (*handler)(void *), void *argument)
{
    if (object->is_program)
        return true;
    bool good = object->handle_count >= 1 && object->handle_count <= LOADED_OBJECT_HANDLES_MAX;
    for (int i = 0; i < object->handle_count && good; i++)
        good = __cxa_atexit(handler, argument, object->handles[i]) == 0;
    return good;
}
