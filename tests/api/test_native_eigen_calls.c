/* Eigenproblems by the native API as calls: what is wrong with arguments, orders of 0, workspace, streams,
 * graphs, and devices that cannot do it. */
#include "eigen_operands.h"

#include "emulated_driver/cuda_calls.h"
#include "emulated_driver/emulated.h"

#include <sys/wait.h>
#include <unistd.h>

enum { N = 20, LD = N + EIGEN_GAP };

/* Only the emulated driver has these. */
static __typeof(emulated_call_count) *call_count;
static __typeof(emulated_set_faults) *set_faults;

static void *a, *c, *tau, *w, *e, *workspace;
static int *info, *m;
static size_t bytes = 1 << 20;

static void allocate_all(void)
{
    a = filled(LD * N * 16), c = filled(LD * N * 16), tau = filled(N * 16), w = filled(N * 8),
    e = filled(N * 8);
    workspace = filled(bytes);
    info = filled(sizeof(int)), m = filled(sizeof(int));
}

static void free_all(void)
{
    void *const all[] = {a, c, tau, w, e, workspace, info, m};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        need(mublas_device_free(handle, all[i]));
}

static void expect(enum mublas_status status, enum mublas_status wanted, const char *text)
{
    tap_ok(status == wanted && strstr(mublas_last_error(handle), text), "%s", text);
    if (status != wanted || !strstr(mublas_last_error(handle), text))
        printf("# status %d: %s\n", status, mublas_last_error(handle));
}
static void refused(enum mublas_status status, const char *text)
{
    expect(status, MUBLAS_BAD_ARGUMENT, text);
}

static void test_flags(void)
{
    size_t room;
    refused(mublas_dsytrd(handle, 'l', N, a, LD, w, e, tau, workspace, bytes),
            "mublas_dsytrd: uplo is neither MUBLAS_LOWER nor MUBLAS_UPPER");
    refused(mublas_syevd_workspace(handle, 'd', MUBLAS_VECTORS, MUBLAS_LOWER, N, LD, &room),
            "mublas_syevd_workspace: type is none of MUBLAS_SINGLE");
    refused(mublas_zheevd(handle, 'X', MUBLAS_LOWER, N, a, LD, w, workspace, bytes, info),
            "mublas_zheevd: vectors is neither MUBLAS_VECTORS nor");
    refused(mublas_ssyevdx(handle, MUBLAS_VECTORS, 'X', MUBLAS_LOWER, N, a, LD, 0, 1, 1, 2, m, w, workspace,
                           bytes, info),
            "mublas_ssyevdx: range is none of MUBLAS_ALL");
    refused(mublas_cstedc(handle, 'X', N, w, e, c, LD, workspace, bytes, info),
            "mublas_cstedc: compz is none of");
    refused(
        mublas_dormtr(handle, 'X', MUBLAS_LOWER, MUBLAS_NO_TRANS, N, N, a, LD, tau, c, LD, workspace, bytes),
        "mublas_dormtr: side is neither MUBLAS_LEFT nor MUBLAS_RIGHT");
    refused(mublas_zunmtr(handle, MUBLAS_LEFT, MUBLAS_LOWER, MUBLAS_TRANS, N, N, a, LD, tau, c, LD, workspace,
                          bytes),
            "mublas_zunmtr: trans is neither MUBLAS_NO_TRANS nor MUBLAS_CONJ_TRANS");
    refused(mublas_dormtr(handle, MUBLAS_LEFT, MUBLAS_LOWER, MUBLAS_CONJ, N, N, a, LD, tau, c, LD, workspace,
                          bytes),
            "mublas_dormtr: trans is none of MUBLAS_NO_TRANS, MUBLAS_TRANS and MUBLAS_CONJ_TRANS");
}

static void test_sizes(void)
{
    refused(mublas_dsytrd(handle, MUBLAS_LOWER, -1, a, LD, w, e, tau, workspace, bytes),
            "n is -1, less than 0");
    refused(mublas_dormtr(handle, MUBLAS_LEFT, MUBLAS_LOWER, MUBLAS_TRANS, -2, N, a, LD, tau, c, LD,
                          workspace, bytes),
            "m is -2, less than 0");
    refused(mublas_zhetrd(handle, MUBLAS_LOWER, N, a, N - 1, w, e, tau, workspace, bytes),
            "lda is 19, less than n, which is 20");
    refused(mublas_dsyevd(handle, MUBLAS_VECTORS, MUBLAS_LOWER, 0, a, 0, w, workspace, bytes, info),
            "lda is 0, less than the least, which is 1");
    refused(mublas_dormtr(handle, MUBLAS_RIGHT, MUBLAS_LOWER, MUBLAS_TRANS, 5, N, a, N - 1, tau, c, 5,
                          workspace, bytes),
            "lda is 19, less than n, which is 20");
    refused(mublas_dormtr(handle, MUBLAS_LEFT, MUBLAS_LOWER, MUBLAS_TRANS, N, 5, a, LD, tau, c, N - 1,
                          workspace, bytes),
            "ldc is 19, less than m, which is 20");
    refused(mublas_dstedc(handle, MUBLAS_COMPZ_TRIDIAGONAL, N, w, e, c, 3, workspace, bytes, info),
            "ldz is 3, less than n, which is 20");
    expect(mublas_dsytrd(handle, MUBLAS_LOWER, INT64_C(1) << 31, a, INT64_C(1) << 31, w, e, tau, workspace,
                         bytes),
           MUBLAS_NOT_SUPPORTED, "2^31 rows or columns");
    expect(mublas_zheevd(handle, MUBLAS_VECTORS, MUBLAS_LOWER, 1 << 21, a, 1 << 21, w, workspace, bytes, info),
           MUBLAS_NOT_SUPPORTED, "an order below 2^21");
}

#define RANGE(range, vl, vu, il, iu)                                                                         \
    mublas_dsyevdx(handle, MUBLAS_VECTORS, range, MUBLAS_LOWER, N, a, LD, vl, vu, il, iu, m, w, workspace,   \
                   bytes, info)

static void test_ranges(void)
{
    refused(RANGE(MUBLAS_INDICES, 0, 0, 0, 3), "il is 0, not from 1 to 20");
    refused(RANGE(MUBLAS_INDICES, 0, 0, 21, 21), "il is 21, not from 1 to 20");
    refused(RANGE(MUBLAS_INDICES, 0, 0, 3, 2), "iu is 2, not from 3 to 20");
    refused(RANGE(MUBLAS_INDICES, 0, 0, 3, 21), "iu is 21, not from 3 to 20");
    refused(RANGE(MUBLAS_INTERVAL, 1, 1, 0, 0), "vl is 1, not less than vu, which is 1");
    refused(RANGE(MUBLAS_INTERVAL, (double)NAN, 1, 0, 0), "not less than vu");
}

static void test_pointers(void)
{
    size_t needed;
    refused(mublas_dsytrd(handle, MUBLAS_LOWER, N, NULL, LD, w, e, tau, workspace, bytes), "a is NULL");
    refused(mublas_dsytrd(handle, MUBLAS_LOWER, N, a, LD, NULL, e, tau, workspace, bytes), "d is NULL");
    refused(mublas_dsytrd(handle, MUBLAS_LOWER, N, a, LD, w, NULL, tau, workspace, bytes), "e is NULL");
    refused(mublas_dsytrd(handle, MUBLAS_LOWER, N, a, LD, w, e, NULL, workspace, bytes), "tau is NULL");
    refused(mublas_dsyevd(handle, MUBLAS_VECTORS, MUBLAS_LOWER, N, a, LD, NULL, workspace, bytes, info),
            "w is NULL");
    refused(mublas_dsyevd(handle, MUBLAS_VECTORS, MUBLAS_LOWER, N, a, LD, w, workspace, bytes, NULL),
            "info is NULL");
    refused(mublas_dsyevdx(handle, MUBLAS_VECTORS, MUBLAS_ALL, MUBLAS_LOWER, N, a, LD, 0, 0, 0, 0, NULL, w,
                           workspace, bytes, info),
            "m is NULL");
    refused(mublas_dormtr(handle, MUBLAS_LEFT, MUBLAS_LOWER, MUBLAS_TRANS, N, 5, a, LD, tau, NULL, LD,
                          workspace, bytes),
            "c is NULL");
    refused(mublas_dstedc(handle, MUBLAS_COMPZ_ORIGINAL, N, w, e, NULL, LD, workspace, bytes, info),
            "z is NULL");
    refused(mublas_sytrd_workspace(handle, MUBLAS_DOUBLE, MUBLAS_LOWER, N, LD, NULL), "bytes is NULL");
    need(mublas_sytrd_workspace(handle, MUBLAS_DOUBLE, MUBLAS_LOWER, N, LD, &needed));
    refused(mublas_dsytrd(handle, MUBLAS_LOWER, N, a, LD, w, e, tau, workspace, needed - 1),
            "workspace_bytes is ");
    refused(mublas_dsytrd(handle, MUBLAS_LOWER, N, a, LD, w, e, tau, NULL, needed), "workspace is NULL");
    refused(mublas_dsytrd(handle, MUBLAS_LOWER, N, a, LD, w, e, tau, (char *)workspace + 8, needed),
            "workspace is not at a multiple of 256 bytes");
    tap_ok(mublas_dsytrd(NULL, MUBLAS_LOWER, N, a, LD, w, e, tau, workspace, needed) == MUBLAS_BAD_HANDLE &&
               mublas_sytrd_workspace(NULL, MUBLAS_DOUBLE, MUBLAS_LOWER, N, LD, &needed) == MUBLAS_BAD_HANDLE,
           "no handle");
}

/* Two stages, which large orders of values alone take, use all of a matrix: it is a copy of A. */
static void test_room_for_a_copy(void)
{
    enum { LARGE = 8192 };
    const size_t copy = sizeof(double) * LARGE * LARGE;
    size_t needed;
    need(mublas_syevd_workspace(handle, MUBLAS_DOUBLE, MUBLAS_NO_VECTORS, MUBLAS_UPPER, LARGE, LARGE,
                                &needed));
    tap_ok(needed >= copy && needed < 2 * copy, "values alone of a large order need %zu bytes, a copy %zu",
           needed, copy);
}

/* There is none for which too few bytes are said to be enough. */
static void test_vast_orders(void)
{
    bool good = true;
    for (int64_t n = 1 << 20; n <= INT32_MAX; n = 2 * n + 1) {
        size_t needed = 1;
        const enum mublas_status status = mublas_stedc_workspace(handle, MUBLAS_DOUBLE_COMPLEX,
                                                                 MUBLAS_COMPZ_ORIGINAL, n, n, &needed);
        good = good && (status == MUBLAS_SUCCESS ? (double)needed > 24 * (double)n * (double)n
                                                 : status == MUBLAS_OUT_OF_MEMORY && needed == 0);
    }
    tap_ok(good, "stedc of orders that no memory holds");
}

/* Judges an answer for syevd, with vectors and without, or for sytrd. */
static bool is_honest(enum mublas_status status, size_t needed, double least)
{
    return status == MUBLAS_SUCCESS ? (double)needed > least
                                    : status == MUBLAS_NOT_SUPPORTED && needed == 0;
}

static void test_vast_matrices(void)
{
    static const enum mublas_type types[] = {MUBLAS_SINGLE, MUBLAS_DOUBLE, MUBLAS_COMPLEX,
                                             MUBLAS_DOUBLE_COMPLEX};
    bool good = true;
    for (int64_t n = 1 << 20; n <= INT32_MAX; n = 2 * n + 1)
        for (int i = 0; i < 4; i++) {
            const double square = (double)n * (double)n;
            size_t needed = 1;
            enum mublas_status status =
                mublas_syevd_workspace(handle, types[i], MUBLAS_VECTORS, MUBLAS_UPPER, n, n, &needed);
            good = good && is_honest(status, needed, 8 * square);
            status = mublas_syevd_workspace(handle, types[i], MUBLAS_NO_VECTORS, MUBLAS_UPPER, n, n, &needed);
            good = good && is_honest(status, needed, square);
            status = mublas_sytrd_workspace(handle, types[i], MUBLAS_UPPER, n, n, &needed);
            good = good && is_honest(status, needed, square);
        }
    tap_ok(good, "nor is one for syevd or sytrd");
}

/* Nothing but INFO and M is touched, and no workspace is needed. */
static void test_order_of_zero(void)
{
    size_t needed = 1;
    bool good = mublas_syevdx_workspace(handle, MUBLAS_COMPLEX, MUBLAS_VECTORS, MUBLAS_INDICES, MUBLAS_LOWER,
                                        0, 1, 1, 0, &needed) == MUBLAS_SUCCESS &&
                needed == 0;
    good = good &&
           mublas_cheevdx(handle, MUBLAS_VECTORS, MUBLAS_INDICES, MUBLAS_LOWER, 0, NULL, 1, 0, 0, 1, 0, m,
                          NULL, NULL, 0, info) == MUBLAS_SUCCESS &&
           int_of(info) == 0 && int_of(m) == 0;
    tap_ok(good, "syevdx of order 0");
}

static void test_nothing_to_do(void)
{
    void *const own = filled(sizeof(int));
    bool good = mublas_dsyevd(handle, MUBLAS_VECTORS, MUBLAS_LOWER, 0, NULL, 1, NULL, NULL, 0, own) ==
                    MUBLAS_SUCCESS &&
                int_of(own) == 0;
    need(mublas_device_free(handle, own));
    good = good &&
           mublas_dstedc(handle, MUBLAS_COMPZ_NONE, 0, NULL, NULL, NULL, 1, NULL, 0, info) == MUBLAS_SUCCESS;
    good =
        good && mublas_dsytrd(handle, MUBLAS_UPPER, 0, NULL, 1, NULL, NULL, NULL, NULL, 0) == MUBLAS_SUCCESS;
    tap_ok(good, "syevd, stedc and sytrd of order 0");
    good = mublas_zunmtr(handle, MUBLAS_LEFT, MUBLAS_LOWER, MUBLAS_NO_TRANS, 0, N, NULL, 1, NULL, NULL, 1,
                         NULL, 0) == MUBLAS_SUCCESS &&
           mublas_dormtr(handle, MUBLAS_RIGHT, MUBLAS_LOWER, MUBLAS_NO_TRANS, N, 1, a, 1, NULL, c, LD, NULL,
                         0) == MUBLAS_SUCCESS;
    tap_ok(good, "ormtr of no rows, and of a Q of order 1");
}

/* Values that are no numbers come to an end. */
static void test_stedc_not_finite(double value, bool is_beside, enum mublas_compz compz)
{
    double values[N], beside[N];
    for (int i = 0; i < N; i++)
        values[i] = i, beside[i] = 1;
    *(is_beside ? &beside[7] : &values[7]) = value;
    need(mublas_copy_to_device(handle, w, values, sizeof values));
    need(mublas_copy_to_device(handle, e, beside, sizeof beside));
    need(mublas_dstedc(handle, compz, N, w, e, c, LD, workspace, bytes, info));
    need(mublas_synchronise(handle));
    need(mublas_copy_to_host(handle, values, w, sizeof values));
    tap_ok(int_of(info) == -1 && isnan(values[0]) && isnan(values[N - 1]),
           "stedc of %g, compz %c: INFO is %d", value, compz, int_of(info));
}

static void test_no_waits(void)
{
    struct problem problem = problem_make(TYPE_D, MUBLAS_LOWER, N, random_kind);
    size_t needed;
    need(mublas_syevd_workspace(handle, MUBLAS_DOUBLE, MUBLAS_VECTORS, MUBLAS_LOWER, N, LD, &needed));
    const unsigned long waits = call_count("cuStreamSynchronize") + call_count("cuEventSynchronize");
    need(mublas_dsyevd(handle, MUBLAS_VECTORS, MUBLAS_LOWER, N, problem.a.device, LD, problem.w.device,
                       workspace, bytes, problem.info));
    tap_ok(call_count("cuStreamSynchronize") + call_count("cuEventSynchronize") == waits,
           "a call waits for nothing");
    need(mublas_synchronise(handle));
    problem_free(&problem);
}

static void put_problem(const struct problem *problem)
{
    operand_put(&problem->a, problem->given, (char)problem->uplo);
}

/* A launch that the driver refuses is not tried again, so this comes last. */
static void test_refused_launch(void)
{
    enum mublas_status statuses[2];
    make_handle();
    struct problem problem = problem_make(TYPE_D, MUBLAS_LOWER, N, random_kind);
    workspace = filled(bytes);
    for (int i = 0; i < 2; i++) {
        set_faults(i == 0 ? "cuLaunchCooperativeKernel:1:720" : "");
        statuses[i] = mublas_dsyevd(handle, MUBLAS_VECTORS, MUBLAS_LOWER, N, problem.a.device, LD,
                                    problem.w.device, workspace, bytes, problem.info);
    }
    tap_ok(statuses[0] == MUBLAS_NOT_SUPPORTED && statuses[1] == MUBLAS_NOT_SUPPORTED,
           "a refused launch: status %d, %s; and so for later calls", statuses[0], mublas_last_error(handle));
    problem_free(&problem);
    need(mublas_device_free(handle, workspace));
    need(mublas_destroy(handle));
}

/* A failure is said, and the next call is fine. */
static void test_fault(const char *fault, enum mublas_status expected)
{
    struct problem problem = problem_make(TYPE_D, MUBLAS_LOWER, N, random_kind);
    bool kept = true;
    set_faults(fault);
    const enum mublas_status status =
        mublas_dsyevd(handle, MUBLAS_VECTORS, MUBLAS_LOWER, N, problem.a.device, LD, problem.w.device,
                      workspace, bytes, problem.info);
    set_faults("");
    put_problem(&problem);
    const bool solved = solve(&problem, MUBLAS_VECTORS) == MUBLAS_SUCCESS;
    double *const values = real_values(&problem.w, &kept);
    double complex *const v = operand_get(&problem.a, 'A', &kept);
    tap_ok(status == expected && solved && kept && are_eigenvectors(&problem, v, values, N),
           "%s: status %d, %s; then a call is right", fault, status, mublas_last_error(handle));
    free(values), free(v);
    problem_free(&problem);
}

/* On two streams in turns: the handle's cuSOLVER goes with them. */
static void test_streams(void)
{
    CUstream streams[2];
    struct problem problems[2];
    void *own[2];
    bool good = true, kept = true;
    size_t needed;
    need(mublas_syevd_workspace(handle, MUBLAS_DOUBLE, MUBLAS_VECTORS, MUBLAS_LOWER, N, LD, &needed));
    for (int i = 0; i < 2; i++) {
        MUST(cuda.stream_create(&streams[i], CU_STREAM_NON_BLOCKING));
        problems[i] = problem_make(TYPE_D, MUBLAS_LOWER, N, random_kind);
        own[i] = filled(needed);
    }
    for (int i = 0; i < 2; i++) {
        need(mublas_set_stream(handle, streams[i]));
        need(mublas_dsyevd(handle, MUBLAS_VECTORS, MUBLAS_LOWER, N, problems[i].a.device, LD,
                           problems[i].w.device, own[i], needed, problems[i].info));
    }
    for (int i = 0; i < 2; i++)
        MUST(cuda.stream_synchronise(streams[i]));
    need(mublas_set_stream(handle, NULL));
    for (int i = 0; i < 2; i++) {
        double *const values = real_values(&problems[i].w, &kept);
        double complex *const v = operand_get(&problems[i].a, 'A', &kept);
        good = good && are_eigenvectors(&problems[i], v, values, N);
        free(values), free(v);
        problem_free(&problems[i]);
        need(mublas_device_free(handle, own[i]));
        MUST(cuda.stream_destroy(streams[i]));
    }
    tap_ok(good && kept, "calls on two streams");
}

/* syevd, and its steps one by one, twice by one graph: the bits of plain calls. */
static void queue_all(const struct problem *problem, void *vectors)
{
    need(mublas_dsyevd(handle, MUBLAS_VECTORS, MUBLAS_LOWER, N, vectors, LD, problem->w.device, workspace,
                       bytes, info));
    need(mublas_dsytrd(handle, MUBLAS_LOWER, N, problem->a.device, LD, w, e, tau, workspace, bytes));
    need(mublas_dstedc(handle, MUBLAS_COMPZ_TRIDIAGONAL, N, w, e, c, LD, workspace, bytes, m));
    need(mublas_dormtr(handle, MUBLAS_LEFT, MUBLAS_LOWER, MUBLAS_NO_TRANS, N, N, problem->a.device, LD, tau, c, LD,
                       workspace, bytes));
}

static bool are_equal_columns(const unsigned char *one, const unsigned char *other)
{
    bool good = true;
    for (int j = 0; j < N; j++)
        good = good && memcmp(one + j * LD * 8, other + j * LD * 8, N * 8) == 0;
    return good;
}

static void test_graph(CUstream stream)
{
    enum { TIMES = 2, BYTES = LD * N * 8 };
    struct problem problem = problem_make(TYPE_D, MUBLAS_LOWER, N, random_kind);
    const struct operand_on_device second = {TYPE_D, N, N, LD, filled(BYTES)};
    unsigned char *const expected = malloc(2 * BYTES), *const present = malloc(2 * BYTES);
    double plain[2][N], replayed[2][N];
    CUgraph graph;
    CUgraphExec executable;
    bool good = true;
    need(mublas_set_stream(handle, stream));
    operand_put(&second, problem.given, 'L');
    queue_all(&problem, second.device);
    need(mublas_copy_to_host(handle, expected, c, BYTES));
    need(mublas_copy_to_host(handle, expected + BYTES, second.device, BYTES));
    need(mublas_copy_to_host(handle, plain[0], problem.w.device, sizeof plain[0]));
    need(mublas_copy_to_host(handle, plain[1], w, sizeof plain[1]));
    MUST(graphs.begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    queue_all(&problem, second.device);
    MUST(graphs.end(stream, &graph));
    MUST(graphs.instantiate(&executable, graph, 0));
    for (int i = 0; i < TIMES; i++) {
        memset(present, 0, BYTES);
        put_problem(&problem);
        operand_put(&second, problem.given, 'L');
        need(mublas_copy_to_device(handle, c, present, BYTES));
        MUST(graphs.launch(executable, stream));
        need(mublas_copy_to_host(handle, present, c, BYTES));
        need(mublas_copy_to_host(handle, present + BYTES, second.device, BYTES));
        need(mublas_copy_to_host(handle, replayed[0], problem.w.device, sizeof replayed[0]));
        need(mublas_copy_to_host(handle, replayed[1], w, sizeof replayed[1]));
        good = good && are_equal_columns(present, expected) &&
               are_equal_columns(present + BYTES, expected + BYTES);
        good = good && memcmp(plain, replayed, sizeof plain) == 0;
    }
    tap_ok(good && int_of(info) == 0 && int_of(m) == 0,
           "sytrd, stedc, ormtr and syevd with vectors in a graph: the same bits");
    MUST(graphs.destroy_executable(executable));
    MUST(graphs.destroy(graph));
    need(mublas_device_free(handle, second.device));
    problem_free(&problem);
    free(expected), free(present);
    need(mublas_set_stream(handle, NULL));
}

/* Calls that a capture cannot have are refused, and it goes on. */
static void test_refused_captures(CUstream stream)
{
    struct mublas_handle *const known = handle;
    CUgraph graph;
    need(mublas_set_stream(handle, stream));
    MUST(graphs.begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    make_handle();
    need(mublas_set_stream(handle, stream));
    expect(mublas_dsytrd(handle, MUBLAS_LOWER, N, a, LD, w, e, tau, workspace, bytes), MUBLAS_NOT_SUPPORTED,
           "ask for the workspace before");
    need(mublas_destroy(handle));
    handle = known;
    MUST(graphs.end(stream, &graph));
    MUST(graphs.destroy(graph));
    need(mublas_set_stream(handle, NULL));
}

/* This program once more, since settings are read once; says by its status whether it is refused so. */
static int see_refusal(const char *text)
{
    size_t needed;
    make_handle();
    return mublas_sytrd_workspace(handle, MUBLAS_DOUBLE, MUBLAS_LOWER, N, LD, &needed) !=
               MUBLAS_NOT_SUPPORTED ||
           !strstr(mublas_last_error(handle), text);
}

static void test_unsupported(const char *setting, const char *value, const char *text)
{
    int status = -1;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        setenv(setting, value, 1);
        execl("/proc/self/exe", "test_native_eigen_calls", text, (char *)NULL);
        _exit(2);
    }
    waitpid(child, &status, 0);
    tap_ok(status == 0, "%s=%s: %s", setting, value, text);
}

static void test_what_is_wrong(void)
{
    test_flags();
    test_sizes();
    test_ranges();
    test_pointers();
    test_room_for_a_copy();
    test_vast_orders();
    test_vast_matrices();
    test_order_of_zero();
    test_nothing_to_do();
}

static void test_calls(void)
{
    CUstream stream;
    test_stedc_not_finite((double)NAN, false, MUBLAS_COMPZ_TRIDIAGONAL);
    test_stedc_not_finite((double)NAN, true, MUBLAS_COMPZ_NONE);
    test_stedc_not_finite((double)INFINITY, false, MUBLAS_COMPZ_NONE);
    test_stedc_not_finite((double)INFINITY, true, MUBLAS_COMPZ_TRIDIAGONAL);
    test_no_waits();
    test_fault("cuMemsetD8Async:1:2", MUBLAS_OUT_OF_MEMORY);
    test_fault("cuLaunchCooperativeKernel:1:1", MUBLAS_DEVICE_ERROR);
    test_fault("cuLaunchKernel:3:1", MUBLAS_DEVICE_ERROR);
    test_streams();
    MUST(cuda.stream_create(&stream, CU_STREAM_NON_BLOCKING));
    test_graph(stream);
    test_refused_captures(stream);
    MUST(cuda.stream_destroy(stream));
}

static void test_end(void *library)
{
    struct emulated_census before, after;
    __typeof(emulated_census) *census;
    size_t needed;
    look_up(library, "emulated_census", &census);
    census(&before);
    make_handle();
    need(mublas_sytrd_workspace(handle, MUBLAS_DOUBLE, MUBLAS_LOWER, N, LD, &needed));
    need(mublas_destroy(handle));
    census(&after);
    tap_ok(after.allocations == before.allocations && after.streams == before.streams &&
               after.events == before.events,
           "a destroyed handle leaves nothing behind");
}

int main(int argc, char **argv)
{
    CUcontext context;
    set_up_device();
    if (argc > 1)
        return see_refusal(argv[1]);
    void *const library = open_cuda("emulated_census", "this test runs on the emulated driver");
    test_unsupported("EMULATED_COOPERATIVE", "0", "this needs a device with cooperative launches");
    test_unsupported("MUBLAS_CUSOLVER", "/nowhere/libcusolver.so", "there is no cuSOLVER that can be used");
    look_up_graphs(library);
    look_up(library, "emulated_call_count", &call_count);
    look_up(library, "emulated_set_faults", &set_faults);
    MUST(cuda.init(0));
    MUST(cuda.primary_retain(&context, 0));
    MUST(cuda.context_push(context));
    make_handle();
    allocate_all();
    test_what_is_wrong();
    test_calls();
    free_all();
    need(mublas_destroy(handle));
    test_end(library);
    test_refused_launch();
    return tap_done();
}
