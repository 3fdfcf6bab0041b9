/* call_offer.h - what a BLAS call would find on one of several devices. */
#ifndef MUBLAS_CALL_OFFER_H
#define MUBLAS_CALL_OFFER_H

#include "interpose/program_call.h"
#include "interpose/purchase/other_devices.h"

/* A device_offer_of; `call` is a struct program_call, described. */
struct device_offer call_offer(const void *call, const struct device_use *use);

#endif
