/* route_factors.h - what the tuner learned of LAPACK routines: how far this machine's times are from the
 * built-in curves of route_times.c. It times dsyevd and zheevd near the order from which they pay, without
 * and with vectors; the other eigensolvers have their curves, and sytrd is nine tenths of the values'.
 * dgetrf stands for all that is level 3 (factorisations, what solves and inverts by them, orgtr, ormtr, sygst
 * and stedc), dgesdd for singular values, and both for complex types, too. geev is neither. And from which
 * orders on which way of an eigensolver is the fastest. Pure but for their arguments. */
#ifndef MUBLAS_ROUTE_FACTORS_H
#define MUBLAS_ROUTE_FACTORS_H

#include "common/text.h"
#include "lapack/eigensolver/two_stage_borders.h"
#include "lapack/families.h"
#include "tuner/online/timed_class.h"

#include <stdio.h>

/* A factor is from 1 / this to this. */
#define ROUTE_FACTOR_MOST 16.0

enum route_curve { ROUTE_VALUES, ROUTE_VECTORS, ROUTE_LEVEL3, ROUTE_SINGULAR, ROUTE_CURVES };

/* Properties of a call that its times depend on. */
struct route_shape {
    enum lapack_family family;
    enum blas_type type;
    bool vectors, is_right;        /* vectors are wanted; reflectors are applied from the right */
    bool solvers_alone;            /* an eigenproblem that only cuSOLVER solves */
    int64_t m, n, k;               /* rows and columns; vectors wanted, right-hand sides or reflectors */
    uint64_t bytes_up, bytes_down; /* over the link */
    uint64_t bytes_kept;           /* of those up, of a matrix that stays on the device between calls */
};

/* Does our own eigensolver serve the family? */
static inline bool route_is_eigenproblem(enum lapack_family family)
{
    return family <= LAPACK_SYGVX || family == LAPACK_SYTRD;
}

/* No order is so large. */
#define ROUTE_ORDER_NEVER INT32_MAX

/* Orders from which on a way is the faster one: mublas' own eigensolver, of real and complex types; and of it
 * two stages, of double and single precision, to values alone, to a tenth of the vectors, and to all. A
 * cluster that reduces, of all types, has the order up to which it is the faster one. */
enum route_border {
    BORDER_OWN,
    BORDER_CLUSTER,
    BORDER_TWO_STAGES,
    BORDER_TWO_STAGES_TENTH,
    BORDER_TWO_STAGES_ALL,
    ROUTE_BORDERS
};

/* 0: not learned, which stands for 1, or of complex types and the last two curves for what real ones have.
 * The second of each pair is of complex types. */
struct route_factors {
    double factors[CALL_SIDES][ROUTE_CURVES][2];
    int64_t orders[ROUTE_BORDERS][TYPE_Z + 1]; /* of BORDER_OWN likewise, of the others by type */
};

/* A measured time over the built-in curve's, within the bounds. */
void route_factors_learn(struct route_factors *factors, enum call_side side, enum route_curve curve,
                         int is_complex, double ratio);

/* The factor by which the built-in prediction is to be multiplied; `factors` NULL: 1. The host needs a part
 * of the vectors' time for some of them, the device needs all. */
double route_factors_of(const struct route_factors *factors, enum call_side side,
                        const struct route_shape *shape);

/* Was any of the curve's learned? */
bool route_factors_have(const struct route_factors *factors, enum route_curve curve);

/* Are eigenproblems of this order solved by our own kernels? All are, if that was not learned. `factors`
 * NULL: nothing was. */
bool route_factors_say_own(const struct route_factors *factors, int is_complex, int64_t order);

/* From microseconds of our own and of cuSOLVER's at ascending orders: orders above the last one at which
 * cuSOLVER's was clearly faster. */
void route_factors_learn_own(struct route_factors *factors, int is_complex, const int64_t *orders,
                             const double *own, const double *solver, int count);

/* From which orders on real matrices take two stages. An order not learned of single precision is to the
 * built-in one as double's is to its own; more vectors take two stages no sooner than fewer. */
struct two_stage_borders route_factors_two_stages(const struct route_factors *factors, enum blas_type type);

/* Up to which order a cluster reduces; 0: as built in. */
int64_t route_factors_cluster_to(const struct route_factors *factors, enum blas_type type);

/* Takes what was not learned from `before`. */
void route_factors_keep(struct route_factors *factors, const struct route_factors *before);

/* The lines of a recipe's crossover section, without the first word, "route", where one is read:
 *   route host|device real|complex values|vectors|level3|singular FACTOR
 *   route own real|complex ORDER
 *   route two-stages|two-stages-tenth|two-stages-all single|double ORDER
 *   route cluster single|double|complex-single|complex-double ORDER */
bool route_factors_read(struct line_reader *reader, struct route_factors *factors);
void route_factors_write(FILE *stream, const struct route_factors *factors);

#endif
