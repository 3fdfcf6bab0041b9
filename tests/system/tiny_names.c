/* References to two routines, one offloaded and one forwarded, by the names of every
 * interface: in a library, see interface_table.c. With LINKED, by those names that the
 * library is linked with a BLAS for. */
#include <stddef.h>

typedef void any_function(void);
struct tiny_name {
    const char *symbol;
    any_function *function;
};
extern const struct tiny_name tiny_names[];

#define ROUTINES NAMES(dgemv) NAMES(dgemm)
#ifdef LINKED
#define REFERENCE
#define NAMES(name) NAME(name##_)
#else
#define REFERENCE __attribute__((weak))
#define NAMES(name)                                                                                   \
    NAME(name##_) NAME(name##_64_) NAME(scipy_##name##_) NAME(scipy_##name##_64_) NAME(cblas_##name) \
    NAME(cblas_##name##64_) NAME(cblas_##name##_64) NAME(scipy_cblas_##name) NAME(scipy_cblas_##name##64_)
#endif

#define NAME(symbol) extern void symbol(void) REFERENCE;
ROUTINES
#undef NAME

#define NAME(symbol) {#symbol, symbol},
const struct tiny_name tiny_names[] = {ROUTINES {NULL, NULL}};
