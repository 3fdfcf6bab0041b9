/* The emulated cuSOLVER: handles, order in streams, requests of the environment, faults, misuse. */
#include "emulated_device.h"
#include "emulated_driver/cusolver.h"

#include <math.h>
#include <signal.h>

enum { GAP = 3 }; /* rows between a matrix's columns that belong to nobody */

static void *solver_library;
static cusolverDnHandle_t handle;
static cusolverDnParams_t params;

static void *solver_symbol(const char *name)
{
    void *address = dlsym(solver_library, name);
    if (!address) {
        printf("Bail out! libcusolver.so.12 has no %s\n", name);
        exit(1);
    }
    return address;
}
/* An exported function, by its prototype. */
#define SOLVER(function) ((__typeof(function) *)solver_symbol(#function))
static void open_solver(void)
{
    open_device();
    solver_library = dlopen("libcusolver.so.12", RTLD_NOW | RTLD_LOCAL);
    if (!solver_library) {
        printf("Bail out! %s\n", dlerror());
        exit(1);
    }
    MUST(SOLVER(cusolverDnCreate)(&handle));
    MUST(SOLVER(cusolverDnSetStream)(handle, stream));
    MUST(SOLVER(cusolverDnCreateParams)(&params));
}

/* In device memory with leading dimension rows + GAP, where the gaps hold 0xff; on the host with rows. */
struct matrix {
    int rows, columns, ld;
    double *values;
    CUdeviceptr device;
};

static double *value_at(const struct matrix *matrix, int row, int column)
{
    return &matrix->values[row + column * matrix->rows];
}

static CUdeviceptr column_of(const struct matrix *matrix, int column)
{
    return matrix->device + (size_t)column * (size_t)matrix->ld * sizeof(double);
}

static struct matrix matrix_make(int rows, int columns)
{
    struct matrix matrix = {rows, columns, rows + GAP, NULL, 0};
    matrix.values = calloc((size_t)(rows * columns) + 1, sizeof *matrix.values);
    matrix.device = allocate((size_t)(matrix.ld * columns + 2) * sizeof(double));
    return matrix;
}

static void matrix_free(struct matrix *matrix)
{
    MUST(cuda.memory_free(matrix->device));
    free(matrix->values);
}

static void matrix_put(const struct matrix *matrix)
{
    double gap[GAP];
    memset(gap, 0xff, sizeof gap);
    for (int j = 0; j < matrix->columns; j++) {
        const size_t bytes = (size_t)matrix->rows * sizeof(double);
        emulated.poke(column_of(matrix, j), value_at(matrix, 0, j), bytes);
        emulated.poke(column_of(matrix, j) + bytes, gap, sizeof gap);
    }
}

static void matrix_get(const struct matrix *matrix)
{
    for (int j = 0; j < matrix->columns; j++)
        emulated.peek(value_at(matrix, 0, j), column_of(matrix, j), (size_t)matrix->rows * sizeof(double));
}

static int count_poison(const struct matrix *matrix)
{
    const uint64_t poison = SOLVER_POISON_DOUBLE;
    int count = 0;
    for (int j = 0; j < matrix->columns; j++)
        for (size_t i = 0; i < (size_t)matrix->rows; i++) {
            uint64_t element;
            emulated.peek(&element, column_of(matrix, j) + i * sizeof element, sizeof element);
            count += element == poison;
        }
    return count;
}

static void matrix_symmetric(struct matrix *matrix)
{
    uint64_t state = 12345;
    for (int j = 0; j < matrix->columns; j++)
        for (int i = 0; i <= j; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            *value_at(matrix, i, j) = *value_at(matrix, j, i) = (double)(int64_t)(state >> 11) * 0x1p-52 - 1;
        }
}

/* Workspaces, INFO and what stood in it before the wait. */
static struct {
    CUdeviceptr work, info;
    void *host;
    size_t device_bytes, host_bytes;
} buffers;

static void buffers_make(size_t device_bytes, size_t host_bytes)
{
    const int zero = 0;
    buffers.work = allocate(device_bytes + 16);
    buffers.info = allocate(sizeof(int));
    emulated.poke(buffers.info, &zero, sizeof zero);
    buffers.host = malloc(host_bytes + 1);
    buffers.device_bytes = device_bytes, buffers.host_bytes = host_bytes;
}
static int info_now(void)
{
    int info;
    emulated.peek(&info, buffers.info, sizeof info);
    return info;
}
/* Wait; INFO. False in *poisoned when INFO was told before. */
static int buffers_finish(bool *poisoned)
{
    *poisoned = info_now() == (int)SOLVER_POISON_INT;
    MUST(cuda.stream_synchronise(stream));
    const int info = info_now();
    MUST(cuda.memory_free(buffers.work));
    MUST(cuda.memory_free(buffers.info));
    free(buffers.host);
    return info;
}
#define BUFFERS \
    on_device(buffers.work), buffers.device_bytes, buffers.host, buffers.host_bytes, on_device(buffers.info)

enum { N = 6 };

typedef int any_function(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                         uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);

static const char *const functions[] = {
#define CUSOLVER_FUNCTION(symbol) #symbol,
#include "emulated_driver/cusolver.def"
#undef CUSOLVER_FUNCTION
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* A preloaded program would have these: nobody may come here. */
#pragma GCC visibility push(default)
int dgemm_(void), dsyrk_(void), dtrsm_(void), dsymv_(void), dpotrf_(void);
#pragma GCC visibility pop
static int strangers;
int dgemm_(void) { return strangers++; }
int dsyrk_(void) { return strangers++; }
int dtrsm_(void) { return strangers++; }
int dsymv_(void) { return strangers++; }
int dpotrf_(void) { return strangers++; }

static struct matrix a, w;
static size_t device_bytes, host_bytes;

static void make(void)
{
    a = matrix_make(N, N), w = matrix_make(N, 1);
    matrix_symmetric(&a);
    matrix_put(&a);
    MUST(SOLVER(cusolverDnXsyevd_bufferSize)(handle, params, 1, 0, N, CUDA_R_64F, NULL, a.ld, CUDA_R_64F,
                                             NULL, CUDA_R_64F, &device_bytes, &host_bytes));
    buffers_make(device_bytes, host_bytes);
}
static void drop(void)
{
    matrix_free(&a), matrix_free(&w);
}

static int syevd(void)
{
    return SOLVER(cusolverDnXsyevd)(handle, params, 1, 0, N, CUDA_R_64F, on_device(a.device), a.ld,
                                    CUDA_R_64F, on_device(w.device), CUDA_R_64F, BUFFERS);
}

/* Arguments would make every one of them fail or crash: the fault comes first. */
static void test_every_function(void)
{
    int good = 0;
    for (int i = 0; i < FUNCTIONS; i++) {
        char script[128];
        any_function *function;
        void *address = solver_symbol(functions[i]);
        const unsigned long calls = emulated.call_count(functions[i]);
        memcpy(&function, &address, sizeof function);
        snprintf(script, sizeof script, "%s:1:7", functions[i]);
        emulated.set_faults(script);
        if (function(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) == 7 &&
            emulated.call_count(functions[i]) == calls + 1)
            good++;
        else
            printf("# %s does not fail as told\n", functions[i]);
    }
    emulated.set_faults(NULL);
    tap_ok(good == FUNCTIONS, "each of %d functions counts and can be made to fail", (int)FUNCTIONS);
}

static void test_handle(void)
{
    int version = 0, mode = 0;
    CUstream back = NULL;
    cusolverDnHandle_t second;
    __typeof(cusolverDnSetDeterministicMode) *set = solver_symbol("cusolverDnSetDeterministicMode");
    __typeof(cusolverDnGetDeterministicMode) *get = solver_symbol("cusolverDnGetDeterministicMode");
    tap_ok(SOLVER(cusolverGetVersion)(&version) == 0 && version == 12004, "the version is 12.0.4");
    tap_ok(SOLVER(cusolverDnGetStream)(handle, &back) == 0 && back == stream, "the stream is given back");
    MUST(set(handle, 2));
    tap_ok(get(handle, &mode) == 0 && mode == 2 && set(handle, 1) == 0 && get(handle, &mode) == 0 &&
               mode == 1 && set(handle, 3) == CUSOLVER_STATUS_INVALID_VALUE,
           "the deterministic mode is kept and given back");
    setenv("EMULATED_SOLVER_DETERMINISM", "refused", 1);
    tap_ok(set(handle, 1) == CUSOLVER_STATUS_NOT_SUPPORTED, "the mode can be refused");
    setenv("EMULATED_SOLVER_DETERMINISM", "missing", 1);
    tap_ok(!dlsym(solver_library, "cusolverDnSetDeterministicMode") &&
               !dlsym(solver_library, "cusolverDnGetDeterministicMode") &&
               dlsym(solver_library, "cusolverDnCreate"),
           "or the functions be missing");
    unsetenv("EMULATED_SOLVER_DETERMINISM");
    emulated.set_faults("cusolverDnCreate:1:719:sticky");
    tap_ok(SOLVER(cusolverDnCreate)(&second) == CUSOLVER_STATUS_EXECUTION_FAILED &&
               syevd() == CUSOLVER_STATUS_EXECUTION_FAILED,
           "a lost device shows as failed execution");
    emulated.set_faults(NULL);
    tap_ok(SOLVER(cusolverDnCreate)(&second) == 0 && second != handle &&
               SOLVER(cusolverDnDestroy)(second) == 0,
           "handles come and go");
}

static void test_order(void)
{
    double before[N * N], after[N * N], host[2 * N];
    unsigned char workspace = 7;
    bool poisoned;
    make();
    emulated.poke(buffers.work + 5, &workspace, 1);
    MUST(cuda.stream_synchronise(stream));
    memset(buffers.host, 7, host_bytes);
    MUST(cuda.copy_to_device_async(w.device, before, 8,
                                   stream)); /* W may be read by what is queued: left alone */
    MUST(syevd());
    emulated.peek(before, a.device, sizeof before);
    tap_ok(count_poison(&w) == 0 && info_now() == (int)SOLVER_POISON_INT, "INFO is poison before the wait");
    tap_ok(host_bytes > 0 && ((unsigned char *)buffers.host)[0] == 0xff, "so is the host workspace");
    emulated.peek(after, a.device, sizeof after);
    tap_ok(memcmp(before, after, sizeof before) == 0, "nothing runs before the wait");
    MUST(cuda.copy_to_host_async(host, w.device, N * sizeof *host, stream));
    MUST(cuda.stream_synchronise(stream));
    matrix_get(&w);
    emulated.peek(&workspace, buffers.work + 5, 1);
    tap_ok(info_now() == 0 && count_poison(&w) == 0 && host[0] == w.values[0] &&
               host[0] <= host[N - 1],
           "a copy behind it has the results");
    tap_ok(workspace == 0xff, "the workspace is poison afterwards");
    buffers_finish(&poisoned);
    drop();
}

/* The cell holds what an earlier call told, and its copy home is still queued. */
static void test_queued_copy(void)
{
    const int earlier = 42;
    void *staging;
    bool poisoned;
    make();
    MUST(cuda.pinned_allocate(&staging, sizeof earlier, CU_MEMHOSTALLOC_PORTABLE));
    emulated.poke(buffers.info, &earlier, sizeof earlier);
    MUST(cuda.copy_to_host_async(staging, buffers.info, sizeof earlier, stream));
    MUST(syevd());
    const int before = info_now();
    const int after = buffers_finish(&poisoned);
    tap_ok(before == earlier && *(int *)staging == earlier && after == 0,
           "what a queued copy reads keeps its value");
    MUST(cuda.pinned_free(staging));
    drop();
}

static void test_requests(void)
{
    size_t device = 0, host;
    int lwork;
    bool poisoned;
    make();
    setenv("EMULATED_SOLVER_INFO", "cusolverDnXpotrf:2,cusolverDnXsyevd:4", 1);
    MUST(syevd());
    tap_ok(buffers_finish(&poisoned) == 4 && count_poison(&a) == N * N && count_poison(&w) == N,
           "INFO > 0 on request, all outputs poison");
    unsetenv("EMULATED_SOLVER_INFO");
    drop();
#define QUERY \
    SOLVER(cusolverDnXpotrf_bufferSize)(handle, params, 0, N, CUDA_R_64F, NULL, N, CUDA_R_64F, &device, &host)
#define QUERY_NARROW SOLVER(cusolverDnDsygvd_bufferSize)(handle, 1, 1, 0, N, NULL, N, NULL, N, NULL, &lwork)
    setenv("EMULATED_SOLVER_WORKSPACE", "negative", 1);
    tap_ok(QUERY == 0 && (int64_t)device < 0 && QUERY_NARROW == 0 && lwork < 0, "workspaces can be negative");
    setenv("EMULATED_SOLVER_WORKSPACE", "huge", 1);
    tap_ok(QUERY == 0 && device > (size_t)1 << 40 && QUERY_NARROW == 0 && lwork == 0x7fffffff, "huge");
    setenv("EMULATED_SOLVER_WORKSPACE", "fail", 1);
    tap_ok(QUERY == CUSOLVER_STATUS_INTERNAL_ERROR && QUERY_NARROW == CUSOLVER_STATUS_INTERNAL_ERROR,
           "and their query fail");
    unsetenv("EMULATED_SOLVER_WORKSPACE");
    tap_ok(QUERY == 0 && device < 1 << 20 && QUERY_NARROW == 0 && lwork > 3 * N * N,
           "otherwise they are modest");
}

/* --- each aborts, in a child --- */

static void host_operand(void)
{
    double host[N * N] = {0};
    SOLVER(cusolverDnXsyevd)(handle, params, 1, 0, N, CUDA_R_64F, host, N, CUDA_R_64F, on_device(w.device),
                             CUDA_R_64F, BUFFERS);
}
static void host_info(void)
{
    int info;
    SOLVER(cusolverDnXsyevd)
    (handle, params, 1, 0, N, CUDA_R_64F, on_device(a.device), a.ld, CUDA_R_64F, on_device(w.device),
     CUDA_R_64F, on_device(buffers.work), device_bytes, buffers.host, host_bytes, &info);
}
static void leading_dimension(void)
{
    SOLVER(cusolverDnXsyevd)(handle, params, 1, 0, N, CUDA_R_64F, on_device(a.device), N - 1, CUDA_R_64F,
                             on_device(w.device), CUDA_R_64F, BUFFERS);
}
static void small_workspace(void)
{
    buffers.device_bytes = device_bytes - 1;
    syevd();
}
static void no_host_workspace(void)
{
    buffers.host = NULL;
    syevd();
}
static void wrong_type(void)
{
    SOLVER(cusolverDnXsyevd)(handle, params, 1, 0, N, CUDA_R_64F, on_device(a.device), a.ld, CUDA_R_32F,
                             on_device(w.device), CUDA_R_64F, BUFFERS);
}
static void workspace_in_matrix(void)
{
    buffers.work = a.device;
    buffers.device_bytes = device_bytes;
    syevd();
}
static void not_finite(void)
{
    *value_at(&a, 3, 1) = NAN;
    matrix_put(&a);
    syevd();
    cuda.stream_synchronise(stream);
}
static void destroyed(void)
{
    static int nothing[16];
    SOLVER(cusolverDnDestroy)((cusolverDnHandle_t)nothing);
}
static void bad_flag(void)
{
    SOLVER(cusolverDnXsyevd)(handle, params, 2, 0, N, CUDA_R_64F, on_device(a.device), a.ld, CUDA_R_64F,
                             on_device(w.device), CUDA_R_64F, BUFFERS);
}

static const struct {
    void (*misuse)(void);
    const char *said, *what;
} misuses[] = {
    {host_operand, "A at", "an operand on the host"},
    {host_info, "INFO at", "INFO on the host"},
    {leading_dimension, "leading dimension of 5 for 6 rows of A", "a leading dimension too small"},
    {small_workspace, "a workspace of", "a workspace too small"},
    {no_host_workspace, "no host workspace", "no host workspace"},
    {wrong_type, "data type of 0 beside A of 'd'", "types that do not belong together"},
    {workspace_in_matrix, "the workspace", "a workspace that is the matrix"},
    {not_finite, "A has an element that is not finite", "NaN"},
    {destroyed, "is no handle", "a strange handle"},
    {bad_flag, "jobz is 2", "a strange flag"},
};
static int chosen;

static void misuse_one(void)
{
    open_solver();
    make();
    misuses[chosen].misuse();
}

int main(void)
{
    char text[4096];
    for (chosen = 0; chosen < (int)(sizeof misuses / sizeof *misuses); chosen++)
        tap_ok(run_apart(misuse_one, text, sizeof text) == SIGABRT && strstr(text, misuses[chosen].said),
               "aborts on %s", misuses[chosen].what);
    open_solver();
    test_every_function();
    test_handle();
    test_order();
    test_queued_copy();
    test_requests();
    tap_ok(strangers == 0 && dlsym(RTLD_DEFAULT, "dgemm_") == (void *)(uintptr_t)dgemm_,
           "LAPACK calls nothing of the program's");
    return tap_done();
}
