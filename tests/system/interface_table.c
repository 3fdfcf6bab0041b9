/* References to every offloaded routine by every name: the shim answers to 64-bit and scipy_
 * names where they are linked, not where dlsym asks for them. Weak, and in a library of
 * its own since a program's weak references may be settled when it is linked: those that
 * nobody has are NULL. */
#include <stddef.h>

struct interface_row {
    const char *symbol;
    void (*function)(void);
};
extern const struct interface_row interface_table[];

#define ROUTINES                                                                                                  \
    NAMES(saxpy) NAMES(daxpy) NAMES(caxpy) NAMES(zaxpy) NAMES(sgemv) NAMES(dgemv) NAMES(cgemv) NAMES(zgemv)       \
    NAMES(ssymv) NAMES(dsymv) NAMES(chemv) NAMES(zhemv) NAMES(strmv) NAMES(dtrmv) NAMES(ctrmv) NAMES(ztrmv)       \
    NAMES(sgemm) NAMES(dgemm) NAMES(cgemm) NAMES(zgemm) NAMES(ssymm) NAMES(dsymm) NAMES(csymm) NAMES(zsymm)       \
    NAMES(ssyrk) NAMES(dsyrk) NAMES(csyrk) NAMES(zsyrk) NAMES(ssyr2k) NAMES(dsyr2k) NAMES(csyr2k) NAMES(zsyr2k)   \
    NAMES(strmm) NAMES(dtrmm) NAMES(ctrmm) NAMES(ztrmm) NAMES(strsm) NAMES(dtrsm) NAMES(ctrsm) NAMES(ztrsm)       \
    NAMES(chemm) NAMES(zhemm) NAMES(cherk) NAMES(zherk) NAMES(cher2k) NAMES(zher2k)                               \
    NAMES(sspmv) NAMES(dspmv) NAMES(chpmv) NAMES(zhpmv)
#define NAMES(name)                                                                                  \
    NAME(name##_) NAME(name##_64_) NAME(scipy_##name##_) NAME(scipy_##name##_64_) NAME(cblas_##name) \
    NAME(cblas_##name##64_) NAME(cblas_##name##_64) NAME(scipy_cblas_##name) NAME(scipy_cblas_##name##64_)

#define NAME(symbol) extern void symbol(void) __attribute__((weak));
ROUTINES
#undef NAME

#define NAME(symbol) {#symbol, symbol},
const struct interface_row interface_table[] = {ROUTINES {NULL, NULL}};
