/* status.h - the one status type of mublas.
 *
 * Rule: whoever first detects an error logs it (log.h), with the name of what
 * failed; every caller above only unwinds. A status therefore carries no text. */
#ifndef MUBLAS_STATUS_H
#define MUBLAS_STATUS_H

enum status {
    STATUS_OK = 0,
    STATUS_NO_DEVICE,     /* no driver, no device, or the device was given up: use the host */
    STATUS_OUT_OF_MEMORY, /* device or pinned memory; a normal event, the call goes to the host */
    STATUS_UNSUPPORTED,   /* this call cannot be done on the device (no kernel, no cuBLAS, size) */
    STATUS_BUSY,          /* would have waited for other threads' calls for longer than the host takes */
    STATUS_NOT_TRACKABLE, /* host memory whose writes cannot be followed: copy it statelessly */
    STATUS_INACCESSIBLE,  /* the program has taken the access to an operand away: its handler is to see the host's */
    STATUS_VALUES,        /* a LAPACK routine's matrix is not finite, or out of the range that needs no scaling */
    STATUS_UNSUCCESSFUL,  /* a LAPACK routine ended with INFO > 0 or results that are not finite: the host's to say */
    STATUS_DEVICE_ERROR,  /* a driver call failed; the device itself may go on */
    STATUS_DEVICE_LOST,   /* fatal device error: the device is left alone from now on */
    STATUS_RESULT_LOST    /* copy-back failed half way and could not be repeated (invariant 3) */
};

/* A short English phrase for `status`, never NULL. Static storage. */
const char *status_text(enum status status);

#endif
