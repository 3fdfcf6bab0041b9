/* next_definition.h - what a function of the C library that mublas stands before would be without it. */
#ifndef MUBLAS_NEXT_DEFINITION_H
#define MUBLAS_NEXT_DEFINITION_H

/* The address behind this library in the program's search order: another preloaded library's, or the C library's.
 * NULL: there is none, or mublas came by dlopen. Allocates nothing and leaves errno alone; any thread. */
const void *next_definition(const char *name);

#endif
