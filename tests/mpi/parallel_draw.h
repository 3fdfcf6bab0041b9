/* parallel_draw.h - random problems for a parallel routine, and their matrices. */
#ifndef MUBLAS_TESTS_PARALLEL_DRAW_H
#define MUBLAS_TESTS_PARALLEL_DRAW_H

#include "mpi/parallel_problem.h"

static int pick_order(void)
{
    static const int small[] = {0, 1, 2}, middle[] = {31, 32, 33, 64, 65}, large[] = {100, 150};
    const int which = pick(100);
    return which < 15 ? small[pick(3)]
         : which < 75 ? middle[pick(5)]
         : which < 97 ? large[pick(2)]
                      : ORDER_MOST;
}

static int pick_block(void)
{
    static const int blocks[] = {1, 3, 32, 64};
    return blocks[pick(4)];
}

/* Rather not 0. */
static struct number pick_scalar(const struct problem *problem, bool is_real)
{
    static const double plain[] = {1, -1, 0, 1, 0.5};
    if (odds(50))
        return (struct number){plain[pick(5)], 0};
    return (struct number){1.5 * pick_real(), problem->is_complex && !is_real ? pick_real() : 0};
}

static bool is_family(const struct problem *problem, int kind, int family)
{
    return (int)problem->as->kind == kind && problem->as->family == family;
}

/* Complex syrk has no C, herk no T; inverses and factors have none. */
static void draw_letters(struct problem *problem)
{
    const bool is_herk = is_family(problem, KIND_PRODUCT, FAMILY_HERK),
               is_syrk = is_family(problem, KIND_PRODUCT, FAMILY_SYRK);
    problem->uplo = pick_letter("UL");
    problem->side = pick_letter("LR");
    problem->diag = pick_letter("NNU");
    problem->jobz = pick_letter("VVN");
    problem->range = problem_has(problem, "RANGE") ? pick_letter("AVI") : 'A';
    problem->trans = pick_letter(is_herk ? "NC" : is_syrk && problem->is_complex ? "NT" : "NTC");
    problem->transb = pick_letter("NTC");
    problem->is_small = odds(30);
    problem->itype = pick(3) + 1;
}

static void draw_sizes(struct problem *problem)
{
    problem->n = pick_order();
    problem->m = pick_order();
    problem->k = pick_order();
    problem->nrhs = odds(50) ? pick(3) + 1 : pick_order();
    /* Products written out take the cube of the order. */
    if (is_family(problem, KIND_EIGEN, LAPACK_SYGVX) && problem->n > 150)
        problem->n = 150;
    /* ScaLAPACK's own abort the program with order 0. */
    const bool has_order =
        problem->as->kind == KIND_REDUCTION || is_family(problem, KIND_EIGEN, LAPACK_SYGVX);
    if (has_order && problem->n == 0)
        problem->n = 1;
    if (!problem_has(problem, "M") || problem->as->kind == KIND_EIGEN)
        problem->m = problem->n;
    const bool is_herk = is_family(problem, KIND_PRODUCT, FAMILY_HERK);
    problem->alpha = pick_scalar(problem, is_herk);
    problem->beta = pick_scalar(problem, is_herk);
}

static int size_by(const struct problem *problem, const char *word)
{
    switch (word[0]) {
    case 'm': return problem->m;
    case 'k': return problem->k;
    case 'o': return problem->side == 'L' ? problem->m : problem->n;
    default: return word[1] ? problem->nrhs : problem->n;
    }
}

/* ScaLAPACK 2.2's eigensolvers give wrong vectors, and write beside Z, where a matrix does not begin at the
 * first process or the submatrix not with it, and its reductions crash there: calls that may be theirs begin
 * there. */
static bool is_from_the_first(const struct problem *problem, const struct grid *grid)
{
    return (problem->as->kind == KIND_EIGEN || problem->as->kind == KIND_REDUCTION) &&
           (problem->may_be_the_hosts || problem->n < 2 || grid->rows * grid->columns < 2);
}

/* How a distributed matrix is dealt; `is_strict` as ScaLAPACK's own routines want it. */
static void draw_spread(struct spread *spread, const struct problem *problem, const struct grid *grid,
                        bool is_strict)
{
    const bool is_first = is_from_the_first(problem, grid);
    spread->element = problem->element;
    spread->is_single = problem->is_single;
    spread->row_block = pick_block();
    spread->column_block = is_strict ? spread->row_block : pick_block();
    spread->row_source = odds(50) || is_first ? 0 : pick(grid->rows);
    spread->column_source = odds(50) || is_first ? 0 : pick(grid->columns);
    spread->gap = odds(50) ? 0 : pick(4);
}

/* The first element of the submatrix. */
static void draw_place(struct window *window, bool is_strict, bool is_first)
{
    window->row = odds(40) || is_first ? 0 : is_strict ? window->in->row_block * pick(2) : pick(70);
    window->column = odds(40) || is_first ? 0 : is_strict ? window->in->column_block * pick(2) : pick(70);
}

static void fit(struct window *window)
{
    struct spread *const in = window->in;
    const int rows = window->row + window->rows, columns = window->column + window->columns;
    in->rows = in->rows > rows ? in->rows : rows;
    in->columns = in->columns > columns ? in->columns : columns;
}

/* In A's array, right of A: for ScaLAPACK's own routines of the same rows, and first on the same process column. */
static void place_beside(struct window *window, const struct window *a, const struct grid *grid, bool is_strict)
{
    const int turn = a->in->column_block * grid->columns;
    window->in = a->in;
    window->row = a->row;
    window->column = a->column + (is_strict ? (a->columns + turn - 1) / turn * turn : a->columns + pick(5));
}

/* ScaLAPACK's routines with several matrices want them dealt alike. */
static void draw_windows(struct problem *problem, const struct grid *grid)
{
    const bool is_strict = problem->as->kind != KIND_PRODUCT;
    const bool is_solver =
        is_family(problem, KIND_FACTOR, LAPACK_POTRS) || is_family(problem, KIND_FACTOR, LAPACK_GETRS);
    const char *text = problem->as->matrices;
    for (int i = 0; *text; i++) {
        char rows[8], columns[8], flag[8], access[2];
        int read = 0;
        struct window *const window = &problem->windows[i];
        sscanf(text, "%1s %7s %7s %7s %1s%n", &problem->letters[i], rows, columns, flag, access, &read);
        text += read + (text[read] == ',' ? 2 : 0);
        window->rows = size_by(problem, rows);
        window->columns = size_by(problem, columns);
        if ((strcmp(flag, "trans") == 0 && problem->trans != 'N') ||
            (strcmp(flag, "transb") == 0 && problem->transb != 'N')) {
            window->rows = size_by(problem, columns);
            window->columns = size_by(problem, rows);
        }
        if (i == 1 && (is_solver || !is_strict) && odds(25)) {
            place_beside(window, &problem->windows[0], grid, is_strict);
        } else {
            window->in = &problem->spreads[problem->spread_count++];
            draw_spread(window->in, problem, grid, is_strict);
            draw_place(window, is_strict, is_from_the_first(problem, grid));
            /* ScaLAPACK 2.2 takes IB for JB where it reduces to the standard form. */
            if (problem->as->kind == KIND_REDUCTION || is_family(problem, KIND_EIGEN, LAPACK_SYGVX))
                window->column = window->row;
        }
        if (i > 0 && is_strict && window->in != problem->windows[0].in) {
            const int gap = window->in->gap;
            *window->in = problem->spreads[0];
            window->in->gap = gap;
            window->in->rows = window->in->columns = 0;
            window->row = problem->windows[0].row;
            window->column = problem->windows[0].column;
        }
        fit(window);
    }
    for (int i = 0; i < problem->spread_count; i++) {
        problem->spreads[i].rows += pick(4);
        problem->spreads[i].columns += pick(4);
        if (problem->as->kind == KIND_EIGEN) { /* which want all matrices of one size */
            problem->spreads[i].rows = problem->spreads[0].rows;
            problem->spreads[i].columns = problem->spreads[0].columns;
        }
    }
}

static void draw_range(struct problem *problem)
{
    const int n = problem->n;
    problem->il = n == 0 ? 1 : pick(n) + 1;
    problem->iu = n == 0 ? 0 : problem->il + pick(n - problem->il + 1);
    /* Between two of the eigenvalues of draw_values, or outside all. */
    const int low = pick(n + 1), high = low + pick(n - low + 1);
    problem->vl = (2 * low + 1.0) / (n + 1) - 1;
    problem->vu = high == low ? problem->vl + 0.5 / (n + 1) : (2 * high + 1.0) / (n + 1) - 1;
}

static void problem_draw(struct problem *problem, const char *name, const struct grid *grid,
                         bool may_be_the_hosts)
{
    *problem =
        (struct problem){.as = documented_find(name), .name = name, .may_be_the_hosts = may_be_the_hosts};
    problem->is_single = name[1] == 's' || name[1] == 'c';
    problem->is_complex = name[1] == 'c' || name[1] == 'z';
    problem->element = (problem->is_single ? 4u : 8u) * (problem->is_complex ? 2u : 1u);
    draw_letters(problem);
    draw_sizes(problem);
    draw_range(problem);
    draw_windows(problem, grid);
}

static struct dense random_dense(const struct problem *problem, int rows, int columns, double size)
{
    const struct dense a = dense_new(rows, columns);
    for (int i = 0; i < rows * columns; i++) {
        a.re[i] = size * pick_real();
        a.im[i] = problem->is_complex ? size * pick_real() : 0;
    }
    return a;
}

/* Well conditioned: from 1 to 2 on a real diagonal. */
static struct dense random_lower(const struct problem *problem, int n)
{
    const struct dense a = dense_triangle(random_dense(problem, n, n, 1.0 / (n + 1)), 'L', false);
    for (int i = 0; i < n; i++) {
        a.re[dense_at(&a, i, i)] = 1.5 + 0.5 * pick_real();
        a.im[dense_at(&a, i, i)] = 0;
    }
    return a;
}

/* Hermitian with the eigenvalues 2 (i + 1) / (n + 1) - 1. */
static struct dense random_spectrum(struct problem *problem)
{
    const int n = problem->n;
    struct dense a = dense_new(n, n);
    problem->eigenvalues = dense_keep(calloc((size_t)n + 1, sizeof(double)));
    for (int i = 0; i < n; i++) {
        problem->eigenvalues[i] = 2 * (i + 1.0) / (n + 1) - 1;
        a.re[dense_at(&a, (i * 7 + 3) % n, (i * 7 + 3) % n)] = problem->eigenvalues[i];
    }
    if (n % 7 == 0) /* the places above do not take all */
        for (int i = 0; i < n; i++)
            a.re[dense_at(&a, i, i)] = problem->eigenvalues[i];
    for (int i = 0; i < 2 && n > 0; i++)
        a = dense_reflected(a, random_dense(problem, n, 1, 1));
    return a;
}

/* A for the eigenvalues of `c`, where B = L L'. */
static struct dense generalised(const struct problem *problem, struct dense c, struct dense l,
                                struct dense l_inverse)
{
    const struct dense by = problem->itype == 1 ? l : dense_op(l_inverse, 'C');
    return dense_product(dense_product(by, c), dense_op(by, 'C'));
}

static void make_eigen(struct problem *problem)
{
    struct dense a = random_spectrum(problem);
    if (strchr(problem->letters, 'B')) {
        const struct dense l = random_lower(problem, problem->n), inverse = dense_lower_inverse(l);
        problem->b = dense_product(l, dense_op(l, 'C'));
        problem->b_inverse = dense_product(dense_op(inverse, 'C'), inverse);
        a = generalised(problem, a, l, inverse);
        window_write(problem_window(problem, 'B'), problem->b, problem->uplo, false);
    }
    window_write(problem_window(problem, 'A'), a, problem->uplo, false);
}

static void write_factor(struct problem *problem, char letter, bool is_unit)
{
    const struct dense l = random_lower(problem, problem->n);
    window_write(problem_window(problem, letter), problem->uplo == 'L' ? l : dense_op(l, 'C'), problem->uplo,
                 is_unit);
}

/* P L U of a random matrix, by partial pivoting; pivots from 1. */
static void make_pivoted(struct problem *problem, int *pivots)
{
    const int n = problem->n;
    const struct dense a = random_dense(problem, n, n, 1);
    for (int k = 0; k < n; k++) { /* L and U are drawn, and so is P */
        for (int i = k + 1; i < n; i++) {
            a.re[dense_at(&a, i, k)] *= 1.0 / n;
            a.im[dense_at(&a, i, k)] *= 1.0 / n;
            a.re[dense_at(&a, k, i)] *= 1.0 / n;
            a.im[dense_at(&a, k, i)] *= 1.0 / n;
        }
        a.re[dense_at(&a, k, k)] = 1.5 + 0.5 * pick_real();
        pivots[k] = k + pick(n - k) + 1;
    }
    window_write(problem_window(problem, 'A'), a, 'F', false);
}

static void make_factor(struct problem *problem, int *pivots)
{
    struct window *const a = problem_window(problem, 'A');
    const int n = problem->n;
    switch (problem->as->family) {
    case LAPACK_POTRF: {
        const struct dense l = random_lower(problem, n);
        window_write(a, dense_product(l, dense_op(l, 'C')), problem->uplo, false);
        break;
    }
    case LAPACK_GETRF: window_write(a, random_dense(problem, problem->m, n, 1), 'F', false); break;
    case LAPACK_GETRS: make_pivoted(problem, pivots); break;
    case LAPACK_TRTRI: write_factor(problem, 'A', problem->diag == 'U'); break;
    default: write_factor(problem, 'A', false); break;
    }
    if (strchr(problem->letters, 'B'))
        window_write(problem_window(problem, 'B'), random_dense(problem, n, problem->nrhs, 1), 'F', false);
}

static void make_reduction(struct problem *problem)
{
    struct dense a = random_dense(problem, problem->n, problem->n, 1);
    a = dense_sum((struct number){1, 0}, a, (struct number){1, 0}, dense_op(a, 'C'));
    window_write(problem_window(problem, 'A'), a, problem->uplo, false);
    write_factor(problem, 'B', false);
}

static void make_hermitian_diagonal(struct dense a)
{
    for (int i = 0; i < a.rows && i < a.columns; i++)
        a.im[dense_at(&a, i, i)] = 0;
}

static void make_product(struct problem *problem)
{
    const int family = problem->as->family;
    const bool is_triangle = family == FAMILY_TRMM || family == FAMILY_TRSM;
    for (int i = 0; problem->letters[i]; i++) {
        const struct window *const window = &problem->windows[i];
        const bool is_result = problem->letters[i] == 'C';
        const bool is_update = is_result && (family == FAMILY_SYRK || family == FAMILY_HERK);
        const bool has_part =
            is_update || (i == 0 && (is_triangle || family == FAMILY_SYMM || family == FAMILY_HEMM));
        struct dense a = random_dense(problem, window->rows, window->columns, 1);
        if (i == 0 && is_triangle) {
            a = random_lower(problem, window->rows);
            a = problem->uplo == 'L' ? a : dense_op(a, 'C');
        }
        if ((i == 0 && family == FAMILY_HEMM) || (is_result && family == FAMILY_HERK))
            make_hermitian_diagonal(a);
        if (!is_result || problem->beta.re != 0 || problem->beta.im != 0)
            window_write(window, a, has_part ? problem->uplo : 'F',
                         i == 0 && is_triangle && problem->diag == 'U');
    }
}

/* The images, by the grid's first process, and pivots of getrs. */
static void problem_make(struct problem *problem, int *pivots)
{
    switch (problem->as->kind) {
    case KIND_EIGEN: make_eigen(problem); break;
    case KIND_FACTOR: make_factor(problem, pivots); break;
    case KIND_REDUCTION: make_reduction(problem); break;
    default: make_product(problem); break;
    }
}

#endif
