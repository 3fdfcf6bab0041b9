#include "elements.h"

#include <math.h>
#include <string.h>

static bool is_complex(enum blas_type type)
{
    return type == TYPE_C || type == TYPE_Z;
}

int element_parts(enum blas_type type)
{
    return is_complex(type) || type == TYPE_W ? 2 : 1;
}

size_t element_part_bytes(enum blas_type type)
{
    return blas_is_single(type) ? sizeof(float) : sizeof(double);
}

uint64_t element_hash(int operand, int64_t i, int64_t j)
{
    uint64_t z = (uint64_t)operand * UINT64_C(0x9e3779b97f4a7c15) +
                 (uint64_t)i * UINT64_C(0xd1342543de82ef95) + (uint64_t)j * UINT64_C(0xaf251af3b0f025b5);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

double element_value(enum blas_type type, int operand, int64_t i, int64_t j)
{
    /* exact, as ldexp is, which takes longer than all the rest */
    static const double single[] = {0x1p-24, 0x1p-25, 0x1p-26, 0x1p-27, 0x1p-28, 0x1p-29, 0x1p-30, 0x1p-31},
                        twice[] = {0x1p-53, 0x1p-54, 0x1p-55, 0x1p-56, 0x1p-57, 0x1p-58, 0x1p-59, 0x1p-60};
    const uint64_t z = element_hash(operand, i, j);
    const double magnitude =
        blas_is_single(type) ? (double)(z >> 40) * single[z & 7] : (double)(z >> 11) * twice[z & 7];
    return z & 8 ? -magnitude : magnitude;
}

void element_set_part(enum blas_type type, void *numbers, int64_t index, double value)
{
    if (blas_is_single(type))
        ((float *)numbers)[index] = (float)value;
    else
        ((double *)numbers)[index] = value;
}

static bool is_nan(enum blas_type type, const void *numbers, int64_t i)
{
    return blas_is_single(type) ? isnan(((const float *)numbers)[i]) : isnan(((const double *)numbers)[i]);
}

uint64_t result_digest_more(uint64_t digest, enum blas_type type, const void *result, int64_t count)
{
    static const unsigned char nan_bytes[8] = {'n', 'a', 'n'};
    const size_t size = element_part_bytes(type);
    for (int64_t i = 0; i < count * element_parts(type); i++) {
        const unsigned char *bytes =
            is_nan(type, result, i) ? nan_bytes : (const unsigned char *)result + (size_t)i * size;
        for (size_t b = 0; b < size; b++)
            digest = (digest ^ bytes[b]) * UINT64_C(0x100000001b3);
    }
    return digest;
}

uint64_t result_digest(enum blas_type type, const void *result, int64_t count)
{
    return result_digest_more(RESULT_DIGEST_EMPTY, type, result, count);
}

bool results_equal(enum blas_type type, const void *one, const void *two, int64_t count)
{
    const size_t size = element_part_bytes(type);
    for (int64_t i = 0; i < count * element_parts(type); i++) {
        const size_t at = (size_t)i * size;
        if (memcmp((const char *)one + at, (const char *)two + at, size) != 0 &&
            !(is_nan(type, one, i) && is_nan(type, two, i)))
            return false;
    }
    return true;
}
