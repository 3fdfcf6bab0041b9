#include "coherence_call.h"

static size_t place_end(const struct place *place)
{
    if (place->rows == 0 || place->columns == 0)
        return place->offset;
    return place->offset + (place->columns - 1) * place->ld + place->rows;
}

/* A matrix in a window: any leading dimension where the window is one column, else the window's own. */
static bool place_matrix(struct place *place, const struct window *window, size_t rows, size_t columns,
                         struct random *random)
{
    *place = (struct place){window->arena, window->first, rows, columns, window->ld, 1};
    if (window->columns > 1) {
        if (rows > window->rows || columns > window->columns)
            return false;
        place->offset += random_below(random, window->rows - rows + 1) +
                         random_below(random, window->columns - columns + 1) * window->ld;
        return true;
    }
    size_t slack = random_chance(random, 30) ? 0 : random_magnitude(random, 64);
    place->ld = (rows ? rows : 1) + slack;
    if (place_end(place) > window->first + window->rows)
        return false;
    place->offset += random_below(random, window->first + window->rows - place_end(place) + 1);
    return true;
}

/* A vector: down a column, or along a row. */
static bool place_vector(struct place *place, const struct window *window, size_t length,
                         struct random *random)
{
    *place = (struct place){window->arena, window->first, 1, length, 1, 1};
    if (window->columns > 1 && random_chance(random, 40)) {
        place->ld = window->ld;
        if (length > window->columns)
            return false;
        place->offset += random_below(random, window->columns - length + 1) * window->ld +
                         random_below(random, window->rows);
        return true;
    }
    if (random_chance(random, 50))
        place->ld = random_magnitude(random, 300);
    size_t span = length ? (length - 1) * place->ld + 1 : 0;
    if (span > window->rows)
        return false;
    place->offset += random_below(random, window->rows - span + 1) +
                     random_below(random, window->columns) * window->ld;
    return true;
}

bool place_visit(const struct place *place, char part, element_visitor *visit, void *context)
{
    for (size_t j = 0; j < place->columns; j++) {
        size_t begin = part == 'L' ? j : 0, end = part == 'U' && j + 1 < place->rows ? j + 1 : place->rows;
        for (size_t i = begin; i < end; i++)
            if (!visit(context, place, place->offset + i + j * place->ld))
                return false;
    }
    return true;
}

static bool stamp(void *context, const struct place *place, size_t index)
{
    place->arena->stamps[index] = *(uint32_t *)context;
    return true;
}

static bool is_not_stamped(void *context, const struct place *place, size_t index)
{
    return place->arena->stamps[index] != *(uint32_t *)context;
}

/* Fortran's rule: what is written is no other operand. Inputs may overlap. */
static bool output_is_alone(const struct call *call)
{
    static _Thread_local uint32_t mark;
    uint32_t fresh = mark += 2; /* zero is never used; windows of different threads are disjoint */
    const struct place *inputs[] = {&call->a, &call->b, &call->x};
    for (int i = 0; i < 3; i++)
        if (inputs[i]->arena)
            place_visit(inputs[i], 0, stamp, &fresh);
    return place_visit(&call->out, 0, is_not_stamped, &fresh);
}

static double choose_scalar(struct random *random, double scale)
{
    static const double favourites[] = {0, 1, -1, 0.5};
    return random_chance(random, 50) ? favourites[random_below(random, 4)] : random_value(random) * scale;
}

static size_t choose_size(struct random *random, int order)
{
    if (random_chance(random, 5))
        return random_below(random, 3);
    if (random_chance(random, 30)) /* nearly the largest */
        return (size_t)order - random_below(random, (size_t)order / 8);
    return 1 + random_below(random, random_chance(random, 70) ? (size_t)order : 40);
}

static void choose_flags(struct call *call, struct random *random)
{
    static const char transposes[] = "NTCntc";
    call->uplo = "LUlu"[random_below(random, 4)];
    call->trans = transposes[random_below(random, 6)];
    call->diag = "NU"[random_below(random, 2)];
    call->side = "LRlr"[random_below(random, 4)];
    if (call->family == SYR2K && call->type & COMPLEX && (call->trans | 0x20) == 'c')
        call->trans = 'T'; /* the other is her2k's */
    call->x_sign = random_chance(random, 30) ? -1 : 1;
    call->out_sign = random_chance(random, 30) ? -1 : 1;
}

static bool is_transposed(const struct call *call)
{
    return call->trans != 'N' && call->trans != 'n';
}

/* A matrix used before serves again when it still lies in the arena. */
static bool place_first_matrix(struct call *call, const struct window *window, const struct place *recent,
                               bool square, int order, struct random *random)
{
    if (recent && recent->rows && recent->columns && recent->arena == window->arena &&
        place_end(recent) <= window->arena->size / recent->parts &&
        (!square || recent->rows == recent->columns)) {
        call->a = *recent;
        if (random_chance(random, 40)) { /* its lower right corner, as a factorisation goes on */
            size_t least = call->a.rows < call->a.columns ? call->a.rows : call->a.columns;
            size_t step = random_below(random, least);
            call->a.offset += step * (call->a.ld + 1);
            call->a.rows -= step;
            call->a.columns -= step;
        }
        return true;
    }
    size_t rows = choose_size(random, order), columns = square ? rows : choose_size(random, order);
    return place_matrix(&call->a, window, rows, columns, random);
}

static bool place_product(struct call *call, const struct window windows[3], int order, struct random *random)
{
    const size_t m = choose_size(random, order / 2 + 1), n = choose_size(random, order / 2 + 1);
    const size_t k = 1 + random_below(random, 40);
    call->m = (int)m, call->n = (int)n, call->k = (int)k;
    return place_matrix(&call->a, &windows[0], is_transposed(call) ? k : m, is_transposed(call) ? m : k,
                        random) &&
           place_matrix(&call->b, &windows[1], k, n, random) &&
           place_matrix(&call->out, &windows[2], m, n, random);
}

/* A few columns, or rows, times a triangle that may have been used before. */
static bool place_triangular_product(struct call *call, const struct window windows[3],
                                     const struct place *recent, int order, struct random *random)
{
    const size_t few = 1 + random_below(random, 40);
    const bool left = (call->side | 0x20) == 'l';
    if (!place_first_matrix(call, &windows[0], recent, true, order, random))
        return false;
    const size_t m = left ? call->a.rows : few, n = left ? few : call->a.rows;
    call->m = (int)m, call->n = (int)n;
    return place_matrix(&call->out, &windows[2], m, n, random);
}

static bool choose_places(struct call *call, const struct window windows[3], const struct place *recent,
                          int order, struct random *random)
{
    const struct window *second = &windows[1], *third = &windows[2];
    size_t m, n;
    switch (call->family) {
    case AXPY:
        n = random_magnitude(random, 20000);
        call->n = (int)n;
        return place_vector(&call->x, second, n, random) && place_vector(&call->out, third, n, random);
    case SYR2K:
        n = choose_size(random, order / 2 + 1);
        m = random_chance(random, 80) ? 1 + random_below(random, 40) : 0;
        call->n = (int)n;
        call->k = (int)m;
        return place_matrix(&call->a, &windows[0], is_transposed(call) ? m : n, is_transposed(call) ? n : m,
                            random) &&
               place_matrix(&call->b, second, is_transposed(call) ? m : n, is_transposed(call) ? n : m,
                            random) &&
               place_matrix(&call->out, third, n, n, random);
    case GEMM:
        return place_product(call, windows, order, random);
    case TRMM:
        return place_triangular_product(call, windows, recent, order, random);
    default:
        if (!place_first_matrix(call, &windows[0], recent, call->family != GEMV, order, random))
            return false;
    }
    m = call->a.rows;
    n = call->a.columns;
    call->m = (int)m;
    call->n = (int)n;
    if (call->family == TRMV)
        return place_vector(&call->out, third, n, random);
    bool transposed = call->family == GEMV && is_transposed(call);
    return place_vector(&call->x, second, transposed ? m : n, random) &&
           place_vector(&call->out, third, transposed ? n : m, random);
}

/* The same window in complex elements: where it begins at an even number of real ones. */
static struct window complex_window(const struct window *window)
{
    size_t odd = window->first % 2;
    size_t rows = window->rows > odd ? (window->rows - odd) / 2 : 0;
    return (struct window){window->arena, (window->first + odd) / 2, rows, window->columns, window->ld / 2};
}

static void choose_scalars(struct call *call, struct random *random)
{
    for (int part = 0; part <= (call->type & COMPLEX ? 1 : 0); part++) {
        call->alpha[part] = choose_scalar(random, 1);
        call->beta[part] = choose_scalar(random, 1);
    }
}

bool call_choose(struct call *call, enum family family, bool is_complex, const struct window windows[3],
                 const struct place *recent, int order, struct random *random)
{
    struct window chosen[3];
    int type = (windows[0].arena->single ? SINGLE : 0) | (is_complex ? COMPLEX : 0);
    *call = (struct call){.family = family, .type = type};
    for (int i = 0; i < 3; i++)
        chosen[i] = is_complex ? complex_window(&windows[i]) : windows[i];
    choose_flags(call, random);
    choose_scalars(call, random);
    for (int attempt = 0; attempt < 10; attempt++)
        if (choose_places(call, chosen, recent, order, random) && output_is_alone(call)) {
            call->a.parts = call->b.parts = call->x.parts = call->out.parts = is_complex ? 2 : 1;
            return true;
        }
    return false;
}
