/* test_apart.h - a test in a process of its own, which has its device. */
#ifndef MUBLAS_TESTS_TEST_APART_H
#define MUBLAS_TESTS_TEST_APART_H

#include "tap.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_apart(bool (*is_right)(void), const char *what)
{
    enum { AS_IT_SHOULD = 7 };
    int status = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
        _exit(is_right() ? AS_IT_SHOULD : 0);
    tap_ok(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == AS_IT_SHOULD,
           "%s", what);
}

#endif
