/* entries LANGUAGE PREFIX SUFFIX BITS [far]: every routine that mublas offloads, of every type, in
 * every layout and with every flag, sign of increment and kind of beta, by the symbols
 * of one interface. Results are compared with the definition, computed here in long
 * double, by the gauge of dblat2 (error over eps times the sum of magnitudes < 16).
 * Elements that a routine must not read are NaN, and those that it must not write have to stay, bit for bit.
 * Level 3 is in entries_level3.c. To be run on the host BLAS alone and through the shim; "far" where whoever
 * does the calls can reach more than 2^31 elements. */
#include "element.h"
#include "entries_level3.h"
#include "interface_call.h"
#include "random.h"
#include "tap.h"

#include <float.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST = 44, ELEMENTS = MOST * (MOST + 4), GAUGE = 16 };
enum routine { AXPY, GEMV, SYMV, HEMV, SPMV, HPMV, TRMV, ROUTINES };

static const struct {
    const char *name, *types, *letters;
} routines[ROUTINES] = {
    {"axpy", "sdcz", "ns1i2i"},      {"gemv", "sdcz", "otnns1l2is3i"}, {"symv", "sd", "ouns1l2is3i"},
    {"hemv", "cz", "ouns1l2is3i"},   {"spmv", "sd", "ouns12is3i"},     {"hpmv", "cz", "ouns12is3i"},
    {"trmv", "sdcz", "outdn1l2i"},
};

/* One call. The output is y, or x for trmv. */
struct problem {
    enum routine routine;
    char type, layout, uplo, trans, diag;
    int64_t m, n, lda, incx, incy;
    double alpha[2], beta[2];
};

/* An operand as its routine sees it, and as it was before the call. */
struct operand {
    double memory[2 * ELEMENTS], before[2 * ELEMENTS];
};
static struct operand operand_a, operand_x, operand_y;

static int64_t vector_index(int64_t i, int64_t length, int64_t increment)
{
    return increment > 0 ? i * increment : (i - length + 1) * increment;
}

static bool is_triangular(enum routine routine)
{
    return routine != AXPY && routine != GEMV;
}

static bool is_hermitian(enum routine routine)
{
    return routine == HEMV || routine == HPMV;
}

/* The place of element (i, j) of A. Rows of a packed triangle are packed as columns of the other one are. */
static int64_t place_of(const struct problem *problem, int64_t i, int64_t j)
{
    const bool across = problem->layout == 'R';
    const int64_t row = across ? j : i, column = across ? i : j;
    if (problem->routine != SPMV && problem->routine != HPMV)
        return matrix_index(problem->layout, i, j, problem->lda);
    return (problem->uplo == 'U') != across ? row + column * (column + 1) / 2
                                            : row + column * (2 * problem->n - column - 1) / 2;
}

static bool is_stored(const struct problem *problem, int64_t i, int64_t j)
{
    if (problem->routine == TRMV && problem->diag == 'U' && i == j)
        return false;
    return !is_triangular(problem->routine) || (problem->uplo == 'U' ? i <= j : i >= j);
}

/* Element (i, j) of op(A) by the routine's definition. */
static number operation(const struct problem *problem, const double *a, int64_t i, int64_t j)
{
    bool transposed = problem->trans != 'N' && (problem->routine == GEMV || problem->routine == TRMV);
    bool conjugated = transposed && problem->trans == 'C' && is_complex(problem->type);
    int64_t row = transposed ? j : i, column = transposed ? i : j;
    if (problem->routine == TRMV && problem->diag == 'U' && i == j)
        return 1;
    if (!is_stored(problem, row, column)) {
        if (problem->routine == TRMV)
            return 0;
        int64_t swap = row;
        row = column;
        column = swap;
        conjugated = is_hermitian(problem->routine);
    }
    number value = get(problem->type, a, place_of(problem, row, column));
    if (is_hermitian(problem->routine) && i == j)
        return creall(value);
    return conjugated ? conjl(value) : value;
}

static void fill_nan(struct operand *operand, char type)
{
    for (int i = 0; i < 2 * ELEMENTS / (is_complex(type) ? 2 : 1); i++)
        for (int part = 0; part <= is_complex(type); part++)
            set_part(type, operand->memory, i, part, NAN);
}

static void set_random(struct operand *operand, char type, int64_t index, bool real, struct random *random)
{
    set_part(type, operand->memory, index, 0, random_value(random));
    if (is_complex(type))
        set_part(type, operand->memory, index, 1, real ? NAN : random_value(random));
}

static void fill_vector(struct operand *operand, char type, int64_t length, int64_t increment,
                        struct random *random)
{
    fill_nan(operand, type);
    for (int64_t i = 0; i < length; i++)
        set_random(operand, type, vector_index(i, length, increment), false, random);
}

static void fill_matrix(struct operand *operand, const struct problem *problem, int64_t rows, int64_t columns,
                        struct random *random)
{
    fill_nan(operand, problem->type);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            if (is_stored(problem, i, j))
                set_random(operand, problem->type, place_of(problem, i, j),
                           is_hermitian(problem->routine) && i == j, random);
}

static bool beta_is_zero(const struct problem *problem)
{
    return problem->beta[0] == 0 && problem->beta[1] == 0;
}

static bool reads_x_across(const struct problem *problem)
{
    return problem->routine == GEMV && problem->trans != 'N';
}

static int64_t x_length(const struct problem *problem)
{
    return reads_x_across(problem) ? problem->m : problem->n;
}

static int64_t y_length(const struct problem *problem)
{
    return problem->routine == GEMV && problem->trans == 'N' ? problem->m : problem->n;
}

static void fill_operands(const struct problem *problem, struct random *random)
{
    if (problem->routine != AXPY)
        fill_matrix(&operand_a, problem, problem->routine == GEMV ? problem->m : problem->n, problem->n, random);
    fill_vector(&operand_x, problem->type, x_length(problem), problem->incx, random);
    if (problem->routine != AXPY && beta_is_zero(problem))
        fill_nan(&operand_y, problem->type);
    else
        fill_vector(&operand_y, problem->type, y_length(problem), problem->incy, random);
    struct operand *const all[] = {&operand_a, &operand_x, &operand_y};
    for (int i = 0; i < 3; i++)
        memcpy(all[i]->before, all[i]->memory, sizeof all[i]->before);
}

static void perform(const struct interface *interface, const struct problem *problem)
{
    union argument arguments[ARGUMENTS_MAX];
    const char *letters = routines[problem->routine].letters;
    const bool axpy = problem->routine == AXPY;
    void *const operands[] = {axpy ? operand_x.memory : operand_a.memory,
                              axpy ? operand_y.memory : operand_x.memory, operand_y.memory};
    const int64_t increments[] = {problem->incx, problem->incy};
    const double *scalars[] = {problem->alpha, problem->beta};
    int sizes = 0, increment = 0, scalar = 0;
    for (int i = 0; letters[i]; i++)
        switch (letters[i]) {
        case 'o': arguments[i].flag = problem->layout; break;
        case 't': arguments[i].flag = problem->trans; break;
        case 'u': arguments[i].flag = problem->uplo; break;
        case 'd': arguments[i].flag = problem->diag; break;
        case 'n':
            arguments[i].integer = problem->routine == GEMV && sizes++ == 0 ? problem->m : problem->n;
            break;
        case 'l': arguments[i].integer = problem->lda; break;
        case 'i': arguments[i].integer = increments[increment++]; break;
        case 's': memcpy(arguments[i].scalar, scalars[scalar++], sizeof arguments[i].scalar); break;
        default: arguments[i].operand = operands[letters[i] - '1'];
        }
    char name[16];
    snprintf(name, sizeof name, "%c%s", problem->type, routines[problem->routine].name);
    interface_call(interface, interface_function(interface, name), problem->type, letters, arguments);
}

/* A result and the sum of the magnitudes of its terms. */
struct expected {
    number value;
    long double bound;
};

static struct expected expect_vector(const struct problem *problem, int64_t i)
{
    number alpha = scalar_of(problem->type, problem->alpha), beta = scalar_of(problem->type, problem->beta);
    struct expected expected = {0, 0};
    int64_t length = x_length(problem);
    for (int64_t j = 0; j < length; j++) {
        if (problem->routine == AXPY && i != j)
            continue;
        number element = problem->routine == AXPY ? 1 : operation(problem, operand_a.before, i, j);
        number factor = get(problem->type, operand_x.before, vector_index(j, length, problem->incx));
        expected.value += element * factor;
        expected.bound += magnitude(element) * magnitude(factor);
    }
    if (problem->routine == TRMV)
        return expected;
    expected.value *= alpha;
    expected.bound *= magnitude(alpha);
    if (problem->routine == AXPY)
        beta = 1;
    if (problem->routine == AXPY || !beta_is_zero(problem)) {
        number old = get(problem->type, operand_y.before, vector_index(i, y_length(problem), problem->incy));
        expected.value += beta * old;
        expected.bound += magnitude(beta) * magnitude(old);
    }
    return expected;
}

static struct operand *output_of(const struct problem *problem)
{
    return problem->routine == TRMV ? &operand_x : &operand_y;
}

/* Check one result, then put back what was there before the call. */
static bool settle(const struct problem *problem, struct expected expected, int64_t index)
{
    struct operand *output = output_of(problem);
    size_t bytes = element_bytes(problem->type);
    long double eps = is_single(problem->type) ? (long double)FLT_EPSILON : (long double)DBL_EPSILON;
    long double error = magnitude(get(problem->type, output->memory, index) - expected.value);
    memcpy((char *)output->memory + (size_t)index * bytes, (char *)output->before + (size_t)index * bytes,
           bytes);
    return error <= GAUGE * eps * expected.bound;
}

static bool results_are_right(const struct problem *problem)
{
    int64_t length = y_length(problem), increment = problem->routine == TRMV ? problem->incx : problem->incy;
    bool right = true;
    for (int64_t i = 0; i < length; i++)
        right &= settle(problem, expect_vector(problem, i), vector_index(i, length, increment));
    return right;
}

static bool operands_are_untouched(void)
{
    struct operand *const all[] = {&operand_a, &operand_x, &operand_y};
    for (int i = 0; i < 3; i++)
        if (memcmp(all[i]->before, all[i]->memory, sizeof all[i]->before))
            return false;
    return true;
}

static bool problem_passes(const struct interface *interface, const struct problem *problem,
                           struct random *random)
{
    fill_operands(problem, random);
    perform(interface, problem);
    bool right = results_are_right(problem), untouched = operands_are_untouched();
    if (right && untouched)
        return true;
    printf("# %c%s: %s; layout %c uplo %c trans %c diag %c m %lld n %lld lda %lld incx %lld incy %lld "
           "alpha %g %g beta %g %g\n",
           problem->type, routines[problem->routine].name, right ? "wrote elsewhere" : "wrong",
           problem->layout, problem->uplo, problem->trans, problem->diag, (long long)problem->m,
           (long long)problem->n, (long long)problem->lda, (long long)problem->incx, (long long)problem->incy,
           problem->alpha[0], problem->alpha[1], problem->beta[0], problem->beta[1]);
    return false;
}

/* Each size and increments once; flags and layout are the caller's. */
static void count_sizes(const struct interface *interface, struct problem problem, struct random *random,
                        int *calls, int *wrong)
{
    static const int64_t sizes[][2] = {{1, 1}, {3, 5}, {MOST - 4, 33}};
    static const int64_t increments[][2] = {{1, 1}, {-1, 2}, {2, -1}, {-2, -2}};
    static const double betas[][2] = {{0, 0}, {0.75, 0.5}, {1, 0}};
    const bool are_few = getenv("ENTRIES_FEW") != NULL;
    int first = (int)random_below(random, 4), kind = (int)random_below(random, 3);
    for (int size = are_few; size < 3 - are_few; size++)
        for (int step = 0; step < 2 - are_few; step++) {
            const int64_t *steps = increments[(first + 2 * step + size) % 4];
            bool rows = problem.layout == 'R';
            problem.m = sizes[size][0], problem.n = sizes[size][1];
            int64_t height = problem.routine == GEMV ? problem.m : problem.n, width = problem.n;
            problem.lda = (rows ? width : height) + (int64_t)random_below(random, 4);
            problem.incx = steps[0], problem.incy = steps[1];
            memcpy(problem.beta, betas[(kind + *calls) % 3], sizeof problem.beta);
            problem.alpha[0] = -0.5, problem.alpha[1] = size == 1 ? 0 : 1.25;
            ++*calls;
            *wrong += !problem_passes(interface, &problem, random);
        }
}

/* With 64-bit integers a single column may say that the next is far, and a vector of one too. */
static void test_far(const struct interface *interface, struct random *random)
{
    static const int64_t far = (INT64_C(1) << 32) + 1;
    int calls = 0, wrong = 0;
    for (const char *type = "sdcz"; *type; type++)
        for (int way = 0; way < 3; way++, calls++) {
            struct problem problem = {.routine = way == 2 ? AXPY : GEMV,
                                      .type = *type,
                                      .layout = 'C',
                                      .trans = 'N',
                                      .m = 5,
                                      .n = 1,
                                      .lda = way == 0 ? far : 5,
                                      .incx = way ? far : 1,
                                      .incy = 1,
                                      .alpha = {1, 2},
                                      .beta = {1, 1}};
            wrong += !problem_passes(interface, &problem, random);
        }
    tap_ok(wrong == 0, "leading dimensions and increments above 2^32: %d of %d calls wrong", wrong, calls);
}

/* Columns 2^31 elements apart, in memory that is there only where it is touched. */
static bool far_matrix_is_right(const struct interface *interface, char type, char layout, char trans,
                                double *memory)
{
    const int64_t ld = (INT64_C(1) << 31) + 5, rows = 4, columns = 3, increment = 1;
    struct problem problem = {.routine = GEMV, .type = type, .layout = layout, .trans = trans, .lda = ld,
                              .m = layout == 'C' ? rows : columns, .n = layout == 'C' ? columns : rows};
    for (int64_t i = 0; i < problem.m; i++)
        for (int64_t j = 0; j < problem.n; j++)
            set_part(type, memory, matrix_index(layout, i, j, ld), 0, (double)(i + 10 * j));
    for (int64_t i = 0; i < rows; i++)
        for (int part = 0; part <= is_complex(type); part++)
            set_part(type, operand_x.memory, i, part, part ? 0 : (double)(i + 1));
    const union argument arguments[] = {
        {.flag = layout}, {.flag = trans}, {.integer = problem.m}, {.integer = problem.n}, {.scalar = {1, 0}},
        {.operand = memory}, {.integer = ld}, {.operand = operand_x.memory}, {.integer = increment},
        {.scalar = {0, 0}}, {.operand = operand_y.memory}, {.integer = increment}};
    char name[16];
    snprintf(name, sizeof name, "%cgemv", type);
    interface_call(interface, interface_function(interface, name), type, routines[GEMV].letters, arguments);
    bool right = true;
    for (int64_t i = 0; i < y_length(&problem); i++) {
        number sum = 0;
        for (int64_t j = 0; j < x_length(&problem); j++)
            sum += (trans == 'N' ? i + 10 * j : j + 10 * i) * (number)(j + 1);
        right &= get(type, operand_y.memory, i) == sum;
    }
    return right;
}

static bool far_vector_is_right(const struct interface *interface, char type, double *memory)
{
    const int64_t increment = -(INT64_C(1) << 31) - 1, length = 3;
    for (int64_t i = 0; i < length; i++) {
        set_part(type, memory, vector_index(i, length, increment), 0, (double)i);
        for (int part = 0; part <= is_complex(type); part++)
            set_part(type, operand_x.memory, i, part, part ? 0 : 1);
    }
    const union argument arguments[] = {{.integer = length},           {.scalar = {2, 0}},
                                        {.operand = operand_x.memory}, {.integer = 1},
                                        {.operand = memory},           {.integer = increment}};
    char name[16];
    snprintf(name, sizeof name, "%caxpy", type);
    interface_call(interface, interface_function(interface, name), type, routines[AXPY].letters, arguments);
    bool right = true;
    for (int64_t i = 0; i < length; i++)
        right &= get(type, memory, vector_index(i, length, increment)) == (number)(i + 2);
    return right;
}

static void test_far_memory(const struct interface *interface)
{
    const size_t bytes = (size_t)3 * 16 * ((INT64_C(1) << 31) + 8);
    for (const char *type = "sz"; *type; type++) {
        double *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) {
            tap_skip("operands of more than 2^31 elements", "the system gives no such range of addresses");
            return;
        }
        tap_ok(far_matrix_is_right(interface, *type, 'C', 'N', memory) &&
                   far_matrix_is_right(interface, *type, 'C', 'T', memory),
               "%cgemv over more than 2^32 elements", *type);
        if (interface->cblas)
            tap_ok(far_matrix_is_right(interface, *type, 'R', 'N', memory) &&
                   far_matrix_is_right(interface, *type, 'R', 'C', memory), "and in rows");
        tap_ok(far_vector_is_right(interface, *type, memory), "%caxpy over more than 2^32 elements", *type);
        munmap(memory, bytes);
    }
}

static void test_routine(const struct interface *interface, enum routine routine, char type,
                         struct random *random)
{
    int calls = 0, wrong = 0;
    const char *letters = routines[routine].letters;
    const char *layouts = interface->cblas && letters[0] == 'o' ? "CR" : "C";
    const char *uplos = strchr(letters, 'u') ? "UL" : "L", *transes = strchr(letters, 't') ? "NTC" : "N";
    const char *diags = strchr(letters, 'd') ? "NU" : "N";
    for (const char *layout = layouts; *layout; layout++)
        for (const char *uplo = uplos; *uplo; uplo++)
            for (const char *trans = transes; *trans; trans++)
                for (const char *diag = diags; *diag; diag++) {
                    struct problem problem = {.routine = routine,
                                              .type = type,
                                              .layout = *layout,
                                              .uplo = *uplo,
                                              .trans = *trans,
                                              .diag = *diag};
                    count_sizes(interface, problem, random, &calls, &wrong);
                }
    tap_ok(wrong == 0, "%s%c%s%s: %d of %d calls wrong", interface->prefix, type, routines[routine].name,
           interface->suffix, wrong, calls);
}

int main(int count, char **words)
{
    struct interface interface = interface_read(count < 6 ? count - 1 : 4, words + 1);
    struct random random = {20260101u};
    for (int routine = 0; routine < ROUTINES && !getenv("ENTRIES_CUT"); routine++)
        for (const char *type = routines[routine].types; *type; type++)
            test_routine(&interface, (enum routine)routine, *type, &random);
    struct level3_result level3;
    for (int index = 0; (level3 = entries_level3(&interface, index, &random)).routine[0]; index++)
        tap_ok(level3.wrong == 0, "%s%s%s: %d of %d calls wrong", interface.prefix, level3.routine,
               interface.suffix, level3.wrong, level3.calls);
    if (interface.bits == 64)
        test_far(&interface, &random);
    if (count > 5 && strcmp(words[5], "far") == 0)
        test_far_memory(&interface);
    return tap_done();
}
