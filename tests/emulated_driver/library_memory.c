/* Device memory as the emulated libraries see it while they queue calls. */
#include "emulated_driver/internal.h"

#include "emulated_driver/time_model.h"

#include <string.h>

struct pattern {
    unsigned char bytes[8];
    size_t at;
};

static void write_pattern(void *context, unsigned char *alias, size_t bytes)
{
    struct pattern *pattern = context;
    for (size_t i = 0; i < bytes; i++)
        alias[i] = pattern->bytes[pattern->at++ % sizeof pattern->bytes];
}

EXPORT bool emulated_is_accessible(CUdeviceptr address, size_t bytes)
{
    call_lock();
    const bool good = memory_is_accessible(context_current(), address, bytes);
    call_end();
    return good;
}

EXPORT bool emulated_is_captured(CUstream stream)
{
    call_lock();
    const bool is_captured = stream_captured(stream) != NULL;
    call_end();
    return is_captured;
}

EXPORT int emulated_current_device(void)
{
    return context_device();
}

EXPORT void emulated_check_device(const char *function, int device)
{
    if (context_device() != device)
        emulated_abort("%s with a handle of device %d in a context of device %d", function, device, context_device());
}

EXPORT bool emulated_work(double operations)
{
    time_model_work(operations);
    return time_model_computes(operations);
}

EXPORT void emulated_poison_output(CUstream stream, CUdeviceptr address, size_t bytes, uint64_t value,
                                   bool only_copied)
{
    uint64_t appended, executed;
    struct pattern pattern = {.at = 0};
    memcpy(pattern.bytes, &value, sizeof value);
    call_lock();
    const bool idle = stream_resolve(stream, &appended, &executed) && appended == executed;
    if (options()->poison && (idle || only_copied) && !stream_uses(address, bytes))
        memory_visit(address, bytes, write_pattern, &pattern);
    call_end();
}
