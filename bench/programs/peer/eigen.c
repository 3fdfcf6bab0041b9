/* cuSOLVER's answers to the eigenvalue problems. */
#include "../checks.h"
#include "peer.h"
#include "../problems.h"

static void digest(struct run *run, const struct operand *operand, size_t count)
{
    run_digest(run, operand->host, count);
}

static void solve_all(struct run *run, struct matrix a)
{
    int n = run->n, type = a.complex ? CUDA_COMPLEX_64 : CUDA_REAL_64, real = CUDA_REAL_64;
    size_t bytes, host_bytes;
    peer_begin(run);
    peer_need("Xsyevd", peer.cuda.syevd_size && peer.cuda.syevd);
    struct operand vectors = peer_operand(matrix_size(&a)), values = peer_operand((size_t)n);
    peer_expect("Xsyevd_bufferSize",
                peer.cuda.syevd_size(peer.handle, peer.params, CUSOLVER_VECTORS, CUBLAS_LOWER, n, type,
                                     vectors.device, n, real, values.device, type, &bytes, &host_bytes));
    struct work work = peer_work(bytes, host_bytes);
    peer_ready(run);
    struct matrix v = a;
    v.values = vectors.host;
    while (run_next(run)) {
        matrix_fill(&a, vectors.host);
        run_start(run);
        peer_up(&vectors);
        peer_expect("Xsyevd", peer.cuda.syevd(peer.handle, peer.params, CUSOLVER_VECTORS, CUBLAS_LOWER, n,
                                              type, vectors.device, n, real, values.device, type, work.device,
                                              bytes, work.host, host_bytes, peer.info));
        peer_down(&values, values.count);
        peer_down(&vectors, vectors.count);
        peer_stop(run, "Xsyevd");
        digest(run, &values, values.count);
        digest(run, &vectors, vectors.count);
        run_checked(run, check_eigenpairs(&a, values.host, &v), check_orthogonality(&v));
    }
}

void peer_dsyevd(struct run *run)
{
    solve_all(run, problem_symmetric(run->n));
}

void peer_zheevd(struct run *run)
{
    solve_all(run, problem_hermitian(run->n));
}

void peer_dsyevr(struct run *run)
{
    int n = run->n, last = part_of(n, PART), type = CUDA_REAL_64;
    struct matrix a = problem_symmetric(n);
    size_t bytes, host_bytes;
    int64_t found;
    double unused = 0;
    peer_begin(run);
    peer_need("Xsyevdx", peer.cuda.syevdx_size && peer.cuda.syevdx);
    struct operand matrix = peer_operand(matrix_size(&a)), values = peer_operand((size_t)n);
    struct matrix v = matrix_dense((size_t)n, (size_t)last, matrix.host);
    peer_expect("Xsyevdx_bufferSize",
                peer.cuda.syevdx_size(peer.handle, peer.params, CUSOLVER_VECTORS, CUSOLVER_RANGE_INDICES,
                                      CUBLAS_LOWER, n, type, matrix.device, n, &unused, &unused, 1, last,
                                      &found, type, values.device, type, &bytes, &host_bytes));
    struct work work = peer_work(bytes, host_bytes);
    peer_ready(run);
    while (run_next(run)) {
        matrix_fill(&a, matrix.host);
        run_start(run);
        peer_up(&matrix);
        peer_expect("Xsyevdx", peer.cuda.syevdx(peer.handle, peer.params, CUSOLVER_VECTORS,
                                                CUSOLVER_RANGE_INDICES, CUBLAS_LOWER, n, type, matrix.device,
                                                n, &unused, &unused, 1, last, &found, type, values.device,
                                                type, work.device, bytes, work.host, host_bytes, peer.info));
        peer_down(&values, (size_t)last);
        peer_down(&matrix, matrix_size(&v));
        peer_stop(run, "Xsyevdx");
        expect_success("Xsyevdx", (int)found - last);
        digest(run, &values, v.columns);
        digest(run, &matrix, matrix_size(&v));
        run_checked(run, check_eigenpairs(&a, values.host, &v), check_orthogonality(&v));
    }
}

/* Of A x = lambda B x: what is asked for lies in the first columns of A. */
struct generalized {
    struct matrix a, b, v;
    struct operand vectors, factor, values;
    size_t found;
};

static struct generalized generalized(struct run *run, struct matrix a, struct matrix b, int found)
{
    struct generalized problem = {.a = a, .b = b, .found = (size_t)found};
    problem.vectors = peer_operand(matrix_size(&a));
    problem.factor = peer_operand(matrix_size(&b));
    problem.values = peer_operand((size_t)run->n);
    problem.v = a.complex ? matrix_dense_complex(a.rows, problem.found, problem.vectors.host)
                          : matrix_dense(a.rows, problem.found, problem.vectors.host);
    return problem;
}

static void generalized_up(struct run *run, struct generalized *problem)
{
    matrix_fill(&problem->a, problem->vectors.host);
    matrix_fill(&problem->b, problem->factor.host);
    run_start(run);
    peer_up(&problem->vectors);
    peer_up(&problem->factor);
}

static void generalized_down(struct run *run, struct generalized *problem, const char *routine)
{
    size_t size = matrix_size(&problem->v);
    peer_down(&problem->values, problem->found);
    peer_down(&problem->vectors, size);
    peer_down(&problem->factor, problem->factor.count);
    peer_stop(run, routine);
    digest(run, &problem->values, problem->found);
    digest(run, &problem->vectors, size);
    digest(run, &problem->factor, problem->factor.count);
    run_checked(run, check_generalized(&problem->a, &problem->b, problem->values.host, &problem->v),
                check_orthogonality_by(&problem->b, &problem->v));
}

void peer_dsygvd(struct run *run)
{
    int n = run->n, length;
    peer_begin(run);
    peer_need("Dsygvd", peer.cuda.sygvd_size && peer.cuda.sygvd);
    struct generalized problem = generalized(run, problem_symmetric(n), problem_definite(n), n);
    void *a = problem.vectors.device, *b = problem.factor.device, *w = problem.values.device;
    peer_expect("Dsygvd_bufferSize", peer.cuda.sygvd_size(peer.handle, 1, CUSOLVER_VECTORS, CUBLAS_LOWER, n,
                                                          a, n, b, n, w, &length));
    struct work work = peer_work((size_t)length * sizeof(double), 0);
    peer_ready(run);
    while (run_next(run)) {
        generalized_up(run, &problem);
        peer_expect("Dsygvd", peer.cuda.sygvd(peer.handle, 1, CUSOLVER_VECTORS, CUBLAS_LOWER, n, a, n, b, n,
                                              w, work.device, length, peer.info));
        generalized_down(run, &problem, "Dsygvd");
    }
}

void peer_zhegvx(struct run *run)
{
    int n = run->n, last = part_of(n, TENTH), length, found;
    peer_begin(run);
    peer_need("Zhegvdx", peer.cuda.hegvdx_size && peer.cuda.hegvdx);
    struct generalized problem = generalized(run, problem_hermitian(n), problem_definite_hermitian(n), last);
    void *a = problem.vectors.device, *b = problem.factor.device, *w = problem.values.device;
    peer_expect("Zhegvdx_bufferSize",
                peer.cuda.hegvdx_size(peer.handle, 1, CUSOLVER_VECTORS, CUSOLVER_RANGE_INDICES, CUBLAS_LOWER,
                                      n, a, n, b, n, 0, 0, 1, last, &found, w, &length));
    struct work work = peer_work(2 * (size_t)length * sizeof(double), 0);
    peer_ready(run);
    while (run_next(run)) {
        generalized_up(run, &problem);
        peer_expect("Zhegvdx", peer.cuda.hegvdx(peer.handle, 1, CUSOLVER_VECTORS, CUSOLVER_RANGE_INDICES,
                                                CUBLAS_LOWER, n, a, n, b, n, 0, 0, 1, last, &found, w,
                                                work.device, length, peer.info));
        generalized_down(run, &problem, "Zhegvdx");
        expect_success("Zhegvdx", found - last);
    }
}

void peer_dsytrd(struct run *run)
{
    int n = run->n, length;
    size_t order = (size_t)n;
    struct matrix a = problem_symmetric(n);
    peer_begin(run);
    peer_need("Dsytrd", peer.cuda.sytrd_size && peer.cuda.sytrd);
    struct operand reflectors = peer_operand(matrix_size(&a)), d = peer_operand(order),
                   e = peer_operand(order), tau = peer_operand(order);
    peer_expect("Dsytrd_bufferSize", peer.cuda.sytrd_size(peer.handle, CUBLAS_LOWER, n, reflectors.device, n,
                                                          d.device, e.device, tau.device, &length));
    struct work work = peer_work((size_t)length * sizeof(double), 0);
    peer_ready(run);
    while (run_next(run)) {
        double orthogonality;
        matrix_fill(&a, reflectors.host);
        run_start(run);
        peer_up(&reflectors);
        peer_expect("Dsytrd", peer.cuda.sytrd(peer.handle, CUBLAS_LOWER, n, reflectors.device, n, d.device,
                                              e.device, tau.device, work.device, length, peer.info));
        peer_down(&d, order);
        peer_down(&e, order - 1);
        peer_down(&tau, order - 1);
        peer_down(&reflectors, reflectors.count);
        peer_stop(run, "Dsytrd");
        digest(run, &d, order);
        digest(run, &reflectors, reflectors.count);
        double residual = check_tridiagonal(&a, reflectors.host, d.host, e.host, tau.host, &orthogonality);
        run_checked(run, residual, orthogonality);
    }
}

/* Values come as pairs; dgeev has their parts apart. */
static void separate(const struct operand *pairs, size_t n, double *real, double *imaginary)
{
    const double *values = pairs->host;
    for (size_t i = 0; i < n; i++) {
        real[i] = values[2 * i];
        imaginary[i] = values[2 * i + 1];
    }
}

void peer_dgeev(struct run *run)
{
    int n = run->n, type = CUDA_REAL_64, pairs = CUDA_COMPLEX_64;
    size_t order = (size_t)n, bytes, host_bytes;
    struct matrix a = problem_general(n, n);
    double *real = allocate(order), *imaginary = allocate(order);
    peer_begin(run);
    peer_need("Xgeev", peer.cuda.geev_size && peer.cuda.geev);
    struct operand matrix = peer_operand(matrix_size(&a)), vectors = peer_operand(matrix_size(&a)),
                   values = peer_operand(2 * order);
    struct matrix v = matrix_dense(order, order, vectors.host);
    peer_expect("Xgeev_bufferSize",
                peer.cuda.geev_size(peer.handle, peer.params, 0, CUSOLVER_VECTORS, n, type, matrix.device, n,
                                    pairs, values.device, type, NULL, n, type, vectors.device, n, type,
                                    &bytes, &host_bytes));
    struct work work = peer_work(bytes, host_bytes);
    peer_ready(run);
    while (run_next(run)) {
        matrix_fill(&a, matrix.host);
        run_start(run);
        peer_up(&matrix);
        peer_expect("Xgeev",
                    peer.cuda.geev(peer.handle, peer.params, 0, CUSOLVER_VECTORS, n, type, matrix.device, n,
                                   pairs, values.device, type, NULL, n, type, vectors.device, n, type,
                                   work.device, bytes, work.host, host_bytes, peer.info));
        peer_down(&values, values.count);
        peer_down(&vectors, vectors.count);
        peer_stop(run, "Xgeev");
        separate(&values, order, real, imaginary);
        run_digest(run, real, order);
        run_digest(run, imaginary, order);
        digest(run, &vectors, vectors.count);
        run_checked(run, check_general_eigenpairs(&a, real, imaginary, &v),
                    check_unit_columns(imaginary, &v));
    }
}
