/* loader.h - dlopen and dlsym that leave no error behind, so that the program's next dlerror() reports the
 * program's own.
 *
 * An error that the program has not read yet is lost all the same: the C library drops it at every such call,
 * even one that succeeds, and cannot put it back. So mublas looks up what it can in the tables of loaded
 * objects (object_symbols.h). Not before main: the program's own malloc and free, which may not be ready,
 * allocate and free an error's text.
 *
 * The program's signals are held meanwhile: a handler that jumps out would leave the loader locked for good, and
 * pthread_cancel, which looks for a library, or another thread's dlopen would wait for ever. */
#ifndef MUBLAS_LOADER_H
#define MUBLAS_LOADER_H

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>

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

#endif
