#include "case.h"

#include <stdio.h>
#include <string.h>

enum { COLUMN_BYTES = 128, SLOT_BYTES = 256 };

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

static bool is_transposed(const struct bench_case *wanted)
{
    return wanted->family == FAMILY_GEMV && wanted->trans != TRANS_NONE;
}

char case_type_letter(enum blas_type type)
{
    return "sdczw"[type];
}

const char *case_routine(const struct bench_case *wanted)
{
    static const char *const names[FAMILY_COUNT] = {
        [FAMILY_AXPY] = "axpy", [FAMILY_GEMV] = "gemv", [FAMILY_SYMV] = "symv",
        [FAMILY_HEMV] = "hemv", [FAMILY_TRMV] = "trmv",
    };
    return names[wanted->family];
}

void case_flags(const struct bench_case *wanted, char text[4])
{
    const char uplo = "LU"[wanted->uplo], trans = "NTC"[wanted->trans], diag = "NU"[wanted->diag];
    switch (wanted->family) {
    case FAMILY_GEMV: snprintf(text, 4, "%c", trans); break;
    case FAMILY_SYMV:
    case FAMILY_HEMV: snprintf(text, 4, "%c", uplo); break;
    case FAMILY_TRMV: snprintf(text, 4, "%c%c%c", uplo, trans, diag); break;
    default: strcpy(text, "-");
    }
}

const char *case_layout(enum layout layout)
{
    static const char *const names[LAYOUT_COUNT] = {"aligned", "odd", "shifted"};
    return names[layout];
}

int64_t case_ld(const struct bench_case *wanted)
{
    const size_t element = blas_element_bytes(wanted->type);
    if (wanted->layout == LAYOUT_ODD)
        return wanted->m | 1;
    return (int64_t)(round_up((size_t)wanted->m * element, COLUMN_BYTES) / element);
}

size_t case_shift(const struct bench_case *wanted)
{
    if (wanted->layout != LAYOUT_SHIFTED)
        return 0;
    return wanted->type == TYPE_S || wanted->type == TYPE_C ? sizeof(float) : sizeof(double);
}

size_t case_second_vector(const struct bench_case *wanted)
{
    const size_t element = blas_element_bytes(wanted->type);
    const size_t begin = round_up((size_t)wanted->n * element, SLOT_BYTES) + SLOT_BYTES;
    return wanted->layout == LAYOUT_ODD ? begin + element : begin;
}

size_t case_footprint(const struct bench_case *wanted)
{
    const size_t element = blas_element_bytes(wanted->type);
    size_t bytes = (size_t)wanted->n * (size_t)case_ld(wanted) * element;
    if (wanted->family == FAMILY_AXPY)
        bytes = case_second_vector(wanted) + (size_t)wanted->n * element;
    return round_up(bytes + case_shift(wanted), SLOT_BYTES);
}

int64_t case_x_length(const struct bench_case *wanted)
{
    return is_transposed(wanted) ? wanted->m : wanted->n;
}

int64_t case_y_length(const struct bench_case *wanted)
{
    return is_transposed(wanted) || wanted->family != FAMILY_GEMV ? wanted->n : wanted->m;
}

double case_bytes(const struct bench_case *wanted)
{
    const double element = (double)blas_element_bytes(wanted->type), m = (double)wanted->m,
                 n = (double)wanted->n;
    switch (wanted->family) {
    case FAMILY_AXPY: return 3 * n * element;
    case FAMILY_GEMV:
        return (m * n + (double)case_x_length(wanted) + 2 * (double)case_y_length(wanted)) * element;
    case FAMILY_TRMV:
        return (n * (wanted->diag == DIAG_UNIT ? n - 1 : n + 1) / 2 + 2 * n) * element;
    default: return (n * (n + 1) / 2 + 3 * n) * element;
    }
}
