#include "coherence_call.h"

#include <dlfcn.h>
#include <float.h>
#include <stdio.h>
#include <string.h>

typedef void gemv_function(const char *, const int *, const int *, const void *, const void *, const int *,
                           const void *, const int *, const void *, void *, const int *, size_t);
typedef void symv_function(const char *, const int *, const void *, const void *, const int *, const void *,
                           const int *, const void *, void *, const int *, size_t);
typedef void trmv_function(const char *, const char *, const char *, const int *, const void *, const int *, void *,
                           const int *, size_t, size_t, size_t);
typedef void axpy_function(const int *, const void *, const void *, const int *, void *, const int *);
typedef void syr2k_function(const char *, const char *, const int *, const int *, const void *, const void *,
                            const int *, const void *, const int *, const void *, void *, const int *, size_t,
                            size_t);
extern gemv_function dgemv_, sgemv_;
extern symv_function dsymv_, ssymv_;
extern trmv_function dtrmv_, strmv_;
extern axpy_function daxpy_, saxpy_;
extern syr2k_function dsyr2k_, ssyr2k_;

typedef void any_function(void);

const char *const family_names[FAMILIES][2] = {
    {"dgemv", "sgemv"}, {"dsymv", "ssymv"}, {"dtrmv", "strmv"}, {"daxpy", "saxpy"}, {"dsyr2k", "ssyr2k"},
};

/* The program's calls go through these as they would by name: the same symbols. */
static any_function *own_functions[FAMILIES][2] = {
    {(any_function *)dgemv_, (any_function *)sgemv_},   {(any_function *)dsymv_, (any_function *)ssymv_},
    {(any_function *)dtrmv_, (any_function *)strmv_},   {(any_function *)daxpy_, (any_function *)saxpy_},
    {(any_function *)dsyr2k_, (any_function *)ssyr2k_},
};
static any_function *host_functions[FAMILIES][2];

static const char *library_of(void *address)
{
    Dl_info information;
    return dladdr(address, &information) && information.dli_fname ? information.dli_fname : "unknown";
}

bool functions_find(const char *path)
{
    void *host = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!host) {
        printf("# %s\n", dlerror());
        return false;
    }
    for (int i = 0; i < 2 * FAMILIES; i++) {
        char symbol[16];
        snprintf(symbol, sizeof symbol, "%s_", family_names[i / 2][i % 2]);
        void *function = dlsym(host, symbol), *own = dlsym(RTLD_DEFAULT, symbol);
        if (i == 0)
            printf("# under test: %s; host BLAS: %s\n", library_of(own), library_of(function));
        if (!function || function == own) {
            printf("# %s is %s\n", symbol, function ? "the same function in both" : "missing in the host BLAS");
            return false;
        }
        host_functions[i / 2][i % 2] = (any_function *)function;
    }
    return true;
}

enum run_on { ON_MEMORY, ON_SHADOW, ON_ABSOLUTE };

static void *pointer_of(const struct place *place, enum run_on where)
{
    const struct arena *arena = place->arena;
    char *buffer = where == ON_MEMORY ? arena->memory : where == ON_SHADOW ? arena->shadow : arena->absolute;
    return buffer + place->offset * arena_element_bytes(arena);
}

static void *scalar(const struct call *call, double value, double storage[1])
{
    element_set((char *)storage, call->single, 0, value);
    return storage;
}

static void call_run(const struct call *call, any_function *const functions[FAMILIES][2], enum run_on where)
{
    any_function *function = functions[call->family][call->single];
    double alpha_storage[1], beta_storage[1];
    bool absolute = where == ON_ABSOLUTE;
    void *alpha = scalar(call, absolute ? fabs(call->alpha) : call->alpha, alpha_storage);
    void *beta = scalar(call, absolute ? fabs(call->beta) : call->beta, beta_storage);
    int lda = (int)call->a.ld, ldb = (int)call->b.ld, ldc = (int)call->out.ld;
    int incx = call->x_sign * (int)call->x.ld, incy = call->out_sign * (int)call->out.ld;
    void *a = call->a.arena ? pointer_of(&call->a, where) : NULL, *b = call->b.arena ? pointer_of(&call->b, where) : NULL;
    void *x = call->x.arena ? pointer_of(&call->x, where) : NULL, *out = pointer_of(&call->out, where);
    switch (call->family) {
    case GEMV:
        ((gemv_function *)function)(&call->trans, &call->m, &call->n, alpha, a, &lda, x, &incx, beta, out, &incy, 1);
        break;
    case SYMV:
        ((symv_function *)function)(&call->uplo, &call->n, alpha, a, &lda, x, &incx, beta, out, &incy, 1);
        break;
    case TRMV:
        ((trmv_function *)function)(&call->uplo, &call->trans, &call->diag, &call->n, a, &lda, out, &incy, 1, 1, 1);
        break;
    case AXPY:
        ((axpy_function *)function)(&call->n, alpha, x, &incx, out, &incy);
        break;
    default:
        ((syr2k_function *)function)(&call->uplo, &call->trans, &call->n, &call->k, alpha, a, &lda, b, &ldb, beta,
                                     out, &ldc, 1, 1);
    }
}

static bool make_absolute(void *context, struct arena *arena, size_t index)
{
    (void)context;
    element_set(arena->absolute, arena->single, index, fabs(element_get(arena->shadow, arena->single, index)));
    return true;
}

static bool make_nan(void *context, struct arena *arena, size_t index)
{
    element_set(arena->memory, arena->single, index, *(double *)context);
    element_set(arena->shadow, arena->single, index, *(double *)context);
    return true;
}

struct comparison {
    double worst;
    double largest;
};

/* Bound the error, then take the tested result over bit for bit. */
static bool compare(void *context, struct arena *arena, size_t index)
{
    struct comparison *comparison = context;
    size_t bytes = arena_element_bytes(arena);
    double tested = element_get(arena->memory, arena->single, index);
    double host = element_get(arena->shadow, arena->single, index);
    double eps = arena->single ? FLT_EPSILON : DBL_EPSILON, least = arena->single ? FLT_MIN : DBL_MIN;
    double gauge = fabs(tested - host) / (eps * element_get(arena->absolute, arena->single, index) + least);
    if (memcmp(arena->memory + index * bytes, arena->shadow + index * bytes, bytes) == 0)
        gauge = 0;
    if (!(gauge <= comparison->worst))
        comparison->worst = isnan(gauge) ? INFINITY : gauge;
    if (!(fabs(tested) <= comparison->largest))
        comparison->largest = fabs(tested);
    memcpy(arena->shadow + index * bytes, arena->memory + index * bytes, bytes);
    return true;
}

static bool make_small(void *context, struct arena *arena, size_t index)
{
    double value = random_value(context);
    element_set(arena->memory, arena->single, index, value);
    element_set(arena->shadow, arena->single, index, value);
    return true;
}

double call_check(const struct call *call, struct random *random)
{
    char upper = (char)(call->uplo & ~0x20), part = call->family == SYR2K ? upper : 0;
    bool has_beta = call->family == GEMV || call->family == SYMV || call->family == SYR2K;
    double nan_value = NAN;
    if (has_beta && call->beta == 0 && random_chance(random, 50)) /* must not be read */
        place_visit(&call->out, part, make_nan, &nan_value);
    const struct place *places[] = {&call->a, &call->b, &call->x, &call->out};
    for (int i = 0; i < 4; i++)
        if (places[i]->arena)
            place_visit(places[i], 0, make_absolute, NULL);
    call_run(call, own_functions, ON_MEMORY);
    call_run(call, host_functions, ON_SHADOW);
    call_run(call, host_functions, ON_ABSOLUTE);
    struct comparison comparison = {0, 0};
    place_visit(&call->out, part, compare, &comparison);
    if (!(comparison.largest < 100)) /* keep the numbers of a size, and NaN out of later calls */
        place_visit(&call->out, part, make_small, random);
    return comparison.worst;
}

void call_print(const struct call *call)
{
    const struct place *places[] = {&call->a, &call->b, &call->x, &call->out};
    static const char *const names[] = {"a", "b", "x", "result"};
    printf("# %s uplo %c trans %c diag %c m %d n %d k %d alpha %g beta %g\n",
           family_names[call->family][call->single], call->uplo, call->trans, call->diag, call->m, call->n, call->k,
           call->alpha, call->beta);
    for (int i = 0; i < 4; i++)
        if (places[i]->arena)
            printf("#   %s: %s, at element %zu of %zu, %zu by %zu, ld %zu, sign %d\n", names[i],
                   arena_kind_names[places[i]->arena->kind], places[i]->offset, places[i]->arena->size,
                   places[i]->rows, places[i]->columns, places[i]->ld,
                   i == 2 ? call->x_sign : i == 3 ? call->out_sign : 1);
}
