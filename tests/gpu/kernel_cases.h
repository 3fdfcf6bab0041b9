/* kernel_cases.h - the fixed set of calls that kernel_digests and test_kernels
 * run: shapes, scalars and operands are functions of the case alone. */
#ifndef MUBLAS_KERNEL_CASES_H
#define MUBLAS_KERNEL_CASES_H

#include "elements.h"
#include "gpu/lane.h"

struct kernel_case {
    enum blas_family family;
    enum blas_type type;
    enum blas_uplo uplo;
    enum blas_trans trans;
    enum blas_diag diag;
    bool conjugated;          /* hemv */
    int64_t m, n;             /* m: gemv only */
    double alpha[2], beta[2]; /* complex: re, im; W: hi, lo; other types: the first only */
    unsigned specials;        /* 0, or the seed of rare NaN, Inf and signed zeros among the elements */
    char name[64];
};

/* Scalars that go round with `turn`, 0 and 1 among them. */
void kernel_case_scalars(struct kernel_case *kernel_case, int64_t turn);

/* Every case of which the matrix (or vector) has at most max_n^2 elements. The
 * array is the caller's to free. */
struct kernel_case *kernel_cases(int64_t max_n, size_t *count);

/* The operands' place in memory: never changes result bits. */
struct placement {
    int64_t lda_padding; /* lda = rows + this */
    int64_t offset;      /* of A and y: real numbers past a 256-byte boundary */
    int64_t x_offset;    /* the same of x */
    int64_t x_increment, y_increment;
};

/* One case laid out in host memory. Whatever must not be read is NaN: the other
 * triangle, a unit diagonal, the imaginary part of a Hermitian one, padding, gaps in
 * vectors, y where beta is 0 or the routine is trmv. Element values do not depend on
 * the placement. */
struct operand_buffer {
    unsigned char *bytes; /* 256-byte aligned */
    size_t size;
};
struct operands {
    struct blas_call call; /* host pointers into the buffers */
    struct operand_buffer a, x, y;
};
void operands_make(const struct kernel_case *kernel_case, const struct placement *placement,
                   struct operands *operands);
void operands_free(struct operands *operands);

/* For trmv: let x be y, in x's place. */
void operands_put_in_place(struct operands *operands);

/* A of symv and hemv, except in W, becomes a packed triangle, for spmv and hpmv, which have their bits. */
bool operands_can_be_packed(const struct kernel_case *kernel_case);
void operands_pack(struct operands *operands);

/* The length of y. */
int64_t kernel_case_length(const struct kernel_case *kernel_case);

/* The elements of y in order, contiguous, from `buffer` (a copy of operands->y). */
void operands_result(const struct operands *operands, const unsigned char *buffer, void *result);

/* True when `buffer` differs from operands->y in elements of y only. */
bool operands_guards_intact(const struct operands *operands, const unsigned char *buffer);

/* Run the call on the device: buffers are copied there byte for byte, y comes back
 * into `buffer`. Inside device_enter. */
enum status operands_run(struct lane *lane, const struct operands *operands, unsigned char *buffer);

#endif
