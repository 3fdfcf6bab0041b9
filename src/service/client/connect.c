/* Whether this process goes by the service. */
#include "service/client/link.h"

#include "common/loader.h"
#include "common/log.h"
#include "common/settings.h"
#include "gpu/vendor/vendor_library.h"

#include <stdlib.h>
#include <unistd.h>

/* The program has CUDA of its own: its context is in this process anyway. */
static bool has_cuda(void)
{
    void *const driver = loader_open(driver_file(), RTLD_NOW | RTLD_NOLOAD);
    if (driver)
        loader_close(driver);
    return driver != NULL;
}

/* Devices that the user names are opened here. Who may not open the device's file is not served either. */
const char *service_refusal_here(void)
{
    static const char node[] = "/dev/nvidiactl";
    return !settings()->service                                   ? "MUBLAS_SERVICE=never"
           : settings()->device.count > 0 || settings()->device.all ? "MUBLAS_DEVICE names the device"
           : secure_getenv("CUDA_INJECTION64_PATH") != NULL         ? "CUDA_INJECTION64_PATH is set"
           : has_cuda()                                             ? "the program uses CUDA itself"
           : access(node, F_OK) == 0 && access(node, R_OK | W_OK) != 0 ? "this user may not open /dev/nvidiactl"
                                                                       : NULL;
}

static bool connect_and_fill(struct driver *table)
{
    const char *why = NULL;
    if (service_refusal_here() || !link_open(&why)) {
        if (why)
            log_message(LOG_INFO, "not through the service: %s", why);
        return false;
    }
    service_fill_table(table);
    log_message(LOG_INFO, "calls run on the device through the service");
    return true;
}

void service_offer(void)
{
    driver_offer(connect_and_fill);
    vendor_library_offer(&service_vendor_provider);
}
