/* cuSOLVER's answers to factorisations, systems of equations and singular values. */
#include "../checks.h"
#include "peer.h"
#include "../problems.h"

static const int type = CUDA_REAL_64;

void peer_dpotrf(struct run *run)
{
    int n = run->n;
    size_t bytes, host_bytes;
    struct matrix a = problem_definite(n), b = problem_right_hand_sides(n);
    peer_begin(run);
    peer_need("Xpotrf and Xpotrs", peer.cuda.potrf_size && peer.cuda.potrf && peer.cuda.potrs);
    struct operand factor = peer_operand(matrix_size(&a)), solution = peer_operand(matrix_size(&b));
    struct matrix x = matrix_dense((size_t)n, RIGHT_HAND_SIDES, solution.host);
    peer_expect("Xpotrf_bufferSize", peer.cuda.potrf_size(peer.handle, peer.params, CUBLAS_LOWER, n, type,
                                                          factor.device, n, type, &bytes, &host_bytes));
    struct work work = peer_work(bytes, host_bytes);
    peer_ready(run);
    while (run_next(run)) {
        matrix_fill(&a, factor.host);
        matrix_fill(&b, solution.host);
        run_start(run);
        peer_up(&factor);
        peer_expect("Xpotrf", peer.cuda.potrf(peer.handle, peer.params, CUBLAS_LOWER, n, type, factor.device,
                                              n, type, work.device, bytes, work.host, host_bytes, peer.info));
        peer_down(&factor, factor.count);
        peer_stop(run, "Xpotrf");
        peer_up(&solution);
        peer_expect("Xpotrs", peer.cuda.potrs(peer.handle, peer.params, CUBLAS_LOWER, n, RIGHT_HAND_SIDES,
                                              type, factor.device, n, type, solution.device, n, peer.info));
        peer_down(&solution, solution.count);
        peer_expect("the copy down", peer.cuda.wait(peer.stream));
        run_digest(run, factor.host, factor.count);
        run_digest(run, solution.host, solution.count);
        run_checked(run, check_solution(&a, &x, &b), -1);
    }
}

/* LAPACK's pivots are narrower. */
static const int *narrow_pivots(const struct operand *pivots)
{
    static int *narrow;
    const int64_t *wide = pivots->host;
    if (!narrow)
        narrow = allocate_integers(pivots->count);
    for (size_t i = 0; i < pivots->count; i++)
        narrow[i] = (int)wide[i];
    return narrow;
}

/* dgetrf, or dgesv with `sides` right-hand sides. */
static void solve_by_lu(struct run *run, int sides)
{
    int n = run->n;
    size_t order = (size_t)n, bytes, host_bytes;
    struct matrix a = problem_general(n, n), b = problem_right_hand_sides(n);
    peer_begin(run);
    peer_need("Xgetrf and Xgetrs", peer.cuda.getrf_size && peer.cuda.getrf && peer.cuda.getrs);
    struct operand factors = peer_operand(matrix_size(&a)), pivots = peer_operand(order);
    struct operand solution = peer_operand(sides ? matrix_size(&b) : 0);
    struct matrix x = matrix_dense(order, RIGHT_HAND_SIDES, solution.host);
    peer_expect("Xgetrf_bufferSize", peer.cuda.getrf_size(peer.handle, peer.params, n, n, type,
                                                          factors.device, n, type, &bytes, &host_bytes));
    struct work work = peer_work(bytes, host_bytes);
    peer_ready(run);
    while (run_next(run)) {
        matrix_fill(&a, factors.host);
        if (sides)
            matrix_fill(&b, solution.host);
        run_start(run);
        peer_up(&factors);
        peer_expect("Xgetrf",
                    peer.cuda.getrf(peer.handle, peer.params, n, n, type, factors.device, n, pivots.device,
                                    type, work.device, bytes, work.host, host_bytes, peer.info));
        peer_down(&pivots, order);
        peer_down(&factors, factors.count);
        if (sides) {
            peer_up(&solution);
            peer_expect("Xgetrs", peer.cuda.getrs(peer.handle, peer.params, CUBLAS_NO_TRANSPOSE, n, sides,
                                                  type, factors.device, n, pivots.device, type,
                                                  solution.device, n, peer.info));
            peer_down(&solution, solution.count);
        }
        peer_stop(run, sides ? "Xgetrs" : "Xgetrf");
        run_digest(run, solution.host, solution.count);
        run_digest(run, factors.host, factors.count);
        run_checked(run, check_lu(&a, factors.host, narrow_pivots(&pivots)), -1);
        if (sides)
            run_checked(run, check_backward(&a, &x, &b), -1);
    }
}

void peer_dgetrf(struct run *run)
{
    solve_by_lu(run, 0);
}

void peer_dgesv(struct run *run)
{
    solve_by_lu(run, RIGHT_HAND_SIDES);
}

void peer_dgeqrf(struct run *run)
{
    int n = run->n;
    size_t bytes, host_bytes;
    struct matrix a = problem_general(n, n);
    peer_begin(run);
    peer_need("Xgeqrf", peer.cuda.geqrf_size && peer.cuda.geqrf);
    struct operand factors = peer_operand(matrix_size(&a)), tau = peer_operand((size_t)n);
    peer_expect("Xgeqrf_bufferSize",
                peer.cuda.geqrf_size(peer.handle, peer.params, n, n, type, factors.device, n, type,
                                     tau.device, type, &bytes, &host_bytes));
    struct work work = peer_work(bytes, host_bytes);
    peer_ready(run);
    while (run_next(run)) {
        double orthogonality;
        matrix_fill(&a, factors.host);
        run_start(run);
        peer_up(&factors);
        peer_expect("Xgeqrf",
                    peer.cuda.geqrf(peer.handle, peer.params, n, n, type, factors.device, n, type, tau.device,
                                    type, work.device, bytes, work.host, host_bytes, peer.info));
        peer_down(&tau, tau.count);
        peer_down(&factors, factors.count);
        peer_stop(run, "Xgeqrf");
        run_digest(run, factors.host, factors.count);
        run_digest(run, tau.host, tau.count);
        double residual = check_qr(&a, factors.host, tau.host, &orthogonality);
        run_checked(run, residual, orthogonality);
    }
}

void peer_dgels(struct run *run)
{
    int n = run->n, m = TALL * n, sides = RIGHT_HAND_SIDES, iterations;
    size_t bytes;
    struct matrix a = problem_general(m, n), b = problem_right_hand_sides(m);
    peer_begin(run);
    peer_need("DDgels", peer.cuda.gels_size && peer.cuda.gels);
    struct operand matrix = peer_operand(matrix_size(&a)), right = peer_operand(matrix_size(&b)),
                   solution = peer_operand((size_t)n * RIGHT_HAND_SIDES);
    struct matrix x = matrix_dense((size_t)n, RIGHT_HAND_SIDES, solution.host);
    peer_expect("DDgels_bufferSize", peer.cuda.gels_size(peer.handle, m, n, sides, matrix.device, m,
                                                         right.device, m, solution.device, n, NULL, &bytes));
    struct work work = peer_work(bytes, 0);
    peer_ready(run);
    while (run_next(run)) {
        matrix_fill(&a, matrix.host);
        matrix_fill(&b, right.host);
        run_start(run);
        peer_up(&matrix);
        peer_up(&right);
        peer_expect("DDgels", peer.cuda.gels(peer.handle, m, n, sides, matrix.device, m, right.device, m,
                                             solution.device, n, work.device, bytes, &iterations, peer.info));
        peer_down(&solution, solution.count);
        peer_stop(run, "DDgels");
        run_digest(run, solution.host, solution.count);
        run_checked(run, check_least_squares(&a, &x, &b), -1);
    }
}

void peer_dgesdd(struct run *run)
{
    int n = run->n;
    size_t order = (size_t)n, area = order * order, bytes, host_bytes;
    struct matrix a = problem_general(n, n);
    double error;
    peer_begin(run);
    peer_need("Xgesvdp", peer.cuda.gesvdp_size && peer.cuda.gesvdp);
    struct operand matrix = peer_operand(area), values = peer_operand(order), left = peer_operand(area),
                   right = peer_operand(area);
    struct matrix u = matrix_dense(order, order, left.host), v = matrix_dense(order, order, right.host);
    peer_expect("Xgesvdp_bufferSize",
                peer.cuda.gesvdp_size(peer.handle, peer.params, CUSOLVER_VECTORS, 1, n, n, type,
                                      matrix.device, n, type, values.device, type, left.device, n, type,
                                      right.device, n, type, &bytes, &host_bytes));
    struct work work = peer_work(bytes, host_bytes);
    peer_ready(run);
    while (run_next(run)) {
        matrix_fill(&a, matrix.host);
        run_start(run);
        peer_up(&matrix);
        peer_expect("Xgesvdp",
                    peer.cuda.gesvdp(peer.handle, peer.params, CUSOLVER_VECTORS, 1, n, n, type, matrix.device,
                                     n, type, values.device, type, left.device, n, type, right.device, n,
                                     type, work.device, bytes, work.host, host_bytes, peer.info, &error));
        peer_down(&values, order);
        peer_down(&left, area);
        peer_down(&right, area);
        peer_stop(run, "Xgesvdp");
        run_digest(run, values.host, order);
        run_digest(run, left.host, area);
        run_digest(run, right.host, area);
        run_checked(run, check_singular(&a, &u, values.host, &v, false), check_orthogonality(&u));
        run_checked(run, -1, check_orthogonality(&v));
    }
}
