/* call_side.h - where a call is performed: by the host BLAS or on the device. */
#ifndef MUBLAS_CALL_SIDE_H
#define MUBLAS_CALL_SIDE_H

enum call_side { SIDE_HOST, SIDE_DEVICE, CALL_SIDES };

#endif
