/* tuning_class.h - the classes of calls that share launch shapes, 25 of them, a launch shape for a call of a
 * class by the occupancies, and the classes of calls that share times (timed_class.c).
 *
 * axpy of s, d, c, z; gemv of the same, not transposed and transposed; symv of s, d, w; hemv of c, z; trmv
 * of s, d, c, z, not transposed and transposed. Calls share whatever their triangle, unit diagonal,
 * conjugation and alignment are. A class is a number from 0 on; a gemv class has three forms, the others
 * are square.
 *
 * Occupancies give a thread block for a problem size (the online part of paper 000, its figure 3), and by
 * that a launch shape for a call of any kernel but axpy's. The caller gives the figures by which they are
 * computed: those of a device that is there or the description of one that is not. Warps have 32 threads.
 * All functions but those that read a device are pure and allocate nothing, so callers may keep a result by
 * class and size. Thread-safe. */
#ifndef MUBLAS_TUNING_CLASS_H
#define MUBLAS_TUNING_CLASS_H

#include "common/blas_call.h"
#include "gpu/device.h"
#include "gpu/launch.h"

#include <stdbool.h>
#include <stdint.h>

enum { TUNING_CLASSES = 25, TUNING_CLASS_NONE = -1, TUNING_UNIT = 32 };

/* Forms of gemv by its arguments m and n: square, tall (m >= 4 n), wide (n >= 4 m). */
enum tuning_form { TUNING_SQUARE, TUNING_TALL, TUNING_WIDE, TUNING_FORMS };

/* The class of a call; TUNING_CLASS_NONE: launches do not do it. */
int tuning_class_of(const struct blas_call *call);

/* "saxpy", "dgemv_none", "dgemv_transpose", "wsymv", "chemv", "ztrmv_none". */
const char *tuning_class_name(int class);
/* Back again; TUNING_CLASS_NONE: there is no such class. */
int tuning_class_parse(const char *name);
enum blas_family tuning_class_family(int class);
enum blas_type tuning_class_type(int class);
bool tuning_family_is_triangle(enum blas_family family); /* of level 2: half of a square matrix is read */

/* 3 for gemv, 1 for the others, whose only form is TUNING_SQUARE. */
int tuning_class_forms(int class);
enum tuning_form tuning_form_of(const struct blas_call *call);
const char *tuning_form_name(enum tuning_form form); /* "square", "tall", "wide" */
/* False: there is no such form. */
bool tuning_form_parse(const char *name, enum tuning_form *form);

/* The size of a call in units of 32: ceil(n / 32); at least 1. For gemv it is that of a matrix of the form's
 * aspect ratio (1 or 16) with as many terms to a sum, kept within a factor (1.1; 2) of the one with as many
 * elements; where the terms are the shorter side of a tall or wide matrix it is the latter's, sqrt(m n) /
 * 32, for tall ones, if one is within a factor of 1.05, the size with as many leaf tiles in a row. */
int64_t tuning_size_of(const struct blas_call *call);

/* A call of the class: lower triangle, non-unit diagonal, unit increments, aligned columns,
 * no pointers, alpha 1.5, beta 0.5 (axpy: alpha 2^-10, no matrix). m counts for gemv alone. */
struct blas_call tuning_class_call(int class, int64_t m, int64_t n);
/* The same at a size and form; a tall matrix has about 16 times as many rows as columns. Extents are a
 * little below multiples of 32, each size by something else: most calls of programs end within a tile, and
 * that takes longer than whole tiles do. */
struct blas_call tuning_class_call_at(int class, enum tuning_form form, int64_t size);

/* Figure 3's walk goes over the candidates from large Tx to small, Ty ascending, and keeps one whose
 * Grid-Occupancy is strictly above the best so far while its Warp- and Block-Occupancy are strictly above
 * min(best so far, recipe's minimum).
 *
 * Reading taken: a candidate has Tx = step, 2 step, ...; Tx * Ty from the recipe's ThMin (none given: step)
 * to the kernel's maximum, and Ty <= TyPerTxMax * Tx. Figure 3 as printed starts at TxMin = ThMin and
 * rounds ThMin / Tx down; but then Tx * Ty may lie below ThMin, which section 3.1.2 excludes, and the
 * counts are not those of table 4, which this reading gives (tests/unit/test_optimizer.c says where the
 * table determines them). */
enum { WARP_THREADS = 32, BLOCK_WARPS_MAX = 32 };

/* Figures that the three occupancies are computed from, for blocks of 1..32 warps of one kernel
 * and one size of shared memory; threads of a last, broken warp count as a whole one. */
struct occupancy_figures {
    int multiprocessors;
    int warps, blocks; /* resident on a multiprocessor, at most */
    unsigned char active[BLOCK_WARPS_MAX + 1]; /* blocks on a multiprocessor, by warps of a block; 0: none */
};

struct occupancy {
    double warp;  /* active warps / most resident warps */
    double block; /* active blocks / most resident blocks */
    double grid;  /* items / the slots of all waves that they take: 1 when no slot stays empty */
};

/* The occupancies of a launch of `items` work items in blocks of `threads` (1..1024), at most `most_active`
 * (0: any number) of them on a multiprocessor. Slots are the blocks active on the device at
 * once; a block per item or a stride over the items, the waves are the same. All 0 where no
 * block can be launched. */
struct occupancy occupancy_of(const struct occupancy_figures *figures, unsigned threads, unsigned most_active,
                              int64_t items);

/* Learned by the analyzer from the shapes within 98% of the best at a large size: the
 * least occupancies and threads, and the largest Ty / Tx among them. 0: no such bound. */
struct occupancy_recipe {
    double warp_min, block_min;
    unsigned threads_min;
    double ty_per_tx_max;
};

struct block_shape {
    unsigned x, y; /* Tx, Ty; x = 0: no candidate */
};

struct optimizer_space {
    unsigned step;        /* of Tx, >= 1: the threads of a memory transaction, or what the kernel demands */
    unsigned threads_max; /* of a block, 1024 at most */
    bool one_dimensional; /* Ty = 1 only */
    unsigned most_active; /* blocks on a multiprocessor, 0: as many as fit */
};

/* Work items of the problem when done in such blocks: the figure's BlkPerGrd. NULL stands
 * for a `problem` that is an int64_t, so many items whatever the block. */
typedef int64_t optimizer_items(const void *problem, struct block_shape block);

/* The walk. It may go on from an earlier one: `best`, all zero at first, is what was kept,
 * and the result says whether something better came. Some tens of microseconds. */
struct optimizer_best {
    struct block_shape block;
    struct occupancy occupancy;
};
bool optimizer_walk(const struct optimizer_space *space, const struct occupancy_recipe *recipe,
                    const struct occupancy_figures *figures, optimizer_items *items, const void *problem,
                    struct optimizer_best *best);

/* The super-tile's edge decides how many work items there are, Tx * Ty how many of them are active at once:
 * so figure 3's walk goes over the edges, large ones first, and goes on from edge to edge with the best so
 * far until its Grid-Occupancy is 98%. Everything else of the shape is the recipe's. */
enum { SHAPE_EDGES = 3 };
static const unsigned shape_edges[SHAPE_EDGES] = {256, 128, 64};

/* Figures of one kernel, by edge in the order of shape_edges. */
struct shape_figures {
    struct occupancy_figures of_edge[SHAPE_EDGES];
};

/* `base` gives leaf_columns (no more than an edge has are taken), blocks_per_multiprocessor,
 * order, team_groups and variant; its edge and threads are not looked at. The result can run
 * `call`; edge 0: no candidate fits. Pure. */
struct launch_shape occupancy_shape(const struct blas_call *call, const struct launch_shape *base,
                                    const struct occupancy_recipe *recipe,
                                    const struct shape_figures *figures);

/* All but the active blocks, of the device that is there. Inside device_enter; the driver's result, not
 * logged. */
CUresult occupancy_read_limits(struct occupancy_figures *figures);

/* Reads figures of the kernel that would do `call` (whose addresses and leading dimension decide between
 * wide and narrow loads), for every edge. CUDA_ERROR_NOT_SUPPORTED: no kernel does it. */
CUresult occupancy_read_shapes(struct kernel_set *set, const struct blas_call *call,
                               struct shape_figures *figures);

/* The classes of calls that share a time, on the host as on the device, and the sets of
 * flags in which calls of one class differ. Pure functions. A class is a number from 0 on. */

/* The classes are the tuning classes that programs can reach (not wsymv), gemv's once for each form and for
 * far ones, tall or wide by 32 to 1 and more, of which hosts share out other sides among their threads;
 * symv's and hemv's for each triangle, since hosts begin to use threads at other sizes of one than of the
 * other; and the routines of level 3 of each type, HEMM with the type's SYMM, TRSM with a unit diagonal
 * apart, in three forms: deep (all sizes alike), panel (few products: a small k, or a small triangle),
 * narrow (another size is small), those with a triangle or symmetric matrix from the left and from the
 * right. Flags other than that side, the transposition of level 2 and these share a class. */
enum {
    LEVEL3_GROUPS = 13,
    LEVEL3_FORMS = 3,
    LEVEL3_TYPES = 4,
    TIMED_FORMS = 5, /* gemv's */
    TIMED_CLASSES = TUNING_CLASSES * TIMED_FORMS + LEVEL3_GROUPS * LEVEL3_TYPES * LEVEL3_FORMS,
    TIMED_CLASS_NONE = -1,
    TIMED_CLASS_NAME = 32
};

/* TIMED_CLASS_NONE: no program's call. */
int timed_class_of(const struct blas_call *call);

/* Not every number is a class: of level 2 only gemv, symv and hemv have several. Walk from 0 to TIMED_CLASSES
 * and skip. */
bool timed_class_exists(int class);

/* "daxpy", "dgemv_none_tall", "dgemv_none_far_tall", "dsymv" (the lower triangle), "dsymv_upper",
 * "dtrmv_transpose", "zsymm_left_panel" (also zhemm's), "dtrsm_left_unit_deep", into `name`. */
const char *timed_class_name(int class, char name[TIMED_CLASS_NAME]);
/* Back again; TIMED_CLASS_NONE: there is no such class. */
int timed_class_parse(const char *name);

/* A call's amount of work is that of its products (call_work_products): n of axpy, m n of gemv, n^2 of a
 * triangle with a vector; m n k of gemm, n^2 k of rank-k updates, and m n times the order of a triangle.
 *
 * The amount for which the largest matrix, or axpy's vector, has this many bytes. */
double timed_class_amount_of(int class, double bytes);

enum blas_family timed_class_family(int class); /* the symmetric one */
enum blas_type timed_class_type(int class);

/* The family by whose classes this one goes: SYMM for HEMM. */
enum blas_family timed_class_shared(enum blas_family family);

/* A call of the class with about this amount of work, shapes and pointers left out: family,
 * type, side, TRSM's diagonal, SYMV's triangle and transposition, m, n, k. Its small sizes, if it has them,
 * are 32. */
struct blas_call timed_class_call(int class, double amount);

/* A lower bound of call_gated_size for calls of the class with this amount. */
uint64_t timed_class_gated(int class, double amount);

/* The side that performs a call: the host BLAS or the device. */
enum call_side { SIDE_HOST, SIDE_DEVICE, CALL_SIDES };

/* A host BLAS has a kernel for each set of flags: upper or lower, transposed or not can make its rank
 * updates take 1.4 times as long. A set leaves out all that the class itself says (side, TRSM's diagonal,
 * SYMV's triangle, whether level 2 is transposed); it has whether a matrix is Hermitian, where HEMM goes by
 * SYMM's class. With real numbers the conjugate transpose is the transpose; conj(A) goes with A in level 2,
 * with the conjugate transpose in level 3. Sets are numbered from 0 on, the last of uplo, trans, trans_b,
 * diag and Hermitian first: dsyr2k's are lower, lower transposed, upper, upper transposed. */
enum {
    FLAG_SETS_MOST = 12,
    FLAG_FACTOR_MOST = 100 /* what one set makes of a time: so many times as long or as short, at most */
};

/* How many a class has: 1 to FLAG_SETS_MOST. */
int flag_sets_of(int class);

/* Give a class's call these flags, and HEMM's family if that is one. */
void flag_set_apply(int set, struct blas_call *call);

/* The number of those that the call has, in its class. */
int flag_set_of(const struct blas_call *call);

/* The combinations of what a device's time depends on besides a class and its amount.
 *
 * Each set of flags comes twice: set 2 f has the flags f and even leading dimensions, set 2 f + 1 an
 * odd one. Columns of doubles then begin at no multiples of 16 bytes, for which cuBLAS has other kernels:
 * dgemm with A transposed takes 1.5 times as long on an H200, dtrsm from the left, transposed, 3.3 times
 * (doc/tuner.md, "Crossovers"). */
enum { DEVICE_SETS_MOST = 2 * FLAG_SETS_MOST };

/* How many a class has: 2 to DEVICE_SETS_MOST. */
int device_sets_of(int class);

/* The number of those that the call has, in its class; one without leading dimensions (timed_class_call) as
 * if without gaps between its columns. */
int device_set_of(const struct blas_call *call);

/* All that a call's learned times depend on; the host's set of flags is half of the device's. */
struct timed_call {
    int class, device_set;
    double amount;
};
struct timed_call timed_call_of(const struct blas_call *call);

#endif
