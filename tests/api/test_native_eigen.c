/* Eigenproblems by the native API: residuals and orthogonality of what each routine leaves, that guards stay,
 * quick returns, ranges, values that need scaling or are not finite. */
#include "eigen_operands.h"

static const enum mublas_uplo both[] = {MUBLAS_LOWER, MUBLAS_UPPER};

static void test_syevd(enum blas_type type, enum mublas_uplo uplo, int n, const struct matrix_kind *kind)
{
    struct problem all = problem_make(type, uplo, n, kind), values = problem_make(type, uplo, n, kind);
    bool kept = true, good = solve(&all, MUBLAS_VECTORS) == MUBLAS_SUCCESS;
    good = solve(&values, MUBLAS_NO_VECTORS) == MUBLAS_SUCCESS && good;
    double complex *const v = operand_get(&all.a, 'A', &kept);
    free(operand_get(&values.a, (char)uplo, &kept));
    double *const w = real_values(&all.w, &kept), *const alone = real_values(&values.w, &kept);
    tap_ok(good && kept && int_of(all.info) == 0 && int_of(values.info) == 0 && is_ascending(w, n) &&
               are_eigenvectors(&all, v, w, n) && are_equal_values(&all, w, alone, n),
           "syevd of a %s matrix, %s", kind->name, words_of(&all));
    free(v);
    free(w);
    free(alone);
    problem_free(&all);
    problem_free(&values);
}

struct range_case {
    enum mublas_range range;
    double vl, vu;
    int il, iu;
};

static enum mublas_status solve_range(struct problem *problem, enum mublas_vectors vectors,
                                      struct range_case range)
{
    size_t bytes;
    const struct operand_on_device *const a = &problem->a;
    need(mublas_syevdx_workspace(handle, letter_of(problem->type), vectors, range.range, problem->uplo,
                                 problem->n, a->ld, range.il, range.iu, &bytes));
    void *const workspace = filled(bytes);
    const bool is_single = blas_is_single(problem->type);
    const enum mublas_status status =
        is_single ? BY_TYPE(problem->type, syevdx, heevdx, vectors, range.range, problem->uplo, problem->n,
                            a->device, a->ld, (float)range.vl, (float)range.vu, range.il, range.iu,
                            problem->m, problem->w.device, workspace, bytes, problem->info)
                  : BY_TYPE(problem->type, syevdx, heevdx, vectors, range.range, problem->uplo, problem->n,
                            a->device, a->ld, range.vl, range.vu, range.il, range.iu, problem->m,
                            problem->w.device, workspace, bytes, problem->info);
    need(mublas_device_free(handle, workspace));
    return status;
}

/* Values from `first` to before `end` of w are expected. */
static void test_range(enum blas_type type, int n, const double *w, struct range_case range, int first,
                       int end)
{
    bool good = true, kept = true;
    for (int with = 0; with < 2; with++) {
        struct problem problem = problem_make(type, both[with], n, random_kind);
        good =
            solve_range(&problem, with ? MUBLAS_VECTORS : MUBLAS_NO_VECTORS, range) == MUBLAS_SUCCESS && good;
        double *const found = real_values(&problem.w, &kept);
        double complex *const v = operand_get(&problem.a, with ? 'A' : (char)problem.uplo, &kept);
        good = good && int_of(problem.info) == 0 && int_of(problem.m) == end - first &&
               are_equal_values(&problem, found, w + first, end - first) &&
               (!with || are_eigenvectors(&problem, v, found, end - first));
        free(found);
        free(v);
        problem_free(&problem);
    }
    tap_ok(good && kept, "syevdx, %c, n = %d, range %c: values %d to %d", "sdcz"[type], n, range.range,
           first + 1, end);
}

static void test_ranges(enum blas_type type, int n)
{
    struct problem problem = problem_make(type, MUBLAS_LOWER, n, random_kind);
    bool kept = true;
    need(solve(&problem, MUBLAS_NO_VECTORS));
    double *const w = real_values(&problem.w, &kept);
    const int first = n / 3, end = n / 3 + 7;
    const double below = 0.5 * (w[first - 1] + w[first]), above = 0.5 * (w[end - 1] + w[end]);
    test_range(type, n, w, (struct range_case){.range = MUBLAS_ALL}, 0, n);
    test_range(type, n, w, (struct range_case){.range = MUBLAS_INDICES, .il = first + 1, .iu = end}, first,
               end);
    test_range(type, n, w, (struct range_case){.range = MUBLAS_INDICES, .il = 1, .iu = 1}, 0, 1);
    test_range(type, n, w, (struct range_case){.range = MUBLAS_INDICES, .il = n, .iu = n}, n - 1, n);
    test_range(type, n, w, (struct range_case){.range = MUBLAS_INTERVAL, .vl = below, .vu = above}, first,
               end);
    test_range(type, n, w, (struct range_case){.range = MUBLAS_INTERVAL, .vl = -1e9, .vu = 1e9}, 0, n);
    test_range(type, n, w, (struct range_case){.range = MUBLAS_INTERVAL, .vl = 1e8, .vu = 1e9}, n, n);
    free(w);
    problem_free(&problem);
}

/* A reduced, and Q made of what that left. */
struct reduced {
    struct operand_on_device d, e, tau, q;
};

static enum mublas_status multiply(const struct problem *problem, const struct reduced *reduced,
                                   enum mublas_side side, enum mublas_trans trans,
                                   const struct operand_on_device *c)
{
    size_t bytes;
    const struct operand_on_device *const a = &problem->a;
    need(mublas_ormtr_workspace(handle, letter_of(problem->type), side, problem->uplo, trans, c->rows,
                                c->columns, a->ld, c->ld, &bytes));
    void *const workspace = filled(bytes);
    const enum mublas_status status =
        BY_TYPE(problem->type, ormtr, unmtr, side, problem->uplo, trans, c->rows, c->columns, a->device,
                a->ld, reduced->tau.device, c->device, c->ld, workspace, bytes);
    need(mublas_synchronise(handle));
    need(mublas_device_free(handle, workspace));
    return status;
}

static void put_identity(const struct operand_on_device *operand)
{
    double complex *const one = calloc((size_t)operand->rows * (size_t)operand->rows, sizeof *one);
    for (int i = 0; i < operand->rows; i++)
        one[i * (operand->rows + 1)] = 1;
    operand_put(operand, one, 'A');
    free(one);
}

static struct reduced reduce(struct problem *problem, bool *good)
{
    const int n = problem->n;
    const struct operand_on_device *const a = &problem->a;
    struct reduced reduced = {operand_make(real_of(problem->type), n, 1),
                              operand_make(real_of(problem->type), n - 1, 1),
                              operand_make(problem->type, n - 1, 1), operand_make(problem->type, n, n)};
    size_t bytes;
    need(mublas_sytrd_workspace(handle, letter_of(problem->type), problem->uplo, n, a->ld, &bytes));
    void *const workspace = filled(bytes);
    *good = BY_TYPE(problem->type, sytrd, hetrd, problem->uplo, n, a->device, a->ld, reduced.d.device,
                    reduced.e.device, reduced.tau.device, workspace, bytes) == MUBLAS_SUCCESS;
    need(mublas_synchronise(handle));
    need(mublas_device_free(handle, workspace));
    put_identity(&reduced.q);
    *good = multiply(problem, &reduced, MUBLAS_LEFT, MUBLAS_NO_TRANS, &reduced.q) == MUBLAS_SUCCESS && *good;
    return reduced;
}

static void reduced_free(struct reduced *reduced)
{
    operand_free(&reduced->d);
    operand_free(&reduced->e);
    operand_free(&reduced->tau);
    operand_free(&reduced->q);
}

/* T stands in A, too. */
static bool has_diagonals(const struct problem *problem, const double complex *a, const double *d,
                          const double *e)
{
    const int n = problem->n, behind = problem->uplo == MUBLAS_UPPER ? n : 1;
    bool good = true;
    for (int i = 0; i < n; i++) {
        good = good && a[i * (n + 1)] == d[i];
        good = good && (i + 1 == n || a[i * (n + 1) + behind] == e[i]);
    }
    return good;
}

static void test_sytrd(enum blas_type type, enum mublas_uplo uplo, int n, const struct matrix_kind *kind)
{
    struct problem problem = problem_make(type, uplo, n, kind);
    bool good, kept = true;
    struct reduced reduced = reduce(&problem, &good);
    double *const d = real_values(&reduced.d, &kept), *const e = real_values(&reduced.e, &kept);
    double complex *const q = operand_get(&reduced.q, 'A', &kept), *const a = operand_get(&problem.a,
                                                                                          (char)uplo, &kept);
    const double bound = BOUND * n * epsilon_of(type);
    tap_ok(good && kept && residual_of(problem.given, q, d, e, n) <= bound && skew_of(q, n) <= bound &&
               has_diagonals(&problem, a, d, e),
           "sytrd and ormtr of a %s matrix, %s", kind->name, words_of(&problem));
    free(d);
    free(e);
    free(q);
    free(a);
    reduced_free(&reduced);
    problem_free(&problem);
}

/* C Q Q' and Q' Q C are C, of more and of fewer rows than columns. */
static void test_ormtr(enum blas_type type, enum mublas_uplo uplo)
{
    enum { N = 21, OTHER = 9 };
    struct problem problem = problem_make(type, uplo, N, random_kind);
    const enum mublas_trans turned = blas_scalar_parts(type) == 2 ? MUBLAS_CONJ_TRANS : MUBLAS_TRANS;
    bool good, kept = true;
    struct reduced reduced = reduce(&problem, &good);
    double complex *const square = hermitian_matrix(random_kind, type, N);
    for (int side = 0; side < 2; side++) {
        struct operand_on_device c = operand_make(type, side ? OTHER : N, side ? N : OTHER);
        const enum mublas_side where = side ? MUBLAS_RIGHT : MUBLAS_LEFT;
        operand_put(&c, square, 'A');
        good = multiply(&problem, &reduced, where, MUBLAS_NO_TRANS, &c) == MUBLAS_SUCCESS && good;
        double complex *const between = operand_get(&c, 'A', &kept);
        good = multiply(&problem, &reduced, where, turned, &c) == MUBLAS_SUCCESS && good;
        double complex *const back = operand_get(&c, 'A', &kept);
        double off = 0, moved = 0;
        for (int i = 0; i < N * OTHER; i++) {
            off = fmax(off, cabs(back[i] - square[i]));
            moved = fmax(moved, cabs(between[i] - square[i]));
        }
        good = good && off <= BOUND * N * epsilon_of(type) && moved > 0.1;
        free(between);
        free(back);
        operand_free(&c);
    }
    tap_ok(good && kept, "ormtr from both sides and back, %s", words_of(&problem));
    free(square);
    reduced_free(&reduced);
    problem_free(&problem);
}

static bool divide(const struct problem *problem, const struct reduced *reduced, enum mublas_compz compz,
                   struct operand_on_device *z)
{
    size_t bytes;
    need(mublas_stedc_workspace(handle, letter_of(problem->type), compz, problem->n, z->ld, &bytes));
    void *const workspace = filled(bytes);
    const enum mublas_status status =
        BY_TYPE(problem->type, stedc, stedc, compz, problem->n, reduced->d.device, reduced->e.device,
                compz == MUBLAS_COMPZ_NONE ? NULL : z->device, z->ld, workspace, bytes, problem->info);
    unsigned char behind;
    need(mublas_copy_to_host(handle, &behind, (char *)workspace + bytes, 1));
    need(mublas_device_free(handle, workspace));
    return status == MUBLAS_SUCCESS && int_of(problem->info) == 0 && behind == 0xff;
}

/* Vectors of T, taken back by ormtr or by Z = Q, and no vectors. */
static void test_stedc(enum blas_type type, int n, enum mublas_compz compz)
{
    struct problem problem = problem_make(type, MUBLAS_LOWER, n, random_kind);
    bool good, kept = true;
    struct reduced reduced = reduce(&problem, &good);
    double *const e_before = real_values(&reduced.e, &kept);
    struct operand_on_device other = operand_make(type, n, n);
    struct operand_on_device *const z = compz == MUBLAS_COMPZ_ORIGINAL ? &reduced.q : &other;
    good = divide(&problem, &reduced, compz, z) && good;
    if (compz == MUBLAS_COMPZ_TRIDIAGONAL)
        good = multiply(&problem, &reduced, MUBLAS_LEFT, MUBLAS_NO_TRANS, z) == MUBLAS_SUCCESS && good;
    double *const w = real_values(&reduced.d, &kept), *const e = real_values(&reduced.e, &kept);
    double complex *const v = operand_get(z, 'A', &kept);
    good = good && is_ascending(w, n) && memcmp(e, e_before, (size_t)(n - 1) * sizeof *e) == 0;
    if (compz == MUBLAS_COMPZ_NONE) {
        need(solve(&problem, MUBLAS_NO_VECTORS)); /* of what is left in A: only that the call is good */
        struct problem again = problem_make(type, MUBLAS_LOWER, n, random_kind);
        need(solve(&again, MUBLAS_NO_VECTORS));
        double *const expected = real_values(&again.w, &kept);
        good = good && are_equal_values(&problem, w, expected, n);
        free(expected);
        problem_free(&again);
    } else {
        good = good && are_eigenvectors(&problem, v, w, n);
    }
    tap_ok(good && kept, "stedc with compz %c, %c, n = %d", compz, "sdcz"[type], n);
    free(e_before);
    free(w);
    free(e);
    free(v);
    operand_free(&other);
    reduced_free(&reduced);
    problem_free(&problem);
}

/* S and c differ from d and z by their precision: they are tried with the smaller ones. */
static int limit_of(enum blas_type type)
{
    return blas_is_single(type) ? 33 : 140;
}

int main(void)
{
    static const int orders[] = {1, 2, 3, 31, 33, 64};
    set_up_device();
    make_handle();
    for (int t = 0; t < 4; t++) {
        const enum blas_type type = all_types[t];
        for (size_t i = 0; i < sizeof orders / sizeof *orders && orders[i] <= limit_of(type); i++) {
            test_syevd(type, both[(i + (size_t)t) % 2], orders[i], random_kind);
            test_sytrd(type, both[(i + (size_t)t + 1) % 2], orders[i], random_kind);
        }
        for (int u = 0; u < 2; u++)
            test_ormtr(type, both[u]);
        test_ranges(type, blas_is_single(type) ? 20 : 40);
        test_stedc(type, 37, MUBLAS_COMPZ_NONE);
        test_stedc(type, 37, MUBLAS_COMPZ_TRIDIAGONAL);
        test_stedc(type, 37, MUBLAS_COMPZ_ORIGINAL);
        test_stedc(type, 1, MUBLAS_COMPZ_ORIGINAL);
    }
    /* Panels first, then on the chip. */
    test_sytrd(TYPE_D, MUBLAS_LOWER, 131, random_kind);
    test_sytrd(TYPE_Z, MUBLAS_UPPER, 100, random_kind);
    test_syevd(TYPE_Z, MUBLAS_UPPER, 65, random_kind);
    test_stedc(TYPE_D, 70, MUBLAS_COMPZ_TRIDIAGONAL);
    need(mublas_destroy(handle));
    return tap_done();
}
