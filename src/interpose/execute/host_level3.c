#include "host/host_blas.h"
#include "host/symbols.h"
#include "interpose/execute/tile_runner.h"

/* The plain names, in the order of the families and types. */
#define EVERY(name) {SYMBOL_s##name##_, SYMBOL_d##name##_, SYMBOL_c##name##_, SYMBOL_z##name##_}
#define COMPLEX(name) {SYMBOL_COUNT, SYMBOL_COUNT, SYMBOL_c##name##_, SYMBOL_z##name##_}
static const uint16_t symbols[FAMILY_COUNT - FAMILY_GEMM][4] = {
#define FAMILY(...)
#define LEVEL3_FAMILY(NAME, name, types, ...) types(name),
#include "common/routines.def"
};

/* The Fortran interface that libraries have beside a C one, with integers of the same width. */
static enum interface fortran_interface(enum interface interface)
{
    switch (interface) {
    case INTERFACE_cblas_NAME: return INTERFACE_NAME_;
    case INTERFACE_cblas_NAME64_:
    case INTERFACE_cblas_NAME_64: return INTERFACE_NAME_64_;
    case INTERFACE_scipy_cblas_NAME: return INTERFACE_scipy_NAME_;
    case INTERFACE_scipy_cblas_NAME64_: return INTERFACE_scipy_NAME_64_;
    default: return interface;
    }
}

bool host_level3_run(enum symbol symbol, const void *caller, const struct blas_call *call)
{
    if (call->family < FAMILY_GEMM || call->family >= FAMILY_COUNT || call->type > TYPE_Z)
        return false;
    const unsigned plain = symbols[call->family - FAMILY_GEMM][call->type];
    if (plain == SYMBOL_COUNT)
        return false;
    /* symbols.def has a routine's symbols one after the other, in the order of the interfaces. */
    const enum interface interface = fortran_interface(symbol_interface(symbol));
    routine_call(host_blas_function((enum symbol)(plain + interface - INTERFACE_NAME_), caller), call);
    return true;
}
