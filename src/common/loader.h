/* loader.h - the dynamic loader, and the objects that it has loaded. */
#ifndef MUBLAS_LOADER_H
#define MUBLAS_LOADER_H

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* The functions that stand for dlopen and dlsym leave no error behind, so that the program's next dlerror()
 * reports the program's own. An error that the program has not read yet is lost all the same: the C library
 * drops it at every such call, even one that succeeds, and cannot put it back. So mublas looks up what it
 * can in the tables of loaded objects (object_symbols_read), which takes no lock, no memory and no system
 * call. The loader must not be asked before main: the program's own malloc and free, which may not be
 * ready, allocate and free an error's text.
 *
 * The program's signals are held meanwhile: a handler that jumps out would leave the loader locked for
 * good, and pthread_cancel, which looks for a library, or another thread's dlopen would wait for ever. */

/* As dlopen; NULL where that fails. */
void *loader_open(const char *path, int flags);

/* The same; *error says why it failed, until this thread's next dl call, or is NULL. */
void *loader_open_or_why(const char *path, int flags, const char **error);

/* Is there a file that dlopen would take, or try to? Loads none. *error as above. */
bool loader_finds(const char *path, const char **error);

/* As dlsym; NULL where it fails. */
void *loader_symbol(void *handle, const char *name);

/* As dlclose, dladdr and dl_iterate_phdr. */
void loader_close(void *handle);
bool loader_address(const void *address, Dl_info *info);
typedef int loader_object_visitor(struct dl_phdr_info *info, size_t size, void *context);
int loader_objects(loader_object_visitor *visit, void *context);

/* Drops the error that a driver or another library may have left. */
void loader_forget_error(void);

/* How many shared objects the loader has brought into this process so far, those that
 * went again included. Costs a lock of the loader's for a moment, no system call. Thread-safe. */
unsigned long long loader_loads(void);

/* The symbols that a loaded object defines, from its own tables.
 *
 * It does not ask the loader, which allocates, and leaves an error when it finds nothing. Pure: no lock, no
 * allocation, no system call. */

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

/* Finds the segment of a loaded program or library that holds an address: code, or a
 * variable such as an array of a Fortran program. */
struct loaded_segment {
    uintptr_t begin, end;
};

/* False, and *segment unchanged: no segment holds it. Does not wait for dlopen's lock. Thread-safe. */
bool loaded_segment_find(uintptr_t address, struct loaded_segment *segment);

#endif
