/* cusolver.h - what the files of the emulated cuSOLVER share.
 *
 * A call is a struct solver_call: a routine (a row of a table), flags, dimensions, operands.
 * solver_submit looks at all of it, poisons what is only written and queues it; when the stream is
 * waited for, the routine runs over the host's LAPACK and the rest of each output is poisoned. A call that
 * the real library takes or refuses quietly, but should never be given, prints one line and aborts. */
#ifndef MUBLAS_EMULATED_CUSOLVER_H
#define MUBLAS_EMULATED_CUSOLVER_H

#include "emulated_driver/emulated.h"

#pragma GCC visibility push(default)
#include "emulated_driver/cusolver_exports.h"
#pragma GCC visibility pop

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CUSOLVER_STATUS_SUCCESS = 0,
    CUSOLVER_STATUS_NOT_INITIALIZED = 1,
    CUSOLVER_STATUS_INVALID_VALUE = 3,
    CUSOLVER_STATUS_EXECUTION_FAILED = 6,
    CUSOLVER_STATUS_INTERNAL_ERROR = 7,
    CUSOLVER_STATUS_NOT_SUPPORTED = 9,
    CUSOLVER_STATUS_INVALID_WORKSPACE = 31,
    CUSOLVER_EIG_RANGE_ALL = 1001,
    CUSOLVER_EIG_RANGE_I = 1002,
    CUSOLVER_EIG_RANGE_V = 1003,
    CUSOLVER_DETERMINISTIC_RESULTS = 1,
    CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS = 2,
    CUDA_R_32F = 0,
    CUDA_R_64F = 1,
    CUDA_C_32F = 4,
    CUDA_C_64F = 5,
    CUSOLVER_VERSION_12 = 12004
};

/* Contents of outputs before the wait, of workspaces, and of all memory that cuSOLVER leaves undefined: quiet
 * NaN of these payloads, and the integers. */
#define SOLVER_POISON_DOUBLE 0x7ff850150bad50edu
#define SOLVER_POISON_FLOAT 0x7fd50150u
#define SOLVER_POISON_INT 0x50150badu

/* LAPACK's letter, or integers of 4 ('i') and 8 bytes ('l'). */
size_t solver_element_bytes(char type);
static inline bool solver_is_complex(char type)
{
    return type == 'c' || type == 'z';
}
static inline char solver_real(char type)
{
    return type == 'c' ? 's' : type == 'z' ? 'd' : type;
}

/* Parts of a matrix; the strict ones are without the diagonal, and trapezoids where it is not square. */
enum part { NOTHING, WHOLE, LOWER, UPPER, STRICTLY_LOWER, STRICTLY_UPPER };
enum part solver_triangle(int uplo); /* of cuBLAS's code */
static inline enum part solver_strict(enum part triangle)
{
    return triangle == LOWER ? STRICTLY_LOWER : STRICTLY_UPPER;
}

enum { SOLVER_TRIED = 8 }; /* the order by which mublas tries the library: requests are not for that */

struct operand {
    const char *name;
    void *address; /* in device memory, column-major; NULL only with no columns */
    char type;
    int64_t rows, columns, ld;
    enum part before;       /* referenced; NOTHING: only written */
    enum part after;        /* defined afterwards, the rest is poison */
    bool written;           /* else untouched */
    int64_t columns_before; /* referenced columns; 0: all */
};

enum { OPERANDS_MAX = 5 };

struct solver_call;
/* Run over LAPACK; its INFO. May lower the `columns` of an operand that are defined: `defined`. */
typedef int solver_run(struct solver_call *call);

struct solver_routine {
    solver_run *run;
    /* Device workspace in elements: squares[with vectors] * n * n + panels * n + 64, n the larger
     * dimension; host workspace in bytes: host * n. */
    int squares[2], panels, host;
    bool direct; /* takes poison from a factorisation that failed, and gives poison */
};

struct solver_call {
    const char *function;
    const struct solver_routine *routine;
    char type; /* s, d, c, z; 0: the data types do not belong together */
    bool vectors;
    char jobz, uplo, trans, side, diag, jobu, range; /* LAPACK's */
    int itype;
    int64_t m, n, k; /* all at least 1, unused ones too */
    int64_t il, iu, *found; /* found: on the host */
    int *found_int;
    double vl, vu, *error_sigma;
    struct operand operands[OPERANDS_MAX]; /* up to the first without a name */
    int64_t defined[OPERANDS_MAX];         /* columns that the run has defined */
    void *workspace, *host_workspace;
    size_t workspace_bytes, host_bytes;
    int *info;
    int requested_info, reported_info; /* 0: none */
};

CUstream solver_stream(cusolverDnHandle_t handle);
/* Aborts when it is none that was created and not destroyed. */
void solver_check_handle(const char *function, cusolverDnHandle_t handle);
void solver_check_params(const char *function, cusolverDnParams_t params);

/* Count the call; what a fault script injected. */
int solver_enter(const char *function);
#define ENTER_AS(function, handle)                  \
    do {                                            \
        const int entered = solver_enter(function); \
        if (entered)                                \
            return entered;                         \
        if (!(handle))                              \
            return CUSOLVER_STATUS_NOT_INITIALIZED; \
        solver_check_handle(function, handle);      \
    } while (0)
#define ENTER(handle) ENTER_AS(__func__, handle)
/* The same in the 64-bit interface. */
#define ENTER_WITH(handle, params)                \
    do {                                          \
        ENTER(handle);                            \
        if (!(params))                            \
            return CUSOLVER_STATUS_INVALID_VALUE; \
        solver_check_params(__func__, params);    \
    } while (0)

void solver_abort(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* cusolver_requests.c: what the environment asks for, read at every call. */
int solver_requested_info(const char *function);
int solver_reported_info(const char *function); /* beside outputs as they are computed */
enum determinism { DETERMINISM_OFFERED, DETERMINISM_MISSING, DETERMINISM_REFUSED };
enum determinism solver_determinism(void);
/* Change a workspace's size, or fail. `limit` is the largest that the interface can tell. */
int solver_tell_workspace(int64_t *size, int64_t limit);
double solver_sigma_error(void);
bool solver_swaps_values(void); /* neighbouring eigenvalues out of order, as rounding may leave them */

/* cusolver_queue.c */
/* The sizes for a call without operands; the 32-bit interface tells elements. */
int solver_query(const struct solver_call *call, size_t *device_bytes, size_t *host_bytes);
int solver_query_elements(const struct solver_call *call, int *lwork);
#define SOLVER_BUFFERS(call, device_buffer, device_size, host_buffer, host_size, info_cell)         \
    ((call).workspace = (device_buffer), (call).workspace_bytes = (device_size),                     \
     (call).host_workspace = (host_buffer), (call).host_bytes = (host_size), (call).info = (info_cell))
#define SOLVER_WORK(call, work, lwork, info_cell)                                                      \
    SOLVER_BUFFERS(call, work, (size_t)((lwork) > 0 ? (lwork) : 0) * solver_element_bytes((call).type), NULL, 0, \
                   info_cell)
int solver_submit(cusolverDnHandle_t handle, const struct solver_call *call);

/* cusolver_poison.c */
void solver_poison(void *address, char type, size_t count);
/* All of an output that is not defined, where `defined` columns are. */
void solver_poison_rest(const struct operand *operand, enum part part, int64_t defined);
enum contents { FINITE, POISONED, NOT_FINITE };
enum contents solver_contents(const struct operand *operand);

/* cusolver_library.c: the host's LAPACK, in a scope of its own. NULL: see dlerror. */
void *solver_open_library(void);

/* cusolver_lapack.c: its routines. */
void solver_open_lapack(void);
/* Call TYPEname_ ("sy" and "or" stand for "he" and "un" too) with these arguments, all by reference. */
void solver_lapack(char type, const char *name, const void *const *arguments, size_t count);
#define LAPACK(type, name, ...)                                                                       \
    solver_lapack(type, name, (const void *const[]){__VA_ARGS__},                                     \
                  sizeof((const void *const[]){__VA_ARGS__}) / sizeof(void *))
/* More than any routine's work, rwork and iwork for this order. */
struct scratch {
    void *work, *rwork;
    int *iwork;
    int lwork, lrwork, liwork;
};
struct scratch scratch_take(char type, int64_t order);
void scratch_free(struct scratch *scratch);

/* Flags and types as cuBLAS and CUDA number them; a strange one aborts. */
char solver_type(const char *function, int data_type);
/* The type, if the other ones fit: the same or, with `real`, its real one. */
void solver_match(const char *function, char type, int data_type, bool real);
char solver_uplo(const char *function, int uplo);
char solver_trans(const char *function, int trans);
char solver_jobz(const char *function, int jobz);
char solver_side(const char *function, int side);
char solver_diag(const char *function, int diag);

#endif
