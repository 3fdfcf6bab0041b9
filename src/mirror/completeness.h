/* completeness.h - operands all of whose pages were found valid, to spare the walk over
 * their columns at the next call (0.1 ms or more for 8192 of them).
 *
 * Under the mirror's lock. The valid bits stay the truth: this only tells where to look. */
#ifndef MUBLAS_COMPLETENESS_H
#define MUBLAS_COMPLETENESS_H

#include "mirror/mirror.h"

/* What is known of an operand that contains this one: all of it is valid but for pages in
 * `lost`. NULL: nothing. */
struct complete_operand *completeness_find(struct mirror *mirror, const struct operand *operand);

/* All of the operand is valid now. */
void completeness_note(struct mirror *mirror, const struct operand *operand);

/* These pages have lost their valid bits. */
void completeness_lose(struct mirror *mirror, struct page_range pages);

/* Nothing is known any more. */
void completeness_forget(struct mirror *mirror);

#endif
