/* settings.h - the settings of mublas, read once from the environment.
 *
 * settings.def is the table: variable, field, form, default, meaning. A set-user-id program gets the
 * defaults. For a bad value or an unknown MUBLAS_ name mublas writes one line with the name, and the default
 * holds. */
#ifndef MUBLAS_SETTINGS_H
#define MUBLAS_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The devices that a setting names. */
enum { DEVICES_MAX = 8 }; /* of one process */

struct device_list {
    bool all;
    int count; /* 0, and not all: auto */
    int ordinals[DEVICES_MAX]; /* each once */
};

/* Whose kernels solve symmetric eigenproblems: as the recipe has it, mublas' own or cuSOLVER's. */
enum eigensolver { EIGENSOLVER_AUTO, EIGENSOLVER_OWN, EIGENSOLVER_CUSOLVER };
enum offload_mode { OFFLOAD_AUTO, OFFLOAD_ALWAYS, OFFLOAD_NEVER };

/* An amount of memory: bytes, or a percentage of a total that is known later. */
struct memory_amount {
    bool is_percent;
    size_t value; /* bytes, or percent 0..100 */
};

struct settings {
    enum offload_mode offload;
    const char *report; /* NULL: none; "1": standard error; else a file name */
    long verbose;
    bool progress;
    const char *host_blas;   /* "": not set; likewise the other paths */
    struct device_list device; /* gpu/device.h */
    struct memory_amount device_memory;
    struct memory_amount pinned_memory;
    bool huge_pages;
    bool tracking;
    bool trust_tracking;
    bool service;
    const char *cuda_driver;
    const char *cublas;
    const char *cusolver;
    enum eigensolver eigensolver;
    bool parallel; /* routines of several ranks; false: never */
    const char *recipe;
    const char *estimate; /* "": none; else nothing is offloaded, and offload is auto, parallel false */
    bool mps; /* may be started */
    const char *report_parts;
    const char *unreachable;
};

/* The settings in force, as settings_copied or the first call of this found them; that call reports their
 * faults. Later calls cost two loads. Thread-safe. The result lives as long as the process and is
 * read-only. */
const struct settings *settings(void);

/* The same without messages, for the constructor (invariant 5), if the environment can be read: later changes
 * of it have no effect. Does not call malloc, and keeps errno. *are_faulty: settings() will report faults. */
const struct settings *settings_copied(bool *are_faulty);

/* False before the C library has its environment, when only functions that the loader runs before all
 * constructors (DT_PREINIT_ARRAY) can call: settings() returns the defaults then, and no decision by settings
 * may be final. */
bool settings_are_readable(void);

/* Calls `take` with each setting that has a bad value, and each MUBLAS_ name that is none, and a line about
 * it. */
typedef void settings_take_fault(void *context, const char *name, const char *text);
void settings_each_fault(settings_take_fault *take, void *context);

/* True when MUBLAS_REPORT asks for a report, or MUBLAS_ESTIMATE for an estimate. Like settings_copied. */
bool settings_report_wanted(void);

/* The bytes of `amount` if the whole has `total` bytes. */
size_t memory_amount_bytes(struct memory_amount amount, size_t total);

/* Prints the settings that differ from their default, one a line. Returns their number. */
int settings_print_changed(FILE *stream);

/* Prints every setting with its present value, its form and its meaning. */
void settings_print(FILE *stream);

#endif
