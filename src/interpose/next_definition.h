/* next_definition.h - for functions of the C library that mublas stands before. */
#ifndef MUBLAS_NEXT_DEFINITION_H
#define MUBLAS_NEXT_DEFINITION_H

/* The function that a program would get without mublas: the address behind this library in the program's
 * search order, another preloaded library's, or the C library's. NULL: there is none, or mublas
 * came by dlopen. Allocates nothing; errno stays. */
const void *next_definition(const char *name);

#endif
