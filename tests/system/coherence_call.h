/* coherence_call.h - one random BLAS call on arenas, checked against the same
 * call by the host's own BLAS on private copies. */
#ifndef MUBLAS_TESTS_COHERENCE_CALL_H
#define MUBLAS_TESTS_COHERENCE_CALL_H

#include "coherence_memory.h"

enum family { GEMV, SYMV, TRMV, AXPY, SYR2K, GEMM, TRMM, FAMILIES };

/* The type of a call's elements: bits. A complex element is two of an arena's. */
enum { SINGLE = 1, COMPLEX = 2, TYPES = 4 };

extern const char *const family_names[FAMILIES][TYPES];

/* Elements offset + i + j * ld of an arena, each of `parts` numbers of it. A vector is one row
 * with ld as its increment. */
struct place {
    struct arena *arena;
    size_t offset, rows, columns, ld, parts;
};

/* Visit the elements: all, or a triangle ('L', 'U'). Stops at false. `index` counts elements. */
typedef bool element_visitor(void *context, const struct place *place, size_t index);
bool place_visit(const struct place *place, char part, element_visitor *visit, void *context);

struct call {
    enum family family;
    int type;
    char uplo, trans, diag, side;
    int m, n, k;
    double alpha[2], beta[2]; /* real and imaginary part */
    /* gemv and symv: a, x, out; trmv and trmm: a, out; axpy: x, out; syr2k and gemm, whose B is
     * not transposed: a, b, out */
    struct place a, b, out, x;
    int x_sign, out_sign;      /* of the increments */
};

/* Find each family's functions: the program's own, and the host's. False (with a TAP comment) when the host's
 * cannot be found at `path`, or are the same. */
bool functions_find(const char *path);

/* Choose a legal call of real or complex type whose operands lie in the given windows (all of
 * one element type). `recent` is a matrix used before, taken again where it fits; it may be
 * NULL. False when no place was found. */
bool call_choose(struct call *call, enum family family, bool is_complex, const struct window windows[3],
                 const struct place *recent, int order, struct random *random);

/* Run it on memory, on the shadow and with absolute values, compare, and bring
 * the shadow up to date. The largest error in units of eps times the bound;
 * infinity where a NaN differs. */
double call_check(const struct call *call, struct random *random);

/* The call in words, as a TAP comment. */
void call_print(const struct call *call);

#endif
