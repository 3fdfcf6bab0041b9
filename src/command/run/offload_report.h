/* offload_report.h - what a program's report (MUBLAS_REPORT) says of one routine. */
#ifndef MUBLAS_OFFLOAD_REPORT_H
#define MUBLAS_OFFLOAD_REPORT_H

#include <stdbool.h>
#include <stddef.h>

struct offload_row {
    unsigned long long calls, on_device, on_host;
    char reason[96]; /* the first one why a call stayed on the host; "": none */
};

/* Finds a routine's row by its name in the report ("dsymv", "total"). False: there is no such row or file. */
bool offload_report_row(const char *path, const char *routine, struct offload_row *row);

/* The resolved path of the program's host BLAS. False: the report does not say it. */
bool offload_report_host(const char *path, char *host, size_t bytes);

#endif
