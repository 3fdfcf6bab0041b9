/* learned_times.h - the times of calls that the tuner learned on this machine: for every class the host's
 * and the device's curve and the factors of flags, the cost of an upload, the cost of waking; and of LAPACK
 * routines how far this machine's times are from the built-in curves of route_times.c.
 *
 * `mublas tune` writes them into the recipe's crossover section, and crossover.h uses them in place of its
 * built-in figures. The host's times hold for one host BLAS and one number of threads. All functions are
 * pure but for their arguments.
 *
 * The tuner times dsyevd and zheevd near the order from which they pay, without and with vectors; the other
 * eigensolvers have their curves, and sytrd is nine tenths of the values'. dgetrf stands for all that is
 * level 3 (factorisations, what solves and inverts by them, orgtr, ormtr, orgbr, ormbr, sygst and stedc), dgesdd for
 * singular values, and both for complex types, too. geev and gebrd are neither. struct route_factors also says from
 * which orders on which way of an eigensolver is the fastest. */
#ifndef MUBLAS_LEARNED_TIMES_H
#define MUBLAS_LEARNED_TIMES_H

#include "common/text.h"
#include "lapack/families.h"
#include "tuner/online/tuning_class.h"

#include <stdbool.h>
#include <stdint.h>
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

/* Was the host's factor for such a problem learned? `factors` NULL: no. */
bool route_factors_know_host(const struct route_factors *factors, const struct route_shape *shape);

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

/* A curve is a time over the amount of work, from a few samples. Between samples it is a straight line in
 * logarithms of both. Above the last it goes on at the rate between the last and one of a third of it or
 * less. */
enum { TIME_CURVE_SAMPLES = 48 };

struct time_sample {
    double amount; /* any unit that grows with the work, > 0 */
    double us;     /* microseconds, > 0 */
};

/* Samples ascend strictly in amount. All zero: nothing learned. */
struct time_curve {
    int count;
    struct time_sample samples[TIME_CURVE_SAMPLES];
};

/* A curve's course below its first sample: a host's time shrinks with the amount, a
 * device's time stays, since there it is all latency. */
enum time_curve_start { TIME_SHRINKS, TIME_STAYS };

/* Insert a sample, or replace the one at the same amount. False: no room, or not two
 * positive finite numbers; the curve is as before. */
bool time_curve_add(struct time_curve *curve, double amount, double us);

/* The time at `amount` >= 0. The curve has at least one sample. */
double time_curve_at(const struct time_curve *curve, enum time_curve_start start, double amount);

/* The least amount from which on, for a while at least, `device` (which stays) is below
 * `host` (which shrinks): 0 < result, HUGE_VAL: never. Both have samples. Within 2%,
 * and never above the true one. */
double time_curve_first_gain(const struct time_curve *host, const struct time_curve *device);

/* Ways of a matrix to the device. Pinned: whole mappings, on ordinary pages, which are
 * gathered first, or on huge pages from the start; staged: through our own memory, as a
 * matrix that cannot stay there goes at every call; served: the way of one that stays through a service. */
enum upload_way { UPLOAD_PINNED, UPLOAD_PINNED_HUGE, UPLOAD_STAGED, UPLOAD_SERVED, UPLOAD_WAYS };

/* Bytes a second of a result of level 3 on its way home (H100): pinned, staged. */
#define RESULT_PINNED_BANDWIDTH 50e9
#define RESULT_STAGED_BANDWIDTH 7.5e9

/* Microseconds of the call's result on its way home; 0: it is not of level 3, or has none. It depends on the
 * result's size and not on the amount of work, so it is taken out of the curves over that. `trackable`: it is
 * pinned, if it comes home to the same pages some times. Triangles go in pieces. */
double result_home_us(const struct blas_call *call, bool trackable);

struct learned_times {
    char host_blas[256];   /* what the host curves hold for: the library's resolved path, */
    int host_threads;      /* ... and the number of threads */
    double wake_us;        /* 0: not learned */
    double served_wake_us; /* the same of a connection to a warm service */
    double links_part; /* what all devices' links carry together, of the sum of each alone; 0: not learned */
    struct time_curve host[TIMED_CLASSES];     /* microseconds over amounts of work, of average flags */
    struct time_curve resident[TIMED_CLASSES]; /* the same on the device, every matrix resident, of average
                                                * sets */
    struct time_curve rest[TIMED_CLASSES];     /* of these, what is not the result's way home: by
                                                * learned_times_separate */
    double flags[TIMED_CLASSES][FLAG_SETS_MOST]; /* the host's times by set, over the curve's; 0: unknown */
    double device_sets[TIMED_CLASSES][DEVICE_SETS_MOST]; /* the device's, likewise */
    struct time_curve upload[UPLOAD_WAYS];     /* additional microseconds over bytes */
    struct route_factors routes;
    uint64_t floors[FAMILY_COUNT][TYPE_COUNT]; /* by learned_times_settle */
    bool floors_known[FAMILY_COUNT][TYPE_COUNT];
};

/* The crossover section's lines, none of which must be there:
 *
 *   host-blas PATH
 *   host-threads NUMBER
 *   wake MICROSECONDS
 *   served-wake MICROSECONDS
 *   links-together PART (links_part)
 *   upload pinned|pinned-huge|staged|served BYTES MICROSECONDS BYTES MICROSECONDS ...
 *   host CLASS AMOUNT MICROSECONDS ...
 *   flags CLASS FACTOR FACTOR ...
 *   device CLASS AMOUNT MICROSECONDS ...
 *   device-sets CLASS FACTOR FACTOR ...
 *   route ...    as route_factors_write writes them
 *
 * such as "device dgemv_none_tall 4096 12.5 65536 14", amounts ascending. `flags` has a factor for each set,
 * in the order of tuning_class.h: "flags dsymm_left_deep 0.95 1.05" of lower and upper triangles;
 * `device-sets` has twice as many, as tuning_class.h has them; from 1 / FLAG_FACTOR_MOST to FLAG_FACTOR_MOST.
 * "narrow-shares ...", "result ..." and "scan ..." of older recipes are passed over.
 * False: a line is wrong, or comes twice; `fault` is a phrase.
 * `times` is cleared first, and not settled. */
enum { LEARNED_FAULT_BYTES = 256 };
bool learned_times_parse(struct learned_times *times, const char *text, char fault[LEARNED_FAULT_BYTES]);

/* The text, with nothing for what is not known; to be freed. NULL: out of memory. */
char *learned_times_text(const struct learned_times *times);

/* Part the device's times of the class into its result's way home and the rest. Call after a change. */
void learned_times_separate(struct learned_times *times, int class);

/* Forget what was measured with another host BLAS or number of threads than these, separate
 * all classes and settle the floors. Call after the last change, before any use. */
void learned_times_settle(struct learned_times *times, const char *host_blas, int host_threads);

/* The same for a device that takes `sharing` times as long as was measured, which raises the floors. */
void learned_times_settle_shared(struct learned_times *times, const char *host_blas, int host_threads,
                                 double sharing);

/* The least gated size (crossover.h) at which a resident call of any class of the routine, with the flags
 * that take the host longest, gains. UINT64_MAX: none ever. False: not all of its classes are known on both
 * sides. */
bool learned_times_floor(const struct learned_times *times, enum blas_family family, enum blas_type type,
                         uint64_t *floor);

/* Microseconds on the device of the class's own call of this amount (timed_class_call), which is resident;
 * the class has a sample there. */
double learned_times_device(const struct learned_times *times, int class, double amount);

/* The least time on the device of all that was learned; HUGE_VAL: nothing. */
double learned_times_least_resident(const struct learned_times *times);

/* Microseconds of a call; false: not learned. On the device with every operand there, and the result home in
 * `home_us` (result_home_us). */
bool learned_times_host(const struct learned_times *times, struct timed_call call, double *us);
bool learned_times_resident(const struct learned_times *times, struct timed_call call, double home_us,
                            double *us);
bool learned_times_upload(const struct learned_times *times, enum upload_way way, double bytes, double *us);

/* A device's link carries this part of what it carries alone, while all devices' links are in use. 1 where
 * nobody has learned that, also for NULL. */
double learned_links_part(const struct learned_times *learned);

#endif
