#include "mirror/static_memory.h"

#include <link.h>
#include <stddef.h>

static int has(struct dl_phdr_info *object, size_t size, void *context)
{
    const uintptr_t address = *(const uintptr_t *)context;
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        const uintptr_t begin = object->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && address >= begin && address - begin < segment->p_memsz)
            return 1;
    }
    return 0;
}

bool memory_is_static(uintptr_t address)
{
    return dl_iterate_phdr(has, &address) != 0;
}
