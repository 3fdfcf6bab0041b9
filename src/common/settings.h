/* settings.h - the settings of mublas, read once from the environment.
 *
 * settings.def is the table: variable, field, form, default, meaning. A set-user-id
 * program sees only defaults. A bad value or an unknown MUBLAS_ name gives one line
 * naming it, and the default holds. */
#ifndef MUBLAS_SETTINGS_H
#define MUBLAS_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum offload_mode { OFFLOAD_AUTO, OFFLOAD_ALWAYS, OFFLOAD_NEVER };

/* An amount of memory: bytes, or a percentage of something known only later. */
struct memory_amount {
    bool is_percent;
    size_t value; /* bytes, or percent 0..100 */
};

struct settings {
    enum offload_mode offload;
    const char *report; /* NULL: none; "1": standard error; else a file name */
    long verbose;
    const char *host_blas;   /* "" where not set; likewise the other paths */
    long device; /* -1: auto (gpu/device_choice.h) */
    struct memory_amount device_memory;
    struct memory_amount pinned_memory;
    bool huge_pages;
    bool tracking;
    bool trust_tracking;
    const char *cuda_driver;
    const char *cublas;
    const char *cusolver;
    const char *recipe;
};

/* The settings in force: as settings_copied found them, or the first call of this, which
 * says what is wrong with them. Later calls cost two loads. Thread-safe. The result lives
 * as long as the process and is read-only. */
const struct settings *settings(void);

/* The same without a word, for the constructor (invariant 5), where the environment can be read:
 * what the program does to it later changes nothing. Allocates nothing by malloc and leaves errno
 * alone. *are_faulty: settings() has something to say. */
const struct settings *settings_copied(bool *are_faulty);

/* False before the C library has its environment, when nothing but what the loader
 * runs before all constructors (DT_PREINIT_ARRAY) can call: settings() gives the
 * defaults then, and nothing that depends on settings may be decided for good. */
bool settings_are_readable(void);

/* True when MUBLAS_REPORT asks for a report. Like settings_copied. */
bool settings_report_wanted(void);

/* Bytes that `amount` means when the whole is `total` bytes. */
size_t memory_amount_bytes(struct memory_amount amount, size_t total);

/* Print those that are set to something else than their default, one a line; how many. */
int settings_print_changed(FILE *stream);

/* Print every setting with its present value, its form and meaning. */
void settings_print(FILE *stream);

#endif
