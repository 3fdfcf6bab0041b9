#include "wide_gauge.h"

#include <stdlib.h>

const bool wide_gauge_exists = false;

double wide_gauge(const struct blas_call *call, const void *results)
{
    (void)call, (void)results;
    abort();
}
