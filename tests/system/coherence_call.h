/* coherence_call.h - one random BLAS call on arenas, checked against the same
 * call by the host's own BLAS on private copies. */
#ifndef MUBLAS_TESTS_COHERENCE_CALL_H
#define MUBLAS_TESTS_COHERENCE_CALL_H

#include "coherence_memory.h"

enum family { GEMV, SYMV, TRMV, AXPY, SYR2K, FAMILIES };

extern const char *const family_names[FAMILIES][2]; /* double, single */

/* Elements offset + i + j * ld of an arena. A vector is one row with ld as its increment. */
struct place {
    struct arena *arena;
    size_t offset, rows, columns, ld;
};

/* Visit the elements: all, or a triangle ('L', 'U'). Stops at false. */
typedef bool element_visitor(void *context, struct arena *arena, size_t index);
bool place_visit(const struct place *place, char part, element_visitor *visit, void *context);

struct call {
    enum family family;
    bool single;
    char uplo, trans, diag;
    int m, n, k;
    double alpha, beta;
    struct place a, b, out, x; /* gemv and symv: a, x, out; trmv: a, out; axpy: x, out; syr2k: a, b, out */
    int x_sign, out_sign;      /* of the increments */
};

/* Where each family's functions are: the program's own, and the host's. False
 * (with a TAP comment) when the host's cannot be found at `path`, or are the same. */
bool functions_find(const char *path);

/* Choose a legal call whose operands lie in the given windows (all of one element
 * type). `recent` is a matrix used before, taken again where it fits; it may be
 * NULL. False when no place was found. */
bool call_choose(struct call *call, enum family family, const struct window windows[3], const struct place *recent,
                 int order, struct random *random);

/* Run it on memory, on the shadow and with absolute values, compare, and bring
 * the shadow up to date. The largest error in units of eps times the bound;
 * infinity where a NaN differs. */
double call_check(const struct call *call, struct random *random);

/* The call in words, as a TAP comment. */
void call_print(const struct call *call);

#endif
