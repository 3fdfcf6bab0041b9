/* parallel_problem.h - one random call of a parallel routine: what the test draws of it, on all processes
 * alike, and its arguments by the words of ScaLAPACK's documentation. */
#ifndef MUBLAS_TESTS_PARALLEL_PROBLEM_H
#define MUBLAS_TESTS_PARALLEL_PROBLEM_H

#include "mpi/spread.h"
#include "unit/documented_lists.h"

#include <ctype.h>

enum { ORDER_MOST = 300, MATRICES_MOST = 3, PROCESSES_MOST = 16, WORKSPACES = 3 };

/* A real or complex argument of the routine's precision. */
union scalar {
    float s[2];
    double d[2];
};

struct problem {
    const struct documented *as;
    const char *name;
    bool is_single, is_complex, may_be_the_hosts;
    size_t element;
    int m, n, k, nrhs, itype, il, iu;
    char jobz, range, uplo, side, trans, transb, diag;
    bool is_small; /* letters */
    double vl, vu;
    struct number alpha, beta;
    struct spread spreads[MATRICES_MOST];
    int spread_count;
    struct window windows[MATRICES_MOST];
    char letters[MATRICES_MOST + 1];
    /* On the grid's first process. */
    double *eigenvalues;       /* known beforehand, ascending */
    struct dense b, b_inverse; /* of generalised problems */
    struct dense known;        /* a factor's product */
};

/* A process tells so much of its call. */
struct answer {
    int served, info, found, nz;
    double scale;
    char reason[80], complaint[80];
    double values[ORDER_MOST];
    int pivots[2 * ORDER_MOST];
};

static uint64_t random_state;

static void random_begin(uint64_t seed, uint64_t number)
{
    random_state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ (number + 1) * UINT64_C(0xbf58476d1ce4e5b9);
}

/* From 0 to below `limit`. */
static int pick(int limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((random_state >> 33) % (uint64_t)limit);
}

static bool odds(int percent)
{
    return pick(100) < percent;
}

/* Between -1 and 1. */
static double pick_real(void)
{
    return (double)(pick(1 << 30) - (1 << 29)) / (1 << 29);
}

static char pick_letter(const char *letters)
{
    return letters[pick((int)strlen(letters))];
}

static bool problem_has(const struct problem *problem, const char *word)
{
    return documented_place(problem->as->arguments, word) > 0;
}

static struct window *problem_window(struct problem *problem, char letter)
{
    return &problem->windows[strchr(problem->letters, letter) - problem->letters];
}

/* The arguments besides matrices. */
struct arguments {
    char jobz, range, uplo, side, trans, transb, diag;
    union scalar alpha, beta, vl, vu, abstol, orfac, scale;
    int il, iu;
    int ia[MATRICES_MOST], ja[MATRICES_MOST];
    int lengths[WORKSPACES]; /* work, rwork, iwork */
    void *workspaces[WORKSPACES];
    unsigned char w[(ORDER_MOST + 1) * sizeof(double)], gap[PROCESSES_MOST * sizeof(double)];
    int ifail[ORDER_MOST], iclustr[2 * PROCESSES_MOST], pivots[2 * ORDER_MOST];
    int found, nz, info;
};

static union scalar scalar_of(const struct problem *problem, double re, double im)
{
    union scalar scalar = {.d = {re, im}};
    if (problem->is_single)
        scalar = (union scalar){.s = {(float)re, (float)im}};
    return scalar;
}

static double real_of(const struct problem *problem, const void *at)
{
    float single;
    double wide;
    memcpy(problem->is_single ? (void *)&single : (void *)&wide, at, problem->is_single ? 4 : 8);
    return problem->is_single ? (double)single : wide;
}

static char as_written(const struct problem *problem, char letter)
{
    return problem->is_small ? (char)tolower(letter) : letter;
}

/* Limits that the range does not reference are other ones on each process. */
static void fill_limits(struct arguments *of, const struct problem *problem, int me)
{
    const bool has_values = problem->range == 'V', has_indices = problem->range == 'I';
    of->vl = scalar_of(problem, has_values ? problem->vl : me + 3, 0);
    of->vu = scalar_of(problem, has_values ? problem->vu : 1 - me, 0);
    of->il = has_indices ? problem->il : -me;
    of->iu = has_indices ? problem->iu : 7 * me;
}

static void arguments_fill(struct arguments *of, const struct problem *problem, int me)
{
    memset(of, 0x55, sizeof *of);
    of->jobz = as_written(problem, problem->jobz);
    of->range = as_written(problem, problem->range);
    of->uplo = as_written(problem, problem->uplo);
    of->side = as_written(problem, problem->side);
    of->trans = as_written(problem, problem->trans);
    of->transb = as_written(problem, problem->transb);
    of->diag = as_written(problem, problem->diag);
    of->alpha = scalar_of(problem, problem->alpha.re, problem->alpha.im);
    of->beta = scalar_of(problem, problem->beta.re, problem->beta.im);
    fill_limits(of, problem, me);
    of->abstol = scalar_of(problem, 0, 0);
    of->orfac = scalar_of(problem, -1, 0);
    for (int i = 0; problem->letters[i]; i++) {
        of->ia[i] = problem->windows[i].row + 1;
        of->ja[i] = problem->windows[i].column + 1;
    }
}

/* The address of a matrix's arguments; NULL: it is none. */
static void *matrix_argument(struct arguments *of, struct problem *problem, const char *word)
{
    const char *const letter = strchr("ABCZ", word[strlen(word) - 1]);
    const char *const found = letter && strlen(word) != 3 ? strchr(problem->letters, *letter) : NULL;
    if (!found)
        return NULL;
    const int number = (int)(found - problem->letters);
    struct spread *const in = problem->windows[number].in;
    if (strlen(word) == 1)
        return spread_local(in);
    return word[0] == 'D'                      ? (void *)in->descriptor
         : strlen(word) == 2 && word[0] == 'I' ? (void *)&of->ia[number]
         : strlen(word) == 2 && word[0] == 'J' ? (void *)&of->ja[number]
                                               : NULL;
}

static void *argument(struct arguments *of, struct problem *problem, const char *word)
{
    const struct {
        const char *word;
        void *address;
    } known[] = {
        {"JOBZ", &of->jobz},
        {"RANGE", &of->range},
        {"UPLO", &of->uplo},
        {"SIDE", &of->side},
        {"TRANS", &of->trans},
        {"TRANSA", &of->trans},
        {"TRANSB", &of->transb},
        {"DIAG", &of->diag},
        {"M", problem->as->kind == KIND_EIGEN ? &of->found : &problem->m},
        {"N", &problem->n},
        {"K", &problem->k},
        {"NRHS", &problem->nrhs},
        {"IBTYPE", &problem->itype},
        {"ALPHA", &of->alpha},
        {"BETA", &of->beta},
        {"VL", &of->vl},
        {"VU", &of->vu},
        {"IL", &of->il},
        {"IU", &of->iu},
        {"ABSTOL", &of->abstol},
        {"NZ", &of->nz},
        {"W", of->w},
        {"ORFAC", &of->orfac},
        {"WORK", of->workspaces[0]},
        {"LWORK", &of->lengths[0]},
        {"RWORK", of->workspaces[1]},
        {"LRWORK", &of->lengths[1]},
        {"IWORK", of->workspaces[2]},
        {"LIWORK", &of->lengths[2]},
        {"IFAIL", of->ifail},
        {"ICLUSTR", of->iclustr},
        {"GAP", of->gap},
        {"INFO", &of->info},
        {"IPIV", of->pivots},
        {"SCALE", &of->scale},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].word, word) == 0)
            return known[i].address;
    return matrix_argument(of, problem, word);
}

typedef void routine(void);

/* Behind the arguments are the lengths of those that are letters, all 1. */
static void call_with(routine *function, void **a)
{
    ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
               void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
               void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
               void *, void *, void *, void *, void *, void *, void *, void *))function)(
        a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14], a[15],
        a[16], a[17], a[18], a[19], a[20], a[21], a[22], a[23], a[24], a[25], a[26], a[27], a[28], a[29],
        a[30], a[31], a[32], a[33], a[34], a[35], a[36], a[37], a[38], a[39], a[40], a[41], a[42], a[43]);
}

static void call_routine(routine *function, struct arguments *of, struct problem *problem)
{
    enum { ALL = 44 };
    void *all[ALL];
    int count = 0;
    for (const char *at = problem->as->arguments; *at; at += *at == ' ') {
        char word[16] = "";
        const size_t length = strcspn(at, " ");
        memcpy(word, at, length);
        at += length;
        all[count++] = argument(of, problem, word);
    }
    while (count < ALL)
        all[count++] = (void *)1;
    call_with(function, all);
}

/* Asks for their sizes first, and makes them larger. */
static void make_workspaces(routine *function, struct arguments *of, struct problem *problem)
{
    static const char *const words[] = {"WORK", "RWORK", "IWORK"};
    enum { EXTRA = 4096 };
    unsigned char asked[WORKSPACES][2 * sizeof(double)] = {{0}};
    if (!problem_has(problem, "LWORK"))
        return;
    for (int i = 0; i < WORKSPACES; i++) {
        of->lengths[i] = -1;
        of->workspaces[i] = asked[i];
    }
    call_routine(function, of, problem);
    for (int i = 0; i < WORKSPACES; i++) {
        int integer;
        memcpy(&integer, asked[i], sizeof integer);
        const double told = !problem_has(problem, words[i]) ? 0
                          : i == 2                          ? integer
                                                            : real_of(problem, asked[i]);
        of->lengths[i] = 2 * (told > 0 ? (int)told : 0) + EXTRA;
        of->workspaces[i] =
            dense_keep(malloc((size_t)of->lengths[i] * (i == 2 ? sizeof(int) : problem->element)));
    }
}

#endif
