/* protection.h - can the program's own code still read an operand, and write it if it is a result?
 *
 * A program may take the access to memory away and give it back in a handler of SIGSEGV, with other contents
 * (software shared memory, lazy loaders): such an operand belongs to the host, whose access the
 * handler sees. Linux before 6.11 has no quick answer: there it counts as accessible. */
#ifndef MUBLAS_PROTECTION_H
#define MUBLAS_PROTECTION_H

#include "mirror/operand.h"

/* Every element, as memory stands now; memory between them may be anything, or nothing. One question to the
 * kernel, 1 us, where the operand lies in one mapping. Any thread, no lock. */
bool protection_allows(const struct operand *operand);

/* Each of them. */
bool protection_allows_all(const struct operand *operands, int count);

#endif
