#include "interpose/lapack/routines.h"

static const struct lapack_routine routines[] = {
#define ROUTE(name, family, type, order, words) {#name, LAPACK_##family, TYPE_##type, order, words},
#include "host/lapack.def"
#undef ROUTE
};

/* A routine's symbols stand one after the other in symbols.def, and LAPACK's last. */
const struct lapack_routine *lapack_routine_of(enum symbol symbol)
{
    enum { FORMS = INTERFACE_COUNT - INTERFACE_LAPACK_NAME_, COUNT = sizeof routines / sizeof *routines };
    return &routines[((int)symbol - (SYMBOL_COUNT - FORMS * COUNT)) / FORMS];
}
