/* tap.h - the few lines of Test Anything Protocol that the C tests need. */
#ifndef MUBLAS_TESTS_TAP_H
#define MUBLAS_TESTS_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* For a test's own long loops: a sanitizer that watches them finds nothing and takes its time. */
#define UNWATCHED __attribute__((no_sanitize("address", "undefined")))

static int tap_count, tap_failures;

__attribute__((unused, format(printf, 2, 3)))
static bool tap_ok(bool good, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("%s %d - ", good ? "ok" : "not ok", ++tap_count);
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
    if (!good)
        tap_failures++;
    fflush(stdout);
    return good;
}

__attribute__((unused)) static void tap_skip(const char *what, const char *reason)
{
    printf("ok %d - %s # SKIP %s\n", ++tap_count, what, reason);
    fflush(stdout);
}

__attribute__((unused, noreturn)) static void tap_skip_all(const char *reason)
{
    printf("1..0 # SKIP %s\n", reason);
    exit(0);
}

/* Print the plan; the exit status of the test. */
__attribute__((unused)) static int tap_done(void)
{
    printf("1..%d\n", tap_count);
    return tap_failures != 0;
}

#endif
