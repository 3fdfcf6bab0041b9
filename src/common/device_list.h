/* device_list.h - the devices that a setting names. */
#ifndef MUBLAS_DEVICE_LIST_H
#define MUBLAS_DEVICE_LIST_H

#include <stdbool.h>

enum { DEVICES_MAX = 8 }; /* of one process */

struct device_list {
    bool all;
    int count; /* 0, and not all: auto */
    int ordinals[DEVICES_MAX]; /* each once */
};

#endif
