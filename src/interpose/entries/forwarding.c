#include "interpose/entries/forwarding.h"

#include "host/callers.h"
#include "host/known_functions.h"
#include "host/nested.h"
#include "interpose/report/stats.h"

host_function *counted_targets[SYMBOL_COUNT];

static void count(enum symbol symbol, const void *caller)
{
    if (!nested_in_host(caller))
        stats_forwarded_call(symbol);
}

host_function *forwarding_count(enum symbol symbol, const void *caller)
{
    host_function *target = __atomic_load_n(&counted_targets[symbol], __ATOMIC_ACQUIRE);
    count(symbol, caller);
    return target ? target : host_blas_resolve(symbol, caller);
}

host_function *forwarding_pass_on(enum symbol symbol, const void *caller)
{
    host_function *function = known_function(symbol);
    if (stats_wanted())
        count(symbol, caller);
    if (!function)
        function = callers_noted(symbol, caller);
    return function ? function : host_blas_resolve(symbol, caller);
}
