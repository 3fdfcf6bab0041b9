/* checks.h - the checks of `mublas doctor`, in the order in which they are made. Each prints its line. */
#ifndef MUBLAS_DOCTOR_CHECKS_H
#define MUBLAS_DOCTOR_CHECKS_H

#include "command/doctor/findings.h"
#include "gpu/device.h"

/* What earlier checks found out. */
struct patient {
    struct findings findings;
    bool has_driver;       /* it can be used */
    int devices;           /* which it shows */
    bool has_device;       /* that of `properties` among them */
    bool has_cublas;       /* level 3 can be tried */
    struct device *device; /* awake, with kernels; NULL: not */
    struct device_properties properties;
    struct device_choice choice;
};

/* A line for each that is wrong, and none where all are right. Those are none of the environment's any more,
 * so that processes that the doctor starts do not repeat it. */
void check_settings(struct patient *patient);

void check_driver(struct patient *patient);
void check_device(struct patient *patient);
void check_kernels(struct patient *patient);

/* Says nothing where a process would use one device. */
void check_links(struct patient *patient);

void check_tracking(struct patient *patient);
void check_container(struct patient *patient);

void check_host(struct patient *patient);
void check_cublas(struct patient *patient);
void check_cusolver(struct patient *patient);

/* These are never wrong: they say what parallel programs find. The third says nothing without a launcher. */
void check_scalapack(struct patient *patient);
void check_mps(struct patient *patient);
void check_ranks(struct patient *patient);

/* A line more for each kind of device beside the first's. */
void check_recipe(struct patient *patient);

/* Closes the device, and has another process use it. */
void check_product(struct patient *patient);

/* The phrase for what runs this process in a container; NULL: nothing was seen. */
const char *container_kind(void);

#endif
