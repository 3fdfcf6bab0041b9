/* link_map.h - a program and all libraries that its loader would load with it. */
#ifndef MUBLAS_LINK_MAP_H
#define MUBLAS_LINK_MAP_H

#include "command/inspect/elf_object.h"

#include <stddef.h>

struct linked_object {
    struct elf_object elf;
    const char *reason; /* why it cannot be read; NULL: `elf` is good */
    char *path;
    char *origin;       /* its folder */
    const char *how;    /* how the loader finds it, a phrase; static */
    int parent;         /* index of the object that asks for it first, -1 for the first and preloaded ones */
    unsigned long device, inode;
};

/* A library that the loader would not find. */
struct missing_library {
    const char *name;
    int parent;
};

/* In the loader's order, which is that of symbol look-up: the inspected object, what
 * LD_PRELOAD names (but for mublas), then level by level what they need. */
struct link_map {
    struct linked_object *objects;
    int count;
    struct missing_library *missing;
    int missing_count;
};

/* Returns NULL, or why the program itself cannot be read. Clear in both cases. Does not follow the libraries
 * of a program for another machine. */
const char *link_map_make(const char *path, struct link_map *map);
void link_map_clear(struct link_map *map);

#endif
