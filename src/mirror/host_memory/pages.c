#include "mirror/host_memory/pages.h"

#include <stdatomic.h>
#include <unistd.h>

unsigned page_shift(void)
{
    static atomic_uint shift;
    unsigned known = atomic_load_explicit(&shift, memory_order_relaxed);
    if (known == 0) {
        known = (unsigned)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
        atomic_store_explicit(&shift, known, memory_order_relaxed);
    }
    return known;
}

static uintptr_t floor_to(uintptr_t address, unsigned shift)
{
    return address >> shift << shift;
}

static uintptr_t ceiling_to(uintptr_t address, unsigned shift)
{
    return floor_to(address + ((uintptr_t)1 << shift) - 1, shift);
}

uintptr_t page_floor(uintptr_t address)
{
    return floor_to(address, page_shift());
}

uintptr_t page_ceiling(uintptr_t address)
{
    return ceiling_to(address, page_shift());
}

uintptr_t block_floor(uintptr_t address)
{
    return floor_to(address, BLOCK_SHIFT);
}

uintptr_t block_ceiling(uintptr_t address)
{
    return ceiling_to(address, BLOCK_SHIFT);
}
