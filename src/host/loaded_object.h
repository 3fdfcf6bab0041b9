/* loaded_object.h - the program's libraries while they are loaded: word of their unloading, host libraries
 * that are kept, and the libraries that call BLAS, each with its host.
 *
 * All functions are thread-safe. The retaining ones wait for the loader only, the others for nobody:
 * another thread may be gone in a fork child. */
#ifndef MUBLAS_LOADED_OBJECT_H
#define MUBLAS_LOADED_OBJECT_H

#include "host/host_library.h"
#include "host/symbols.h"

#include <stdbool.h>
#include <stdint.h>

/* A host library stays loaded while mublas knows of it. A reference is enough, but for a library that is
 * being unloaded already, as when a plug-in's first call comes from its destructor. Such a library goes
 * whatever is done, and its retainer has to forget it then. */

/* To be called when code from `start` to `end` goes after all; the loader's lock is held. */
typedef void retained_forget(uintptr_t start, uintptr_t end);

/* Keep the library, and the one that a function of it really comes from if that is another
 * and nobody else may keep it. */
void retained_keep(const struct host_library *library, retained_forget *forget);
void retained_keep_origin(const struct host_library *library, host_function *function,
                          retained_forget *forget);

/* The loaded libraries that call BLAS, and the host that serves each.
 *
 * All that is kept of a calling library, here and in callers.c, must go when the library does: another one,
 * which means another host, may be loaded to the same addresses. A library of whose unloading no word will
 * come is not kept at all: each of its calls is looked up anew. */
struct calling_object {
    uintptr_t start, end; /* of its code; 0, 0: none */
    int number;           /* of its host, -1: not known */
};

/* The object that the return address lies in, if it is kept, with its host for this interface:
 * it may take its Fortran and its C names from different libraries. Takes no lock: what a fork
 * child of a program with threads does not find here it looks up by dlopen, which may fail it. */
struct calling_object calling_objects_find(uintptr_t caller, enum interface interface);

/* Keep the object that the return address lies in, whose host for this interface is `number`.
 * `end` is 0 when it cannot be kept, or not while it is being unloaded; `start` as well when
 * the address is in no object, such as code made at run time. `forget` is called when the
 * object is about to be unloaded, maybe several times and at other times, with the loader's
 * lock held: it must not wait. */
struct calling_object calling_objects_keep(uintptr_t caller, enum interface interface, int number,
                                           void (*forget)(uintptr_t start, uintptr_t end));

/* Nobody has this host any more. Waits for nobody. */
void calling_objects_forget_host(int number);

#endif
