/* Parallel routines where something goes wrong, a case a run:
 *   mpirun -n 4 parallel_faults CASE
 * Prints "right" or what is wrong, INFO and a hash of the results where they are to be the host's. With
 * PARALLEL_PIDS=FILE each rank writes its process id to FILE.RANK. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

void Cblacs_pinfo(int *me, int *count);
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridmap(int *context, const int *map, int ld, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
void Cblacs_gridexit(int context);
void Cblacs_exit(int goes_on);
void Cigamx2d(int context, const char *scope, const char *topology, int m, int n, int *a, int lda, int *rows,
              int *columns, int flag, int row, int column);
int numroc_(const int *n, const int *block, const int *me, const int *first, const int *count);
void pdpotrf_(const char *uplo, const int *n, double *a, const int *ia, const int *ja, const int *desca,
              int *info);
void pdtrtri_(const char *uplo, const char *diag, const int *n, double *a, const int *ia, const int *ja,
              const int *desca, int *info);
void pdgetrf_(const int *m, const int *n, double *a, const int *ia, const int *ja, const int *desca,
              int *ipiv, int *info);
void pdsyngst_(const int *itype, const char *uplo, const int *n, double *a, const int *ia, const int *ja,
               const int *desca, const double *b, const int *ib, const int *jb, const int *descb,
               double *scale, double *work, const int *lwork, int *info);
void pdsyevd_(const char *job, const char *uplo, const int *n, double *a, const int *ia, const int *ja,
              const int *desca, double *w, double *z, const int *iz, const int *jz, const int *descz,
              double *work, const int *lwork, int *iwork, const int *liwork, int *info);

enum { ORDER = 100, BLOCK = 8 };
static const int zero = 0, one = 1;
static int me, processes;

struct matrix {
    int context, grid_rows, grid_columns, row, column;
    int order, rows, columns, ld, descriptor[9];
    double *local;
};

static void fail(const char *what)
{
    printf("rank %d: %s\n", me, what);
    fflush(stdout);
    _exit(4);
}

static int index_of(int local, int mine, int count)
{
    return (local / BLOCK * count + mine) * BLOCK + local % BLOCK;
}

/* In whole pages of its own, with no elements between columns. */
static struct matrix matrix_new(int context, int order)
{
    const int block = BLOCK;
    struct matrix m = {.context = context, .order = order};
    Cblacs_gridinfo(context, &m.grid_rows, &m.grid_columns, &m.row, &m.column);
    m.rows = numroc_(&order, &block, &m.row, &zero, &m.grid_rows);
    m.columns = numroc_(&order, &block, &m.column, &zero, &m.grid_columns);
    m.ld = m.rows > 1 ? m.rows : 1;
    const int descriptor[] = {1, context, order, order, BLOCK, BLOCK, 0, 0, m.ld};
    memcpy(m.descriptor, descriptor, sizeof descriptor);
    m.local = mmap(NULL, (size_t)m.ld * (size_t)(m.columns + 1) * sizeof(double), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (m.local == MAP_FAILED)
        fail("no memory");
    return m;
}

static size_t matrix_bytes(const struct matrix *m)
{
    return (size_t)m->ld * (size_t)(m->columns + 1) * sizeof(double);
}

static void matrix_free(struct matrix *m)
{
    munmap(m->local, matrix_bytes(m));
}

/* min(i, j) + 1, whose Cholesky factor has ones alone. */
static double least(int i, int j)
{
    return (i < j ? i : j) + 1.0;
}

/* Second differences: eigenvalues 2 - 2 cos(k pi / (n + 1)). */
static double differences(int i, int j)
{
    return i == j ? 2 : abs(i - j) == 1 ? -1 : 0;
}

static void matrix_fill(const struct matrix *m, double (*element)(int, int))
{
    for (int j = 0; j < m->columns; j++)
        for (int i = 0; i < m->rows; i++)
            m->local[(size_t)j * (size_t)m->ld + (size_t)i] =
                element(index_of(i, m->row, m->grid_rows), index_of(j, m->column, m->grid_columns));
}

/* Sets the element at those places where it is this process's. */
static void matrix_set(const struct matrix *m, int at_i, int at_j, double value)
{
    for (int j = 0; j < m->columns; j++)
        for (int i = 0; i < m->rows; i++)
            if (index_of(i, m->row, m->grid_rows) == at_i && index_of(j, m->column, m->grid_columns) == at_j)
                m->local[(size_t)j * (size_t)m->ld + (size_t)i] = value;
}

static void check_factor(const struct matrix *m)
{
    for (int j = 0; j < m->columns; j++)
        for (int i = 0; i < m->rows; i++) {
            const int row = index_of(i, m->row, m->grid_rows),
                      column = index_of(j, m->column, m->grid_columns);
            const double wanted = row >= column ? 1 : least(row, column);
            if (!(fabs(m->local[(size_t)j * (size_t)m->ld + (size_t)i] - wanted) < 1e-9))
                fail("the factor is wrong");
        }
}

static void factor(int context, int order)
{
    int info = 77;
    struct matrix m = matrix_new(context, order);
    matrix_fill(&m, least);
    pdpotrf_("L", &order, m.local, &one, &one, m.descriptor, &info);
    if (info != 0)
        fail("INFO is not 0");
    check_factor(&m);
    matrix_free(&m);
}

static void eigenvalues(int context)
{
    enum { WORK = 200000, INTEGERS = 20000 };
    const int order = ORDER, lwork = WORK, liwork = INTEGERS;
    struct matrix a = matrix_new(context, ORDER), z = matrix_new(context, ORDER);
    double w[ORDER], *const work = malloc(WORK * sizeof *work);
    int *const iwork = malloc(INTEGERS * sizeof *iwork), info = 77;
    matrix_fill(&a, differences);
    pdsyevd_("V", "U", &order, a.local, &one, &one, a.descriptor, w, z.local, &one, &one, z.descriptor, work,
             &lwork, iwork, &liwork, &info);
    for (int i = 0; i < ORDER && info == 0; i++)
        if (!(fabs(w[i] - (2 - 2 * cos((i + 1) * acos(-1) / (ORDER + 1)))) < 1e-12))
            fail("an eigenvalue is wrong");
    if (info != 0)
        fail("INFO of pdsyevd is not 0");
    free(work);
    free(iwork);
    matrix_free(&a);
    matrix_free(&z);
}

static int grid_of_all(void)
{
    int context;
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", 2, processes / 2);
    return context;
}

/* One hash of everybody's part, and INFO, by the first process. */
static void tell(const struct matrix *m, int info)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < (size_t)m->ld * (size_t)m->columns * sizeof(double); i++)
        hash = (hash ^ ((const unsigned char *)m->local)[i]) * UINT64_C(0x100000001b3);
    int facts[3] = {info, (int)(hash >> 34) & 0x3fffffff, 0};
    printf("rank %d INFO %d content %d\n", me, facts[0], facts[1]);
}

static void case_plain(void)
{
    const int context = grid_of_all();
    factor(context, ORDER);
    eigenvalues(context);
    factor(context, ORDER);
}

/* The BLACS give the handle of a grid that is gone to the next. */
static void case_contexts(void)
{
    for (int i = 0; i < 20; i++) {
        const int pairs[3][2] = {{2, 3}, {3, 0}, {1, 2}};
        const int all = grid_of_all();
        int context;
        factor(all, ORDER);
        Cblacs_gridexit(all);
        Cblacs_get(-1, 0, &context);
        Cblacs_gridmap(&context, pairs[i % 3], 1, 1, 2);
        if (me != pairs[i % 3][0] && me != pairs[i % 3][1])
            continue;
        if (context != all)
            fail("the handle is another");
        factor(context, ORDER);
        Cblacs_gridexit(context);
    }
}

static int count_files(void)
{
    int count = 0;
    DIR *const folder = opendir("/proc/self/fd");
    while (folder && readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static int count_arenas(void)
{
    char line[512];
    int count = 0;
    FILE *const maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        count += strstr(line, "mublas arena") != NULL;
    fclose(maps);
    return count;
}

static void case_many(void)
{
    int files = 0, arenas = 0;
    for (int i = 0; i < 200; i++) {
        const int context = grid_of_all();
        factor(context, 40);
        Cblacs_gridexit(context);
        if (i == 20) {
            files = count_files();
            arenas = count_arenas();
        }
    }
    if (count_files() != files || count_arenas() != arenas || arenas > 1)
        fail("files or arenas grow");
}

/* One rank asks for the workspace, the others mean the call. */
static void case_query(void)
{
    enum { WORK = 200000, INTEGERS = 20000 };
    const int context = grid_of_all(), order = ORDER, lwork = me == 1 ? -1 : WORK, liwork = INTEGERS;
    struct matrix a = matrix_new(context, ORDER), z = matrix_new(context, ORDER);
    double w[ORDER], *const work = malloc(WORK * sizeof *work);
    int *const iwork = malloc(INTEGERS * sizeof *iwork), info = 77;
    matrix_fill(&a, differences);
    pdsyevd_("V", "U", &order, a.local, &one, &one, a.descriptor, w, z.local, &one, &one, z.descriptor, work,
             &lwork, iwork, &liwork, &info);
    printf("rank %d INFO %d\n", me, info);
    factor(context, ORDER);
    free(work);
    free(iwork);
}

static void case_ld(void)
{
    const int context = grid_of_all(), order = ORDER;
    int info = 77;
    struct matrix m = matrix_new(context, ORDER);
    matrix_fill(&m, least);
    if (me == 1)
        m.descriptor[8] = m.rows - 1;
    pdpotrf_("L", &order, m.local, &one, &one, m.descriptor, &info);
    tell(&m, info);
    factor(context, ORDER);
}

static void case_info(void)
{
    const int context = grid_of_all(), order = ORDER;
    int info = 77, ipiv[ORDER + BLOCK] = {0};
    struct matrix m = matrix_new(context, ORDER);
    matrix_fill(&m, least);
    matrix_set(&m, 60, 60, -5);
    pdpotrf_("L", &order, m.local, &one, &one, m.descriptor, &info);
    tell(&m, info);
    matrix_fill(&m, least);
    matrix_set(&m, 30, 30, 0);
    pdtrtri_("U", "N", &order, m.local, &one, &one, m.descriptor, &info);
    tell(&m, info);
    matrix_fill(&m, least);
    for (int i = 0; i < ORDER; i++)
        matrix_set(&m, i, 45, 0);
    pdgetrf_(&order, &order, m.local, &one, &one, m.descriptor, ipiv, &info);
    tell(&m, info);
    matrix_fill(&m, least);
    matrix_set(&m, 50, 20, NAN);
    pdpotrf_("L", &order, m.local, &one, &one, m.descriptor, &info);
    printf("rank %d INFO %d of NaN\n", me, info);
    factor(context, ORDER);
}

/* With NaN in A the device refuses, and the host's routine calls many others of its own. */
static void case_inner(void)
{
    enum { WORK = 100000 };
    const int context = grid_of_all(), order = ORDER, lwork = WORK;
    double scale = 0, *const work = malloc(WORK * sizeof *work);
    int info = 77;
    struct matrix a = matrix_new(context, ORDER), b = matrix_new(context, ORDER);
    matrix_fill(&a, differences);
    matrix_fill(&b, differences);
    matrix_set(&a, 50, 20, NAN);
    pdsyngst_(&one, "L", &order, a.local, &one, &one, a.descriptor, b.local, &one, &one, b.descriptor, &scale,
              work, &lwork, &info);
    if (info != 0)
        fail("INFO of pdsyngst is not 0");
    free(work);
}

static void limit(int resource, size_t bytes)
{
    struct rlimit limit;
    getrlimit((__rlimit_resource_t)resource, &limit);
    limit.rlim_cur = bytes;
    setrlimit((__rlimit_resource_t)resource, &limit);
}

/* Libraries call this one, too. There is no room for what ranks share once `lacks_room` is set. */
static bool lacks_room;

__attribute__((visibility("default"))) void *mmap(void *address, size_t length, int protection, int flags,
                                                  int file, off_t offset)
{
    char path[64], name[64] = "";
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (lacks_room && file >= 0 && readlink(path, name, sizeof name - 1) > 0 &&
        strstr(name, "mublas arena")) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, address, length, protection, flags, file, offset); /* NOLINT */
}

/* The host's BLAS wakes everybody's emulated device, which makes large files of its own. */
static void wake_all(int context)
{
    const int order = ORDER;
    int info = 0;
    struct matrix m = matrix_new(context, ORDER);
    matrix_fill(&m, least);
    matrix_set(&m, 60, 60, -5);
    pdpotrf_("L", &order, m.local, &one, &one, m.descriptor, &info);
    matrix_free(&m);
}

/* On one rank, or by `rank` -1 on all. */
static void case_limit(bool of_files, int rank)
{
    enum {
        LARGE = 540,
        FEWER = 2500000
    }; /* than the bytes of the whole matrix, and more than those of a part */
    const int context = grid_of_all(), order = LARGE;
    int info = 77;
    struct matrix m = matrix_new(context, LARGE);
    wake_all(context);
    factor(context, ORDER);
    matrix_fill(&m, least);
    if (of_files && (me == rank || rank < 0))
        limit(RLIMIT_FSIZE, FEWER);
    lacks_room = !of_files && (me == rank || rank < 0);
    pdpotrf_("L", &order, m.local, &one, &one, m.descriptor, &info);
    if (info != 0)
        fail("INFO is not 0");
    check_factor(&m);
}

static void die(int signal)
{
    (void)signal;
    kill(getpid(), SIGKILL);
}

/* Dies where mublas reads this rank's matrix, or writes it. */
static void case_death(int rank, bool in_put)
{
    const int context = grid_of_all(), order = ORDER;
    int info = 77;
    struct matrix m = matrix_new(context, ORDER);
    factor(context, ORDER);
    matrix_fill(&m, least);
    if (me == rank) {
        signal(SIGSEGV, die);
        mprotect(m.local, matrix_bytes(&m), in_put ? PROT_NONE : PROT_READ);
    }
    pdpotrf_("L", &order, m.local, &one, &one, m.descriptor, &info);
    sleep(me == rank ? 0 : 60);
}

static int thread_context;

static void *in_thread(void *nothing)
{
    for (int i = 0; i < 3; i++)
        factor(thread_context, ORDER);
    return nothing;
}

/* One after the other, each with a grid of its own. */
static void case_threads(void)
{
    const int context = grid_of_all();
    thread_context = grid_of_all();
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        factor(context, ORDER);
        if (pthread_create(&thread, NULL, in_thread, NULL) != 0)
            fail("no thread");
        pthread_join(thread, NULL);
    }
}

static void note_process(void)
{
    const char *const name = getenv("PARALLEL_PIDS");
    char path[4096];
    snprintf(path, sizeof path, "%s.%d", name ? name : "", me);
    FILE *const file = name ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%d\n", (int)getpid());
        fclose(file);
    }
}

static void run(const char *what)
{
    int rank = -1;
    if (strcmp(what, "plain") == 0 || sscanf(what, "undumpable%d", &rank) == 1)
        case_plain();
    else if (strcmp(what, "contexts") == 0)
        case_contexts();
    else if (strcmp(what, "many") == 0)
        case_many();
    else if (strcmp(what, "query") == 0)
        case_query();
    else if (strcmp(what, "ld") == 0)
        case_ld();
    else if (strcmp(what, "info") == 0)
        case_info();
    else if (strcmp(what, "inner") == 0)
        case_inner();
    else if (strcmp(what, "threads") == 0)
        case_threads();
    else if (sscanf(what, "room%d", &rank) == 1)
        case_limit(false, rank);
    else if (sscanf(what, "file%d", &rank) == 1)
        case_limit(true, rank);
    else if (sscanf(what, "put%d", &rank) == 1)
        case_death(rank, true);
    else if (sscanf(what, "take%d", &rank) == 1)
        case_death(rank, false);
    else
        fail("no such case");
}

int main(int argc, char **argv)
{
    int rank;
    if (argc != 2)
        return 2;
    int (*const init)(int *, char ***, int, int *) =
        (int (*)(int *, char ***, int, int *))(uintptr_t)dlsym(RTLD_DEFAULT, "MPI_Init_thread");
    int got = 0;
    if (init)
        init(&argc, &argv, 2 /* MPI_THREAD_SERIALIZED */, &got);
    Cblacs_pinfo(&me, &processes);
    note_process();
    if (sscanf(argv[1], "undumpable%d", &rank) == 1 && (rank == me || rank < 0))
        prctl(PR_SET_DUMPABLE, 0);
    run(argv[1]);
    printf("rank %d right\n", me);
    fflush(stdout);
    Cblacs_exit(0);
    return 0;
}
