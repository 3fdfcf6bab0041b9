/* checks.h - is A = Q B P', and are Q and P orthogonal? By a few random vectors, on the device: A x beside
 * Q (B (P'x)), A'y beside P (B'(Q'y)), Q'Q z and P'P z beside z. Reflectors are applied by cuSOLVER's ormqr,
 * those of P from a transposed copy. */
#ifndef BIDIAGONAL_CHECKS_H
#define BIDIAGONAL_CHECKS_H

#include "device.h"

#include <float.h>
#include <math.h>

constexpr int CHECK_VECTORS = 8;
static double unit_of(int64_t n) { return DBL_EPSILON * (double)(n < 16 ? 16 : n); }

/* In units of n eps (16 eps where n is less), relative to what is compared with; `norm`: of B, relative to
 * A's. */
struct check_result {
    double product, transposed, q, p, norm;
    bool is_good() const
    {
        const double most = 10;
        return product <= most && transposed <= most && q <= most && p <= most && norm <= most;
    }
};

/* Column-major, rows from m on zero. */
__global__ void fill_random(double *a, int64_t m, int64_t n, int64_t ld, uint64_t seed)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < ld * n;
         i += gridDim.x * (int64_t)blockDim.x) {
        const uint64_t row = (uint64_t)(i % ld), column = (uint64_t)(i / ld);
        uint64_t z = seed * 0x9e3779b97f4a7c15u + row * 0xbf58476d1ce4e5b9u + column * 0x94d049bb133111ebu;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        a[i] = (int64_t)row < m ? (double)(int64_t)(z ^ z >> 31) * 0x1p-63 : 0;
    }
}
static void fill(double *a, int64_t m, int64_t n, int64_t ld, uint64_t seed)
{
    fill_random<<<1024, 256, 0, device.stream>>>(a, m, n, ld, seed);
    MUST(cudaGetLastError());
}

/* to = B from, or B' from, a column a block; rows of `to` beyond n become zero. */
__global__ void multiply_bidiagonal(const double *d, const double *e, int n, bool transposed,
                                    const double *from, int64_t from_ld, double *to, int64_t to_ld)
{
    from += blockIdx.x * from_ld, to += blockIdx.x * to_ld;
    for (int64_t i = threadIdx.x; i < to_ld; i += blockDim.x) {
        double sum = i < n ? d[i] * from[i] : 0;
        if (transposed && i > 0 && i < n)
            sum += e[i - 1] * from[i - 1];
        if (!transposed && i + 1 < n)
            sum += e[i] * from[i + 1];
        to[i] = sum;
    }
}

static double norm_of(const double *a, int64_t count)
{
    double norm;
    MUST(cublasDnrm2(device.blas, (int)count, a, 1, &norm));
    return norm;
}

/* ||a - b|| / ||b||; a is lost. */
static double difference(double *a, const double *b, int64_t count)
{
    const double minus = -1;
    MUST(cublasDaxpy(device.blas, (int)count, &minus, b, 1, a, 1));
    return norm_of(a, count) / norm_of(b, count);
}

static void apply(cublasOperation_t operation, int order, int reflectors, const double *a, int64_t lda,
                  const double *tau, double *c, int64_t ldc)
{
    int size;
    if (reflectors == 0)
        return;
    MUST(cusolverDnDormqr_bufferSize(device.solver, CUBLAS_SIDE_LEFT, operation, order, CHECK_VECTORS,
                                     reflectors, a, (int)lda, tau, c, (int)ldc, &size));
    double *const work = device_memory<double>((size_t)size);
    MUST(cusolverDnDormqr(device.solver, CUBLAS_SIDE_LEFT, operation, order, CHECK_VECTORS, reflectors, a,
                          (int)lda, tau, c, (int)ldc, work, size, device.info));
    await_stream("ormqr", PEER_PATIENCE_SECONDS);
    MUST(cudaFree(work));
}

/* `of` is reduced; `given`, lda as it has, is what it was. */
static check_result check(const bidiagonal_reduction &of, const double *given)
{
    const int m = (int)of.m, n = (int)of.n;
    const double one = 1, zero = 0, unit = unit_of(n);
    const size_t x_count = (size_t)n * CHECK_VECTORS, y_count = (size_t)m * CHECK_VECTORS;
    double *const x = device_memory<double>(x_count), *const t = device_memory<double>(x_count);
    double *const y = device_memory<double>(y_count), *const z = device_memory<double>(y_count);
    double *const u = device_memory<double>(y_count);
    double *const rows = device_memory<double>((size_t)n * (size_t)n);
    const size_t x_bytes = x_count * sizeof(double), y_bytes = y_count * sizeof(double);
    const auto copy = [](double *to, const double *from, size_t bytes) {
        MUST(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, device.stream));
    };
    const auto multiply = [&](cublasOperation_t operation, const double *from, int64_t from_rows, double *to,
                              int64_t to_rows) {
        MUST(cublasDgemm(device.blas, operation, CUBLAS_OP_N, (int)to_rows, CHECK_VECTORS, (int)from_rows,
                         &one, given, (int)of.lda, from, (int)from_rows, &zero, to, (int)to_rows));
    };
    const auto apply_p = [&](cublasOperation_t operation, double *c) {
        apply(operation, n - 1, n - 1, rows + 1, n, of.taup, c + 1, n);
    };
    const auto apply_q = [&](cublasOperation_t operation, double *c) {
        apply(operation, m, n, of.a, of.lda, of.tauq, c, m);
    };
    check_result result;
    MUST(cublasDgeam(device.blas, CUBLAS_OP_T, CUBLAS_OP_N, n, n, &one, of.a, (int)of.lda, &zero, rows, n,
                     rows, n));
    fill(x, n, CHECK_VECTORS, n, 11);
    fill(y, m, CHECK_VECTORS, m, 12);

    copy(t, x, x_bytes);
    apply_p(CUBLAS_OP_T, t);
    multiply_bidiagonal<<<CHECK_VECTORS, 256, 0, device.stream>>>(of.d, of.e, n, false, t, n, z, m);
    apply_q(CUBLAS_OP_N, z);
    multiply(CUBLAS_OP_N, x, n, u, m);
    result.product = difference(z, u, (int64_t)m * CHECK_VECTORS) / unit;

    copy(z, y, y_bytes);
    apply_q(CUBLAS_OP_T, z);
    multiply_bidiagonal<<<CHECK_VECTORS, 256, 0, device.stream>>>(of.d, of.e, n, true, z, m, t, n);
    apply_p(CUBLAS_OP_N, t);
    copy(z, y, y_bytes);
    double *const transposed = u; /* m >= n */
    multiply(CUBLAS_OP_T, y, m, transposed, n);
    result.transposed = difference(t, transposed, (int64_t)n * CHECK_VECTORS) / unit;

    copy(z, y, y_bytes);
    apply_q(CUBLAS_OP_N, z);
    apply_q(CUBLAS_OP_T, z);
    result.q = difference(z, y, (int64_t)m * CHECK_VECTORS) / unit;
    copy(t, x, x_bytes);
    apply_p(CUBLAS_OP_N, t);
    apply_p(CUBLAS_OP_T, t);
    result.p = difference(t, x, (int64_t)n * CHECK_VECTORS) / unit;

    const double d = norm_of(of.d, n), e = n > 1 ? norm_of(of.e, n - 1) : 0,
                 whole = norm_of(given, of.lda * of.n);
    result.norm = fabs(sqrt(d * d + e * e) - whole) / whole / unit;
    for (double *memory : {x, t, y, z, u, rows})
        MUST(cudaFree(memory));
    return result;
}

static bool print_check(const char *method, int64_t m, int64_t n, int nb, const check_result &result)
{
    printf("check,%s,%lld,%lld,%d,%.3f,%.3f,%.3f,%.3f,%.3f,%s\n", method, (long long)m, (long long)n, nb,
           result.product, result.transposed, result.q, result.p, result.norm,
           result.is_good() ? "good" : "BAD");
    fflush(stdout);
    return result.is_good();
}

#endif
