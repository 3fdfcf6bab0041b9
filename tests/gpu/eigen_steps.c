#include "eigen_steps.h"

#include <stdio.h>
#include <stdlib.h>

static const struct eigen_form *const forms[EIGEN_STEPS] = {
    [EIGEN_CHIP] = &eigen_chip,           [EIGEN_PANEL] = &eigen_panel, [EIGEN_TRIANGLE] = &eigen_triangle,
    [EIGEN_QR] = &eigen_qr,               [EIGEN_CHASE] = &eigen_chase, [EIGEN_BACK] = &eigen_back,
    [EIGEN_BISECTION] = &eigen_bisection, [EIGEN_DIVIDE] = &eigen_divide,
    [EIGEN_BIDIAGONAL] = &eigen_bidiagonal,
    [EIGEN_SINGULAR_VALUES] = &eigen_singular_values,
    [EIGEN_SINGULAR_DIVISION] = &eigen_singular_division};

const struct eigen_form *eigen_form_of(enum eigen_step step) { return forms[step]; }

static enum status run_form(struct eigen_run *run, const struct eigen_form *form)
{
    enum status status = form->take(run);
    if (status == STATUS_OK)
        status = eigen_memory_make(run->lane, &run->memory);
    if (status != STATUS_OK)
        return status;
    form->fill(run);
    status = eigen_memory_send(&run->memory);
    if (status == STATUS_OK)
        status = form->queue(run);
    return status == STATUS_OK ? eigen_memory_fetch(&run->memory, run->given->name) : status;
}

enum status eigen_run_case(const struct eigen_case *given, int way, struct lane *lane, uint64_t *digest)
{
    const struct eigen_form *const form = forms[given->step];
    struct eigen_run run = {.given = given, .way = way, .lane = lane, .library = {.device = lane->device}};
    run.handle = (struct solver_handle){.library = &run.library, .stream = lane->stream};
    const enum status status = run_form(&run, form);
    if (status == STATUS_OK)
        *digest = form->digest(&run);
    else if (status != STATUS_UNSUPPORTED)
        fprintf(stderr, "%s, %s: %s\n", given->name, form->ways[way], status_text(status));
    eigen_memory_free(&run.memory);
    return status;
}

void eigen_set(enum blas_type type, void *elements, int64_t index, int operand, int64_t i, int64_t j,
               double scale)
{
    enum { OPERANDS = 16 };
    const int parts = element_parts(type);
    for (int part = 0; part < parts; part++)
        element_set_part(type, elements, parts * index + part,
                         scale * element_value(type, operand + OPERANDS * part, i, j));
}

/* Blocks of 21 rows of the one with eigenvalues near to each other in pairs, almost apart. */
void eigen_set_tridiagonal(const struct eigen_case *given, void *d, void *e)
{
    enum { BLOCK = 21 };
    for (int64_t i = 0; i < given->n; i++) {
        const double diagonal = (double)llabs(i % BLOCK - BLOCK / 2);
        const double beside = i % BLOCK == BLOCK - 1 ? 0x1p-36 : 1;
        element_set_part(given->type, d, i, given->glued ? diagonal : element_value(given->type, 1, i, 0));
        if (i + 1 < given->n)
            element_set_part(given->type, e, i, given->glued ? beside : element_value(given->type, 2, i, 0));
    }
}
