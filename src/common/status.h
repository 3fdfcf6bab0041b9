/* status.h - the one status type of mublas.
 *
 * The function that first detects an error logs it (log.h), with the name of what failed; its callers only
 * unwind. So a status carries no text. */
#ifndef MUBLAS_STATUS_H
#define MUBLAS_STATUS_H

enum status {
    STATUS_OK = 0,
    STATUS_NO_DEVICE,     /* no driver, no device, or the device was given up: use the host */
    STATUS_OUT_OF_MEMORY, /* no device or pinned memory is left: the call runs on the host */
    STATUS_UNSUPPORTED,   /* this call cannot be done on the device (no kernel, no cuBLAS, size) */
    STATUS_BUSY,          /* waiting for other threads' calls would take longer than the host does */
    STATUS_NOT_TRACKABLE, /* host memory whose writes cannot be followed: copy it statelessly */
    STATUS_INACCESSIBLE,  /* the program has protected an operand's memory: its handler must see the host's
                             access */
    STATUS_VALUES,        /* a LAPACK routine's matrix is not finite, or needs scaling */
    STATUS_UNSUCCESSFUL,  /* a LAPACK routine ended with INFO > 0 or results that are not finite: the host
                             decides */
    STATUS_DEVICE_ERROR,  /* a driver call failed; the device may still work */
    STATUS_DEVICE_LOST,   /* fatal device error: mublas does not use the device again */
    STATUS_RESULT_LOST    /* copy-back failed half way and could not be repeated (invariant 3) */
};

/* A short English phrase for `status`, never NULL. Static storage. */
const char *status_text(enum status status);

#endif
