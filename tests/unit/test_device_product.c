/* Products of matrices with sums around the length from which they are done in parts: exact on small
 * integers, for all ways to take the operands, with beta, by as many products as there are to be; what lies
 * between columns stays. */
#include "emulated_lane.h"
#include "gpu/vendor/vendor_library.h"
#include "lapack/eigensolver/own_eigen.h"
#include "unit_test.h"

#include <stdlib.h>

enum { GAP = 2, SPARE = -77, CHAIN_MOST = 4096, CHAIN_PART = 512 };

static struct solver_handle handle;

struct matrix {
    int64_t rows, columns, ld;
    double *elements;
    CUdeviceptr address;
};

static double small_integer(void)
{
    static uint32_t state = 7;
    state = state * 1664525u + 1013904223u;
    return (double)(state >> 28) - 8;
}

static size_t bytes_of(const struct matrix *matrix)
{
    return (size_t)(matrix->ld * matrix->columns) * sizeof(double);
}

static struct matrix send_matrix(int64_t rows, int64_t columns)
{
    struct matrix matrix = {rows, columns, rows + GAP, NULL, 0};
    matrix.elements = malloc(bytes_of(&matrix) + 1);
    for (int64_t i = 0; i < matrix.ld * columns; i++)
        matrix.elements[i] = i % matrix.ld < rows ? small_integer() : SPARE;
    if (!matrix.elements ||
        device_allocate(emulated_device, bytes_of(&matrix) + 1, &matrix.address) != STATUS_OK)
        exit(1);
    device_poke(matrix.address, matrix.elements, bytes_of(&matrix));
    return matrix;
}

static void matrix_free(struct matrix *matrix)
{
    device_free(emulated_device, matrix->address);
    free(matrix->elements);
}

static double element_of(const struct matrix *matrix, bool transposed, int64_t i, int64_t j)
{
    return matrix->elements[transposed ? j + i * matrix->ld : i + j * matrix->ld];
}

/* C = 2 op(A) op(B) - C, as the host has it, in the host's C. */
static void multiply(struct matrix *c, const struct matrix *a, const struct matrix *b, int trans_a,
                     int trans_b, int64_t k)
{
    for (int64_t j = 0; j < c->columns; j++)
        for (int64_t i = 0; i < c->rows; i++) {
            double sum = 0;
            for (int64_t p = 0; p < k; p++)
                sum += element_of(a, trans_a, i, p) * element_of(b, trans_b, p, j);
            c->elements[i + j * c->ld] = 2 * sum - c->elements[i + j * c->ld];
        }
}

static bool is_right(int64_t m, int64_t n, int64_t k, int trans_a, int trans_b, bool in_parts)
{
    const unsigned long parts = in_parts && k > CHAIN_MOST ? (k + CHAIN_PART - 1) / CHAIN_PART : 1,
                        before = call_count("cublasDgemm_v2");
    struct matrix a = send_matrix(trans_a ? k : m, trans_a ? m : k),
                  b = send_matrix(trans_b ? n : k, trans_b ? k : n), c = send_matrix(m, n);
    const struct device_product product = {.trans_a = trans_a, .trans_b = trans_b, .m = m, .n = n, .k = k,
                                           .alpha = 2, .beta = -1, .a = {a.address, a.ld},
                                           .b = {b.address, b.ld}, .c = {c.address, c.ld}, .in_parts = in_parts};
    double *const result = malloc(bytes_of(&c) + 1);
    bool good = result && device_product_queue(&handle, TYPE_D, &product) == STATUS_OK &&
                driver()->stream_synchronise(handle.stream) == CUDA_SUCCESS &&
                call_count("cublasDgemm_v2") - before == parts &&
                device_peek(result, c.address, bytes_of(&c));
    multiply(&c, &a, &b, trans_a, trans_b, k);
    for (int64_t i = 0; good && i < c.ld * n; i++)
        good = result[i] == c.elements[i];
    free(result);
    matrix_free(&c);
    matrix_free(&b);
    matrix_free(&a);
    return good;
}

UNIT_TEST(test_device_product)
{
    static const int64_t lengths[] = {1, 4095, 4096, 4097, 4608, 5003};
    const struct solver_library *library;
    struct lane *const lane = emulated_lane();
    if (solver_library_open(emulated_device, &library) != STATUS_OK ||
        solver_handle_create(library, lane->stream, &handle) != STATUS_OK)
        tap_skip_all("no cuSOLVER");
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int ways = 0; ways < 4; ways++)
            tap_ok(is_right(3, 130, lengths[i], ways & 1, ways >> 1, true) &&
                       is_right(130, 3, lengths[i], ways & 1, ways >> 1, true),
                   "sums of %d, A %s, B %s", (int)lengths[i], ways & 1 ? "transposed" : "as it is",
                   ways >> 1 ? "transposed" : "as it is");
    tap_ok(is_right(3, 5, 5003, 0, 0, false), "not in parts where nobody asked for them");
    const struct blas_call call = {.family = FAMILY_GEMM, .type = TYPE_D};
    const bool is_there = level3_supported(emulated_device, &call);
    const unsigned long before = call_count("cuCtxPushCurrent_v2");
    tap_ok(is_there && level3_supported(emulated_device, &call) && call_count("cuCtxPushCurrent_v2") == before,
           "to ask for a cuBLAS that is open calls no driver");
    solver_handle_destroy(&handle);
    lane_release(lane);
    return tap_done();
}
