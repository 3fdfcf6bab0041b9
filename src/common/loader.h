/* loader.h - dlopen and dlsym that leave no error behind: the program's next dlerror() tells of its own.
 *
 * An error of the program's that it has not read yet is lost all the same: the C library drops it at every
 * such call, one that succeeds included, and has no way to put one back. So whatever can be found in the
 * tables of loaded objects (object_symbols.h) is looked up there instead. Not before main: an
 * error's text is allocated and freed by the program's own malloc and free, which may not be ready. */
#ifndef MUBLAS_LOADER_H
#define MUBLAS_LOADER_H

/* As dlopen; NULL where that fails. */
void *loader_open(const char *path, int flags);

/* The same; *error is why, until this thread's next dl call, or NULL. */
void *loader_open_or_why(const char *path, int flags, const char **error);

/* As dlsym; NULL where it fails. */
void *loader_symbol(void *handle, const char *name);

/* After code that is not mublas', which may have left an error: a driver's or a library's own. */
void loader_forget_error(void);

/* How many shared objects the loader has brought into this process so far, those that
 * went again included. Costs a lock of the loader's, no system call. Thread-safe. */
unsigned long long loader_loads(void);

#endif
