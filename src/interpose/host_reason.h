/* host_reason.h - why calls stay on the host. */
#ifndef MUBLAS_HOST_REASON_H
#define MUBLAS_HOST_REASON_H

/* Of an offloadable routine. */
enum host_reason {
    HOST_FORWARDED,       /* routine that mublas does not offload */
    HOST_BELOW_FLOOR,     /* too small ever to pay */
    HOST_ARGUMENTS,       /* invalid arguments, quick return, infinite alpha, or overlapping operands */
    HOST_QUERY,           /* a LAPACK call that only asks for the size of a workspace */
    HOST_FASTER,          /* predicted faster on the host */
    HOST_NOT_RESIDENT,    /* residency would pay, but its account does not cover the upload yet */
    HOST_REWRITTEN,       /* the same, since the program rewrites the matrix between calls */
    HOST_UNTRACKABLE,     /* residency would pay, but nobody can follow what is written to the matrix */
    HOST_NOT_OPENED,      /* calls have not paid for waking the device, or for cuBLAS or cuSOLVER, yet */
    HOST_VARIANT,         /* a legal LAPACK call with an argument that no route has */
    HOST_FP_ENVIRONMENT,  /* traps unmasked, other rounding mode, or a denormal scalar taken for zero */
    HOST_SWITCHED_OFF,    /* MUBLAS_OFFLOAD=never */
    HOST_NO_DEVICE,       /* none there, or given up */
    HOST_ENDING,          /* the program had begun to end */
    HOST_BUSY,            /* others' calls were in the way for longer than the host takes */
    HOST_SANDBOX,         /* the program has forbidden itself system calls */
    HOST_NESTED,          /* called from inside mublas or from the host BLAS */
    HOST_AFTER_FORK,      /* fork child, or under a checkpointer */
    HOST_INTEGERS,        /* integer width not known, or different in several libraries */
    HOST_UNSUPPORTED,     /* no kernel or no cuBLAS for it */
    HOST_OUT_OF_MEMORY,
    HOST_INACCESSIBLE,    /* an operand's memory is protected against it */
    HOST_VALUES,          /* of a LAPACK routine: a matrix is not finite, or would have to be scaled */
    HOST_UNSUCCESSFUL,    /* its result is INFO > 0, which the host has to say */
    HOST_DEVICE_ERROR,    /* the device failed; the host did the call on untouched operands */
    HOST_REASON_COUNT
};

/* A short English phrase for the report. */
const char *host_reason_text(enum host_reason reason);

#endif
