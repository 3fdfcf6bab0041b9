#include "interpose/execute/tile_runner.h"
#include "common/whole_number.h"

struct span {
    int64_t begin, count;
};

static struct span block(int64_t length, int64_t edge, int64_t number)
{
    const int64_t begin = number * edge;
    return (struct span){begin, edge < length - begin ? edge : length - begin};
}

static bool is_upright(enum blas_trans trans)
{
    return trans == TRANS_NONE;
}

struct factor {
    struct blas_matrix matrix;
    enum blas_trans trans;
};

static struct blas_matrix part(const struct tile_plan *plan, const struct blas_matrix *whole,
                               struct span rows, struct span columns)
{
    const size_t element = blas_element_bytes(plan->call.type);
    struct blas_matrix matrix = {.rows = rows.count, .columns = columns.count, .ld = whole->ld,
                                 .part = PART_FULL};
    matrix.pointer = (char *)whole->pointer +
                     ((size_t)columns.begin * (size_t)whole->ld + (size_t)rows.begin) * element;
    return matrix;
}

/* Block (rows, columns) of op(whole). */
static struct factor factor(const struct tile_plan *plan, const struct blas_matrix *whole,
                            enum blas_trans trans, struct span rows, struct span columns)
{
    return (struct factor){
        is_upright(trans) ? part(plan, whole, rows, columns) : part(plan, whole, columns, rows), trans};
}

static union blas_scalar conjugate(enum blas_type type, union blas_scalar scalar)
{
    if (type == TYPE_C)
        scalar.c[1] = -scalar.c[1];
    else if (type == TYPE_Z)
        scalar.z[1] = -scalar.z[1];
    return scalar;
}

/* c = alpha a b + beta c */
static struct blas_call product(const struct tile_plan *plan, union blas_scalar alpha, struct factor a,
                                struct factor b, union blas_scalar beta, struct blas_matrix c)
{
    return (struct blas_call){
        .family = FAMILY_GEMM, .type = plan->call.type, .trans = a.trans, .trans_b = b.trans, .m = c.rows,
        .n = c.columns, .k = is_upright(a.trans) ? a.matrix.columns : a.matrix.rows,
        .alpha = alpha, .beta = beta, .a = a.matrix, .b = b.matrix, .c = c,
    };
}

/* beta is for the first step only. */
static union blas_scalar beta_of(const struct tile_plan *plan)
{
    return plan->step == 0 ? plan->call.beta : blas_scalar_of(plan->call.type, 1);
}

static int64_t gemm_step(const struct tile_plan *plan, struct blas_call *step)
{
    const struct blas_call *call = &plan->call;
    const int64_t down = tile_blocks(call->m, plan->rows);
    if (plan->tile >= down * tile_blocks(call->n, plan->columns))
        return 0;
    const struct span rows = block(call->m, plan->rows, plan->tile % down);
    const struct span columns = block(call->n, plan->columns, plan->tile / down);
    const struct span depth = block(call->k, plan->depth, plan->step);
    *step = product(plan, call->alpha, factor(plan, &call->a, call->trans, rows, depth),
                    factor(plan, &call->b, call->trans_b, depth, columns), beta_of(plan),
                    part(plan, &call->c, rows, columns));
    return tile_blocks(call->k, plan->depth);
}

/* Tile number `tile` of a lower triangle of blocks, column by column. */
static bool find_in_triangle(int64_t order, int64_t tile, int64_t *row, int64_t *column)
{
    for (*column = 0; *column < order; ++*column) {
        *row = *column + tile;
        if (*row < order)
            return true;
        tile -= order - *column;
    }
    return false;
}

/* On the diagonal the call itself, of fewer rows and columns. */
static struct blas_call diagonal_update(const struct tile_plan *plan, struct span rows, struct span depth)
{
    const struct blas_call *call = &plan->call;
    struct blas_call step = *call;
    step.n = rows.count;
    step.k = depth.count;
    step.a = factor(plan, &call->a, call->trans, rows, depth).matrix;
    if (call->b.pointer)
        step.b = factor(plan, &call->b, call->trans, rows, depth).matrix;
    step.beta = beta_of(plan);
    step.c = part(plan, &call->c, rows, rows);
    step.c.part = call->c.part;
    return step;
}

/* Off the diagonal a product of op(A) by the transpose of op(A); of op(A) by op(B)'s and of op(B)
 * by op(A)'s for the rank-2k updates. */
static int64_t update_step(const struct tile_plan *plan, struct blas_call *step)
{
    const struct blas_call *call = &plan->call;
    const bool adjoint = call->family == FAMILY_HERK || call->family == FAMILY_HER2K,
               two = call->b.pointer != NULL;
    int64_t one, other;
    if (!find_in_triangle(tile_blocks(call->n, plan->rows), plan->tile, &one, &other))
        return 0;
    const bool lower = call->uplo == UPLO_LOWER;
    const struct span rows = block(call->n, plan->rows, lower ? one : other);
    const struct span columns = block(call->n, plan->rows, lower ? other : one);
    const bool diagonal = one == other, second = two && !diagonal && plan->step % 2 == 1;
    const struct span depth = block(call->k, plan->depth, two && !diagonal ? plan->step / 2 : plan->step);
    const int64_t steps = tile_blocks(call->k, plan->depth);
    if (diagonal) {
        *step = diagonal_update(plan, rows, depth);
        return steps;
    }
    const struct blas_matrix *left = second ? &call->b : &call->a,
                             *right = two && !second ? &call->b : &call->a;
    const enum blas_trans transposed = adjoint ? TRANS_CONJUGATE : TRANS_TRANSPOSE;
    const bool upright = is_upright(call->trans);
    *step = product(plan, second && adjoint ? conjugate(call->type, call->alpha) : call->alpha,
                    factor(plan, left, call->trans, rows, depth),
                    factor(plan, right, upright ? transposed : TRANS_NONE, depth, columns), beta_of(plan),
                    part(plan, &call->c, rows, columns));
    return two ? 2 * steps : steps;
}

/* Block `along` of A's order, `across` of the other size, of B or C. */
static struct blas_matrix side_part(const struct tile_plan *plan, const struct blas_matrix *whole,
                                    struct span along, struct span across)
{
    return plan->call.side == SIDE_LEFT ? part(plan, whole, along, across) : part(plan, whole, across, along);
}

/* Block (row, column) of the symmetric, Hermitian or triangular op(A), off the diagonal. */
static struct factor side_factor(const struct tile_plan *plan, int64_t row, int64_t column)
{
    const struct blas_call *call = &plan->call;
    const int64_t order = blas_side_order(call);
    enum blas_trans trans = call->trans;
    if (!blas_is_in_place(call)) {
        const bool is_stored = (row > column) == (call->uplo == UPLO_LOWER);
        trans = is_stored ? TRANS_NONE : call->family == FAMILY_HEMM ? TRANS_CONJUGATE : TRANS_TRANSPOSE;
    }
    return factor(plan, &call->a, trans, block(order, plan->rows, row), block(order, plan->rows, column));
}

/* c += alpha op(A) source, or source op(A): what block `from` of B gives to block `to` of C. */
static struct blas_call side_product(const struct tile_plan *plan, union blas_scalar alpha,
                                     union blas_scalar beta, const struct blas_matrix *source, int64_t to,
                                     int64_t from, struct span across)
{
    const struct blas_call *call = &plan->call;
    const int64_t order = blas_side_order(call);
    const bool left = call->side == SIDE_LEFT;
    const struct factor a = left ? side_factor(plan, to, from) : side_factor(plan, from, to);
    const struct factor b = {side_part(plan, source, block(order, plan->rows, from), across), TRANS_NONE};
    return product(plan, alpha, left ? a : b, left ? b : a, beta,
                   side_part(plan, &call->c, block(order, plan->rows, to), across));
}

/* The call itself on a diagonal block of A. */
static struct blas_call side_diagonal(const struct tile_plan *plan, int64_t number, struct span across)
{
    const struct blas_call *call = &plan->call;
    const struct span along = block(blas_side_order(call), plan->rows, number);
    struct blas_call step = *call;
    step.a = part(plan, &call->a, along, along);
    step.a.part = call->a.part;
    if (call->b.pointer)
        step.b = side_part(plan, &call->b, along, across);
    step.c = side_part(plan, &call->c, along, across);
    step.m = step.c.rows;
    step.n = step.c.columns;
    return step;
}

static int64_t symmetric_step(const struct tile_plan *plan, struct blas_call *step)
{
    const struct blas_call *call = &plan->call;
    const int64_t order = tile_blocks(blas_side_order(call), plan->rows), to = plan->tile % order;
    if (plan->tile >= order * tile_blocks(tile_other_size(call), plan->columns))
        return 0;
    const struct span across = block(tile_other_size(call), plan->columns, plan->tile / order);
    if (plan->step == to)
        *step = side_diagonal(plan, to, across);
    else
        *step = side_product(plan, call->alpha, beta_of(plan), &call->b, to, plan->step, across);
    step->beta = beta_of(plan);
    return order;
}

/* A tile takes from the blocks before it or from those behind it. trmm takes them as they were
 * passed, so the tiles that others take from come last; trsm as they were solved: first. */
static int64_t triangular_step(const struct tile_plan *plan, struct blas_call *step)
{
    const struct blas_call *call = &plan->call;
    const int64_t order = tile_blocks(blas_side_order(call), plan->rows);
    if (plan->tile >= order * tile_blocks(tile_other_size(call), plan->columns))
        return 0;
    const bool solve = call->family == FAMILY_TRSM;
    const bool lower = (call->uplo == UPLO_LOWER) == is_upright(call->trans);
    const bool from_before = lower == (call->side == SIDE_LEFT);
    const int64_t turn = plan->tile % order, to = from_before == solve ? turn : order - 1 - turn;
    const int64_t sources = from_before ? to : order - 1 - to;
    const struct span across = block(tile_other_size(call), plan->columns, plan->tile / order);
    const int64_t number = solve ? plan->step : plan->step - 1; /* of the source */
    const int64_t from = from_before ? number : to + 1 + number;
    const union blas_scalar one = blas_scalar_of(call->type, 1);
    if (number < 0 || number == sources) {
        *step = side_diagonal(plan, to, across);
        step->alpha = solve && sources > 0 ? one : call->alpha;
    } else if (solve) {
        *step = side_product(plan, blas_scalar_of(call->type, -1), number == 0 ? call->alpha : one, &call->c,
                             to, from, across);
    } else {
        *step = side_product(plan, call->alpha, one, &call->c, to, from, across);
    }
    return sources + 1;
}

/* Describe step plan->step of tile plan->tile; how many steps the tile has, 0 when there is no
 * such tile. */
static int64_t tile_steps(const struct tile_plan *plan, struct blas_call *step)
{
    if (plan->call.family == FAMILY_GEMM)
        return gemm_step(plan, step);
    if (blas_is_update(plan->call.family))
        return update_step(plan, step);
    return blas_is_in_place(&plan->call) ? triangular_step(plan, step) : symmetric_step(plan, step);
}

enum { GRAIN = 8, DEPTH_MOST = 4096, BUFFERS = 2 };

static int64_t rows_of(const struct blas_call *call)
{
    return blas_has_side(call->family)    ? blas_side_order(call)
           : blas_is_update(call->family) ? call->n
                                          : call->m;
}

static int64_t columns_of(const struct blas_call *call)
{
    return blas_has_side(call->family) ? tile_other_size(call) : call->n;
}

static int64_t depth_of(const struct blas_call *call)
{
    return blas_has_side(call->family) ? blas_side_order(call) : call->k;
}

static uint64_t block_bytes(const struct tile_plan *plan, int64_t rows, int64_t columns)
{
    const uint64_t bytes = (uint64_t)round_up(rows, GRAIN) * (uint64_t)round_up(columns, GRAIN) *
                           blas_element_bytes(plan->call.type);
    return (bytes + 255) & ~(uint64_t)255;
}

uint64_t tile_plan_tile_bytes(const struct tile_plan *plan)
{
    return block_bytes(plan, plan->rows, plan->columns);
}

/* With a side a block of A is the second factor as well as the first. */
static uint64_t factor_bytes(const struct tile_plan *plan, uint64_t own, uint64_t others)
{
    return blas_has_side(plan->call.family) && others > own ? others : own;
}

uint64_t tile_plan_a_bytes(const struct tile_plan *plan)
{
    return factor_bytes(plan, block_bytes(plan, plan->rows, plan->depth), tile_plan_tile_bytes(plan));
}

uint64_t tile_plan_b_bytes(const struct tile_plan *plan)
{
    return factor_bytes(plan, block_bytes(plan, plan->depth, plan->columns),
                        block_bytes(plan, plan->rows, plan->depth));
}

uint64_t tile_plan_bytes(const struct tile_plan *plan)
{
    return tile_plan_tile_bytes(plan) + BUFFERS * (tile_plan_a_bytes(plan) + tile_plan_b_bytes(plan));
}

/* The edge, at most `most`, that cuts `length` into equal parts. */
static int64_t even_edge(int64_t length, int64_t most)
{
    return smaller(length, round_up(tile_blocks(length, tile_blocks(length, most)), GRAIN));
}

static void cut(struct tile_plan *plan, int64_t edge)
{
    const struct blas_call *call = &plan->call;
    const int64_t depth = smaller(DEPTH_MOST, round_up(larger(edge / 4, GRAIN), GRAIN));
    plan->rows = even_edge(rows_of(call), edge);
    plan->columns = even_edge(columns_of(call), edge);
    plan->depth = blas_has_side(call->family) ? plan->rows : even_edge(depth_of(call), depth);
}

bool tile_plan_make(struct tile_plan *plan, const struct blas_call *call, uint64_t bytes)
{
    *plan = (struct tile_plan){.call = *call};
    int64_t longest = rows_of(call) > columns_of(call) ? rows_of(call) : columns_of(call);
    /* In grains: `low` fits, beyond `high` need not be tried. */
    int64_t low = 0, high = tile_blocks(longest, GRAIN);
    while (low < high) {
        int64_t middle = high - (high - low) / 2;
        cut(plan, middle * GRAIN);
        if (tile_plan_bytes(plan) <= bytes)
            low = middle;
        else
            high = middle - 1;
    }
    if (low == 0)
        return false;
    cut(plan, low * GRAIN);
    return tile_plan_bytes(plan) <= bytes;
}

int64_t tile_plan_groups(const struct tile_plan *plan, int64_t *tiles)
{
    const struct blas_call *call = &plan->call;
    const int64_t down = tile_blocks(rows_of(call), plan->rows);
    const int64_t across = tile_blocks(columns_of(call), plan->columns);
    *tiles = blas_is_in_place(call) ? down : 1;
    if (blas_is_update(call->family))
        return down * (down + 1) / 2;
    return blas_is_in_place(call) ? across : down * across;
}

bool tile_plan_make_groups(struct tile_plan *plan, const struct blas_call *call, uint64_t bytes,
                           int64_t groups)
{
    int64_t tiles;
    while (tile_plan_make(plan, call, bytes)) {
        if (tile_plan_groups(plan, &tiles) >= groups)
            return true;
        bytes = tile_plan_bytes(plan) / 4 * 3;
    }
    return false;
}

void tile_plan_seek(struct tile_plan *plan, int64_t tile)
{
    plan->tile = tile;
    plan->step = 0;
}

double tile_plan_bytes_up(const struct tile_plan *plan)
{
    const struct blas_call *call = &plan->call;
    const double rows = (double)rows_of(call), columns = (double)columns_of(call),
                 depth = (double)depth_of(call);
    const double down = (double)tile_blocks(rows_of(call), plan->rows),
                 across = (double)tile_blocks(columns_of(call), plan->columns);
    double elements = across * rows * depth + down * depth * columns;
    if (blas_is_update(call->family)) /* half of the tiles, each with two panels or four */
        elements *= call->b.pointer ? 1 : 0.5;
    else if (blas_is_in_place(call))
        elements /= 2;
    if (blas_is_in_place(call) || !blas_scalar_is_zero(call->type, call->beta))
        elements += blas_is_update(call->family) ? rows * columns / 2 : rows * columns;
    return elements * (double)blas_element_bytes(call->type);
}

bool tile_plan_next(struct tile_plan *plan, struct tile_step *step)
{
    int64_t steps = tile_steps(plan, &step->call);
    if (steps == 0)
        return false;
    step->first = plan->step == 0;
    step->last = plan->step == steps - 1;
    plan->step = step->last ? 0 : plan->step + 1;
    plan->tile += step->last;
    return true;
}

void tile_plan_rewind(struct tile_plan *plan, const struct tile_step *step)
{
    plan->tile -= step->last;
    plan->step = 0;
}
