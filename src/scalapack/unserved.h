/* unserved.h - why a call of a parallel routine did not come to a vote, for the report. */
#ifndef MUBLAS_SCALAPACK_UNSERVED_H
#define MUBLAS_SCALAPACK_UNSERVED_H

#include "interpose/lapack/frame.h"
#include "interpose/report/parallel_report.h"
#include "scalapack/routine.h"

/* After the gate (engine.c) has refused the call. Looks at the arguments anew and changes nothing. */
enum parallel_unserved unserved_because(enum parallel_symbol symbol, const struct lapack_frame *frame);

#endif
