/* stedc_run.h - one call of stedc on fenced operands, and the same call of the plain host on their twins. */
#ifndef MUBLAS_TESTS_STEDC_RUN_H
#define MUBLAS_TESTS_STEDC_RUN_H

#include "dense.h"
#include "fenced.h"
#include "lapack_call.h"

struct stedc_run {
    struct lapack_call call, host;
    struct fenced d, e, z, work, rwork, iwork;
    double *diagonal, *beside; /* T: n and n - 1 real numbers of the type's precision */
    double *given;             /* n x n: the unitary matrix that Z is before for COMPZ 'V', else NULL */
    double small;              /* not 0: values below 2^-15 must be exact to this norm, not to T's */
};

/* The least LWORK, LRWORK and LIWORK of the reference's documentation. */
struct stedc_workspaces {
    int work, rwork, iwork;
};
struct stedc_workspaces stedc_least(char type, char compz, int n);

/* Operands and workspaces, these `more` elements longer than they need. Copies T; makes `given`. `writes_e`:
 * E may be written. Z has `gap` rows more; without a gap it is NULL for COMPZ 'N'. */
void stedc_run_make(struct stedc_run *run, char type, char compz, int n, const double *diagonal,
                    const double *beside, bool writes_e, int gap, int more, struct random *random);
void stedc_run_free(struct stedc_run *run);

/* Sets an element of one of the operands for both calls. */
void stedc_run_set(const struct fenced *operand, int index, double value);

void stedc_run_perform(struct stedc_run *run); /* both calls */

/* The fault, or NULL. INFO, what must not be written, the workspaces' first elements. */
const char *stedc_run_fault(const struct stedc_run *run);
/* The same with an INFO of 0: the values, beside the host's, and the vectors. */
const char *stedc_run_result_fault(const struct stedc_run *run);

#endif
