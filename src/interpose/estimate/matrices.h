/* matrices.h - the matrices that would stay on a GPU that is not there, and their accounts, as mirror/ has them
 * for one that is. For estimate.c alone, which locks. */
#ifndef MUBLAS_ESTIMATE_MATRICES_H
#define MUBLAS_ESTIMATE_MATRICES_H

#include "mirror/operands.h"
#include "tuner/online/crossover.h"

#include <stdint.h>

/* Each function takes the operands of a call. The next three are as operands_residency, operands_credit and
 * operands_earn. */
struct residency matrices_residency(const struct operand *operands, int count);
void matrices_credit(const struct operand *operands, int count, double saved_us);
void matrices_earn(const struct operand *operands, int count, double saved_us);

/* Microseconds of the uploads of a call that would run on the GPU: what is not there, and of the rest what the
 * program has rewritten since, as far as samples tell. They are there from then on, unless most was rewritten. */
double matrices_upload_us(const struct machine_model *model, const struct operand *operands, int count);

/* The same of one operand: which part of it goes up, 0 to 1. */
double matrices_upload_part(const struct operand *operand);

/* The host has written the results in the GPU's stead. */
void matrices_note_results(const struct operand *operands, int count);

/* Bytes that the call reads. */
uint64_t matrices_bytes_read(const struct operand *operands, int count);

#endif
