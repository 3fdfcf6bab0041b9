/* link_rates.h - how fast pinned host memory goes up to each of the devices that a process would use, one by
 * one and all at once: links may share a switch, or the host's memory be too slow for all. */
#ifndef MUBLAS_LINK_RATES_H
#define MUBLAS_LINK_RATES_H

#include "common/settings.h"

#include <stdbool.h>

struct link_rates {
    int count; /* of those that could be measured */
    int ordinals[DEVICES_MAX];
    double alone[DEVICES_MAX], together[DEVICES_MAX]; /* bytes per second */
};

/* Wakes the devices, and gives those beside the first back. Candidates that others use are left out, and so
 * is what fails. False: fewer than two are left. Takes some tenths of a second for each. */
bool link_rates_measure(struct link_rates *rates);

/* All of them together, of the sum of each alone. */
double link_rates_part(const struct link_rates *rates);

/* "device 0 51.2, device 1 51.3, together 98.1 GB/s (96%)" */
void link_rates_describe(const struct link_rates *rates, char *text, int room);

#endif
