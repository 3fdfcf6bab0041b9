/* syevd and syevdx of the native API in two stages, in a graph: residuals of what a plain call leaves, and the
 * same bits from every replay. Its library takes two stages from the first order on. */
#include "eigen_operands.h"

#include "emulated_driver/cuda_calls.h"
#include "emulated_driver/emulated.h"

enum { BAND = 64 };

static __typeof(emulated_call_count) *call_count; /* of the emulated driver alone */

struct case_of {
    enum blas_type type;
    enum mublas_uplo uplo;
    int n;
    enum mublas_vectors vectors;
    enum mublas_range range;
    int first, count; /* what is found */
};

/* As they come. */
struct result {
    double *w;
    double complex *v;
    bool good;
};

static bool is_part(const struct case_of *wanted)
{
    return wanted->range == MUBLAS_INDICES;
}

static void queue(const struct case_of *wanted, const struct problem *problem, void *workspace, size_t bytes)
{
    const int il = is_part(wanted) ? wanted->first + 1 : 0, iu = is_part(wanted) ? il + wanted->count - 1 : 0;
    need(wanted->type == TYPE_S
             ? mublas_ssyevdx(handle, wanted->vectors, wanted->range, wanted->uplo, wanted->n,
                              problem->a.device, problem->a.ld, -1e9F, 1e9F, il, iu, problem->m,
                              problem->w.device, workspace, bytes, problem->info)
             : mublas_dsyevdx(handle, wanted->vectors, wanted->range, wanted->uplo, wanted->n,
                              problem->a.device, problem->a.ld, -1e9, 1e9, il, iu, problem->m,
                              problem->w.device, workspace, bytes, problem->info));
}

static void *workspace_for(const struct case_of *wanted, const struct problem *problem, size_t *bytes)
{
    need(mublas_syevdx_workspace(handle, letter_of(wanted->type), wanted->vectors, wanted->range,
                                 wanted->uplo, wanted->n, problem->a.ld, wanted->first + 1,
                                 wanted->first + wanted->count, bytes));
    return filled(*bytes);
}

static struct result result_of(const struct case_of *wanted, const struct problem *problem)
{
    struct result result = {.good = int_of(problem->info) == 0 && int_of(problem->m) == wanted->count};
    bool kept = true;
    result.w = real_values(&problem->w, &kept);
    result.v =
        operand_get(&problem->a, wanted->vectors == MUBLAS_VECTORS ? 'A' : (char)wanted->uplo, &kept);
    result.good = result.good && kept;
    return result;
}

static void result_free(struct result *result)
{
    free(result->w);
    free(result->v);
}

static bool are_equal(const struct case_of *wanted, const struct result *one, const struct result *other)
{
    const size_t values = (size_t)wanted->count,
                 elements = wanted->vectors == MUBLAS_VECTORS ? (size_t)wanted->n * values : 0;
    return one->good && other->good && memcmp(one->w, other->w, values * sizeof *one->w) == 0 &&
           memcmp(one->v, other->v, elements * sizeof *one->v) == 0;
}

/* Captured, then twice of a matrix that is put there anew. */
static bool replays(const struct case_of *wanted, const struct problem *problem, const struct result *plain,
                    CUstream stream)
{
    size_t bytes;
    void *const workspace = workspace_for(wanted, problem, &bytes);
    CUgraph graph;
    CUgraphExec executable;
    bool good = true;
    MUST(graphs.begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    queue(wanted, problem, workspace, bytes);
    MUST(graphs.end(stream, &graph));
    MUST(graphs.instantiate(&executable, graph, 0));
    for (int i = 0; i < 2; i++) {
        operand_put(&problem->a, problem->given, (char)problem->uplo);
        MUST(graphs.launch(executable, stream));
        MUST(cuda.stream_synchronise(stream));
        struct result replayed = result_of(wanted, problem);
        good = are_equal(wanted, plain, &replayed) && good;
        result_free(&replayed);
    }
    MUST(graphs.destroy_executable(executable));
    MUST(graphs.destroy(graph));
    need(mublas_device_free(handle, workspace));
    return good;
}

/* Cooperative launches tell the ways apart: panels and a chase, or those of one stage. */
static struct result solve_plainly(const struct case_of *wanted, const struct problem *problem)
{
    const unsigned long panels = wanted->n > BAND + 1 ? (unsigned long)(wanted->n - 2) / BAND : 0,
                        before = call_count("cuLaunchCooperativeKernel");
    size_t bytes;
    void *const workspace = workspace_for(wanted, problem, &bytes);
    unsigned char behind;
    queue(wanted, problem, workspace, bytes);
    struct result result = result_of(wanted, problem);
    need(mublas_copy_to_host(handle, &behind, (char *)workspace + bytes, 1));
    result.good = result.good && behind == 0xff &&
                  call_count("cuLaunchCooperativeKernel") - before == panels + 1;
    need(mublas_device_free(handle, workspace));
    return result;
}

static void test(struct case_of wanted, CUstream stream)
{
    struct problem problem = problem_make(wanted.type, wanted.uplo, wanted.n, random_kind);
    need(mublas_set_stream(handle, stream));
    struct result plain = solve_plainly(&wanted, &problem);
    bool good = plain.good && is_ascending(plain.w, wanted.count);
    if (wanted.vectors == MUBLAS_VECTORS)
        good = good && are_eigenvectors(&problem, plain.v, plain.w, wanted.count);
    good = good && replays(&wanted, &problem, &plain, stream);
    tap_ok(good, "%s: %d values from number %d on, range %c, vectors %c, and in a graph", words_of(&problem),
           wanted.count, wanted.first + 1, wanted.range, wanted.vectors);
    result_free(&plain);
    need(mublas_set_stream(handle, NULL));
    problem_free(&problem);
}

int main(void)
{
    CUcontext context;
    CUstream stream;
    set_up_device();
    void *const library = open_cuda("emulated_call_count", "this test runs on the emulated driver");
    look_up_graphs(library);
    look_up(library, "emulated_call_count", &call_count);
    MUST(cuda.init(0));
    MUST(cuda.primary_retain(&context, 0));
    MUST(cuda.context_push(context));
    MUST(cuda.stream_create(&stream, CU_STREAM_NON_BLOCKING));
    make_handle();
    test((struct case_of){TYPE_D, MUBLAS_LOWER, 70, MUBLAS_NO_VECTORS, MUBLAS_ALL, 0, 70}, stream);
    test((struct case_of){TYPE_D, MUBLAS_UPPER, 70, MUBLAS_VECTORS, MUBLAS_INDICES, 20, 7}, stream);
    test((struct case_of){TYPE_S, MUBLAS_UPPER, 67, MUBLAS_VECTORS, MUBLAS_INTERVAL, 0, 67}, stream);
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
    test((struct case_of){TYPE_D, MUBLAS_LOWER, 131, MUBLAS_VECTORS, MUBLAS_ALL, 0, 131}, stream);
    test((struct case_of){TYPE_S, MUBLAS_LOWER, 3, MUBLAS_NO_VECTORS, MUBLAS_INDICES, 1, 1}, stream);
#endif
    need(mublas_destroy(handle));
    MUST(cuda.stream_destroy(stream));
    return tap_done();
}
