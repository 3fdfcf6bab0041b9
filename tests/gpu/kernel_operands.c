#include "kernel_cases.h"

#include "gpu/launch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 256, GUARD_ELEMENTS = 64, OPERAND_A = 1, OPERAND_X = 2, OPERAND_Y = 3, OPERANDS = 4 };

static double special_value(double value, unsigned specials, int operand, int64_t i, int64_t j)
{
    static const double values[] = {INFINITY, -INFINITY, NAN, 0, -0.0, 0, -0.0, 0};
    if (!specials)
        return value;
    const uint64_t z = element_hash(operand + 16 * (int)specials, i, j);
    return z % 61 == 0 ? values[z >> 32 & 7] : value;
}

/* The part of a double-double element below `hi`: up to half its last bit, so that lo matters in every sum.
 * Beside a special hi lo is NaN, or 0 beside a zero. */
static double low_part(double hi, int stream, int64_t i, int64_t j)
{
    int exponent;
    if (hi == 0 || !isfinite(hi))
        return hi == 0 ? 0 : NAN;
    frexp(hi, &exponent);
    return ldexp(element_value(TYPE_D, stream, i, j), exponent - 54);
}

/* Element (i, j) of the operand into element `index`; `real_only`: its imaginary part stays. */
static void set_element(const struct kernel_case *kernel_case, int operand, int64_t i, int64_t j,
                        bool real_only, void *elements, int64_t index)
{
    const int count = element_parts(kernel_case->type);
    for (int part = 0; part < (real_only ? 1 : count); part++) {
        const int stream = operand + OPERANDS * part;
        const bool low = kernel_case->type == TYPE_W && part == 1;
        const double value = special_value(element_value(kernel_case->type, stream, i, j),
                                           kernel_case->specials, stream, i, j);
        const double hi = low ? ((const double *)elements)[2 * index] : 0;
        element_set_part(kernel_case->type, elements, count * index + part,
                         low ? low_part(hi, stream, i, j) : value);
    }
}

static struct operand_buffer poisoned_buffer(enum blas_type type, int64_t numbers)
{
    const size_t bytes = (size_t)numbers * element_part_bytes(type);
    struct operand_buffer buffer = {.size = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT};
    buffer.bytes = aligned_alloc(ALIGNMENT, buffer.size);
    if (!buffer.bytes)
        abort();
    element_set_part(type, buffer.bytes, 0, NAN);
    for (size_t done = element_part_bytes(type), more; done < buffer.size; done += more) {
        more = done < buffer.size - done ? done : buffer.size - done;
        memcpy(buffer.bytes + done, buffer.bytes, more);
    }
    return buffer;
}

static bool is_referenced(const struct kernel_case *kernel_case, int64_t i, int64_t j)
{
    if (kernel_case->family == FAMILY_GEMV)
        return true;
    if (i == j)
        return kernel_case->family != FAMILY_TRMV || kernel_case->diag == DIAG_NON_UNIT;
    return kernel_case->uplo == UPLO_LOWER ? i > j : i < j;
}

static void make_matrix(const struct kernel_case *kernel_case, const struct placement *placement,
                        struct operands *operands)
{
    const enum blas_type type = kernel_case->type;
    struct blas_matrix *matrix = &operands->call.a;
    matrix->rows = kernel_case->family == FAMILY_GEMV ? kernel_case->m : kernel_case->n;
    matrix->columns = kernel_case->n;
    matrix->ld = matrix->rows + placement->lda_padding;
    matrix->part = kernel_case->family == FAMILY_GEMV        ? PART_FULL
                   : kernel_case->uplo == UPLO_LOWER ? PART_LOWER
                                                     : PART_UPPER;
    /* The last column ends with its last row, as in a submatrix at the end of memory. */
    operands->a = poisoned_buffer(
        type, placement->offset + element_parts(type) * (matrix->ld * (matrix->columns - 1) + matrix->rows));
    matrix->pointer = operands->a.bytes + (size_t)placement->offset * element_part_bytes(type);
    for (int64_t j = 0; j < matrix->columns; j++)
        for (int64_t i = 0; i < matrix->rows; i++)
            if (is_referenced(kernel_case, i, j))
                set_element(kernel_case, OPERAND_A, i, j, kernel_case->family == FAMILY_HEMV && i == j,
                            matrix->pointer, i + j * matrix->ld);
}

static int64_t element_offset(const struct blas_vector *vector, int64_t i)
{
    return vector->increment > 0 ? i * vector->increment : (i - vector->length + 1) * vector->increment;
}

static void make_vector(const struct kernel_case *kernel_case, int operand, int64_t length, int64_t increment,
                        int64_t offset, struct blas_vector *vector, struct operand_buffer *buffer)
{
    const enum blas_type type = kernel_case->type;
    const bool has_beta = kernel_case->beta[0] != 0 || kernel_case->beta[1] != 0;
    const bool filled = operand == OPERAND_X || kernel_case->family == FAMILY_AXPY ||
                        (kernel_case->family != FAMILY_TRMV && has_beta);
    *buffer = poisoned_buffer(type, element_parts(type) * (2 * GUARD_ELEMENTS + length * llabs(increment)) +
                                        offset);
    *vector = (struct blas_vector){.pointer = buffer->bytes + GUARD_ELEMENTS * blas_element_bytes(type) +
                                              (size_t)offset * element_part_bytes(type),
                                   .length = length, .increment = increment};
    for (int64_t i = 0; i < length && filled; i++)
        set_element(kernel_case, operand, i, 0, false, vector->pointer, element_offset(vector, i));
}

void operands_make(const struct kernel_case *kernel_case, const struct placement *placement,
                   struct operands *operands)
{
    const int64_t y_length = kernel_case_length(kernel_case);
    const bool x_has_rows = kernel_case->family == FAMILY_GEMV &&
                           (kernel_case->trans == TRANS_TRANSPOSE || kernel_case->trans == TRANS_CONJUGATE);
    struct blas_call *call = &operands->call;
    *operands = (struct operands){.call = {.family = kernel_case->family,
                                           .type = kernel_case->type,
                                           .uplo = kernel_case->uplo,
                                           .trans = kernel_case->trans,
                                           .diag = kernel_case->diag,
                                           .conjugated = kernel_case->conjugated,
                                           .m = kernel_case->m,
                                           .n = kernel_case->n}};
    for (int part = 0; part < element_parts(call->type); part++) {
        element_set_part(call->type, &call->alpha, part, kernel_case->alpha[part]);
        element_set_part(call->type, &call->beta, part, kernel_case->beta[part]);
    }
    if (kernel_case->family != FAMILY_AXPY)
        make_matrix(kernel_case, placement, operands);
    make_vector(kernel_case, OPERAND_X, x_has_rows ? call->m : call->n, placement->x_increment,
                placement->x_offset, &call->x, &operands->x);
    make_vector(kernel_case, OPERAND_Y, y_length, placement->y_increment, placement->offset, &call->y,
                &operands->y);
}

void operands_free(struct operands *operands)
{
    free(operands->a.bytes);
    free(operands->x.bytes);
    free(operands->y.bytes);
}

void operands_put_in_place(struct operands *operands)
{
    free(operands->y.bytes);
    operands->call.y = operands->call.x;
    operands->y = operands->x;
    operands->x.bytes = NULL;
}

bool operands_can_be_packed(const struct kernel_case *kernel_case)
{
    return (kernel_case->family == FAMILY_SYMV && kernel_case->type != TYPE_W) || kernel_case->family == FAMILY_HEMV;
}

void operands_pack(struct operands *operands)
{
    const struct blas_matrix square = operands->call.a;
    const int64_t n = square.columns, count = n * (n + 1) / 2;
    const size_t element = blas_element_bytes(operands->call.type),
                 offset = (size_t)((unsigned char *)square.pointer - operands->a.bytes);
    struct operand_buffer packed = poisoned_buffer(
        operands->call.type, (int64_t)(offset / element_part_bytes(operands->call.type)) +
                                 element_parts(operands->call.type) * count);
    unsigned char *to = packed.bytes + offset;
    for (int64_t j = 0; j < n; j++) {
        const int64_t first = square.part == PART_LOWER ? j : 0, rows = square.part == PART_LOWER ? n - j : j + 1;
        memcpy(to, (unsigned char *)square.pointer + (size_t)(first + j * square.ld) * element,
               (size_t)rows * element);
        to += (size_t)rows * element;
    }
    free(operands->a.bytes);
    operands->a = packed;
    operands->call.a = (struct blas_matrix){packed.bytes + offset, count, 1, count, PART_FULL};
    operands->call.family = operands->call.family == FAMILY_HEMV ? FAMILY_HPMV : FAMILY_SPMV;
}

void operands_result(const struct operands *operands, const unsigned char *buffer, void *result)
{
    const struct blas_vector *y = &operands->call.y;
    const size_t element = blas_element_bytes(operands->call.type);
    const unsigned char *vector = buffer + ((unsigned char *)y->pointer - operands->y.bytes);
    for (int64_t i = 0; i < y->length; i++)
        memcpy((unsigned char *)result + (size_t)i * element, vector + (size_t)element_offset(y, i) * element,
               element);
}

bool operands_guards_intact(const struct operands *operands, const unsigned char *buffer)
{
    const struct blas_vector *y = &operands->call.y;
    const size_t element = blas_element_bytes(operands->call.type);
    const size_t first = (size_t)((unsigned char *)y->pointer - operands->y.bytes);
    bool intact = true;
    unsigned char *expected = malloc(operands->y.size);
    if (!expected)
        abort();
    memcpy(expected, operands->y.bytes, operands->y.size);
    for (int64_t i = 0; i < y->length; i++) {
        const size_t at = first + (size_t)element_offset(y, i) * element;
        memcpy(expected + at, buffer + at, element);
    }
    intact = memcmp(expected, buffer, operands->y.size) == 0;
    free(expected);
    return intact;
}

/* Copy a buffer to new device memory and turn a pointer into it into a device address. */
static enum status to_device(struct lane *lane, const struct operand_buffer *buffer, CUdeviceptr *address,
                             void **pointer)
{
    *address = 0;
    if (!buffer->bytes)
        return STATUS_OK;
    enum status status = device_allocate(lane->device, buffer->size, address);
    if (status == STATUS_OK)
        status = device_check(
            lane->device, driver()->copy_to_device_async(*address, buffer->bytes, buffer->size, lane->stream),
            "copying a test operand to the device");
    *pointer = (void *)(uintptr_t)(*address + (CUdeviceptr)((unsigned char *)*pointer - buffer->bytes));
    return status;
}

enum status operands_run(struct lane *lane, const struct operands *operands, unsigned char *buffer)
{
    struct blas_call call = operands->call;
    CUdeviceptr a = 0, x = 0, y = 0;
    enum status status = to_device(lane, &operands->a, &a, &call.a.pointer);
    if (status == STATUS_OK)
        status = to_device(lane, &operands->x, &x, &call.x.pointer);
    if (status == STATUS_OK)
        status = to_device(lane, &operands->y, &y, &call.y.pointer);
    if (!operands->x.bytes)
        call.x = call.y;
    if (status == STATUS_OK)
        status = launch(lane, &call);
    if (status == STATUS_OK)
        status = device_check(lane->device,
                              driver()->copy_to_host_async(buffer, y, operands->y.size, lane->stream),
                              "copying a test result to the host");
    if (status == STATUS_OK)
        status = lane_synchronise(lane, "running a test kernel");
    const CUdeviceptr owned[] = {a, x, y};
    for (int i = 0; i < 3; i++)
        if (owned[i])
            device_free(lane->device, owned[i]);
    return status;
}
