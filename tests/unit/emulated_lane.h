/* emulated_lane.h - a lane of the emulated device, and eyes for its memory. */
#ifndef MUBLAS_TESTS_EMULATED_LANE_H
#define MUBLAS_TESTS_EMULATED_LANE_H

#include "emulated_driver/emulated.h"
#include "gpu/lane.h"
#include "tap.h"

#include <dlfcn.h>

static struct device *emulated_device;
static struct device_scope emulated_scope;

__attribute__((unused)) static void *emulated_symbol(const char *name)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    void *symbol = library ? dlsym(library, name) : NULL;
    if (!symbol)
        tap_skip_all("this test runs on the emulated driver");
    return symbol;
}

__attribute__((unused)) static bool device_peek(void *destination, CUdeviceptr source, size_t bytes)
{
    bool (*peek)(void *, CUdeviceptr,
                 size_t) = (bool (*)(void *, CUdeviceptr, size_t))emulated_symbol("emulated_peek");
    return peek(destination, source, bytes);
}

__attribute__((unused)) static bool device_poke(CUdeviceptr destination, const void *source, size_t bytes)
{
    bool (*poke)(CUdeviceptr, const void *, size_t) =
        (bool (*)(CUdeviceptr, const void *, size_t))emulated_symbol("emulated_poke");
    return poke(destination, source, bytes);
}

__attribute__((unused)) static void set_faults(const char *script)
{
    ((void (*)(const char *))emulated_symbol("emulated_set_faults"))(script);
}

__attribute__((unused)) static unsigned long call_count(const char *function)
{
    return ((unsigned long (*)(const char *))emulated_symbol("emulated_call_count"))(function);
}

/* The emulated driver's present holdings. */
__attribute__((unused)) static struct emulated_census take_census(void)
{
    struct emulated_census census;
    ((void (*)(struct emulated_census *))emulated_symbol("emulated_census"))(&census);
    return census;
}

/* Wake the device, enter it and take a lane with all that it may come to have; skips the whole test without a
 * device. */
__attribute__((unused)) static struct lane *emulated_lane(void)
{
    struct lane *lane;
    if (device_wake(&emulated_device) != STATUS_OK ||
        device_enter(emulated_device, &emulated_scope) != STATUS_OK)
        tap_skip_all("no device");
    emulated_symbol("emulated_peek");
    if (lane_acquire(emulated_device, &lane) != STATUS_OK || lane_reserve_staging(lane) != STATUS_OK) {
        tap_ok(false, "a lane is to be had");
        exit(tap_done());
    }
    return lane;
}

#endif
