#include "common/loaded_segment.h"
#include "common/loader.h"

#include <link.h>
#include <stddef.h>

struct search {
    uintptr_t address;
    struct loaded_segment *segment;
};

static int find(struct dl_phdr_info *object, size_t size, void *context)
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
    return loader_objects(find, &search) != 0;
}
