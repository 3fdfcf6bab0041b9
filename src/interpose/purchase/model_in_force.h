/* model_in_force.h - the model of the machine by which calls are judged: the reference device's, with what
 * a recipe says from the first call on that may be worth a device, and once one is in use that device's
 * own; with its times as long as those of a device that other ranks share (gpu/device_sharing.h). Any thread
 * may call these. */
#ifndef MUBLAS_MODEL_IN_FORCE_H
#define MUBLAS_MODEL_IN_FORCE_H

#include "tuner/online/crossover.h"

/* Once, before all others. */
void model_in_force_begin(void);

/* One model, as long as this returns the same address. */
const struct machine_model *model_in_force(void);

/* What a recipe says of calls. Cheap after the first time. */
void model_in_force_learn(void);

/* This device is in use from now on. Once. */
void model_in_force_learn_of(const struct device *device);

/* The model of a device that is in use beside that one, and is unlike it. NULL: out of memory. */
const struct machine_model *model_in_force_beside(const struct device *device);

/* Is that model of the device in use, on which operands may be? */
bool model_in_force_is_of_device(const struct machine_model *model);

#endif
