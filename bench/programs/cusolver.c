/* cusolver.c - the peer that programs would have to be rewritten for: cuSOLVER.
 *
 *   cusolver PROGRAM [N [REPETITIONS]]
 *
 * solves the problem of dsytrd, dsyevd, dsyevr, zheevd, dgels, dpotrf or dgesdd from host
 * memory to host memory, prints the same line and is checked in the same way. The first
 * repetition includes creating the CUDA context and the handle; device memory and
 * workspace are kept for the later ones. dgesdd is answered by Xgesvdp, dsyevr by Dsyevdx.
 * Exit status: as the programs', or 3 without usable libraries and device. */
#include "checks.h"
#include "cuda_libraries.h"
#include "problems.h"
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 8, INFO = SLOTS - 1, WORK = SLOTS - 2 };

static struct cuda_libraries cuda;
static void *handle;

static void expect(const char *call, int status)
{
    if (status == 0)
        return;
    fprintf(stderr, "cusolver: %s failed with status %d\n", call, status);
    exit(1);
}

/* Device memory that is kept from repetition to repetition. */
static void *device_memory(int slot, size_t bytes)
{
    static struct {
        void *memory;
        size_t bytes;
    } slots[SLOTS];
    if (slots[slot].bytes < bytes) {
        expect("cudaFree", cuda.free(slots[slot].memory));
        expect("cudaMalloc", cuda.malloc(&slots[slot].memory, bytes));
        slots[slot].bytes = bytes;
    }
    return slots[slot].memory;
}

static double *device_doubles(int slot, size_t count)
{
    return device_memory(slot, count * sizeof(double));
}

static double *upload(int slot, const double *values, size_t count)
{
    double *memory = device_doubles(slot, count);
    expect("cudaMemcpy", cuda.memcpy(memory, values, count * sizeof *values, CUDA_TO_DEVICE));
    return memory;
}

static void download(double *values, const double *memory, size_t count)
{
    expect("cudaMemcpy", cuda.memcpy(values, memory, count * sizeof *values, CUDA_TO_HOST));
}

static int *device_info(void)
{
    return device_memory(INFO, sizeof(int));
}

static void expect_info(const char *routine)
{
    int info;
    expect("cudaMemcpy", cuda.memcpy(&info, device_info(), sizeof info, CUDA_TO_HOST));
    expect_success(routine, info);
}

/* The clock starts before CUDA wakes. */
static void start(struct run *run)
{
    run_start(run);
    if (handle)
        return;
    int status = cuda.create(&handle);
    if (status == 0)
        return;
    fprintf(stderr, "cusolver: cusolverDnCreate failed with status %d: no usable device?\n", status);
    exit(NOT_THERE);
}

static void solve_dsytrd(struct run *run)
{
    int n = run->n, length;
    size_t order = (size_t)n;
    struct matrix a = problem_symmetric(n);
    double *reflectors = allocate(matrix_size(&a)), *d = allocate(order), *e = allocate(order),
           *tau = allocate(order);
    while (run_next(run)) {
        double orthogonality;
        matrix_fill(&a, reflectors);
        start(run);
        double *da = upload(0, reflectors, matrix_size(&a)), *dd = device_doubles(1, order);
        double *de = device_doubles(2, order), *dtau = device_doubles(3, order);
        expect("Dsytrd_bufferSize", cuda.dsytrd_size(handle, CUBLAS_LOWER, n, da, n, dd, de, dtau, &length));
        double *work = device_doubles(WORK, (size_t)length);
        expect("Dsytrd",
               cuda.dsytrd(handle, CUBLAS_LOWER, n, da, n, dd, de, dtau, work, length, device_info()));
        download(reflectors, da, matrix_size(&a));
        download(d, dd, order);
        download(e, de, order - 1);
        download(tau, dtau, order - 1);
        run_stop(run);
        expect_info("Dsytrd");
        run_digest(run, d, order);
        run_digest(run, reflectors, matrix_size(&a));
        double residual = check_tridiagonal(&a, reflectors, d, e, tau, &orthogonality);
        run_checked(run, residual, orthogonality);
    }
}

/* dsyevd, and zheevd, whose interface differs in nothing but the elements. */
static void solve_eigen(struct run *run, struct matrix a,
                        int (*size)(void *, int, int, int, const double *, int, const double *, int *),
                        int (*solve)(void *, int, int, int, double *, int, double *, double *, int, int *))
{
    int n = run->n, length;
    double *vectors = allocate(matrix_size(&a)), *values = allocate((size_t)n);
    struct matrix v = a;
    v.values = vectors;
    while (run_next(run)) {
        matrix_fill(&a, vectors);
        start(run);
        double *da = upload(0, vectors, matrix_size(&a)), *dw = device_doubles(1, (size_t)n);
        expect("size of the workspace", size(handle, CUSOLVER_VECTORS, CUBLAS_LOWER, n, da, n, dw, &length));
        double *work = device_doubles(WORK, (size_t)length * (a.complex ? 2 : 1));
        expect("eigensolver",
               solve(handle, CUSOLVER_VECTORS, CUBLAS_LOWER, n, da, n, dw, work, length, device_info()));
        download(vectors, da, matrix_size(&a));
        download(values, dw, (size_t)n);
        run_stop(run);
        expect_info("eigensolver");
        run_digest(run, values, (size_t)n);
        run_digest(run, vectors, matrix_size(&a));
        run_checked(run, check_eigenpairs(&a, values, &v), check_orthogonality(&v));
    }
}

static void solve_dsyevd(struct run *run)
{
    solve_eigen(run, problem_symmetric(run->n), cuda.dsyevd_size, cuda.dsyevd);
}

static void solve_zheevd(struct run *run)
{
    solve_eigen(run, problem_hermitian(run->n), cuda.zheevd_size, cuda.zheevd);
}

static void solve_dsyevr(struct run *run)
{
    int n = run->n, length, found, last = part_of(n, PART);
    struct matrix a = problem_symmetric(n);
    double *matrix = allocate(matrix_size(&a)), *values = allocate((size_t)n);
    struct matrix v = matrix_dense((size_t)n, (size_t)last, matrix);
    while (run_next(run)) {
        matrix_fill(&a, matrix);
        start(run);
        double *da = upload(0, matrix, matrix_size(&a)), *dw = device_doubles(1, (size_t)n);
        expect("Dsyevdx_bufferSize",
               cuda.dsyevdx_size(handle, CUSOLVER_VECTORS, CUSOLVER_RANGE_INDICES, CUBLAS_LOWER, n, da, n, 0,
                                 0, 1, last, &found, dw, &length));
        double *work = device_doubles(WORK, (size_t)length);
        expect("Dsyevdx", cuda.dsyevdx(handle, CUSOLVER_VECTORS, CUSOLVER_RANGE_INDICES, CUBLAS_LOWER, n, da,
                                       n, 0, 0, 1, last, &found, dw, work, length, device_info()));
        download(matrix, da, matrix_size(&v));
        download(values, dw, (size_t)last);
        run_stop(run);
        expect_info("Dsyevdx");
        run_digest(run, values, (size_t)last);
        run_digest(run, matrix, matrix_size(&v));
        run_checked(run, check_eigenpairs(&a, values, &v), check_orthogonality(&v));
    }
}

static void solve_dpotrf(struct run *run)
{
    int n = run->n, length;
    struct matrix a = problem_definite(n), b = problem_right_hand_sides(n);
    double *factor = allocate(matrix_size(&a)), *solution = allocate(matrix_size(&b));
    struct matrix x = matrix_dense((size_t)n, RIGHT_HAND_SIDES, solution);
    while (run_next(run)) {
        matrix_fill(&a, factor);
        matrix_fill(&b, solution);
        start(run);
        double *da = upload(0, factor, matrix_size(&a)), *db = upload(1, solution, matrix_size(&b));
        expect("Dpotrf_bufferSize", cuda.dpotrf_size(handle, CUBLAS_LOWER, n, da, n, &length));
        double *work = device_doubles(WORK, (size_t)length);
        expect("Dpotrf", cuda.dpotrf(handle, CUBLAS_LOWER, n, da, n, work, length, device_info()));
        expect_info("Dpotrf");
        expect("Dpotrs", cuda.dpotrs(handle, CUBLAS_LOWER, n, RIGHT_HAND_SIDES, da, n, db, n, device_info()));
        download(factor, da, matrix_size(&a));
        download(solution, db, matrix_size(&b));
        run_stop(run);
        expect_info("Dpotrs");
        run_digest(run, solution, matrix_size(&x));
        run_checked(run, check_solution(&a, &x, &b), -1);
    }
}

static void solve_dgels(struct run *run)
{
    int n = run->n, m = TALL * n, iterations;
    struct matrix a = problem_general(m, n), b = problem_right_hand_sides(m);
    double *matrix = allocate(matrix_size(&a)), *right = allocate(matrix_size(&b));
    double *solution = allocate((size_t)n * RIGHT_HAND_SIDES);
    struct matrix x = matrix_dense((size_t)n, RIGHT_HAND_SIDES, solution);
    while (run_next(run)) {
        size_t bytes;
        matrix_fill(&a, matrix);
        matrix_fill(&b, right);
        start(run);
        double *da = upload(0, matrix, matrix_size(&a)), *db = upload(1, right, matrix_size(&b));
        double *dx = device_doubles(2, matrix_size(&x));
        expect("DDgels_bufferSize",
               cuda.dgels_size(handle, m, n, RIGHT_HAND_SIDES, da, m, db, m, dx, n, NULL, &bytes));
        void *work = device_memory(WORK, bytes);
        expect("DDgels", cuda.dgels(handle, m, n, RIGHT_HAND_SIDES, da, m, db, m, dx, n, work, bytes,
                                    &iterations, device_info()));
        download(solution, dx, matrix_size(&x));
        run_stop(run);
        expect_info("DDgels");
        run_digest(run, solution, matrix_size(&x));
        run_checked(run, check_least_squares(&a, &x, &b), -1);
    }
}

static void solve_dgesdd(struct run *run)
{
    int n = run->n;
    size_t order = (size_t)n, area = order * order, bytes, host_bytes;
    const int type = CUDA_REAL_64;
    void *params = NULL, *host_work = NULL;
    struct matrix a = problem_general(n, n);
    double *matrix = allocate(area), *values = allocate(order), *left = allocate(area),
           *right = allocate(area), error;
    struct matrix u = matrix_dense(order, order, left), v = matrix_dense(order, order, right);
    while (run_next(run)) {
        matrix_fill(&a, matrix);
        start(run);
        if (!params)
            expect("CreateParams", cuda.create_params(&params));
        double *da = upload(0, matrix, area), *ds = device_doubles(1, order);
        double *du = device_doubles(2, area), *dv = device_doubles(3, area);
        expect("Xgesvdp_bufferSize",
               cuda.gesvdp_size(handle, params, CUSOLVER_VECTORS, 1, n, n, type, da, n, type, ds, type, du, n,
                                type, dv, n, type, &bytes, &host_bytes));
        void *work = device_memory(WORK, bytes);
        if (!host_work)
            host_work = allocate(host_bytes / sizeof(double) + 1);
        expect("Xgesvdp",
               cuda.gesvdp(handle, params, CUSOLVER_VECTORS, 1, n, n, type, da, n, type, ds, type, du, n,
                           type, dv, n, type, work, bytes, host_work, host_bytes, device_info(), &error));
        download(values, ds, order);
        download(left, du, area);
        download(right, dv, area);
        run_stop(run);
        expect_info("Xgesvdp");
        run_digest(run, values, order);
        run_digest(run, left, area);
        run_digest(run, right, area);
        run_checked(run, check_singular(&a, &u, values, &v, false), check_orthogonality(&u));
        run_checked(run, -1, check_orthogonality(&v));
    }
}

static const struct {
    const char *program;
    void (*solve)(struct run *run);
} problems[] = {{"dsytrd", solve_dsytrd}, {"dsyevd", solve_dsyevd}, {"dsyevr", solve_dsyevr},
                {"zheevd", solve_zheevd}, {"dgels", solve_dgels},   {"dpotrf", solve_dpotrf},
                {"dgesdd", solve_dgesdd}};

int main(int count, char **arguments)
{
    for (size_t i = 0; count > 1 && i < sizeof problems / sizeof *problems; i++) {
        if (strcmp(arguments[1], problems[i].program) != 0)
            continue;
        struct run run = run_begin(problems[i].program, count - 1, arguments + 1, 0);
        cuda_libraries_open(&cuda);
        problems[i].solve(&run);
        return run_finish(&run);
    }
    fprintf(stderr, "usage: cusolver dsytrd|dsyevd|dsyevr|zheevd|dgels|dpotrf|dgesdd [N [REPETITIONS]]\n");
    return 2;
}
