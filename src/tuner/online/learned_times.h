/* learned_times.h - what the tuner learned about the time of calls on this machine:
 * for every class the host's and the device's curve and what flags make of the host's, what an upload costs,
 * what a result's way home costs, what waking costs.
 *
 * Written by `mublas tune` into the recipe's crossover section, used by crossover.h in place
 * of its built-in figures where there is something. What is of the host holds for one host
 * BLAS and one number of threads. All functions are pure but for their argument. */
#ifndef MUBLAS_LEARNED_TIMES_H
#define MUBLAS_LEARNED_TIMES_H

#include "tuner/online/flag_sets.h"
#include "tuner/online/route_factors.h"
#include "tuner/online/time_curve.h"
#include "tuner/online/timed_class.h"

#include <stdint.h>

/* Ways of a matrix to the device. Pinned: whole mappings, on ordinary pages, which are
 * gathered first, or on huge pages from the start; staged: through our own memory, as a
 * matrix that cannot stay there goes at every call. */
enum upload_way { UPLOAD_PINNED, UPLOAD_PINNED_HUGE, UPLOAD_STAGED, UPLOAD_WAYS };

/* Ways of a result of level 3 home. One of PIN_BYTES_MIN or more is pinned where its memory can be tracked: a
 * time that falls to a tenth from one size to the next, which is why it has curves of its own and is no part
 * of those over the amount of work. Triangles go in pieces. */
enum result_way { RESULT_STAGED, RESULT_STAGED_TRIANGLE, RESULT_PINNED, RESULT_PINNED_TRIANGLE, RESULT_WAYS };

/* Microseconds, over bytes that are written, beyond those of a result of a few bytes. */
struct result_times {
    struct time_curve ways[RESULT_WAYS];
};

/* The way of the call's result, and its bytes; without shapes (timed_class_call) as if without gaps.
 * False: it is not of level 3, or has none. */
bool result_way_of(const struct blas_call *call, bool trackable, enum result_way *way, double *bytes);

/* False: not learned, or no such result; *us is 0 then. */
bool result_times_at(const struct result_times *times, const struct blas_call *call, bool trackable,
                     double *us);

struct learned_times {
    char host_blas[256];   /* what the host curves hold for: the library's resolved path, */
    int host_threads;      /* ... and the number of threads */
    double wake_us;        /* 0: not learned */
    double scan_us_per_byte; /* dirty scan of tracked memory; 0: not learned */
    double links_part; /* what all devices' links carry together, of the sum of each alone; 0: not learned */
    struct time_curve host[TIMED_CLASSES];     /* microseconds over timed_class_amount, of average flags */
    struct time_curve resident[TIMED_CLASSES]; /* the same on the device, every matrix resident, of average
                                                * sets */
    struct time_curve rest[TIMED_CLASSES];     /* of these, what is not the result's way home: by
                                                * learned_times_separate */
    double flags[TIMED_CLASSES][FLAG_SETS_MOST]; /* the host's times by set, over the curve's; 0: unknown */
    double device_sets[TIMED_CLASSES][DEVICE_SETS_MOST]; /* the device's, likewise */
    struct time_curve upload[UPLOAD_WAYS];     /* additional microseconds over bytes */
    struct result_times result;
    struct route_factors routes;
    uint64_t floors[FAMILY_COUNT][TYPE_COUNT]; /* by learned_times_settle */
    bool floors_known[FAMILY_COUNT][TYPE_COUNT];
};

/* The crossover section's lines, none of which must be there:
 *
 *   host-blas PATH
 *   host-threads NUMBER
 *   wake MICROSECONDS
 *   scan MICROSECONDS (a byte)
 *   links-together PART (links_part)
 *   upload pinned|pinned-huge|staged BYTES MICROSECONDS BYTES MICROSECONDS ...
 *   result staged|staged-triangle|pinned|pinned-triangle BYTES MICROSECONDS ...
 *   host CLASS AMOUNT MICROSECONDS ...
 *   flags CLASS FACTOR FACTOR ...
 *   device CLASS AMOUNT MICROSECONDS ...
 *   device-sets CLASS FACTOR FACTOR ...
 *   route ...    as route_factors.h has them
 *
 * such as "device dgemv_none_tall 4096 12.5 65536 14", amounts ascending. Of `flags` there is a factor for
 * each set, in the order of flag_sets.h: "flags dsymm_left_deep 0.95 1.05" of lower and upper triangles;
 * of `device-sets` twice as many, as flag_sets.h has them; from 1 / FLAG_FACTOR_MOST to FLAG_FACTOR_MOST.
 * "narrow-shares ..." of older recipes is passed over.
 * False: a line is wrong, or comes twice; `fault` is a phrase.
 * `times` is cleared first; classes are separated, floors not settled. */
enum { LEARNED_FAULT_BYTES = 256 };
bool learned_times_parse(struct learned_times *times, const char *text, char fault[LEARNED_FAULT_BYTES]);

/* The text, with nothing for what is not known; to be freed. NULL: out of memory. */
char *learned_times_text(const struct learned_times *times);

/* Part the device's times of the class into its result's way home, as far as that is known, and the rest.
 * Call after a change of either. */
void learned_times_separate(struct learned_times *times, int class);
void learned_times_separate_all(struct learned_times *times);

/* Forget what was measured with another host BLAS or number of threads than these, separate
 * all classes and settle the floors. Call after the last change, before any use. */
void learned_times_settle(struct learned_times *times, const char *host_blas, int host_threads);

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

/* Microseconds of a call, whose class it is (timed_class_of), by its set, too; false: not learned. On the
 * device with every operand there; `trackable`: its result may be pinned. */
bool learned_times_host(const struct learned_times *times, int class, const struct blas_call *call,
                        double *us);
bool learned_times_resident(const struct learned_times *times, int class, const struct blas_call *call,
                            bool trackable, double *us);
bool learned_times_upload(const struct learned_times *times, enum upload_way way, double bytes, double *us);

#endif
