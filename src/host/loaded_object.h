/* loaded_object.h - the program or a library, found by an address, and word of its unloading.
 *
 * No loader tells, but each library runs the exit handlers of its own when it is unloaded,
 * those that are registered with the address of its __dso_handle: a word of its data that
 * points at itself, put there by the compiler. So a handler is registered with all such words;
 * with one that is something else it runs when the process exits. */
#ifndef MUBLAS_LOADED_OBJECT_H
#define MUBLAS_LOADED_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

enum { LOADED_OBJECT_HANDLES_MAX = 16 };

struct loaded_object {
    uintptr_t start, end; /* of the segment that the address lies in */
    uint64_t unloads;     /* of libraries in this process so far */
    bool is_program;      /* never unloaded */
    int handle_count;     /* what may be a __dso_handle; LOADED_OBJECT_HANDLES_MAX + 1: too many */
    void *handles[LOADED_OBJECT_HANDLES_MAX];
};

/* False: the address lies in none, such as code made at run time. */
bool loaded_object_find(uintptr_t inside, struct loaded_object *object);

/* How many libraries were unloaded in this process. */
uint64_t loaded_object_unloads(void);

/* Call `handler` when the object is unloaded, with the loader's lock held, and at exit; maybe
 * several times and at other times. False: no word will come, since no __dso_handle was found
 * or there is no memory; some words may come nevertheless. */
bool loaded_object_watch(const struct loaded_object *object, void (*handler)(void *), void *argument);

#endif
