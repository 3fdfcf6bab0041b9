/* device_call.h - a BLAS call past the door: which device it goes to, whether it pays there, and its run.
 *
 * Each device in use makes an offer for the call, and the call's turn goes to the best one.
 *
 * Calls that several devices do together are planned in split_call.h. */
#ifndef MUBLAS_DEVICE_CALL_H
#define MUBLAS_DEVICE_CALL_H

#include "common/log.h"
#include "interpose/program_call.h"

/* HOST_NO_REASON: it ran on the device, and its results are in host memory. Otherwise why it is the
 * host's; its operands are untouched. Inside offload_enter. */
enum host_reason device_call_attempt(struct program_call *call);

/* Why a call of this symbol that ended so on the device is the host's; HOST_NO_REASON: STATUS_OK. Stops
 * the process with one line where its results are lost. */
enum host_reason device_call_reason(enum symbol symbol, enum status status);

#endif
