#include "interpose/width.h"

#include <stdint.h>

/* A size that is 3 in 32 bits and negative in 64: of three elements the second is the
 * largest, of none there is none. libblastrampoline asks in the same way. */
static const int64_t telling_size = (int64_t)0xffffffff00000003;
static const float telling_elements[] = {1, 2, 1};

typedef int fortran_isamax(const int64_t *n, const float *x, const int64_t *incx);
typedef int cblas_isamax(int64_t n, const float *x, int64_t incx);

enum symbol width_telling_symbol(enum interface interface)
{
    return interface == INTERFACE_NAME_ ? SYMBOL_isamax_ : SYMBOL_cblas_isamax;
}

enum integer_width width_ask(enum interface interface, host_function *isamax)
{
    static const int64_t one = 1;
    /* Fortran counts from 1 and 0 is none; C counts from 0, which is none as well. */
    if (interface == INTERFACE_NAME_)
        return ((fortran_isamax *)isamax)(&telling_size, telling_elements, &one) == 2 ? WIDTH_32 : WIDTH_64;
    return ((cblas_isamax *)isamax)(telling_size, telling_elements, 1) == 1 ? WIDTH_32 : WIDTH_64;
}
