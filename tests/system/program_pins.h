/* program_pins.h - memory pinned for all devices by the program itself, as programs that use CUDA have it. */
#ifndef MUBLAS_TESTS_PROGRAM_PINS_H
#define MUBLAS_TESTS_PROGRAM_PINS_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { PINNED_PORTABLE = 1 };

/* Ends the test where that fails. */
static void program_pins(void *memory, size_t bytes)
{
    void *context, *library = dlopen("libcuda.so.1", RTLD_NOW);
    int (*init)(unsigned) = (int (*)(unsigned))dlsym(library, "cuInit");
    int (*retain)(void **, int) = (int (*)(void **, int))dlsym(library, "cuDevicePrimaryCtxRetain");
    int (*push)(void *) = (int (*)(void *))dlsym(library, "cuCtxPushCurrent_v2");
    int (*add)(void *, size_t, unsigned) =
        (int (*)(void *, size_t, unsigned))dlsym(library, "cuMemHostRegister_v2");
    if (init(0) != 0 || retain(&context, 0) != 0 || push(context) != 0 ||
        add(memory, bytes, PINNED_PORTABLE) != 0) {
        printf("Bail out! the matrices cannot be pinned\n");
        exit(1);
    }
}

#endif
