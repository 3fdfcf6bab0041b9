/* solver_handle.h - the handle of a test of the eigensolver's steps, on an emulated device with so many
 * multiprocessors. */
#ifndef MUBLAS_TESTS_SOLVER_HANDLE_H
#define MUBLAS_TESTS_SOLVER_HANDLE_H

#include "emulated_lane.h"

#include <sys/wait.h>
#include <unistd.h>

static struct solver_handle handle;

static inline void open_handle(int multiprocessors)
{
    char number[12];
    const struct solver_library *library;
    snprintf(number, sizeof number, "%d", multiprocessors);
    setenv("EMULATED_MULTIPROCESSORS", number, 1);
    setenv("EMULATED_COOPERATIVE", "1", 1);
    struct lane *const lane = emulated_lane();
    if (solver_library_open(emulated_device, &library) != STATUS_OK ||
        solver_handle_create(library, lane->stream, &handle) != STATUS_OK)
        tap_skip_all("no cuSOLVER");
}

/* In a process of its own: this one's driver is not to be opened yet. Is it done? */
static inline bool run_apart(void (*function)(void))
{
    int status = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        function();
        _exit(7);
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

#endif
