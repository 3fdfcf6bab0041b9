/* general_eigen_methods: arguments and results of geev and geevx, and what LAPACK does around them: balancing. */
#include "common/loader.h"
#include "interpose/lapack/call.h"
#include "lapack/route.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The host's, by addresses alone; integers of 32 bits are the lower halves of ours. */
typedef void gebal_function(const char *job, const int64_t *n, void *a, const int64_t *lda, int64_t *ilo,
                            int64_t *ihi, void *scale, int64_t *info, size_t);
typedef void gebak_function(const char *job, const char *side, const int64_t *n, const int64_t *ilo,
                            const int64_t *ihi, const void *scale, const int64_t *m, void *v,
                            const int64_t *ldv, int64_t *info, size_t, size_t);

enum { NAME_BYTES = 64 };

/* The routine's own name, without the letter of its type, gives way. */
static bool name_beside(const struct lapack_call *call, const char *name, char result[NAME_BYTES])
{
    const char *const exported = symbol_name(call->symbol), *const own = call->routine->name;
    const char *const there = strstr(exported, own);
    return there && snprintf(result, NAME_BYTES, "%.*s%c%s%s", (int)(there - exported), exported, own[0],
                             name, there + strlen(own)) < NAME_BYTES;
}

/* Another routine of the library that the call's host routine is in, of the call's type and form of names:
 * "gebal" beside scipy_dgeev_64_ is scipy_dgebal_64_. NULL: it is not there. Stays loaded as long as the
 * routine. */
static host_function *host_neighbour(const struct lapack_call *call, const char *name)
{
    char exported[NAME_BYTES];
    Dl_info where;
    if (!name_beside(call, name, exported) || !loader_address((void *)(uintptr_t)call->host, &where) ||
        !where.dli_fname)
        return NULL;
    void *const library = loader_open(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    void *const function = library ? loader_symbol(library, exported) : NULL;
    if (library)
        loader_close(library);
    return (host_function *)(uintptr_t)function;
}

static bool is_expert(const struct lapack_call *call)
{
    return call->routine->places.balanc;
}

static bool read_flags(const struct lapack_call *call, const struct lapack_places *places,
                       struct general_call *general)
{
    const char left = lapack_letter(call, places->jobvl), right = lapack_letter(call, places->jobvr);
    general->problem.with_vectors = right == 'V';
    general->problem.n = lapack_integer(call, places->n);
    general->balance = is_expert(call) ? lapack_letter(call, places->balanc) : 'B';
    return left == 'N' && general->balance && strchr("NPSB", general->balance) &&
           (!is_expert(call) || lapack_letter(call, places->sense) == 'N') && (right == 'V' || right == 'N') &&
           general->problem.n > 1 &&
           lapack_integer(call, places->ldleft) >= 1;
}

static bool read_matrices(const struct lapack_call *call, const struct lapack_places *places,
                          struct general_call *general)
{
    const int64_t n = general->problem.n, ldvr = lapack_integer(call, places->ldvr);
    const struct blas_matrix square = {.rows = n, .columns = n, .part = PART_FULL};
    general->a = general->vr = square;
    general->a.pointer = lapack_address(call, places->a);
    general->a.ld = lapack_integer(call, places->lda);
    general->vr.pointer = general->problem.with_vectors ? lapack_address(call, places->vr) : NULL;
    general->vr.ld = ldvr;
    return general->a.pointer && general->a.ld >= n && ldvr >= (general->problem.with_vectors ? n : 1) &&
           (general->vr.pointer || !general->problem.with_vectors);
}

/* The least of LAPACK 3.12's documentation. */
static bool workspace_suffices(const struct lapack_call *call, const struct lapack_places *places,
                               const struct general_call *general)
{
    const int64_t times = !places->wi || is_expert(call) ? 2 : general->problem.with_vectors ? 4 : 3;
    return lapack_integer(call, places->lwork) >= times * general->problem.n;
}

static bool overlaps(const struct lapack_call *call, const struct lapack_places *places,
                     const struct general_call *general)
{
    const enum blas_type type = general->problem.type;
    const int64_t n = general->problem.n;
    const struct blas_matrix *const matrices[] = {&general->a, &general->vr};
    const struct lapack_array arrays[] = {{places->w, n, blas_element_bytes(type)},
                                          {places->wi, n, blas_real_bytes(type)},
                                          {places->scale, n, blas_real_bytes(type)}};
    return lapack_operands_meet(call, matrices, 2, arrays, 3);
}

/* cuSOLVER has no left vectors and no condition numbers. With right vectors geevx leaves the Schur form in A, of which
 * cuSOLVER says nothing. */
static const char *variant_of(const struct lapack_call *call, const struct lapack_places *places)
{
    if (lapack_integer(call, places->n) < 2)
        return NULL;
    if (lapack_letter(call, places->jobvl) == 'V')
        return "JOBVL='V'";
    if (!is_expert(call))
        return NULL;
    switch (lapack_letter(call, places->sense)) {
    case 'N': return lapack_letter(call, places->jobvr) == 'V' ? "JOBVR='V'" : NULL;
    case 'E': return "SENSE='E'";
    case 'V': return "SENSE='V'";
    case 'B': return "SENSE='B'";
    default: return NULL;
    }
}

static bool read(const struct lapack_call *call, struct lapack_problem *any)
{
    const struct lapack_places *const places = &call->routine->places;
    struct general_call *const general = &any->general;
    general->problem.type = call->routine->type;
    any->variant = variant_of(call, places);
    if (any->variant || !read_flags(call, places, general) || !read_matrices(call, places, general) ||
        !workspace_suffices(call, places, general) || overlaps(call, places, general))
        return false;
    const int64_t n = general->problem.n;
    any->shape = (struct route_shape){.family = LAPACK_GEEV, .type = general->problem.type,
                                      .vectors = general->problem.with_vectors, .m = n, .n = n, .k = n};
    any->shape.bytes_up = (uint64_t)n * (uint64_t)n * blas_element_bytes(general->problem.type);
    any->shape.bytes_down = general->problem.with_vectors ? any->shape.bytes_up : 0;
    return true;
}

static void copy_columns(const struct blas_matrix *from, const struct blas_matrix *to, size_t element)
{
    for (int64_t j = 0; j < from->columns; j++)
        memcpy((char *)to->pointer + (size_t)(j * to->ld) * element,
               (const char *)from->pointer + (size_t)(j * from->ld) * element, (size_t)from->rows * element);
}

/* The largest sum of a column's moduli, added up as LAPACK does. */
static double column_norm(const struct blas_matrix *matrix, enum blas_type type)
{
    const int parts = blas_scalar_parts(type);
    double most = 0;
    for (int64_t j = 0; j < matrix->columns; j++) {
        double wide = 0;
        float single = 0;
        for (int64_t at = j * matrix->ld * parts; at < (j * matrix->ld + matrix->rows) * parts; at += parts)
            if (blas_is_single(type)) {
                const float *const element = (const float *)matrix->pointer + at;
                single += parts == 2 ? hypotf(element[0], element[1]) : fabsf(element[0]);
            } else {
                const double *const element = (const double *)matrix->pointer + at;
                wide += parts == 2 ? hypot(element[0], element[1]) : fabs(element[0]);
            }
        most = fmax(most, fmax(wide, (double)single));
    }
    return most;
}

/* A copy, since only a result may be seen of it. The engine finds values that are not finite or have to be
 * scaled: balancing might loop over NaN. */
static void balance(const struct lapack_call *call, struct general_call *general)
{
    struct general_eigenproblem *const problem = &general->problem;
    gebal_function *const gebal = (gebal_function *)host_neighbour(call, "gebal");
    const struct blas_matrix copy = problem->a;
    int64_t info = 0;
    general->gebak = host_neighbour(call, "gebak");
    problem->a = general->a;
    problem->is_balanced = gebal && general->gebak;
    if (!problem->is_balanced || !route_values_are_safe(&general->a, problem->type))
        return;
    copy_columns(&general->a, &copy, blas_element_bytes(problem->type));
    problem->a = copy;
    gebal(&general->balance, &problem->n, copy.pointer, &copy.ld, &general->ilo, &general->ihi, general->scale,
          &info, 1);
    problem->is_balanced = info == 0;
    general->norm = is_expert(call) ? column_norm(&copy, problem->type) : 0;
}

static bool describe(const struct lapack_call *call, struct lapack_problem *any, struct route *route)
{
    (void)call;
    struct general_call *const general = &any->general;
    struct general_eigenproblem *const problem = &general->problem;
    const size_t n = (size_t)problem->n, square = n * n * blas_element_bytes(problem->type),
                 values = 2 * n * sizeof(double);
    char *const memory = any->memory = malloc(2 * values + square + (problem->with_vectors ? square : 0));
    if (!memory)
        return false;
    problem->values = memory;
    general->scale = memory + values;
    problem->a = problem->vectors = (struct blas_matrix){.rows = problem->n, .columns = problem->n,
                                                         .ld = problem->n, .part = PART_FULL};
    problem->a.pointer = memory + 2 * values;
    problem->vectors.pointer = problem->with_vectors ? memory + 2 * values + square : NULL;
    balance(call, general);
    general_eigen_describe(problem, route);
    return true;
}

static void write_values(const struct lapack_call *call, const struct lapack_places *places,
                         const struct general_eigenproblem *problem)
{
    const size_t real = blas_real_bytes(problem->type);
    const char *const pairs = problem->values;
    if (!places->wi) {
        memcpy(lapack_address(call, places->w), pairs, 2 * (size_t)problem->n * real);
        return;
    }
    for (int64_t i = 0; i < problem->n; i++) {
        memcpy((char *)lapack_address(call, places->w) + (size_t)i * real, pairs + (size_t)(2 * i) * real,
               real);
        memcpy((char *)lapack_address(call, places->wi) + (size_t)i * real,
               pairs + (size_t)(2 * i + 1) * real, real);
    }
}

static void write_vectors(const struct general_call *general)
{
    const struct general_eigenproblem *const problem = &general->problem;
    gebak_function *const gebak = (gebak_function *)general->gebak;
    int64_t info = 0;
    gebak(&general->balance, "R", &problem->n, &general->ilo, &general->ihi, general->scale, &problem->n,
          problem->vectors.pointer, &problem->vectors.ld, &info, 1, 1);
    general_eigen_normalise(problem);
    copy_columns(&problem->vectors, &general->vr, blas_element_bytes(problem->type));
}

static void write_balance(const struct lapack_call *call, const struct lapack_places *places,
                          const struct general_call *general)
{
    const size_t real = blas_real_bytes(general->problem.type);
    const float single = (float)general->norm;
    lapack_put_integer(call, places->ilo, 0, general->ilo);
    lapack_put_integer(call, places->ihi, 0, general->ihi);
    memcpy(lapack_address(call, places->scale), general->scale, (size_t)general->problem.n * real);
    memcpy(lapack_address(call, places->abnrm),
           real == sizeof single ? (const void *)&single : (const void *)&general->norm, real);
}

static void write(const struct lapack_call *call, const struct lapack_problem *any)
{
    const struct lapack_places *const places = &call->routine->places;
    const struct general_call *const general = &any->general;
    write_values(call, places, &general->problem);
    if (general->problem.with_vectors)
        write_vectors(general);
    if (is_expert(call))
        write_balance(call, places, general);
}

const struct lapack_methods general_eigen_methods = {read, describe, write, 3, 3};
