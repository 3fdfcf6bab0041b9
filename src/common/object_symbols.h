/* object_symbols.h - the symbols that a loaded object defines, from its own tables.
 *
 * It does not ask the loader, which allocates, and leaves an error when it finds nothing. Pure: no lock, no
 * allocation, no system call. */
#ifndef MUBLAS_OBJECT_SYMBOLS_H
#define MUBLAS_OBJECT_SYMBOLS_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* Valid while the object is loaded. */
struct object_symbols {
    uintptr_t base;
    const char *path;    /* the loader's text; "" for the program */
    const char *soname;  /* NULL: none */
    const char *strings;
    const ElfW(Dyn) *dynamic;
    const ElfW(Phdr) *headers;
    int header_count;
    const ElfW(Sym) *symbols;
    const uint32_t *gnu_hash, *hash; /* without either no symbol can be found */
    const ElfW(Half) *versions;      /* NULL: none */
};

/* Reads what dl_iterate_phdr passes. The result can be used later, while the object is loaded. */
void object_symbols_read(const struct dl_phdr_info *info, struct object_symbols *object);

/* Answers as dlsym for this object alone: a definition that others can see, of the default version. False:
 * there is none. *address is NULL if only the object's own code knows it (STT_GNU_IFUNC). */
bool object_symbols_find(const struct object_symbols *object, const char *name, const void **address);

/* True when the object needs that library by name (DT_NEEDED). */
bool object_symbols_needs(const struct object_symbols *object, const struct object_symbols *other);

/* The segment that holds the address. False: none of this object does. */
bool object_symbols_segment(const struct object_symbols *object, uintptr_t address, uintptr_t *start,
                            uintptr_t *end);

#endif
