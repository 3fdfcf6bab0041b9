/* eigen_steps.h - the eigensolver's steps in which neither cuBLAS nor cuSOLVER has a part, each by itself on
 * operands that are the same everywhere, and the calls of them that have kept digests. */
#ifndef MUBLAS_EIGEN_STEPS_H
#define MUBLAS_EIGEN_STEPS_H

#include "eigen_memory.h"
#include "elements.h"
#include "gpu/vendor/solver_library.h"

enum eigen_step {
    EIGEN_CHIP,     /* to tridiagonal form in shared memory */
    EIGEN_PANEL,    /* a panel of it of a larger matrix */
    EIGEN_TRIANGLE, /* V and T for the way back */
    EIGEN_QR,       /* of a panel of the band reduction */
    EIGEN_CHASE,    /* from band to tridiagonal form */
    EIGEN_BACK,     /* the way back of that */
    EIGEN_BISECTION,
    EIGEN_DIVIDE, /* and conquer */
    EIGEN_BIDIAGONAL, /* a panel of the reduction of a general matrix */
    EIGEN_SINGULAR_VALUES, /* of a bidiagonal matrix */
    EIGEN_SINGULAR_DIVISION,
    EIGEN_STEPS
};

struct eigen_case {
    enum eigen_step step;
    enum blas_type type;
    enum blas_uplo uplo; /* EIGEN_CHIP, EIGEN_PANEL, EIGEN_TRIANGLE */
    bool with_vectors;   /* EIGEN_CHASE, EIGEN_DIVIDE */
    bool glued; /* EIGEN_BISECTION, EIGEN_DIVIDE, EIGEN_SINGULAR_...: Wilkinson's matrices, with eigenvalues almost equal */
    int64_t n;  /* the order; EIGEN_TRIANGLE: reflectors; EIGEN_QR, EIGEN_BIDIAGONAL: rows */
    char name[64];
};

/* Every case of order up to max_n. The array is the caller's to free. */
struct eigen_case *eigen_cases(int64_t max_n, size_t *count);

/* One case by one way. The handle has no function of either library: a step that calls one does not come to
 * its end. */
struct eigen_run {
    const struct eigen_case *given;
    int way;
    struct lane *lane;
    struct solver_library library;
    struct solver_handle handle;
    struct eigen_memory memory;
};

/* How a step is run, by ways that lead to the same bits. Inside device_enter. */
enum { EIGEN_WAYS = 3 };
struct eigen_form {
    const char *step, *ways[EIGEN_WAYS];        /* NULL: there are no more */
    enum status (*take)(struct eigen_run *run); /* STATUS_UNSUPPORTED: the device has no such way */
    void (*fill)(struct eigen_run *run);
    enum status (*queue)(struct eigen_run *run);
    uint64_t (*digest)(const struct eigen_run *run); /* of all that it leaves */
};
extern const struct eigen_form eigen_chip, eigen_panel, eigen_triangle, eigen_qr, eigen_chase, eigen_back,
    eigen_bisection, eigen_divide, eigen_bidiagonal, eigen_singular_values, eigen_singular_division;
const struct eigen_form *eigen_form_of(enum eigen_step step);

/* STATUS_UNSUPPORTED as of take; other failures are said on standard error. */
enum status eigen_run_case(const struct eigen_case *given, int way, struct lane *lane, uint64_t *digest);

/* For the steps: */

enum { EIGEN_GAP = 3 }; /* rows between columns that belong to nobody */

static inline enum blas_type eigen_real_type(enum blas_type type)
{
    return blas_is_single(type) ? TYPE_S : TYPE_D;
}

/* Element `index` of an array becomes element (i, j) of a random operand, times `scale`, a power of two. */
void eigen_set(enum blas_type type, void *elements, int64_t index, int operand, int64_t i, int64_t j,
               double scale);

/* A tridiagonal matrix's diagonal, and what is beside it. */
void eigen_set_tridiagonal(const struct eigen_case *given, void *d, void *e);

#endif
