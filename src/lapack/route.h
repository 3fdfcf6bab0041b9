/* route.h - a route: one LAPACK routine run wholly on the device (doc/lapack.md); and the steps of
 * route_execute. */
#ifndef MUBLAS_ROUTE_H
#define MUBLAS_ROUTE_H

#include "common/blas_call.h"
#include "common/clock.h"
#include "gpu/lane.h"
#include "gpu/vendor/solver_library.h"
#include "lapack/device_matrix.h"
#include "lapack/families.h"
#include "mirror/operands.h"

#include <stdbool.h>
#include <stdint.h>

/* Operands go up once and results come home once; nothing is written between. The engine first reserves all
 * device memory in the mirrors' budget. It sends the operands, or copies what BLAS calls have left of them
 * on the device, checks their values there, lets the routine's method queue its work and brings vectors and
 * INFO to private memory. If the method judges that a success, the engine writes matrices to the program's
 * memory, write-only ones before updated ones. So any failure before that leaves every operand as it was.
 *
 * A route's lane is a stream with staging, and handles of cuSOLVER and cuBLAS. A pool for each device keeps
 * a few, apart from the lanes of BLAS calls.
 *
 * LAPACK scales matrices near overflow or underflow, and copes with NaN in its own ways. cuSOLVER does
 * neither, and can hang on NaN. So mublas looks for the largest modulus of what the routine references: on
 * the device, when a route has sent it, or in host memory (route_values.c). */
enum { ROUTE_LANE_COUNT = 4 };

struct route_lane {
    struct lane *lane;
    struct solver_handle handle;
    struct stream_watch watch;
    void *host_workspace; /* kept from call to call: new memory costs a fault a page */
    size_t host_workspace_bytes;
    bool busy;    /* the last member; the pool's lock guards it */
};

/* Takes a free lane, made on first use. Waits as long as patience lasts, then STATUS_BUSY. Inside
 * device_enter, as is the release. Thread-safe. */
enum status route_lane_acquire(struct device *device, const struct solver_library *library,
                               struct patience *patience, struct route_lane **lane);
void route_lane_release(struct route_lane *lane);

/* Gives host_workspace at least `bytes` of ordinary memory with any content. False: out of memory. Does not
 * keep much memory. */
bool route_lane_reserve_host(struct route_lane *lane, size_t bytes);

/* Waits, asleep, for everything queued on the lane's stream (cooperative.h). */
enum status route_lane_wait(struct route_lane *lane, const char *what);

enum { ROUTE_OPERANDS_MAX = 6, ROUTE_VECTORS_MAX = 4, ROUTE_LATER_INFOS = 4 };
enum { ROUTE_MODULI_BYTES = ROUTE_OPERANDS_MAX * PART_BLOCKS_MOST * 4 }; /* the operands' largest moduli */

/* Demands on a triangle's diagonal, so that INFO is 0. */
enum route_diagonal { DIAGONAL_ANY, DIAGONAL_NONZERO, DIAGONAL_REAL_NONZERO };

struct route_operand {
    int64_t rows, columns;   /* of its memory on the device; 0: it has none */
    struct blas_matrix up;   /* the host memory that it is sent from; no pointer: none */
    struct blas_matrix home; /* the host memory that it goes to; no pointer: none */
    int64_t first_row, first_column; /* on the device, for up and for home */
    int64_t home_first;      /* home's first column on the device, from first_column */
    const int64_t *home_order; /* not NULL: home's column j is the one with this number; for full matrices */
    bool is_kept;            /* if the route keeps operands, home stays on the device, in a mirror
                                (mirror/operands.h), or up does where there is no home */
    bool hermitian;          /* imaginary parts on the diagonal count as zero */
    bool finite_suffices;    /* LAPACK never scales it */
    enum route_diagonal diagonal;
    enum blas_part packed;   /* not PART_FULL: up, and home where that is the same memory, are this triangle of the
                                operand, packed (packed_matrix) */
    /* by the engine: */
    CUdeviceptr address, packed_address;
    int64_t ld;
};

struct route_vector {
    size_t bytes;
    const void *up;     /* host memory that is sent first; NULL: none */
    int64_t up_numbers; /* this many of its real numbers must be finite */
    void *values;       /* the caller's private memory, filled before `judge`; NULL: it does not come home */
    CUdeviceptr address;
};

struct route {
    const struct route_method *method;
    const void *problem; /* the method's */
    bool keeps; /* operands that may stay on the device do stay */
    bool solvers_alone;      /* by cuSOLVER, even where kernels of our own do the same */
    bool host_is_own;        /* all host memory is mublas' own: what is written there before a failure is
                                nobody's loss */
    bool host_is_pinned;     /* and pinned for good (operands_pin_own): copies go by DMA */
    bool takes_any_values;   /* not finite ones, too */
    struct two_stage_borders two_stages; /* from which orders on these take two stages; all 0: as built in */
    int64_t cluster_to;                  /* and up to which a cluster reduces; 0: as built in */
    bool spares_memory;      /* set by the engine where there was too little for the faster way, before it
                                plans again */
    double expected_seconds; /* predicted for the whole of it; 0: not known */
    double host_seconds;     /* predicted for the host, in its place; 0: not known */
    /* Judges again when the matrices are home; only for routes whose homes are all private memory. NULL: it
     * is a success. */
    bool (*accept)(const struct route *route);
    enum blas_type type;
    struct route_operand operands[ROUTE_OPERANDS_MAX];
    struct route_vector vectors[ROUTE_VECTORS_MAX];
    size_t device_workspace_bytes, host_workspace_bytes; /* by `plan` */
    /* by the engine: */
    CUdeviceptr workspace, info_address, moduli_address;
    void *host_workspace;
    int info;
    int later_info[ROUTE_LATER_INFOS]; /* of further steps; undefined where no step has written */
    struct transfer_count moved;
};

/* Steps that each routine does in its own way, all inside device_enter. */
struct route_method {
    /* Reserves workspace; leading dimensions are known. STATUS_UNSUPPORTED: not in this size, or not at
     * all. */
    enum status (*plan)(struct route *route, const struct solver_handle *handle);
    /* Queues the work on the handle's stream; INFO goes to info_address, an int, and that of further steps to
     * the ints after it. */
    enum status (*queue)(struct route *route, const struct solver_handle *handle);
    /* Vectors and INFO are home: decides which matrices go home. False: no success, the host does the
     * work. */
    bool (*judge)(struct route *route);
};

/* For `plan`: reserves workspace for one of several steps, which run one after the other, by the answer of
 * the library's query. STATUS_UNSUPPORTED: the query failed or its answer makes no sense. */
enum status route_reserve(struct route *route, int result, size_t device_bytes, size_t host_bytes);
enum status route_reserve_elements(struct route *route, int result, int elements);

/* A matrix in the program's memory as the mirrors know it, to be read. */
struct operand route_operand_of(const struct blas_matrix *matrix, enum blas_type type);

/* Runs the route. STATUS_OK: matrices are in host memory and vectors in private memory. STATUS_RESULT_LOST:
 * an operand could not be completed (invariant 3). STATUS_UNSUCCESSFUL: the method's judgement.
 * STATUS_VALUES: elements are not finite or need scaling. Unless the result is lost, a failure leaves every
 * operand as it was. */
enum status route_execute(struct route *route, struct device *device, const struct solver_library *library,
                          struct mirror_table *mirrors, struct patience *patience);

/* True when every referenced element is finite and the largest real or imaginary part lies where no LAPACK
 * routine scales: between the square root of the smallest number with a finite reciprocal, over eps, and the
 * fourth root of the largest (dsyevr's RMIN and RMAX). False for a matrix of zeros. Reads the part alone,
 * with the imaginary parts of a complex matrix's diagonal. Raises no floating-point flag. Any thread. */
bool route_values_are_safe(const struct blas_matrix *matrix, enum blas_type type);

/* The same for the largest modulus, given by its upper 32 bits (device_matrix.h). */
bool route_values_largest_is_safe(uint32_t upper, enum blas_type type);
bool route_values_largest_is_finite(uint32_t upper, enum blas_type type);

/* True when every referenced element is finite. */
bool route_values_of_matrix_are_finite(const struct blas_matrix *matrix, enum blas_type type);

/* True when no element of the diagonal is zero and, if asked, none has an imaginary part. */
bool route_values_diagonal_is_nonzero(const struct blas_matrix *matrix, enum blas_type type,
                                      bool is_to_be_real);
bool route_values_packed_diagonal_is_nonzero(const void *packed, enum blas_part part, int64_t n,
                                             enum blas_type type, bool is_to_be_real);

/* True when all `count` real numbers of the precision of `type` are finite. */
bool route_values_are_finite(const void *numbers, int64_t count, enum blas_type type);

/* The steps of route_execute, private to route.c and route_engine.c: operands go up and are checked, results
 * come home, and mirrors of BLAS calls give and take on the way. */

/* One run of a route in its lane. */
struct route_run {
    struct route *route;
    struct route_lane *lane;
    struct mirror_table *mirrors;
    struct patience *patience;
};

enum { ROUTE_INFO_BYTES = 256 };

/* INFO and all vectors, one behind the other. */
static inline size_t route_vector_bytes(const struct route *route)
{
    size_t bytes = ROUTE_INFO_BYTES;
    for (int i = 0; i < ROUTE_VECTORS_MAX; i++)
        bytes += device_aligned(route->vectors[i].bytes);
    return bytes;
}

/* Is the host matrix, `up` or `home`, a packed triangle? */
static inline bool route_is_packed(const struct route_operand *operand, const struct blas_matrix *matrix)
{
    return operand->packed != PART_FULL && matrix->pointer == operand->up.pointer;
}

/* Such a matrix where it is on the device as it is on the host. */
static inline struct device_part route_place_of(const struct route *route, const struct route_operand *operand,
                                                const struct blas_matrix *matrix)
{
    struct device_part place = {.ld = operand->ld, .rows = matrix->rows, .columns = matrix->columns,
                                .part = matrix->part};
    place.address = operand->address + (CUdeviceptr)(operand->first_column * operand->ld + operand->first_row) *
                                           blas_element_bytes(route->type);
    if (route_is_packed(operand, matrix)) {
        place.address = operand->packed_address;
        place.ld = matrix->ld;
    }
    return place;
}

/* The part that the routine references of an operand that was sent: the triangle of one that was packed. */
static inline struct device_part route_sent_part(const struct route *route, const struct route_operand *operand)
{
    return operand->packed == PART_FULL ? route_place_of(route, operand, &operand->up)
                                        : (struct device_part){operand->address, operand->ld, operand->rows,
                                                               operand->columns, operand->packed};
}

/* True when diagonals and vectors let INFO be 0. Reads host memory. */
bool route_host_values_are_good(const struct route *route);

/* Queues everything that goes up. */
enum status route_send(struct route_run *run);

/* Waits for it, and checks its values on the device. STATUS_VALUES: not finite, or LAPACK would scale. */
enum status route_check_values(struct route_run *run);

/* Queues, behind the work, that results of packed storage are packed. */
enum status route_pack_homes(struct route_run *run);

/* Brings INFO and vectors to private memory, after everything queued. */
enum status route_fetch_vectors(struct route_run *run);

/* Begins to keep what results will take the place of (transfer.h), unless that is done or under way. */
void route_keep_originals(struct route_run *run);

/* Brings matrices to the program's memory. */
enum status route_bring_home(struct route_run *run);

#endif
