#include "common/whole_number.h"
#include "interpose/execute/split.h"

static bool is_triangle(const struct blas_call *call)
{
    return call->family != FAMILY_GEMV;
}

static bool is_alone(const struct split_plan *plan)
{
    return !is_triangle(plan->call) && blas_is_transposed(plan->call);
}

int64_t split_plan_terms(const struct split_plan *plan)
{
    return is_alone(plan) ? plan->call->m : plan->call->n;
}

int64_t split_plan_results(const struct split_plan *plan)
{
    return is_triangle(plan->call) || blas_is_transposed(plan->call) ? plan->call->n : plan->call->m;
}

static struct blas_matrix block(const struct split_plan *plan, int64_t row, int64_t column, int64_t rows,
                                int64_t columns, enum blas_part part)
{
    struct blas_matrix matrix = plan->call->a;
    matrix.pointer = (unsigned char *)matrix.pointer +
                     (size_t)(row + column * matrix.ld) * blas_element_bytes(plan->call->type);
    matrix.rows = rows;
    matrix.columns = columns;
    matrix.part = part;
    return matrix;
}

int split_plan_parts(const struct split_plan *plan, int device, struct blas_matrix parts[SPLIT_PARTS])
{
    const struct blas_call *const call = plan->call;
    const int64_t first = plan->first[device], end = plan->first[device + 1];
    if (first == end)
        return 0;
    if (!is_triangle(call)) {
        parts[0] = block(plan, 0, first, call->m, end - first, PART_FULL);
        return 1;
    }
    const bool lower = call->uplo == UPLO_LOWER;
    const int64_t row = lower ? end : 0, rows = lower ? call->n - end : first;
    parts[0] = block(plan, first, first, end - first, end - first, lower ? PART_LOWER : PART_UPPER);
    if (rows == 0)
        return 1;
    parts[1] = block(plan, row, first, rows, end - first, PART_FULL);
    return 2;
}

/* Is the chain that this term lies in on several devices? */
static bool is_straddled(const struct split_plan *plan, int64_t term)
{
    const int64_t begin = term / SPLIT_CHAIN * SPLIT_CHAIN;
    for (int d = 1; d < plan->devices; d++)
        if (plan->first[d] > begin && plan->first[d] < smaller(begin + SPLIT_CHAIN, plan->call->n))
            return true;
    return false;
}

int64_t split_plan_piece_end(const struct split_plan *plan, int64_t begin)
{
    const int64_t terms = split_plan_terms(plan);
    if (is_alone(plan))
        return terms;
    const int64_t length = is_straddled(plan, begin) ? SPLIT_NODE : SPLIT_CHAIN;
    return smaller(terms, (begin / length + 1) * length);
}

/* Steps of one device. */
struct steps {
    const struct split_plan *plan;
    int64_t first, end; /* its columns */
    split_visit *visit;
    void *context;
};

static struct split_step step_of(const struct steps *steps, enum blas_family family, enum blas_trans trans)
{
    struct split_step step = {.call = *steps->plan->call};
    step.call.family = family;
    step.call.trans = trans;
    step.call.conjugated = family == FAMILY_HEMV && step.call.conjugated;
    step.call.alpha = step.call.beta = (union blas_scalar){.z = {0, 0}};
    if (blas_is_single(step.call.type))
        step.call.alpha.c[0] = 1;
    else
        step.call.alpha.z[0] = 1;
    return step;
}

/* A block of the part, rows [row, row + m), columns [column, column + n), by gemv. */
static enum status visit_block(const struct steps *steps, enum blas_trans trans, int part, int64_t row,
                               int64_t column, int64_t m, int64_t n, int64_t piece)
{
    const struct blas_call *const call = steps->plan->call;
    const int64_t part_row = !is_triangle(call)         ? 0
                             : part == 0                ? steps->first
                             : call->uplo == UPLO_LOWER ? steps->end
                                                        : 0;
    struct split_step step = step_of(steps, FAMILY_GEMV, trans);
    const bool across = blas_is_transposed(&step.call);
    if (m == 0 || n == 0)
        return STATUS_OK;
    step.call.m = m;
    step.call.n = n;
    step.part = part;
    step.row = row - part_row;
    step.column = column - steps->first;
    step.x_first = across ? row : column;
    step.result_first = across ? column : row;
    step.results = across ? n : m;
    step.piece = piece;
    return steps->visit(steps->context, &step);
}

static enum status visit_diagonal(const struct steps *steps, int64_t begin, int64_t end)
{
    const struct blas_call *const call = steps->plan->call;
    struct split_step step = step_of(steps, call->family, call->trans);
    step.call.n = end - begin;
    step.row = step.column = begin - steps->first;
    step.x_first = step.result_first = step.piece = begin;
    step.results = end - begin;
    return steps->visit(steps->context, &step);
}

/* How a block beside the diagonal is read along its rows, if it is, and across. */
struct directions {
    bool along, across;
    enum blas_trans along_trans, across_trans;
};

static struct directions directions_of(const struct blas_call *call)
{
    const bool symmetric = blas_is_symmetric(call), transposed = !symmetric && blas_is_transposed(call);
    struct directions directions = {.along = !transposed,
                                    .across = symmetric || transposed,
                                    .along_trans = TRANS_NONE,
                                    .across_trans = TRANS_TRANSPOSE};
    if (call->family == FAMILY_HEMV) {
        directions.along_trans = call->conjugated ? TRANS_CONJUGATE_ONLY : TRANS_NONE;
        directions.across_trans = call->conjugated ? TRANS_TRANSPOSE : TRANS_CONJUGATE;
    } else if (!symmetric) {
        directions.along_trans = directions.across_trans = call->trans;
    }
    return directions;
}

/* Visits the blocks beside the diagonal's block in the columns [begin, end), which are a piece. */
static enum status visit_along(const struct steps *steps, enum blas_trans trans, int64_t begin, int64_t end)
{
    const struct blas_call *const call = steps->plan->call;
    enum status status;
    if (call->uplo == UPLO_LOWER) {
        status = visit_block(steps, trans, 0, end, begin, steps->end - end, end - begin, begin);
        return status != STATUS_OK ? status
                                   : visit_block(steps, trans, 1, steps->end, begin, call->n - steps->end,
                                                 end - begin, begin);
    }
    status = visit_block(steps, trans, 0, steps->first, begin, begin - steps->first, end - begin, begin);
    return status != STATUS_OK ? status
                               : visit_block(steps, trans, 1, 0, begin, steps->first, end - begin, begin);
}

/* Visits the block of the rows [begin, end), which are a piece, in the device's columns. */
static enum status visit_across(const struct steps *steps, enum blas_trans trans, int64_t begin, int64_t end)
{
    const bool inside = begin >= steps->first && begin < steps->end;
    int64_t from = steps->first, to = steps->end;
    if (steps->plan->call->uplo == UPLO_LOWER)
        to = smaller(to, begin);
    else
        from = larger(from, end);
    return from < to ? visit_block(steps, trans, inside ? 0 : 1, begin, from, end - begin, to - from, begin)
                     : STATUS_OK;
}

static enum status visit_triangle(const struct steps *steps)
{
    const struct split_plan *const plan = steps->plan;
    const struct directions directions = directions_of(plan->call);
    enum status status = STATUS_OK;
    for (int64_t begin = 0, end; begin < plan->call->n && status == STATUS_OK; begin = end) {
        end = split_plan_piece_end(plan, begin);
        const bool inside = begin >= steps->first && begin < steps->end;
        if (inside)
            status = visit_diagonal(steps, begin, end);
        if (status == STATUS_OK && inside && directions.along)
            status = visit_along(steps, directions.along_trans, begin, end);
        if (status == STATUS_OK && directions.across)
            status = visit_across(steps, directions.across_trans, begin, end);
    }
    return status;
}

static enum status visit_full(const struct steps *steps)
{
    const struct split_plan *const plan = steps->plan;
    const struct blas_call *const call = plan->call;
    enum status status = STATUS_OK;
    if (is_alone(plan))
        return visit_block(steps, call->trans, 0, 0, steps->first, call->m, steps->end - steps->first, 0);
    for (int64_t begin = steps->first, end; begin < steps->end && status == STATUS_OK; begin = end) {
        end = split_plan_piece_end(plan, begin);
        status = visit_block(steps, call->trans, 0, 0, begin, call->m, end - begin, begin);
    }
    return status;
}

enum status split_plan_each(const struct split_plan *plan, int device, split_visit *visit, void *context)
{
    const struct steps steps = {plan, plan->first[device], plan->first[device + 1], visit, context};
    if (steps.first == steps.end)
        return STATUS_OK;
    return is_triangle(plan->call) ? visit_triangle(&steps) : visit_full(&steps);
}
