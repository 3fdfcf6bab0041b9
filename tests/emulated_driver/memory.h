/* memory.h - the devices' address space: what segments.c gives to allocations.c and virtual_memory.c. */
#ifndef MUBLAS_EMULATED_MEMORY_H
#define MUBLAS_EMULATED_MEMORY_H

#include "emulated_driver/internal.h"

/* A piece of device address space with memory behind it. */
struct segment {
    uint64_t begin, end;         /* what may be accessed */
    uint64_t map_begin, map_end; /* whole pages around it */
    struct physical *physical;   /* mapped from map_begin on */
    uint64_t owner;              /* begin of the allocation or reservation it belongs to */
    unsigned devices; /* that may access a mapping, a bit each; an allocation: 1 for those whose contexts reach it */
    bool is_allocation;
};

/* The first segment that ends after `address`, and how many follow it. */
struct segment *segment_from(uint64_t address, size_t *count);
struct segment *segment_find(uint64_t address);
struct segment *segment_map(const struct segment *segment);
void segment_allow(struct segment *segment, CUdevice device);
/* Take the memory away and drop the reference to it. */
void segment_unmap(struct segment *segment);
size_t segment_count(bool is_allocation);

/* Address space, each device's apart; free it with the same begin. */
bool address_take(CUdevice device, uint64_t bytes, uint64_t alignment, uint64_t *begin);
void address_give(uint64_t begin);
void address_reset(CUdevice device);

/* virtual_memory.c */
void virtual_memory_reset(CUdevice device);
bool virtual_memory_is_reserved(CUdevice device, uint64_t address);
void virtual_memory_census(struct emulated_census *census);

#endif
