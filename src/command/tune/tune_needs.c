#include "command/tune/tune_needs.h"

#include "command/routine_call.h"
#include "command/shim_child.h"
#include "gpu/cublas_library.h"

#include <stdio.h>

static bool is_of_level3_alone(const struct tune_options *options)
{
    for (int routine = 0; routine < ROUTINES; routine++)
        if (routine_family(routine) < FAMILY_GEMM &&
            routine_is_listed(routine, options->routines ? options->call_routines : NULL))
            return false;
    return true;
}

bool tune_needs_are_met(const struct tune_options *options)
{
    if (!options->calls || options->evaluate)
        return true;
    if (is_of_level3_alone(options) && !cublas_library_find()) {
        fputs("mublas tune: there is no cuBLAS, without which these routines stay on the host\n", stderr);
        return false;
    }
    return shim_child_possible("mublas tune");
}
