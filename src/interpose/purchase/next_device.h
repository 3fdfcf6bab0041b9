/* next_device.h - the next device beside those in use: what it would bring, and its waking.
 *
 * One follows the other in the order of device_choose, each by an attempt of its own that calls pay for. Once
 * a device is in use; thread-safe. */
#ifndef MUBLAS_NEXT_DEVICE_H
#define MUBLAS_NEXT_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

/* Is there one that was not tried? False while no device is in use. */
bool next_device_may_come(void);

/* How fast it is beside the first, and its memory alone (device_outlook.h); 0: there is none. */
double next_device_pace(void);
double next_device_bandwidth(void);

/* What mirrors may fill on all that may come. */
size_t next_devices_bytes(void);

/* By it a call would have gained so much: towards its price, which wakes it. */
void next_device_gain(double gain_us);

/* None of those in use is usable any more: wake another in their place, if one is left. True: there is one
 * now. */
bool next_device_replace(void);

/* Why the one at `place` of those that were chosen is not in use: one line for the report, in static storage.
 * NULL: it is, or no device is. At the end of the process. */
const char *next_device_unused(int place);

#endif
