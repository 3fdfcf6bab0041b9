#include "command/verify/blas_calls.h"
#include "command/routine_call.h"
#include "command/verify/lapack.h"
#include "command/verify/numbers.h"
#include "command/verify/operands.h"
#include "interpose/entries/pack.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct checks {
    host_function *ours, *hosts;
    uint64_t seed;
    int calls;
    double worst;
    bool kept, enough_memory;
};

static union blas_scalar scalar(enum blas_type type, double re, double im)
{
    union blas_scalar value;
    memset(&value, 0, sizeof value);
    number_put(type, (char *)&value, 0, (struct number){re, im});
    return value;
}

static void check(struct checks *checks, const struct blas_call *call)
{
    struct verify_operands operands;
    if (verify_operands_make(&operands, call, &checks->seed)) {
        routine_call(checks->ours, &operands.ours);
        routine_call(checks->hosts, &operands.hosts);
        checks->worst = fmax(checks->worst, verify_operands_ratio(&operands));
        checks->kept &= verify_operands_kept(&operands);
        checks->calls++;
    } else {
        checks->enough_memory = false;
    }
    verify_operands_free(&operands);
}

static int64_t aligned(int64_t rows)
{
    return (rows + 15) / 16 * 16;
}

static int64_t odd_above(int64_t rows)
{
    return rows + 1 + rows % 2;
}

/* Gives the call legal leading dimensions, for the shapes that pack_legal finds. */
static void set_leading(struct blas_call *call, int64_t leading(int64_t))
{
    call->a.ld = call->b.ld = call->c.ld = INT32_MAX;
    call->x.increment = call->y.increment = 1;
    pack_legal(call);
    call->a.ld = leading(call->a.rows);
    call->b.ld = leading(call->b.rows);
    call->c.ld = leading(call->c.rows);
}

/* With aligned columns, unit increments and a sum; then with none of these. */
static void check_layouts(struct checks *checks, struct blas_call call)
{
    const bool real_alpha = call.family == FAMILY_HERK, real_beta = real_alpha || call.family == FAMILY_HER2K;
    call.alpha = scalar(call.type, 1.25, real_alpha ? 0 : -0.5);
    call.beta = scalar(call.type, 0.5, real_beta ? 0 : 0.25);
    set_leading(&call, aligned);
    check(checks, &call);
    call.alpha = scalar(call.type, -0.75, real_alpha ? 0 : 0.5);
    call.beta = scalar(call.type, 0, 0);
    set_leading(&call, odd_above);
    call.x.increment = -2, call.y.increment = 3;
    check(checks, &call);
}

/* gemv: square, tall and wide. Level 3, whose check takes n^3 operations: a sixth, with no two sizes
 * equal. */
static void check_shapes(struct checks *checks, struct blas_call call, int64_t size)
{
    const bool level3 = call.family >= FAMILY_GEMM;
    call.m = level3 ? size / 6 + 5 : call.family == FAMILY_GEMV ? size : 0;
    call.n = level3 ? size / 8 + 3 : size;
    call.k = level3 ? size / 9 + 2 : 0;
    check_layouts(checks, call);
    if (call.family != FAMILY_GEMV)
        return;
    call.m = 4 * size, call.n = size / 4 + 1;
    check_layouts(checks, call);
    call.m = size / 4 + 1, call.n = 4 * size;
    check_layouts(checks, call);
}

static void check_routine(struct checks *checks, int routine, int64_t size)
{
    struct blas_call call = {.family = routine_family(routine), .type = routine_type(routine)};
    do
        check_shapes(checks, call, size);
    while (routine_next_flags(&call));
}

static bool check_and_tell(int routine, int64_t size, const struct host_library *host)
{
    char name[ROUTINE_NAME];
    struct checks checks = {.ours = routine_in_shim(routine), .hosts = routine_in_host(routine, host),
                            .seed = (uint64_t)routine, .kept = true, .enough_memory = true};
    routine_name(routine, name);
    if (!checks.ours || !checks.hosts) {
        fprintf(stderr, "mublas verify: %s: %s has no such routine\n", name,
                checks.ours ? host->path : "the shim");
        return false;
    }
    printf("begin %s\n", name);
    fflush(stdout);
    check_routine(&checks, routine, size);
    if (!checks.enough_memory) {
        fprintf(stderr, "mublas verify: %s: not enough memory for --size=%lld\n", name, (long long)size);
        return false;
    }
    printf("done %s %d %.17g %d\n", name, checks.calls, checks.worst, checks.kept);
    fflush(stdout);
    return true;
}

int verify_calls(const char *what)
{
    static const char lapack[] = "lapack";
    char *list;
    if (strncmp(what, lapack, sizeof lapack - 1) == 0)
        return verify_lapack_calls(what[sizeof lapack - 1] ? what + sizeof lapack : NULL);
    int64_t size = strtoll(what, &list, 10);
    struct host_library host;
    bool good = true;
    if (!host_search("dgemm_", &host)) {
        fputs("mublas verify: no host BLAS found; set MUBLAS_HOST_BLAS\n", stderr);
        return 1;
    }
    for (int routine = 0; good && routine < ROUTINES; routine++)
        if (routine_is_listed(routine, *list ? list + 1 : NULL))
            good = check_and_tell(routine, size, &host);
    return !good;
}
