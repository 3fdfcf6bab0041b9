/* paper_devices.h - the devices of paper 000 and a present one, described by their limits
 * (CUDA C programming guide, compute capabilities 2.0, 3.5, 5.2 and 9.0). */
#ifndef MUBLAS_TESTS_PAPER_DEVICES_H
#define MUBLAS_TESTS_PAPER_DEVICES_H

#include "tuner/online/occupancy.h"

static const struct device_limits gtx580 = {16, 1024, 48, 8, 32768, 2, 64, 48 << 10, 128, 0};
static const struct device_limits k20c = {13, 1024, 64, 16, 65536, 4, 256, 48 << 10, 256, 0};
static const struct device_limits gtx980 = {16, 1024, 64, 32, 65536, 4, 256, 96 << 10, 256, 0};
static const struct device_limits h100 = {132, 1024, 64, 32, 65536, 4, 256, 228 << 10, 128, 1024};

#endif
