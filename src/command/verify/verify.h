/* verify.h - the parts of `mublas verify` that run under the shim: checks of BLAS calls (operands.c), and of
 * `mublas verify --parallel` in each process that a launcher of MPI starts.
 *
 * parallel_problem.c makes a call of a parallel routine, its flags, sizes, distributed matrices and other
 * arguments, from the row of scalapack/routines.def alone. parallel_library.c has the host's ScaLAPACK with
 * the grid of all processes. parallel_error.c chooses the elements of the matrices and says how far results
 * through mublas are from the host's, or from what they have to be. Integers have 32 bits. */
#ifndef MUBLAS_VERIFY_H
#define MUBLAS_VERIFY_H

#include "command/run/run.h"
#include "command/verify/lapack.h"
#include "common/blas_call.h"
#include "host/symbols.h"
#include "scalapack/grid.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Two copies of the operands of a BLAS call, for mublas and for the host BLAS, and the distance of the
 * results. */

struct verify_buffer {
    char *ours, *before, *hosts; /* mublas works on `ours`; `before` is a copy of it before the call */
    size_t elements;
};

struct verify_operands {
    struct blas_call ours, hosts; /* the same call on each copy */
    struct verify_buffer a, b, c, x, y;
};

/* Makes random operands by `call`'s family, type, flags, sizes, scalars, leading dimensions and increments.
 * Elements that the routine must not read are NaN in mublas' copy, and 0 in the host's, since not every BLAS
 * passes that. False: out of memory. */
bool verify_operands_make(struct verify_operands *operands, const struct blas_call *call, uint64_t *seed);
void verify_operands_free(struct verify_operands *operands);

/* After both calls: the largest difference of two results in units of eps (|alpha| sum |a| |x| + |beta| |y|),
 * with eps = 2^-24 or 2^-53 and |z| = |re| + |im|; for trsm the difference of op(A) X in units of eps
 * (|op(A)| |X| + |alpha B|). Infinite if only one of two is a number. */
double verify_operands_ratio(const struct verify_operands *operands);

/* True when mublas wrote nothing but the results. */
bool verify_operands_kept(const struct verify_operands *operands);

struct score {
    int passed, listed;
};

/* Prints the routine's line, by what a checking process said of it and by that process's report, and counts
 * it. An error of `limit` or more fails. */
void judge(const char *name, const struct verify_outcome *outcome, double limit, const char *report,
           struct score *score);

/* Removes the report of a process that has ended with this status. False: it ended with a failure. */
bool judge_end(struct shim_child *child, int status);

#define VERIFY_CALLS_COMMAND "verify-calls"

/* "lapack" and "lapack NAME,NAME,..." call verify_lapack_calls. "SIZE" and "SIZE NAME,NAME,..." call each
 * BLAS routine with every flag through the shim and on the host BLAS, and print on standard output for each
 *   begin NAME
 *   done NAME CALLS RATIO KEPT    (KEPT 0: something beside the results was written)
 * Returns the exit status: 0, or 1 with a line that says what is missing. */
int verify_calls(const char *what);

/* The host's ScaLAPACK. The command opens it, since it is linked with no MPI. */
struct parallel_library {
    void *handle;
    char name[PATH_MAX];
};

/* Opens `files`, which has ScaLAPACK last behind the libraries that it needs and does not name, with colons
 * between; NULL: Debian's for the MPI whose launcher started this process. False after one line. */
bool parallel_library_open(const char *files, struct parallel_library *library);

/* Names of libraries with ScaLAPACK, from 0; NULL: there are no more. They include libraries of other
 * distributions and vendors. */
const char *parallel_library_known(int number);

/* The host's function, and mublas' in the shim that this process preloads. NULL: there is none. */
host_function *parallel_library_host(const struct parallel_library *library, const char *name);
host_function *parallel_library_shim(const char *name);

/* The grid of all processes, as square as they allow. */
struct parallel_grid {
    const struct parallel_library *library;
    int context, me;
    struct grid_place place;
};

/* Begins MPI, and makes the grid by way of mublas. False after one line: a function is missing. */
bool parallel_grid_open(const struct parallel_library *library, struct parallel_grid *grid);
void parallel_grid_close(const struct parallel_grid *grid); /* ends MPI */

/* Over all processes, which must all call. */
void parallel_grid_sum(const struct parallel_grid *grid, double *numbers, int64_t count);
double parallel_grid_largest(const struct parallel_grid *grid, double number);

/* The parts of an element of a matrix. */
enum parallel_content { CONTENT_ANY, CONTENT_HERMITIAN, CONTENT_DEFINITE, CONTENT_FACTOR, CONTENT_PIVOTED };

struct parallel_array {
    const struct matrix_signature *signature;
    enum parallel_content content;
    enum blas_part part;
    int rows, columns;             /* of the submatrix, as it is stored */
    int first_row, first_column;   /* from 1, as the routine takes them */
    int descriptor[9];
    int local_rows, local_columns; /* of this process */
    size_t bytes;
    char *local;
};

/* An argument that is one number. */
union parallel_number {
    char letter;
    int32_t integer;
    float single[2];
    double real[2];
};

struct parallel_problem {
    const struct parallel_routine *routine;
    const struct parallel_grid *grid;
    int number;
    struct parallel_array arrays[PARALLEL_MATRICES_MAX];
    union parallel_number numbers[WORD_COUNT];
    void *vectors[WORD_COUNT]; /* W, IPIV, workspaces and the like; NULL: none, or a number */
};

enum { PARALLEL_CALLS = 6, PARALLEL_ORDER_MOST = 70 };

/* The arguments of call `number` of the routine, 0 to PARALLEL_CALLS - 1, which determines all of them.
 * `poisoned`: what the routine must not read is NaN, else 0. False: out of memory. Free in either case. */
bool parallel_problem_make(struct parallel_problem *problem, const struct parallel_routine *routine,
                           int number, bool poisoned, const struct parallel_grid *grid);
void parallel_problem_free(struct parallel_problem *problem);

/* Asks `host` for the sizes of workspaces, by all processes, and makes them. False: out of memory. */
bool parallel_problem_make_workspaces(struct parallel_problem *problem, host_function *host);

void parallel_problem_call(struct parallel_problem *problem, host_function *function);

static inline bool parallel_problem_has(const struct parallel_problem *problem, enum parallel_word word)
{
    return problem->routine->signature.positions[word] != 0;
}

/* The array of this letter; NULL: there is none. */
struct parallel_array *parallel_problem_array(struct parallel_problem *problem, char letter);

/* The order of the matrix that element (row, column) of this process's part has in the submatrix, from 0.
 * False: it lies outside. */
bool parallel_array_global(const struct parallel_array *array, const struct grid_place *place, int row,
                           int column, int64_t *global_row, int64_t *global_column);

/* The whole submatrix, on all processes, without gaps between columns: zeros where its part is not. */
void parallel_array_gather(const struct parallel_array *array, const struct parallel_problem *problem,
                           struct number *whole);

/* The content that the routine's matrix of that letter has to have, chosen so that rounding changes
 * little. */
enum parallel_content parallel_content_of(const struct parallel_routine *routine, char letter);

/* An element by its place alone, so that processes agree. */
struct number parallel_content_element(const struct parallel_problem *problem,
                                       const struct parallel_array *array, int64_t i, int64_t j);

/* All processes call it and get the same: the largest difference of updated matrices and of eigenvalues, in
 * units of eps * order * norm, and for eigenvectors LAPACK's testers' ratio (verify/lapack.h). Infinite
 * where INFO is not 0, where another number of eigenvalues or other pivots are found, or memory is short.
 * `before` is the call as it was. */
double parallel_error(struct parallel_problem *ours, struct parallel_problem *hosts,
                      struct parallel_problem *before);

/* Each process asks for itself: was nothing but results written? */
bool parallel_kept(struct parallel_problem *ours, const struct parallel_problem *before);

#define VERIFY_PARALLEL_COMMAND "verify-parallel-calls"

/* `what` is "ROUTINES FILES": names with commas between, and files with colons (parallel_library_open), each
 * "-" for none given. Calls each routine of the table through the shim and on the host. The first process
 * prints on standard output
 *   library NAME ROWS COLUMNS     and for each routine
 *   begin NAME
 *   done NAME CALLS ERROR KEPT    (KEPT 0: something beside the results was written, by any process)
 *   absent NAME                   or this: the host's library has no such routine
 * Returns the exit status: 0, or 1 with a line that says what is missing. */
int verify_parallel_calls(const char *what);

/* Is --parallel among the arguments? */
bool parallel_is_asked(char **arguments);

/* `mublas verify --parallel [--scalapack=FILE[:FILE...]] [--routines=NAME,...]` in each process of a job:
 * checks the routines of scalapack/routines.def against the host's ScaLAPACK. The first process alone
 * prints. Returns the exit status. */
int verify_parallel(char **arguments);

#endif
