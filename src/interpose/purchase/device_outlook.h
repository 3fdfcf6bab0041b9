/* device_outlook.h - what the devices that were chosen would bring, before they are awake.
 *
 * By what the driver says of each without a context there. Asked once, when a device is in use.
 * Thread-safe. */
#ifndef MUBLAS_DEVICE_OUTLOOK_H
#define MUBLAS_DEVICE_OUTLOOK_H

#include <stddef.h>

/* How fast it is beside the first in use, by processing elements and by memory: 1 as fast or faster, 0 so
 * slow that it would not be worth its price. A device that the user named is taken as fast as the first. */
double device_outlook_pace(int place);

/* Its memory's bandwidth beside the first one's, whoever named it; 0: unknown. */
double device_outlook_bandwidth(int place);

/* What mirrors may fill there if nobody else does. */
size_t device_outlook_bytes(int place);

/* What it takes to open one more, with the libraries that the first has open. */
double device_outlook_price_us(void);

#endif
