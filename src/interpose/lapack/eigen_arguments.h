/* eigen_arguments.h - the arguments of the eigensolvers: read them, and write the results that are not matrices. */
#ifndef MUBLAS_LAPACK_EIGEN_ARGUMENTS_H
#define MUBLAS_LAPACK_EIGEN_ARGUMENTS_H

#include "interpose/lapack/call.h"
#include "lapack/eigen.h"

#include <stdbool.h>

/* Describe a legal call with something to do. False for any other (a workspace query, an illegal argument, a quick
 * return, operands that overlap): the host's. Reads what the flags reference, and nothing else; the workspace queries'
 * marks first. problem->values is left to the caller. */
bool eigen_arguments_read(const struct lapack_call *call, struct eigenproblem *problem);

/* After success: values, M, ISUPPZ, IFAIL, the first elements of the workspaces, INFO last. */
void eigen_arguments_write(const struct lapack_call *call, const struct eigenproblem *problem);

#endif
