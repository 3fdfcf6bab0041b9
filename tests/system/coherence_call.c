#include "coherence_call.h"

#include <dlfcn.h>
#include <float.h>
#include <stdio.h>
#include <string.h>

typedef void gemv_function(const char *, const int *, const int *, const void *, const void *, const int *,
                           const void *, const int *, const void *, void *, const int *, size_t);
typedef void symv_function(const char *, const int *, const void *, const void *, const int *, const void *,
                           const int *, const void *, void *, const int *, size_t);
typedef void trmv_function(const char *, const char *, const char *, const int *, const void *, const int *,
                           void *, const int *, size_t, size_t, size_t);
typedef void axpy_function(const int *, const void *, const void *, const int *, void *, const int *);
typedef void syr2k_function(const char *, const char *, const int *, const int *, const void *, const void *,
                            const int *, const void *, const int *, const void *, void *, const int *, size_t,
                            size_t);
typedef void gemm_function(const char *, const char *, const int *, const int *, const int *, const void *,
                           const void *, const int *, const void *, const int *, const void *, void *,
                           const int *, size_t, size_t);
typedef void trmm_function(const char *, const char *, const char *, const char *, const int *, const int *,
                           const void *, const void *, const int *, void *, const int *, size_t, size_t,
                           size_t, size_t);
extern gemv_function dgemv_, sgemv_, zgemv_, cgemv_;
extern symv_function dsymv_, ssymv_, zhemv_, chemv_;
extern trmv_function dtrmv_, strmv_, ztrmv_, ctrmv_;
extern axpy_function daxpy_, saxpy_, zaxpy_, caxpy_;
extern syr2k_function dsyr2k_, ssyr2k_, zsyr2k_, csyr2k_;
extern gemm_function dgemm_, sgemm_, zgemm_, cgemm_;
extern trmm_function dtrmm_, strmm_, ztrmm_, ctrmm_;

typedef void any_function(void);

const char *const family_names[FAMILIES][TYPES] = {
    {"dgemv", "sgemv", "zgemv", "cgemv"},     {"dsymv", "ssymv", "zhemv", "chemv"},
    {"dtrmv", "strmv", "ztrmv", "ctrmv"},     {"daxpy", "saxpy", "zaxpy", "caxpy"},
    {"dsyr2k", "ssyr2k", "zsyr2k", "csyr2k"}, {"dgemm", "sgemm", "zgemm", "cgemm"},
    {"dtrmm", "strmm", "ztrmm", "ctrmm"},
};

/* The program's calls go through these as they would by name: the same symbols. */
#define ANY(function) (any_function *)function
static any_function *own_functions[FAMILIES][TYPES] = {
    {ANY(dgemv_), ANY(sgemv_), ANY(zgemv_), ANY(cgemv_)},
    {ANY(dsymv_), ANY(ssymv_), ANY(zhemv_), ANY(chemv_)},
    {ANY(dtrmv_), ANY(strmv_), ANY(ztrmv_), ANY(ctrmv_)},
    {ANY(daxpy_), ANY(saxpy_), ANY(zaxpy_), ANY(caxpy_)},
    {ANY(dsyr2k_), ANY(ssyr2k_), ANY(zsyr2k_), ANY(csyr2k_)},
    {ANY(dgemm_), ANY(sgemm_), ANY(zgemm_), ANY(cgemm_)},
    {ANY(dtrmm_), ANY(strmm_), ANY(ztrmm_), ANY(ctrmm_)},
};
static any_function *host_functions[FAMILIES][TYPES];

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
    for (int i = 0; i < TYPES * FAMILIES; i++) {
        char symbol[16];
        snprintf(symbol, sizeof symbol, "%s_", family_names[i / TYPES][i % TYPES]);
        void *function = dlsym(host, symbol), *own = dlsym(RTLD_DEFAULT, symbol);
        if (i == 0)
            printf("# under test: %s; host BLAS: %s\n", library_of(own), library_of(function));
        if (!function || function == own) {
            printf("# %s is %s\n", symbol,
                   function ? "the same function in both" : "missing in the host BLAS");
            return false;
        }
        host_functions[i / TYPES][i % TYPES] = (any_function *)function;
    }
    return true;
}

enum run_on { ON_MEMORY, ON_SHADOW, ON_ABSOLUTE };

static void *pointer_of(const struct place *place, enum run_on where)
{
    const struct arena *arena = place->arena;
    char *buffer = where == ON_MEMORY ? arena->memory : where == ON_SHADOW ? arena->shadow : arena->absolute;
    return buffer + place->offset * place->parts * arena_element_bytes(arena);
}

/* A number's bound: the sum of its parts' magnitudes, as a real number. */
static void *scalar(const struct call *call, const double value[2], bool absolute, double storage[2])
{
    bool single = call->type & SINGLE;
    element_set((char *)storage, single, 0, absolute ? fabs(value[0]) + fabs(value[1]) : value[0]);
    element_set((char *)storage, single, 1, absolute ? 0 : value[1]);
    return storage;
}

static void call_run(const struct call *call, any_function *const functions[FAMILIES][TYPES],
                     enum run_on where)
{
    any_function *function = functions[call->family][call->type];
    double alpha_storage[2], beta_storage[2];
    bool absolute = where == ON_ABSOLUTE;
    void *alpha = scalar(call, call->alpha, absolute, alpha_storage);
    void *beta = scalar(call, call->beta, absolute, beta_storage);
    int lda = (int)call->a.ld, ldb = (int)call->b.ld, ldc = (int)call->out.ld;
    int incx = call->x_sign * (int)call->x.ld, incy = call->out_sign * (int)call->out.ld;
    void *a = call->a.arena ? pointer_of(&call->a, where) : NULL,
         *b = call->b.arena ? pointer_of(&call->b, where) : NULL;
    void *x = call->x.arena ? pointer_of(&call->x, where) : NULL, *out = pointer_of(&call->out, where);
    switch (call->family) {
    case GEMV:
        ((gemv_function *)function)(&call->trans, &call->m, &call->n, alpha, a, &lda, x, &incx, beta, out,
                                    &incy, 1);
        break;
    case SYMV:
        ((symv_function *)function)(&call->uplo, &call->n, alpha, a, &lda, x, &incx, beta, out, &incy, 1);
        break;
    case TRMV:
        ((trmv_function *)function)(&call->uplo, &call->trans, &call->diag, &call->n, a, &lda, out, &incy, 1,
                                    1, 1);
        break;
    case AXPY:
        ((axpy_function *)function)(&call->n, alpha, x, &incx, out, &incy);
        break;
    case GEMM:
        ((gemm_function *)function)(&call->trans, "N", &call->m, &call->n, &call->k, alpha, a, &lda, b, &ldb,
                                    beta, out, &ldc, 1, 1);
        break;
    case TRMM:
        ((trmm_function *)function)(&call->side, &call->uplo, &call->trans, &call->diag, &call->m, &call->n,
                                    alpha, a, &lda, out, &ldc, 1, 1, 1, 1);
        break;
    default:
        ((syr2k_function *)function)(&call->uplo, &call->trans, &call->n, &call->k, alpha, a, &lda, b, &ldb,
                                     beta, out, &ldc, 1, 1);
    }
}

static bool make_absolute(void *context, const struct place *place, size_t index)
{
    const struct arena *arena = place->arena;
    double sum = 0;
    (void)context;
    for (size_t part = place->parts; part-- > 0;) {
        sum += fabs(element_get(arena->shadow, arena->single, place->parts * index + part));
        element_set(arena->absolute, arena->single, place->parts * index + part, part == 0 ? sum : 0);
    }
    return true;
}

static void set(const struct place *place, size_t index, size_t part, double value)
{
    element_set(place->arena->memory, place->arena->single, place->parts * index + part, value);
    element_set(place->arena->shadow, place->arena->single, place->parts * index + part, value);
}

static bool make_nan(void *context, const struct place *place, size_t index)
{
    for (size_t part = 0; part < place->parts; part++)
        set(place, index, part, *(double *)context);
    return true;
}

struct comparison {
    double worst;
    double largest;
};

/* Bound the error, then take the tested result over bit for bit. */
static bool compare(void *context, const struct place *place, size_t element)
{
    struct comparison *comparison = context;
    const struct arena *arena = place->arena;
    size_t bytes = arena_element_bytes(arena);
    double eps = arena->single ? FLT_EPSILON : DBL_EPSILON, least = arena->single ? FLT_MIN : DBL_MIN;
    double bound = eps * element_get(arena->absolute, arena->single, place->parts * element) + least;
    for (size_t part = 0; part < place->parts; part++) {
        size_t index = place->parts * element + part;
        double tested = element_get(arena->memory, arena->single, index);
        double gauge = fabs(tested - element_get(arena->shadow, arena->single, index)) / bound;
        if (memcmp(arena->memory + index * bytes, arena->shadow + index * bytes, bytes) == 0)
            gauge = 0;
        if (!(gauge <= comparison->worst))
            comparison->worst = isnan(gauge) ? INFINITY : gauge;
        if (!(fabs(tested) <= comparison->largest))
            comparison->largest = fabs(tested);
        memcpy(arena->shadow + index * bytes, arena->memory + index * bytes, bytes);
    }
    return true;
}

static bool make_small(void *context, const struct place *place, size_t index)
{
    for (size_t part = 0; part < place->parts; part++)
        set(place, index, part, random_value(context));
    return true;
}

double call_check(const struct call *call, struct random *random)
{
    char upper = (char)(call->uplo & ~0x20), part = call->family == SYR2K ? upper : 0;
    bool has_beta = call->family != TRMV && call->family != AXPY && call->family != TRMM;
    double nan_value = NAN;
    if (has_beta && call->beta[0] == 0 && call->beta[1] == 0 &&
        random_chance(random, 50)) /* must not be read */
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
    printf("# %s side %c uplo %c trans %c diag %c m %d n %d k %d alpha %g %gi beta %g %gi\n",
           family_names[call->family][call->type], call->side, call->uplo, call->trans, call->diag, call->m,
           call->n, call->k, call->alpha[0], call->alpha[1], call->beta[0], call->beta[1]);
    for (int i = 0; i < 4; i++)
        if (places[i]->arena)
            printf("#   %s: %s, at element %zu of %zu, %zu by %zu, ld %zu, sign %d\n", names[i],
                   arena_kind_names[places[i]->arena->kind], places[i]->offset, places[i]->arena->size,
                   places[i]->rows, places[i]->columns, places[i]->ld,
                   i == 2 ? call->x_sign : i == 3 ? call->out_sign : 1);
}
