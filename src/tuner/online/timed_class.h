/* timed_class.h - the classes of calls that share a time, on the host as on the device, and the sets of
 * flags in which calls of one class differ. Pure functions. A class is a number from 0 on. */
#ifndef MUBLAS_TIMED_CLASS_H
#define MUBLAS_TIMED_CLASS_H

#include "common/blas_call.h"
#include "tuner/online/tuning_class.h"

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

/* The amount of work, which is that of its products: n of axpy, m n of gemv, n^2 of a triangle with
 * a vector; m n k of gemm, n^2 k of rank-k updates, and m n times the order of a triangle. */
double timed_class_amount(const struct blas_call *call);

/* The amount for which the largest matrix, or axpy's vector, has this many bytes. */
double timed_class_amount_of(int class, double bytes);

enum blas_family timed_class_family(int class); /* the symmetric one */
enum blas_type timed_class_type(int class);

/* The family by whose classes this one goes: SYMM for HEMM. */
enum blas_family timed_class_shared(enum blas_family family);

/* A call of the class with about this amount of work, shapes and pointers left out: family,
 * type, side, TRSM's diagonal, SYMV's triangle and transposition, m, n, k. Its small sizes, if it has them,
 * are 32. */
struct blas_call timed_class_call(int class, double amount);

/* A lower bound of crossover_size for calls of the class with this amount. */
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

/* Give the class's call these flags, and HEMM's family if that is one. */
void flag_set_apply(int class, int set, struct blas_call *call);

/* The number of those that a call of the class has. */
int flag_set_of(int class, const struct blas_call *call);

/* The combinations of what a device's time depends on besides a class and its amount.
 *
 * Each set of flags comes twice: set 2 f has the flags f and even leading dimensions, set 2 f + 1 an
 * odd one. Columns of doubles then begin at no multiples of 16 bytes, for which cuBLAS has other kernels:
 * dgemm with A transposed takes 1.5 times as long on an H200, dtrsm from the left, transposed, 3.3 times
 * (doc/tuner.md, "Crossovers"). */
enum { DEVICE_SETS_MOST = 2 * FLAG_SETS_MOST };

/* How many a class has: 2 to DEVICE_SETS_MOST. */
int device_sets_of(int class);

/* The number of those that a call of the class has; one without leading dimensions (timed_class_call) as if
 * without gaps between its columns. */
int device_set_of(int class, const struct blas_call *call);

#endif
