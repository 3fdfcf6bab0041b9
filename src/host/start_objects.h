/* start_objects.h - what the program was started with behind this library in its search order, and what that
 * defines.
 *
 * For code before main, in which the loader must not be asked (common/loader.h). The search order is the
 * order in which dl_iterate_phdr shows the objects; what a constructor has opened by dlopen stands behind,
 * may be nobody's but its own and may go again, and is told by this: no object before it asks for it by
 * name. */
#ifndef MUBLAS_START_OBJECTS_H
#define MUBLAS_START_OBJECTS_H

#include "common/object_symbols.h"

/* Note the objects that are loaded. Before all else, while no other thread asks; again to look anew.
 * `inside`: an address of this library, which nothing is found for where it came by dlopen. */
void start_objects_note(const void *inside);

/* The first of them that defines the name, as object_symbols_find says; NULL: none does, or what does is
 * not of the start. */
const struct object_symbols *start_objects_find(const char *name, const void **address);

/* Did this library come with the start of the program, and not by dlopen? */
bool start_objects_have_own(void);

#endif
