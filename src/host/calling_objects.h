/* calling_objects.h - the loaded libraries that call BLAS, and which host serves each.
 *
 * What is kept of a library, here and by who asks (callers.c), must go when the library does:
 * another one, which means another host, may be loaded to the same addresses. A library of
 * whose unloading no word will come (loaded_object.h) is not kept at all: each of its calls is
 * looked up anew.
 *
 * Thread-safe. Nobody waits for another thread, which in a fork child may be gone. */
#ifndef MUBLAS_CALLING_OBJECTS_H
#define MUBLAS_CALLING_OBJECTS_H

#include "host/symbols.h"

#include <stdbool.h>
#include <stdint.h>

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
