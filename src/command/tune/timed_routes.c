#include "command/tune/timed_routes.h"

#include "command/lapack_call.h"
#include "command/random_flags.h"
#include "common/clock.h"
#include "tuner/learn/statistics.h"

#include <stdio.h>
#include <string.h>

enum { REPEATS = 3 };

static void randomise(char *matrix, size_t bytes)
{
    uint64_t seed = 1;
    for (size_t i = 0; i < bytes / sizeof(double); i++)
        ((double *)matrix)[i] = 2 * random_part(&seed) - 1;
}

static double time_once(host_function *function, const struct lapack_routine *routine,
                        struct lapack_arguments *arguments)
{
    const size_t bytes = (size_t)(arguments->n * arguments->lda) * blas_element_bytes(routine->type);
    randomise(arguments->a, bytes);
    const int64_t started = (int64_t)clock_nanoseconds();
    lapack_call(function, routine, arguments);
    return 1e-3 * (double)((int64_t)clock_nanoseconds() - started);
}

bool timed_routes_answer(const char *request, double us[2])
{
    char name[16], jobz;
    long long n;
    struct host_library host;
    double times[REPEATS];
    if (sscanf(request, "route %15s %lld %c", name, &n, &jobz) != 3 || n < 1 || !lapack_call_host(&host))
        return false;
    const int number = lapack_routine_named(name, strlen(name));
    const struct lapack_routine *const routine = number < 0 ? NULL : lapack_routine_row(number);
    host_function *const function =
        routine && lapack_call_is_known(routine->family) ? lapack_call_in_shim(routine) : NULL;
    struct lapack_arguments arguments = {
        .jobz = jobz, .range = 'A', .uplo = 'L', .m = n, .n = n, .lda = n, .ldb = n, .ldz = n};
    if (!function)
        return false;
    const bool made = lapack_arguments_make(&arguments, routine->type);
    if (made) {
        us[1] = time_once(function, routine, &arguments);
        for (int i = 0; i < REPEATS; i++)
            times[i] = time_once(function, routine, &arguments);
        us[0] = statistics_median(times, REPEATS);
    }
    lapack_arguments_free(&arguments);
    return made && arguments.info == 0;
}
