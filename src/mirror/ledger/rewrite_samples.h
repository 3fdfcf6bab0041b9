/* rewrite_samples.h - has the program rewritten a matrix since it was last used? Told by a few elements.
 *
 * What the host alone uses is not tracked, so that a matrix which is rewritten between uses looks
 * like one that is constant and worth residency. A few elements at places drawn from a fixed
 * sequence tell the two apart, for about a microsecond. They depend on the operands' bytes and
 * nothing else, so a program's decisions repeat. Only elements that the call may read are read. */
#ifndef MUBLAS_REWRITE_SAMPLES_H
#define MUBLAS_REWRITE_SAMPLES_H

#include "mirror/operand.h"

enum { REWRITE_SAMPLES_MAX = 16 };

/* All zero at first. */
struct rewrite_samples {
    struct sample {
        uintptr_t address; /* 0: not taken */
        uint64_t value;    /* of the first 4 or 8 bytes there */
    } taken[REWRITE_SAMPLES_MAX];
    uint64_t sequence;
};

/* Of the samples that lie in the operand the share that differ from what they were, 0 to 1; all
 * are of this operand, as it is now, afterwards. */
double rewrite_samples_renew(struct rewrite_samples *samples, const struct operand *operand);

/* What they lie in is being rewritten for a known reason. */
void rewrite_samples_forget(struct rewrite_samples *samples);

#endif
