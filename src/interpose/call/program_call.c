#include "interpose/call/program_call.h"
#include "gpu/vendor/vendor_library.h"

static void add_operand(struct program_call *call, const struct blas_matrix *matrix,
                        enum operand_access access)
{
    const struct blas_call *const blas = &call->blas;
    if (!matrix->pointer)
        return;
    call->operands[call->operand_count++] = (struct operand){
        .matrix = *matrix, .element_bytes = blas_element_bytes(blas->type), .access = access,
        .alignment = level3_alignment(blas),
        .kind = (unsigned)blas->family * TYPE_COUNT + (unsigned)blas->type};
}

void call_describe(struct program_call *call, const struct machine_model *model)
{
    const struct blas_call *const blas = &call->blas;
    const bool overwritten = !blas_is_in_place(blas) && blas_scalar_is_zero(blas->type, blas->beta);
    if (call->model == model)
        return;
    call->model = model;
    call->times = crossover_times(model, blas);
    call->operand_count = 0;
    add_operand(call, &blas->a, OPERAND_READ);
    add_operand(call, &blas->b, OPERAND_READ);
    add_operand(call, &blas->c, overwritten ? OPERAND_OVERWRITE : OPERAND_UPDATE);
}
