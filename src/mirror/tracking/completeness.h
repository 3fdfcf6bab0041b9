/* completeness.h - operands all of whose pages were found valid, to spare the walk over
 * their columns at the next call (0.1 ms or more for 8192 of them).
 *
 * Operands are claimed by who asks or tells. The valid bits stay the truth: this only tells where to look. */
#ifndef MUBLAS_COMPLETENESS_H
#define MUBLAS_COMPLETENESS_H

#include "mirror/mirror.h"

/* What is known of an operand: all of it is valid but for pages in `lost`. `changed` tells whether
 * that has changed since. */
struct completeness {
    struct page_range lost;
    unsigned long changed;
};

/* Of one that contains this one. False: nothing. */
bool completeness_find(struct mirror_copy *copy, const struct operand *operand,
                       struct completeness *completeness);

/* All of the operand is valid now. */
void completeness_note(struct mirror_copy *copy, const struct operand *operand);

/* These pages have lost their valid bits. */
void completeness_lose(struct mirror_copy *copy, struct page_range pages);

/* The same of a call that is to write them, which gets what was known of the operand before, as of now.
 * False: nothing. */
bool completeness_take(struct mirror_copy *copy, const struct operand *operand, struct page_range pages,
                       struct completeness *before);

/* What a call took away itself has come back: what was known before is again, unless something else has
 * changed what is known of the operand. */
void completeness_regain(struct mirror_copy *copy, const struct operand *operand,
                         const struct completeness *before);

/* Nothing is known any more. */
void completeness_forget(struct mirror_copy *copy);

#endif
