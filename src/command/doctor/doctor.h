/* doctor.h - the checks of `mublas doctor` that machine_checks.c has, in their order, and the findings of all
 * checks: each prints a line, and under it what to do where something is wrong. */
#ifndef MUBLAS_DOCTOR_H
#define MUBLAS_DOCTOR_H

#include "gpu/device.h"

#include <stdbool.h>

struct findings {
    bool colours;
    int wrong; /* how many */
};

/* "ok     SUBJECT  TEXT" */
void finding_good(struct findings *findings, const char *subject, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "WRONG  SUBJECT  TEXT", then a line with the advice. */
void finding_wrong(struct findings *findings, const char *subject, const char *advice, const char *format,
                   ...) __attribute__((format(printf, 4, 5)));

/* "-      SUBJECT  not checked: WHY" */
void finding_skipped(struct findings *findings, const char *subject, const char *why);

/* Results of earlier checks. */
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

/* A line for each that is wrong, and none where all are right. Wrong settings leave the environment, so that
 * processes that the doctor starts do not repeat the line. */
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

#endif
