/* Operands copied for one call: packed on the device, exactly their part written
 * back, nothing outside of the matrix read, failures survived. */
#include "emulated_lane.h"
#include "mirror/hold.h"
#include "mirror/transfer/transfer.h"
#include "unit_test.h"

#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

static struct lane *lane;

/* A matrix whose last element ends (or whose first begins) at an inaccessible page. */
struct fenced {
    char *mapping;
    size_t mapped;
    double *elements;
    size_t count; /* from element (0, 0) to the last one */
};

static struct fenced fence(const struct blas_matrix *matrix, bool at_end)
{
    struct fenced fenced = {.count = (size_t)((matrix->columns - 1) * matrix->ld + matrix->rows)};
    size_t bytes = (fenced.count * sizeof(double) + PAGE - 1) / PAGE * PAGE;
    fenced.mapped = bytes + 2 * PAGE;
    fenced.mapping = mmap(NULL, fenced.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fenced.mapping == MAP_FAILED || mprotect(fenced.mapping + PAGE, bytes, PROT_READ | PROT_WRITE) != 0)
        abort();
    fenced.elements = (double *)(fenced.mapping + PAGE);
    if (at_end)
        fenced.elements += bytes / sizeof(double) - fenced.count;
    for (size_t i = 0; i < fenced.count; i++)
        fenced.elements[i] = (double)i;
    return fenced;
}

static bool in_part(const struct blas_matrix *matrix, int64_t row, int64_t column)
{
    if (row >= matrix->rows)
        return false;
    return matrix->part == PART_FULL || (matrix->part == PART_LOWER ? row >= column : row <= column);
}

/* The uploaded part is there; stand in for the kernel by storing -(value + 1) everywhere. */
static bool compute(const struct operand *operand)
{
    const struct blas_matrix *matrix = &operand->matrix;
    size_t bytes = (size_t)matrix->rows * sizeof(double);
    double *values = malloc(bytes);
    bool good = true;
    for (int64_t j = 0; j < matrix->columns; j++) {
        CUdeviceptr address = operand->device_address + (size_t)(j * operand->device_ld) * sizeof(double);
        good = device_peek(values, address, bytes) && good;
        for (int64_t i = 0; i < matrix->rows; i++) {
            double expected = (double)(i + j * matrix->ld);
            if (operand->access != OPERAND_OVERWRITE && in_part(matrix, i, j))
                good = values[i] == expected && good;
            values[i] = -(expected + 1);
        }
        good = device_poke(address, values, bytes) && good;
    }
    free(values);
    return good;
}

static bool host_is(const struct fenced *fenced, const struct operand *operand, bool written)
{
    for (size_t index = 0; index < fenced->count; index++) {
        int64_t row = (int64_t)index % operand->matrix.ld, column = (int64_t)index / operand->matrix.ld;
        bool output = written && in_part(&operand->matrix, row, column);
        if (fenced->elements[index] != (output ? -((double)index + 1) : (double)index))
            return false;
    }
    return true;
}

/* A transfer that succeeds ends the doubt that a failed one left, so that tests count the same calls. */
static void settle(void)
{
    double value;
    struct blas_vector one = {&value, 1, 1};
    staging_download_vector(lane, &one, lane->scratch, sizeof value);
}

/* `faults` strike during write-back; `expected` is its status. */
static void test_operand(enum operand_access access, struct blas_matrix matrix, bool at_end,
                         const char *faults, enum status expected)
{
    struct fenced fenced = fence(&matrix, at_end);
    matrix.pointer = fenced.elements;
    struct operand operand = {.matrix = matrix, .element_bytes = sizeof(double), .access = access};
    struct transfer_count count = {0, 0};
    bool good = lane_reserve_scratch(lane, stateless_scratch_bytes(&operand)) == STATUS_OK;
    good = good && stateless_hold(lane, &operand, &count) == STATUS_OK;
    good = good && lane_synchronise(lane, "waiting") == STATUS_OK;
    good = good && operand.device_address % 256 == 0 && operand.device_ld * sizeof(double) % 16 == 0 &&
           operand.device_ld >= matrix.rows && (count.bytes_up == 0) == (access == OPERAND_OVERWRITE);
    good = good && compute(&operand);
    set_faults(faults);
    enum status status = stateless_write_back(lane, &operand, &count);
    set_faults(NULL);
    if (status == STATUS_OK)
        good = good && host_is(&fenced, &operand, access != OPERAND_READ) &&
               (count.bytes_down == 0) == (access == OPERAND_READ);
    tap_ok(good && status == expected, "access %d, part %d, %lld by %lld, ld %lld%s%s: %s", access,
           matrix.part, (long long)matrix.rows, (long long)matrix.columns, (long long)matrix.ld,
           faults ? ", fault " : "", faults ? faults : "", status_text(status));
    munmap(fenced.mapping, fenced.mapped);
    settle();
}

UNIT_TEST(test_stateless)
{
    static const int64_t orders[] = {1, 3, 64, 301, 700};
    lane = emulated_lane();
    for (enum operand_access access = OPERAND_READ; access <= OPERAND_OVERWRITE; access++)
        for (enum blas_part part = PART_FULL; part <= PART_UPPER; part++)
            for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
                struct blas_matrix matrix = {NULL, orders[i], orders[i], orders[i] + (int64_t)i % 3, part};
                test_operand(access, matrix, i % 2, NULL, STATUS_OK);
            }
    struct blas_matrix tall = {NULL, 501, 20, 512, PART_FULL}, wide = {NULL, 20, 501, 20, PART_FULL};
    test_operand(OPERAND_UPDATE, tall, true, NULL, STATUS_OK);
    test_operand(OPERAND_UPDATE, wide, false, NULL, STATUS_OK);
    struct blas_matrix matrix = {NULL, 301, 301, 301, PART_LOWER}; /* two blocks of columns, by 2-D copies */
    test_operand(OPERAND_UPDATE, matrix, true, "cuStreamSynchronize:1:801", STATUS_OK);
    test_operand(OPERAND_UPDATE, matrix, true, "cuMemcpy2DAsync_v2:1:801", STATUS_OK);
    test_operand(OPERAND_UPDATE, matrix, true, "cuMemcpy2DAsync_v2:2:801,cuStreamSynchronize:2:801",
                 STATUS_RESULT_LOST);
    test_operand(OPERAND_OVERWRITE, matrix, true, "cuMemcpy2DAsync_v2:2:801,cuStreamSynchronize:2:801",
                 STATUS_DEVICE_ERROR);
    test_operand(OPERAND_UPDATE, matrix, true, "cuMemcpy2DAsync_v2:1:801,cuStreamSynchronize:1:801",
                 STATUS_DEVICE_ERROR);
    struct operand empty = {
        .matrix = {NULL, 0, 5, 1, PART_FULL}, .element_bytes = 8, .access = OPERAND_UPDATE};
    struct transfer_count moved = {0, 0};
    tap_ok(stateless_scratch_bytes(&empty) == 0 && stateless_hold(lane, &empty, &moved) == STATUS_OK &&
               stateless_write_back(lane, &empty, &moved) == STATUS_OK &&
               moved.bytes_up + moved.bytes_down == 0,
           "an empty matrix moves nothing");
    lane_release(lane);
    device_leave(emulated_device, &emulated_scope);
    return tap_done();
}
