/* Random calls of every parallel routine on random grids, judged by what they mean.
 *   mpirun -n P parallel_properties SEED COUNT host|device [FIRST [ROUTINE]]
 * Makes COUNT calls from number FIRST on (each depends on SEED and its own number alone), of one routine if
 * it is named. With `device` each call that is legal and no trifle must run on the device on all processes of
 * its grid, as mublas' lines say, which this program reads: MUBLAS_VERBOSE must be 3. Prints a line for each
 * wrong call and one of the sums; the exit status is 1 if there was one. */
#define _GNU_SOURCE
#include "mpi/parallel_judge.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

void Cblacs_pinfo(int *me, int *count);
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridmap(int *context, const int *map, int ld, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
void Cblacs_gridexit(int context);
void Cblacs_barrier(int context, const char *scope);
void Cblacs_exit(int goes_on);
void Cigsum2d(int context, const char *scope, const char *topology, int m, int n, int *a, int lda, int row,
              int column);

#define PARALLEL_SYMBOL(name, ...) void name##_(void);
#include "scalapack/routines.def"
static const struct {
    const char *name;
    routine *function;
} routines[PARALLEL_COUNT] = {
#define PARALLEL_SYMBOL(name, ...) {#name, name##_},
#include "scalapack/routines.def"
};

enum { CALLS_OF_A_GRID = 4 };

static struct {
    uint64_t seed;
    int count, first;
    bool wants_device;
    const char *routine;
    int me, processes, everybody; /* everybody: a context of all */
    int log;                      /* a file */
    char now[200];
    int calls, served, failures;
} test;

static void fail(const char *what)
{
    dprintf(1, "parallel_properties: %s\n", what);
    _exit(1);
}

static void on_signal(int signal)
{
    dprintf(1, "parallel_properties: process %d %s in %s\n", test.me, signal == SIGALRM ? "hangs" : "dies", test.now);
    _exit(3);
}

/* Standard error is a file, which was opened to be appended to (mublas writes to no other one than it found).
 */
static void watch_log(void)
{
    test.log = open("/proc/self/fd/2", O_RDWR | O_CLOEXEC);
    if (test.log < 0 || ftruncate(test.log, 0) != 0)
        fail("standard error must be a file");
}

/* Did the routine's last line say that it ran on the device? Else what it said. */
static bool read_log(const char *name, char *reason, size_t bytes)
{
    static char text[1 << 20];
    char mark[32];
    const ssize_t got = pread(test.log, text, sizeof text - 1, 0);
    const char *last = NULL;
    text[got > 0 ? got : 0] = 0;
    snprintf(mark, sizeof mark, " %s: ", name);
    for (const char *at = text; (at = strstr(at, mark)); at++)
        last = at + strlen(mark);
    snprintf(reason, bytes, "%.*s", last ? (int)strcspn(last, "\n") : 0, last ? last : "");
    if (ftruncate(test.log, 0) != 0)
        fail("cannot empty the log");
    return strcmp(reason, "device") == 0;
}

/* Some of the grids that there are processes for. */
static void pick_shape(int *rows, int *columns)
{
    static const int shapes[][2] = {{1, 1}, {1, 4}, {4, 1}, {2, 2}, {2, 2}, {2, 3}, {2, 3}, {1, 2}};
    do {
        const int which = odds(4) ? 0 : pick(7) + 1;
        *rows = shapes[which][0];
        *columns = shapes[which][1];
    } while (*rows * *columns > test.processes);
}

/* One for some calls: by row, by column or of some processes in any order. */
static void renew_grid(struct grid *grid)
{
    int rows, columns, order[64];
    pick_shape(&rows, &columns);
    for (int i = 0; i < test.processes; i++) {
        const int at = pick(i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    const int how = pick(3);
    if (grid->context >= 0)
        Cblacs_gridexit(grid->context);
    Cblacs_get(-1, 0, &grid->context);
    if (how == 2)
        Cblacs_gridmap(&grid->context, order, rows, rows, columns);
    else
        Cblacs_gridinit(&grid->context, how == 0 ? "Row" : "Col", rows, columns);
    if (grid->context >= 0)
        Cblacs_gridinfo(grid->context, &grid->rows, &grid->columns, &grid->row, &grid->column);
    if (grid->context >= 0 && grid->row < 0)
        grid->context = -1;
}

/* Which ScaLAPACK 2.2 refuses with INFO = -1. */
static bool is_refused(const struct problem *problem)
{
    return is_family(problem, KIND_EIGEN, LAPACK_SYEVD) && problem->jobz == 'N';
}

/* Must the device serve it? */
static bool is_for_the_device(const struct problem *problem, const struct grid *grid)
{
    const bool is_product = problem->as->kind == KIND_PRODUCT;
    const int least = is_product ? 1 : 2;
    if (is_refused(problem) || grid->rows * grid->columns < 2 || problem->n < least || problem->m < least)
        return false;
    if (problem_has(problem, "K") && problem->k < 1)
        return false;
    return is_product ? problem->alpha.re != 0 || problem->alpha.im != 0
                      : !problem_has(problem, "NRHS") || problem->nrhs > 0;
}

static void share_pivots(const struct grid *grid, int *pivots)
{
    if (grid->rows * grid->columns < 2)
        return;
    if (grid->row == 0 && grid->column == 0)
        Cigebs2d(grid->context, "All", " ", ORDER_MOST, 1, pivots, ORDER_MOST);
    else
        Cigebr2d(grid->context, "All", " ", ORDER_MOST, 1, pivots, ORDER_MOST, 0, 0);
}

/* Local pivots lie where A's rows do. */
static void spread_pivots(const struct problem *problem, const struct grid *grid, const int *pivots,
                          int *local)
{
    const struct window *const a = &problem->windows[0];
    int at;
    for (int i = 0; i < problem->n; i++)
        if (spread_deal(a->row + i, a->in->row_block, a->in->row_source, grid->rows, &at) == grid->row)
            local[at] = pivots[i] + a->row;
}

/* On the first process: everybody's pivots, which must be the same along the columns. */
static void take_pivots(const struct problem *problem, const struct grid *grid, int row, const int *local,
                        bool is_first, int *pivots)
{
    const struct window *const a = &problem->windows[0];
    const int count = problem->m < problem->n ? problem->m : problem->n;
    int at;
    for (int i = 0; i < count; i++) {
        if (spread_deal(a->row + i, a->in->row_block, a->in->row_source, grid->rows, &at) != row)
            continue;
        if (!is_first && pivots[i] != local[at] - a->row)
            complain("pivot %d differs between process columns", i + 1);
        pivots[i] = local[at] - a->row;
    }
}

/* The device leaves alone much that the host leaves as it likes. */
static void set_fates(struct problem *problem, bool was_served)
{
    const struct documented *const as = problem->as;
    const int family = as->family;
    const bool is_eigen = as->kind == KIND_EIGEN, is_product = as->kind == KIND_PRODUCT;
    const bool has_triangle = !is_product ? as->family != LAPACK_GETRF && as->family != LAPACK_GETRS
                                          : family == FAMILY_SYRK || family == FAMILY_HERK;
    for (int i = 0; problem->letters[i]; i++) {
        const char letter = problem->letters[i];
        const bool is_last = !problem->letters[i + 1];
        const char part = has_triangle && (letter == 'A' || is_eigen || is_product) ? problem->uplo : 'F';
        if (is_eigen && letter == 'A' && !was_served)
            window_set_fate(&problem->windows[i], 'F', FATE_ANY);
        else if (is_eigen ? letter == 'B' : as->kind == KIND_REDUCTION ? letter == 'A' : is_last)
            window_set_fate(&problem->windows[i], part, FATE_RESULT);
        else if (is_eigen && letter == 'Z' && problem->jobz == 'V')
            window_set_fate(&problem->windows[i], 'F', FATE_ANY);
    }
    if (as->kind == KIND_REDUCTION && !was_served && strstr(as->name, "ngst"))
        window_set_fate(&problem->windows[0], 'F', FATE_ANY);
}

static void note_failures(const struct problem *problem, const struct arguments *of, struct answer *answer)
{
    for (int i = 0; i < of->found && problem->jobz == 'V' && problem_has(problem, "IFAIL"); i++)
        if (of->ifail[i] != 0)
            snprintf(answer->complaint, sizeof answer->complaint, "IFAIL(%d) is %d", i + 1, of->ifail[i]);
}

static void make_answer(const struct problem *problem, const struct arguments *of, struct answer *answer)
{
    memset(answer, 0, sizeof *answer);
    answer->served = read_log(problem->name, answer->reason, sizeof answer->reason);
    answer->info = problem_has(problem, "INFO") && problem->n > 0 ? of->info : 0;
    answer->found = problem_has(problem, "NZ") ? of->found : problem->n;
    answer->nz = of->nz;
    answer->scale = problem_has(problem, "SCALE") ? real_of(problem, &of->scale) : 1;
    if (answer->found < 0 || answer->found > problem->n)
        answer->found = 0;
    for (int i = 0; i < answer->found && problem->as->kind == KIND_EIGEN; i++)
        answer->values[i] = real_of(problem, of->w + (size_t)i * (problem->is_single ? 4 : 8));
    memcpy(answer->pivots, of->pivots, sizeof answer->pivots);
    for (size_t i = 0; i < (problem->is_single ? 4 : 8); i++)
        if (of->w[(size_t)problem->n * (problem->is_single ? 4 : 8) + i] != 0x55)
            snprintf(answer->complaint, sizeof answer->complaint, "W(N + 1) was written");
    if (answer->served && problem->jobz == 'N' && problem_has(problem, "NZ") && of->nz != 0x55555555)
        snprintf(answer->complaint, sizeof answer->complaint, "NZ was written without vectors");
    if (problem_has(problem, "IFAIL") && answer->info == 0)
        note_failures(problem, of, answer);
}

/* Results of ScaLAPACK 2.2's own eigensolvers are its affair: of order 1, for one, their vectors are wrong,
 * and some refuse what others take. */
static bool is_to_be_judged(const struct problem *problem, const struct answer *answer)
{
    return problem->n > 0 && problem->m > 0 &&
           (answer->served || problem->as->kind != KIND_EIGEN || (!test.wants_device && problem->n > 1));
}

/* Everybody's answer on the first process, where they must be alike. */
static void gather_answers(struct problem *problem, const struct grid *grid, struct answer *mine,
                           bool must_be_served)
{
    enum { INTS = sizeof(struct answer) / sizeof(int) };
    static struct answer theirs;
    static int pivots[2 * ORDER_MOST];
    if (grid->row != 0 || grid->column != 0) {
        Cigesd2d(grid->context, INTS, 1, (const int *)(const void *)mine, INTS, 0, 0);
        return;
    }
    for (int row = 0; row < grid->rows; row++)
        for (int column = 0; column < grid->columns; column++) {
            const struct answer *of = mine;
            if (row + column > 0) {
                Cigerv2d(grid->context, INTS, 1, (int *)(void *)&theirs, INTS, row, column);
                of = &theirs;
            }
            if (must_be_served && !of->served)
                complain("not served: %s", of->reason[0] ? of->reason : "nothing is said");
            if (of->served != mine->served)
                complain("served on some processes alone: %s", of->served ? mine->reason : of->reason);
            if (is_refused(problem) && problem->n > 0 && (of->served || of->info != -1))
                complain("INFO is %d where the host's is -1", of->info);
            if (of->info != 0 && is_to_be_judged(problem, of))
                complain("INFO is %d", of->info);
            if (of->complaint[0])
                complain("%s", of->complaint);
            /* ScaLAPACK's own differ in the last digits. */
            if (of->found != mine->found || of->scale != mine->scale ||
                (of->served && memcmp(of->values, mine->values, sizeof of->values) != 0))
                complain("processes have other eigenvalues, or SCALE");
            if (problem_has(problem, "IPIV"))
                take_pivots(problem, grid, row, of->pivots, column == 0, pivots);
        }
    memcpy(mine->pivots, pivots, sizeof pivots);
}

static void describe(int number, const struct problem *problem, const struct grid *grid)
{
    const struct spread *const a = &problem->spreads[0];
    snprintf(test.now, sizeof test.now,
             "call %d: %s m %d n %d k %d nrhs %d %c%c%c%c%c%c%c itype %d grid %dx%d blocks %dx%d sources "
             "%d,%d at %d,%d",
             number, problem->name, problem->m, problem->n, problem->k, problem->nrhs, problem->jobz,
             problem->range, problem->uplo, problem->side, problem->trans, problem->transb, problem->diag,
             problem->itype, grid->rows, grid->columns, a->row_block, a->column_block, a->row_source,
             a->column_source, problem->windows[0].row, problem->windows[0].column);
}

/* All processes of the grid make it. */
static void make_call(int number, const char *name, routine *function, const struct grid *grid)
{
    static struct problem problem;
    static struct arguments of;
    static struct answer answer;
    int pivots[ORDER_MOST] = {0};
    const bool is_first = grid->row == 0 && grid->column == 0;
    problem_draw(&problem, name, grid, !test.wants_device);
    describe(number, &problem, grid);
    for (int i = 0; i < problem.spread_count; i++)
        spread_begin(&problem.spreads[i]);
    if (is_first)
        problem_make(&problem, pivots);
    for (int i = 0; i < problem.spread_count; i++)
        spread_out(&problem.spreads[i], grid);
    share_pivots(grid, pivots);
    arguments_fill(&of, &problem, test.me);
    if (problem.as->family == LAPACK_GETRS && problem.as->kind == KIND_FACTOR)
        spread_pivots(&problem, grid, pivots, of.pivots);
    make_workspaces(function, &of, &problem);
    call_routine(function, &of, &problem);
    make_answer(&problem, &of, &answer);
    verdict[0] = 0;
    gather_answers(&problem, grid, &answer, test.wants_device && is_for_the_device(&problem, grid));
    if (is_first)
        set_fates(&problem, answer.served);
    for (int i = 0; i < problem.spread_count; i++)
        if (!spread_gather(&problem.spreads[i], grid) && is_first)
            complain("matrix %d was written where it must not be", i + 1);
    if (is_first && !verdict[0] && is_to_be_judged(&problem, &answer))
        judge_all(&problem, &answer);
    test.calls += is_first;
    test.served += is_first && answer.served;
    test.failures += is_first && verdict[0];
    if (is_first && verdict[0]) {
        printf("# %s: %s\n", test.now, verdict);
        fflush(stdout);
    }
    dense_free_all();
}

static void begin(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: parallel_properties SEED COUNT host|device [FIRST [ROUTINE]]\n");
        exit(2);
    }
    test.seed = strtoull(argv[1], NULL, 10);
    test.count = atoi(argv[2]);
    test.wants_device = strcmp(argv[3], "device") == 0;
    test.first = argc > 4 ? atoi(argv[4]) : 0;
    test.routine = argc > 5 ? argv[5] : NULL;
    Cblacs_pinfo(&test.me, &test.processes);
    Cblacs_get(-1, 0, &test.everybody);
    Cblacs_gridinit(&test.everybody, "Row", 1, test.processes);
    watch_log();
    signal(SIGALRM, on_signal);
    signal(SIGSEGV, on_signal);
    signal(SIGABRT, on_signal);
}

/* ScaLAPACK 2.2 has trouble of its own with the others. */
static bool is_sound_on_the_host(const char *name)
{
    const struct documented *const as = documented_find(name);
    return as->kind != KIND_EIGEN || as->family == LAPACK_SYEV;
}

int main(int argc, char **argv)
{
    struct grid grid = {.context = -1};
    begin(argc, argv);
    for (int i = test.first; i < test.first + test.count; i++) {
        int which =
            (int)(((unsigned)i * 37 + (unsigned)test.seed) % PARALLEL_COUNT); /* all of them in turn */
        for (int at = 0; test.routine && at < PARALLEL_COUNT; at++)
            which = strcmp(routines[at].name, test.routine) == 0 ? at : which;
        alarm(120);
        random_begin(test.seed, (uint64_t)i / CALLS_OF_A_GRID);
        if (i % CALLS_OF_A_GRID == 0 || i == test.first)
            renew_grid(&grid);
        random_begin(test.seed, (uint64_t)i + (UINT64_C(1) << 32));
        if (grid.context >= 0 && (test.wants_device || is_sound_on_the_host(routines[which].name)))
            make_call(i, routines[which].name, routines[which].function, &grid);
    }
    if (grid.context >= 0)
        Cblacs_gridexit(grid.context);
    int sums[] = {test.calls, test.served, test.failures};
    Cigsum2d(test.everybody, "All", " ", 3, 1, sums, 3, -1, -1);
    if (test.me == 0)
        printf("calls %d device %d wrong %d\n", sums[0], sums[1], sums[2]);
    fflush(stdout);
    Cblacs_exit(0);
    return sums[2] != 0;
}
