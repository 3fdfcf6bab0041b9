/* solver_trial.h - cuSOLVER and its cuBLAS asked for what is known: the Cholesky factor and the eigenvectors
 * of a matrix of order 8 (2 on the diagonal, -1 beside it), and the solution of a triangular system. A pair
 * that was not made for each other, or for the device, may answer without an error and wrongly. */
#ifndef MUBLAS_SOLVER_TRIAL_H
#define MUBLAS_SOLVER_TRIAL_H

#include "gpu/vendor/solver_library.h"

enum { SOLVER_REASON_BYTES = 448, SOLVER_FAULT_BYTES = 160 };

/* Inside device_enter, of a library whose symbols are there. False: `fault` says in a phrase what is
 * wrong. */
bool solver_trial_passes(const struct solver_library *library, char fault[SOLVER_FAULT_BYTES]);

/* solver_handle_create without the log: where it fails `fault` says why. */
enum status solver_handle_make(const struct solver_library *library, CUstream stream,
                               struct solver_handle *handle, char fault[SOLVER_FAULT_BYTES]);

#endif
