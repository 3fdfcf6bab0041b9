/* object_symbols.h - what one loaded object defines, read from its own tables.
 *
 * Without a question to the loader, which allocates and leaves an error where nothing is found, and which keeps
 * nothing of an answer for others. Pure: no lock, no allocation, no system call. */
#ifndef MUBLAS_OBJECT_SYMBOLS_H
#define MUBLAS_OBJECT_SYMBOLS_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* As long as the object is loaded. */
struct object_symbols {
    uintptr_t base;
    const char *path;    /* the loader's own text; "" for the program */
    const char *soname;  /* NULL: none */
    const char *strings;
    const ElfW(Dyn) *dynamic;
    const ElfW(Phdr) *headers;
    int header_count;
    const ElfW(Sym) *symbols;
    const uint32_t *gnu_hash, *hash; /* one of them at least, or there are no symbols to find */
    const ElfW(Half) *versions;      /* NULL: none */
};

/* Of what dl_iterate_phdr shows; also later, while the object is loaded. */
void object_symbols_read(const struct dl_phdr_info *info, struct object_symbols *object);

/* What dlsym would answer for this object alone: a definition that others can see and that is of the default version.
 * False: there is none. *address is NULL where only the object's own code tells (STT_GNU_IFUNC). */
bool object_symbols_find(const struct object_symbols *object, const char *name, const void **address);

/* Does the object ask for that other one, by name (DT_NEEDED)? */
bool object_symbols_needs(const struct object_symbols *object, const struct object_symbols *other);

/* The loaded segment that the address lies in; false: in none of this object. */
bool object_symbols_segment(const struct object_symbols *object, uintptr_t address, uintptr_t *start, uintptr_t *end);

#endif
