#include "entries_level3.h"
#include "level3_problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *types, *letters;
} routines[ROUTINES] = {
    {"gemm", "sdcz", "ottnnks1l2ls3l"}, {"symm", "sdcz", "oeunns1l2ls3l"}, {"hemm", "cz", "oeunns1l2ls3l"},
    {"syrk", "sdcz", "outnks1ls3l"},    {"herk", "cz", "outnkr1lr3l"},     {"syr2k", "sdcz", "outnks1l2ls3l"},
    {"her2k", "cz", "outnks1l2lr3l"},   {"trmm", "sdcz", "oeutdnns1l3l"},  {"trsm", "sdcz", "oeutdnns1l3l"},
};

/* Sizes tried, others where the environment says so, for calls that are cut into tiles; how many. */
static const int64_t usual_sizes[][3] = {{1, 1, 1}, {3, 5, 2}, {40, 33, 7}},
                     cut_sizes[][3] = {{35, 29, 26}, {9, 5, 2}};
static const int64_t (*sizes)[3] = usual_sizes;
static int sizes_tried = 3;

/* Imaginary parts of Hermitian diagonals, which reference BLAS does not read; 0 where the
 * environment says so, for hosts that do. */
static double not_read = NAN;

static void set_random(struct matrix *matrix, const struct problem *of, int64_t i, int64_t j, int64_t ld,
                       bool real, struct random *random)
{
    const int64_t index = matrix_index(of->layout, i, j, ld);
    set_part(of->type, data_of(matrix), index, 0, random_value(random));
    if (is_complex(of->type))
        set_part(of->type, data_of(matrix), index, 1, real ? not_read : random_value(random));
}

static void fill_nan(struct matrix *matrix, char type)
{
    for (int i = 0; i < 2 * ELEMENTS / (is_complex(type) ? 2 : 1); i++)
        for (int part = 0; part <= is_complex(type); part++)
            set_part(type, matrix->memory, i, part, NAN);
}

static void fill_full(struct matrix *matrix, const struct problem *of, bool upright, int64_t rows,
                      int64_t columns, int64_t ld, struct random *random)
{
    for (int64_t i = 0; i < (upright ? rows : columns); i++)
        for (int64_t j = 0; j < (upright ? columns : rows); j++)
            set_random(matrix, of, i, j, ld, false, random);
}

/* Elements that a routine must not read stay NaN, also the imaginary parts of a Hermitian diagonal. */
static void fill_operands(const struct problem *of, struct random *random)
{
    struct matrix *const all[] = {&matrix_a, &matrix_b, &matrix_c};
    const bool upright = of->trans == 'N';
    for (int i = 0; i < 3; i++)
        fill_nan(all[i], of->type);
    if (has_triangle(of->routine)) {
        for (int64_t i = 0; i < order_of(of); i++)
            for (int64_t j = 0; j < order_of(of); j++)
                if (in_triangle(of, i, j) && !(is_in_place(of->routine) && of->diag == 'U' && i == j))
                    set_random(&matrix_a, of, i, j, of->lda, of->routine == HEMM && i == j, random);
        fill_full(&matrix_b, of, true, of->m, of->n, of->ldb, random);
    } else {
        const int64_t rows = c_rows(of), other = of->routine == GEMM ? of->k : of->n;
        fill_full(&matrix_a, of, upright, rows, of->k, of->lda, random);
        fill_full(&matrix_b, of, of->routine == GEMM ? of->trans_b == 'N' : upright, other,
                  of->routine == GEMM ? of->n : of->k, of->ldb, random);
    }
    for (int64_t i = 0; i < c_rows(of); i++)
        for (int64_t j = 0; j < of->n; j++)
            if (is_written(of, i, j) && (is_in_place(of->routine) || !beta_is_zero(of)))
                set_random(&matrix_c, of, i, j, of->ldc,
                           is_hermitian(of->routine) && is_update(of->routine) && i == j, random);
    for (int i = 0; i < 3; i++)
        memcpy(all[i]->before, all[i]->memory, sizeof matrix_a.before);
}

static void perform(const struct interface *interface, const struct problem *of)
{
    const char *letters = routines[of->routine].letters;
    const double *scalars[] = {of->alpha, of->beta};
    struct matrix *const matrices[] = {&matrix_a, &matrix_b, &matrix_c};
    const int64_t leading[] = {of->lda, of->ldb, of->ldc};
    union argument arguments[ARGUMENTS_MAX];
    int scalar = 0, transposition = 0, size = is_update(of->routine), operand = 0;
    for (int i = 0; letters[i]; i++)
        switch (letters[i]) {
        case 'o': arguments[i].flag = of->layout; break;
        case 'e': arguments[i].flag = of->side; break;
        case 'u': arguments[i].flag = of->uplo; break;
        case 't': arguments[i].flag = transposition++ ? of->trans_b : of->trans; break;
        case 'd': arguments[i].flag = of->diag; break;
        case 'n': arguments[i].integer = size++ ? of->n : of->m; break;
        case 'k': arguments[i].integer = of->k; break;
        case 'l': arguments[i].integer = leading[operand]; break;
        case 's': case 'r': memcpy(arguments[i].scalar, scalars[scalar++], sizeof arguments[i].scalar); break;
        default:
            operand = letters[i] - '1';
            arguments[i].operand = data_of(matrices[operand]);
        }
    char name[16];
    snprintf(name, sizeof name, "%c%s", of->type, routines[of->routine].name);
    interface_call(interface, interface_function(interface, name), of->type, letters, arguments);
}

static bool passes(const struct interface *interface, const struct problem *of, struct random *random)
{
    fill_operands(of, random);
    perform(interface, of);
    const bool right = level3_results_are_right(of);
    const bool untouched = memcmp(matrix_a.before, matrix_a.memory, sizeof matrix_a.before) == 0 &&
                           memcmp(matrix_b.before, matrix_b.memory, sizeof matrix_a.before) == 0 &&
                           memcmp(matrix_c.before, matrix_c.memory, sizeof matrix_a.before) == 0;
    if (!right || !untouched)
        printf("# %c%s: %s; layout %c side %c uplo %c trans %c %c diag %c m %d n %d k %d ld %d %d %d beta %g "
               "%g\n",
               of->type, routines[of->routine].name, right ? "wrote elsewhere" : "wrong", of->layout,
               of->side, of->uplo, of->trans, of->trans_b, of->diag, (int)of->m, (int)of->n, (int)of->k,
               (int)of->lda, (int)of->ldb, (int)of->ldc, of->beta[0], of->beta[1]);
    return right && untouched;
}

/* Rows and columns in memory order: what a leading dimension must cover. */
static int64_t leading(const struct problem *of, int64_t rows, int64_t columns, struct random *random)
{
    return (of->layout == 'R' ? columns : rows) + (int64_t)random_below(random, 4);
}

static void try_sizes(const struct interface *interface, struct problem of, struct random *random,
                      struct level3_result *result)
{
    static const double betas[][2] = {{0, 0}, {0.75, 0.5}, {1, 0}};
    for (int size = 0; size < sizes_tried; size++) {
        const bool upright = of.trans == 'N', real_scalars = of.routine == HERK;
        of.m = sizes[size][0], of.n = sizes[size][1], of.k = sizes[size][2];
        const int64_t rows = c_rows(&of), other = of.routine == GEMM ? of.k : of.n;
        const int64_t across = of.routine == GEMM ? of.n : of.k;
        const bool other_upright = of.routine == GEMM ? of.trans_b == 'N' : upright;
        if (has_triangle(of.routine)) {
            of.lda = order_of(&of) + (int64_t)random_below(random, 4);
            of.ldb = leading(&of, of.m, of.n, random);
        } else {
            of.lda = leading(&of, upright ? rows : of.k, upright ? of.k : rows, random);
            of.ldb = leading(&of, other_upright ? other : across, other_upright ? across : other, random);
        }
        of.ldc = leading(&of, rows, of.n, random);
        memcpy(of.beta, betas[result->calls % 3], sizeof of.beta);
        if (is_hermitian(of.routine) && is_update(of.routine))
            of.beta[1] = 0;
        of.alpha[0] = -0.5, of.alpha[1] = size == 1 || real_scalars ? 0 : 1.25;
        shift = of.type == 'z' && size == 1;
        result->calls++;
        result->wrong += !passes(interface, &of, random);
    }
}

/* The transpositions that the routine has for the type. */
static const char *transpositions(enum routine routine, char type)
{
    if (is_update(routine) && is_complex(type))
        return is_hermitian(routine) ? "NC" : "NT";
    return strchr(routines[routine].letters, 't') ? "NTC" : "N";
}

static void try_flags(const struct interface *interface, struct problem of, struct random *random,
                      struct level3_result *result)
{
    const char *letters = routines[of.routine].letters;
    const char *sides = strchr(letters, 'e') ? "LR" : "L", *uplos = strchr(letters, 'u') ? "UL" : "L";
    const char *of_a = transpositions(of.routine, of.type), *of_b = of.routine == GEMM ? "NTC" : "N";
    const char *diags = strchr(letters, 'd') ? "NU" : "N";
    for (const char *side = sides; *side; side++)
        for (const char *uplo = uplos; *uplo; uplo++)
            for (const char *trans = of_a; *trans; trans++)
                for (const char *trans_b = of_b; *trans_b; trans_b++)
                    for (const char *diag = diags; *diag; diag++) {
                        of.side = *side, of.uplo = *uplo, of.diag = *diag;
                        of.trans = *trans, of.trans_b = *trans_b;
                        try_sizes(interface, of, random, result);
                    }
}

struct level3_result entries_level3(const struct interface *interface, int index, struct random *random)
{
    struct level3_result result = {"", 0, 0};
    if (getenv("ENTRIES_REAL_DIAGONALS"))
        not_read = 0;
    if (getenv("ENTRIES_CUT")) {
        sizes = cut_sizes;
        sizes_tried = 2;
    }
    if (getenv("ENTRIES_FEW")) {
        sizes = usual_sizes + 1;
        sizes_tried = 1;
    }
    for (int routine = 0; routine < ROUTINES; routine++)
        for (const char *type = routines[routine].types; *type; type++) {
            if (index-- > 0)
                continue;
            snprintf(result.routine, sizeof result.routine, "%c%s", *type, routines[routine].name);
            for (const char *layout = interface->cblas ? "CR" : "C"; *layout; layout++) {
                const struct problem of = {
                    .routine = (enum routine)routine, .type = *type, .layout = *layout};
                try_flags(interface, of, random, &result);
            }
            return result;
        }
    return result;
}
