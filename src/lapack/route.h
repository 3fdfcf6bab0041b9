/* route.h - one LAPACK routine run wholly on the device (design section 10).
 *
 * Operands go up once and results come home once; nothing is written through between. The engine reserves all
 * device memory in the mirrors' budget before anything goes up, sends the operands, or copies what BLAS calls have left of
 * them on the device, looks at their values there, lets the routine's method queue its work, brings vectors and INFO to private memory, asks the method whether that is
 * a success, and only then writes matrices to the program's memory: write-only ones before updated ones. So any failure
 * before that leaves every operand as it was. */
#ifndef MUBLAS_ROUTE_H
#define MUBLAS_ROUTE_H

#include "lapack/matrix_part.h"
#include "lapack/route_lane.h"
#include "mirror/operands.h"

enum { ROUTE_OPERANDS_MAX = 6, ROUTE_VECTORS_MAX = 3, ROUTE_LATER_INFOS = 3 };
enum { ROUTE_MODULI_BYTES = ROUTE_OPERANDS_MAX * PART_BLOCKS_MOST * 4 }; /* what tells the operands' largest moduli */

/* What a triangle's diagonal must be like, so that no INFO comes of it. */
enum route_diagonal { DIAGONAL_ANY, DIAGONAL_NONZERO, DIAGONAL_REAL_NONZERO };

struct route_operand {
    int64_t rows, columns;   /* of its room on the device; 0: there is none */
    struct blas_matrix up;   /* host memory it is sent from, before; no pointer: nothing is */
    struct blas_matrix home; /* host memory that it goes to, after; no pointer: nothing does */
    int64_t first_row, first_column; /* on the device, of up and of home */
    int64_t home_first;      /* home's first column on the device, from first_column */
    const int64_t *home_order; /* not NULL: home's column j is the one with this number instead; of full matrices */
    bool is_kept;            /* where the route keeps operands: up stays on the device, in a mirror (mirror/operands.h) */
    bool hermitian;          /* imaginary parts on the diagonal count as zero, whatever is there */
    bool finite_suffices;    /* LAPACK does not scale it, however large or small it is */
    enum route_diagonal diagonal;
    /* by the engine: */
    CUdeviceptr address;
    int64_t ld;
};

struct route_vector {
    size_t bytes;
    const void *up;     /* sent before; NULL: nothing is */
    int64_t up_numbers; /* so many real numbers of it must be finite */
    void *values;       /* private memory of the caller, filled before `judge`; NULL: it does not come home */
    CUdeviceptr address;
};

struct route {
    const struct route_method *method;
    const void *problem; /* the method's */
    bool keeps; /* operands that may stay on the device are to */
    /* Matrices are home too: is it a success? Only where all of these homes are private memory; NULL: it is. */
    bool (*accept)(const struct route *route);
    enum blas_type type;
    struct route_operand operands[ROUTE_OPERANDS_MAX];
    struct route_vector vectors[ROUTE_VECTORS_MAX];
    size_t device_workspace_bytes, host_workspace_bytes; /* by `plan` */
    /* by the engine: */
    CUdeviceptr workspace, info_address, moduli_address;
    void *host_workspace;
    int info;
    int later_info[ROUTE_LATER_INFOS]; /* of further steps; what no step has written is nobody's */
    struct transfer_count moved;
};

/* What a routine does its own way. All inside device_enter. */
struct route_method {
    /* Ask for workspace; leading dimensions are there. STATUS_UNSUPPORTED: not in this size, or not at all. */
    enum status (*plan)(struct route *route, const struct solver_handle *handle);
    /* Queue the work on the handle's stream; INFO goes to info_address, an int, and that of
     * further steps to the ints behind it. */
    enum status (*queue)(struct route *route, const struct solver_handle *handle);
    /* Vectors and INFO are here: say what goes home. False: not a success, the host is to do it. */
    bool (*judge)(struct route *route);
};

/* For libraries' parameters. */
static inline void *route_pointer(CUdeviceptr address)
{
    return (void *)(uintptr_t)address;
}

/* For `plan`: room for one step of several, which run one after the other, by what the library's own query said.
 * STATUS_UNSUPPORTED where it did not succeed or makes no sense. */
enum status route_reserve(struct route *route, int result, size_t device_bytes, size_t host_bytes);
enum status route_reserve_elements(struct route *route, int result, int elements);

/* A matrix in the program's memory as the mirrors know it, to be read. */
struct operand route_operand_of(const struct blas_matrix *matrix, enum blas_type type);

/* Run it. STATUS_OK: matrices are in host memory and vectors in private memory. STATUS_RESULT_LOST: an operand could not
 * be completed (invariant 3). STATUS_UNSUCCESSFUL: the method's judgement; STATUS_VALUES: elements that are not finite or
 * would have to be scaled. Whatever else it is, no operand was touched. */
enum status route_run(struct route *route, struct device *device, const struct solver_library *library,
                      struct mirror_table *mirrors, struct patience *patience);

#endif
