/* lapack_singular.c - how long do singular values take on the device, by our own kernels and by cuSOLVER's gesvdp,
 * and are they right?
 *
 *   bench/lapack_singular [s|d|c|z] [check] [bdsdc] [bdsvx] [vectors] [values] [gesvdp] [N|MxN...]
 *
 * For each size (without any: 512 to 8192) and each of what is named (without any: all) one line: what, type, m, n;
 * the median and the least of some turns in seconds, each after a copy of the matrix that is no part of the time
 * (with `check` dashes); in units of eps n the largest element of A V - U S over the largest value, of U'U - I and of
 * V'V - I, and the largest difference from the values of the line before of the same size, over the largest (dashes
 * for what is not there); "same" where another run leaves the same bits. bdsdc: divide and conquer of a bidiagonal
 * matrix of normal elements; bdsvx: its values alone; vectors, values: of a random matrix, all of min(m, n) or none;
 * gesvdp: all. Matrices lie on the device; m >= n. Exit status 1: an error is larger than 20, or bits of ours
 * differ. */
#include "lapack_singular.h"
#include "lapack/device_matrix.h"
#include "lapack/singular/own_singular.h"
#include "timing.h"

#include <stdio.h>

enum { TURNS_MOST = 5 };
static const char *const names[] = {"bdsdc", "bdsvx", "vectors", "values", "gesvdp"};

struct device *device;
struct solver_handle handle;
static struct stream_watch watch;
static bool checks_alone, all_right = true;

void fail(const char *what)
{
    fprintf(stderr, "lapack_singular: %s\n", what);
    exit(1);
}

static void require(enum status status, const char *what)
{
    if (status != STATUS_OK)
        fail(what);
}

static void wait(void) { require(stream_watch_wait(&watch, "the bench program"), "the device failed"); }

static CUdeviceptr allocate(size_t bytes)
{
    CUdeviceptr address = 0;
    if (device_allocate(device, bytes > 0 ? bytes : 1, &address) != STATUS_OK)
        fail("no memory on the device");
    return address;
}

static void *allocate_host(size_t bytes)
{
    void *memory = malloc(bytes + 1);
    if (!memory)
        fail("no memory");
    return memory;
}

static void put(bool single, void *numbers, size_t place, double value)
{
    if (single)
        ((float *)numbers)[place] = (float)value;
    else
        ((double *)numbers)[place] = value;
}

/* The distribution is normal, near enough. */
static double normal(uint64_t seed, uint64_t row)
{
    double sum = 0;
    for (uint64_t column = 1; column <= 12; column++)
        sum += 0.5 * entry(seed, row, column);
    return sum;
}

/* Real numbers: d, then e; or all of A's. */
static void send_given(const struct operands *o)
{
    const size_t parts = o->element / o->real_bytes,
                 count = is_bidiagonal(o) ? (size_t)(2 * o->n) : (size_t)(o->m * o->n) * parts;
    void *const numbers = allocate_host(count * o->real_bytes);
    for (size_t i = 0; i < count; i++)
        put(o->real == TYPE_S, numbers, i, is_bidiagonal(o) ? normal(1, i) : entry(1, i, 0));
    if (driver()->copy_to_device_async(o->given, numbers, count * o->real_bytes, handle.stream) != CUDA_SUCCESS)
        fail("a copy failed");
    wait();
    free(numbers);
}

void *fetch(CUdeviceptr from, size_t bytes)
{
    void *const memory = allocate_host(bytes);
    if (driver()->copy_to_host_async(memory, from, bytes, handle.stream) != CUDA_SUCCESS)
        fail("a copy failed");
    wait();
    return memory;
}

static struct bidiagonal_division division_of(const struct operands *o)
{
    return (struct bidiagonal_division){.type = o->type, .n = o->n, .d = o->s, .e = o->e, .u = {o->u, o->n},
                                        .v = {o->v, o->n}, .vectors = o->n, .info = o->info};
}

static struct bidiagonal_bisection bisection_of(const struct operands *o)
{
    return (struct bidiagonal_bisection){.type = o->type, .n = o->n, .d = o->s, .e = o->e, .s = o->s};
}

static struct own_singular own_of(const struct operands *o)
{
    const bool vectors = has_vectors(o);
    return (struct own_singular){.type = o->type, .m = o->m, .n = o->n, .a = o->a, .lda = o->m, .s = o->s,
                                 .u = {vectors ? o->u : 0, o->m}, .v = {vectors ? o->v : 0, o->n},
                                 .u_columns = o->n, .v_columns = o->n, .info = o->info};
}

static void ask(struct operands *o)
{
    const struct solver_library *const library = handle.library;
    const int type = solver_data_type(o->type), real = solver_real_type(o->type);
    const struct bidiagonal_division division = division_of(o);
    const struct bidiagonal_bisection bisection = bisection_of(o);
    const struct own_singular own = own_of(o);
    if (o->what == BDSDC)
        o->device_bytes = bidiagonal_division_workspace(&division);
    else if (o->what == BDSVX)
        o->device_bytes = bidiagonal_bisection_workspace(&bisection);
    else if (o->what != GESVDP)
        require(own_singular_workspace(&handle, &own, &o->device_bytes, &o->host_bytes), "the device cannot do it");
    else if (!library->gesvdp_buffer ||
             library->gesvdp_buffer(handle.solver, handle.params, CUSOLVER_EIG_MODE_VECTOR, 1, o->m, o->n, type,
                                    device_pointer(o->a), o->m, real, device_pointer(o->s), type,
                                    device_pointer(o->u), o->m, type, device_pointer(o->v), o->n, type,
                                    &o->device_bytes, &o->host_bytes) != CUSOLVER_STATUS_SUCCESS)
        fail("cuSOLVER has no gesvdp");
}

static enum status queue(struct operands *o)
{
    const int type = solver_data_type(o->type), real = solver_real_type(o->type);
    const struct bidiagonal_division division = division_of(o);
    const struct bidiagonal_bisection bisection = bisection_of(o);
    const struct own_singular own = own_of(o);
    if (o->what == BDSDC)
        return bidiagonal_division_queue(&handle, &division, o->workspace);
    if (o->what == BDSVX)
        return bidiagonal_bisection_queue(&handle, &bisection, o->workspace);
    if (o->what != GESVDP)
        return own_singular_run(&handle, &own, o->workspace, o->device_bytes, o->host_workspace, o->host_bytes);
    return solver_status(handle.library,
                         handle.library->gesvdp(handle.solver, handle.params, CUSOLVER_EIG_MODE_VECTOR, 1, o->m,
                                                o->n, type, device_pointer(o->a), o->m, real,
                                                device_pointer(o->s), type, device_pointer(o->u), o->m, type,
                                                device_pointer(o->v), o->n, type, device_pointer(o->workspace),
                                                o->device_bytes, o->host_workspace, o->host_bytes,
                                                device_pointer(o->info), &o->error),
                         "cuSOLVER's gesvdp");
}

static struct operands operands_of(enum what what, enum blas_type type, int64_t m, int64_t n)
{
    struct operands o = {.what = what, .type = type, .real = blas_is_single(type) ? TYPE_S : TYPE_D, .m = m,
                         .n = n, .element = blas_element_bytes(type)};
    if (is_bidiagonal(&o)) {
        o.type = o.real;
        o.m = n;
        o.element = blas_element_bytes(o.real);
    }
    o.real_bytes = blas_element_bytes(o.real);
    const size_t matrix = (size_t)(o.m * n) * o.element, square = (size_t)(n * n) * o.element;
    o.given = allocate(is_bidiagonal(&o) ? 2 * (size_t)n * o.real_bytes : matrix);
    o.e = o.given + (size_t)n * o.real_bytes;
    o.a = allocate(is_bidiagonal(&o) ? 1 : matrix);
    o.s = allocate((size_t)n * o.real_bytes);
    o.u = allocate(has_vectors(&o) ? matrix : 1);
    o.v = allocate(has_vectors(&o) ? square : 1);
    o.info = allocate(2 * sizeof(int));
    o.strip = allocate((size_t)o.m * STRIP * o.element);
    ask(&o);
    o.workspace = allocate(o.device_bytes);
    o.host_workspace = allocate_host(o.host_bytes);
    send_given(&o);
    return o;
}

/* Seconds. */
static double run(struct operands *o)
{
    const bool vector = is_bidiagonal(o);
    const struct device_part part = {o->given, vector ? o->n : o->m, vector ? o->n : o->m, vector ? 1 : o->n,
                                     PART_FULL};
    require(matrix_part_copy(device, handle.stream, &part, vector ? o->s : o->a, part.ld, o->type),
            "a copy failed");
    wait();
    const double start = seconds_now();
    require(queue(o), "it cannot be queued");
    wait();
    return seconds_now() - start;
}

static void release(const struct operands *o)
{
    const CUdeviceptr all[] = {o->given, o->a, o->s, o->u, o->v, o->info, o->workspace, o->strip};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        device_free(device, all[i]);
    free(o->host_workspace);
}

/* The values; `other`, freed, are those of the line before. */
static void *measure(enum what what, enum blas_type type, int64_t m, int64_t n, void *other)
{
    struct operands o = operands_of(what, type, m, n);
    double times[TURNS_MOST];
    const int turns = checks_alone ? 0 : n < 8192 ? TURNS_MOST : 3;
    const size_t bytes = (size_t)n * o.real_bytes, of_u = has_vectors(&o) ? (size_t)(o.m * n) * o.element : 1;
    run(&o);
    void *const s = fetch(o.s, bytes), *const u = fetch(o.u, of_u);
    int *const info = fetch(o.info, 2 * sizeof(int));
    for (int turn = 0; turn < turns; turn++)
        times[turn] = run(&o);
    if (turns == 0)
        run(&o);
    void *const s_again = fetch(o.s, bytes), *const u_again = fetch(o.u, of_u);
    const bool same = memcmp(s, s_again, bytes) == 0 && (!has_vectors(&o) || memcmp(u, u_again, of_u) == 0);
    printf("%-7s %c %6lld %6lld", names[what], "sdcz"[o.type], (long long)o.m, (long long)n);
    if (turns > 0)
        printf(" %9.6f", median(times, (size_t)turns)), printf(" %9.6f", times[0]);
    else
        printf("         -         -");
    bool right = errors_print(&o, s, other);
    right = right && (what == GESVDP || (same && (what == BDSVX || what == VALUES || *info == 0)));
    printf("  %s%s\n", same ? "same" : "DIFFERENT", right ? "" : "  WRONG");
    fflush(stdout);
    all_right = all_right && right;
    free(u), free(s_again), free(u_again), free(info), free(other);
    release(&o);
    return s;
}

static void measure_all(unsigned wanted, enum blas_type type, int64_t m, int64_t n)
{
    void *before = NULL;
    for (enum what what = 0; what < WHATS; what++) {
        if (what == VECTORS) {
            free(before);
            before = NULL;
        }
        if (wanted >> what & 1)
            before = measure(what, type, m, n, before);
    }
    free(before);
}

static int usage(const char *argument)
{
    fprintf(stderr, "lapack_singular: '%s' is none of s, d, c, z, check, bdsdc, bdsvx, vectors, values, gesvdp, N "
                    "and MxN with M >= N\n", argument);
    return 2;
}

/* The arguments. */
struct wanted {
    unsigned whats; /* bits; 0: all */
    enum blas_type type;
    long long sizes[64][2];
    int given;
};

/* False: the argument is none. */
static bool take(struct wanted *wanted, const char *at)
{
    const char *const letter = strchr("sdcz", *at);
    long long *const size = wanted->sizes[wanted->given];
    int end = 0, what = 0;
    while (what < WHATS && strcmp(at, names[what]) != 0)
        what++;
    if (letter && *at && at[1] == '\0') {
        wanted->type = (enum blas_type)(letter - "sdcz");
        return true;
    }
    if (what < WHATS || strcmp(at, "check") == 0) {
        wanted->whats |= what < WHATS ? 1u << what : 0;
        checks_alone = checks_alone || what == WHATS;
        return true;
    }
    if (wanted->given == 63)
        return false;
    if (sscanf(at, "%lldx%lld%n", &size[0], &size[1], &end) != 2 || at[end]) {
        end = 0;
        if (sscanf(at, "%lld%n", &size[0], &end) != 1 || at[end])
            return false;
        size[1] = size[0];
    }
    wanted->given++;
    return size[1] > 0 && size[0] >= size[1];
}

int main(int count, char **arguments)
{
    const struct solver_library *library;
    struct device_scope scope;
    struct lane *lane;
    struct wanted wanted = {.type = TYPE_D};
    for (int i = 1; i < count; i++)
        if (!take(&wanted, arguments[i]))
            return usage(arguments[i]);
    if (device_wake(&device) != STATUS_OK || device_enter(device, &scope) != STATUS_OK ||
        solver_library_open(device, &library) != STATUS_OK || lane_create_own(device, &lane) != STATUS_OK ||
        stream_watch_create(device, lane->stream, &watch) != STATUS_OK ||
        solver_handle_create(library, lane->stream, &handle) != STATUS_OK)
        fail("no device or no cuSOLVER");
    handle.watch = &watch;
    const unsigned whats = wanted.whats ? wanted.whats : ~0u;
    for (int i = 0; i < wanted.given; i++)
        measure_all(whats, wanted.type, wanted.sizes[i][0], wanted.sizes[i][1]);
    for (int64_t n = 512; n <= 8192 && wanted.given == 0; n *= 2)
        measure_all(whats, wanted.type, n, n);
    solver_handle_destroy(&handle);
    stream_watch_destroy(&watch);
    lane_destroy_own(lane);
    device_leave(device, &scope);
    return all_right ? 0 : 1;
}
