/* interface_call.h - BLAS routines by name, called in any interface: Fortran or CBLAS, with
 * 32- or 64-bit integers, under any prefix and suffix.
 *
 * Arguments are described by a string of letters: o layout; t u d e flags (operation,
 * triangle, diagonal, side); n k sizes; s scalar; r scalar that is real for complex types too; l leading
 * dimension; i increment; 1 2 3 operands. Fortran has no layout. */
#ifndef MUBLAS_TESTS_INTERFACE_CALL_H
#define MUBLAS_TESTS_INTERFACE_CALL_H

#include <stdbool.h>
#include <stdint.h>

enum { ARGUMENTS_MAX = 16 };

struct interface {
    const char *prefix, *suffix; /* around the routine's name, such as "cblas_" and "64_" */
    int bits;                    /* of an integer */
    bool cblas;
};

union argument {
    char flag; /* as in Fortran; layouts are R and C */
    int64_t integer;
    double scalar[2]; /* real and imaginary part */
    void *operand;
};

/* From the words LANGUAGE PREFIX SUFFIX BITS: "fortran" or "cblas", ..., "32" or "64".
 * Ends the program where they are something else. */
struct interface interface_read(int count, char **words);

/* The routine as this process finds it, such as "dgemv"; ends the program without it. */
void *interface_function(const struct interface *interface, const char *routine);

/* Call it. `type` is the routine's s, d, c or z. The upper halves of 32-bit integers and of flags, which a
 * callee must not look at, are garbage. */
void interface_call(const struct interface *interface, void *function, char type, const char *letters,
                    const union argument *arguments);

#endif
