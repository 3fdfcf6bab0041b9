/* Whether this process goes by the service. */
#include "service/client/link.h"

#include "common/loader.h"
#include "common/log.h"
#include "common/settings.h"
#include "gpu/vendor/vendor_library.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATIENCE_MS = 5000 }; /* for a welcome */

/* A primary context on any device, or one that is current in this thread; true where the driver cannot tell. */
static bool has_context(void *driver)
{
    CUresult (*const current)(CUcontext *) = loader_symbol(driver, "cuCtxGetCurrent");
    CUresult (*const count)(int *) = loader_symbol(driver, "cuDeviceGetCount");
    CUresult (*const state)(CUdevice, unsigned *, int *) = loader_symbol(driver, "cuDevicePrimaryCtxGetState");
    CUcontext context = NULL;
    unsigned flags;
    int devices = 0, is_active = 0;
    if (!current || !count || !state || (current(&context) == CUDA_SUCCESS && context))
        return true;
    if (count(&devices) != CUDA_SUCCESS) /* nobody has begun to use it */
        devices = 0;
    for (int device = 0; device < devices && !is_active; device++)
        if (state(device, &flags, &is_active) != CUDA_SUCCESS)
            is_active = 1;
    return is_active;
}

/* The program has CUDA of its own: a context is in this process anyway. A library that only looks what devices there
 * are has none, as hwloc's plugins under Open MPI do. */
static bool has_cuda(void)
{
    void *const driver = loader_open(driver_file(), RTLD_NOW | RTLD_NOLOAD);
    const bool has = driver && has_context(driver);
    if (driver)
        loader_close(driver);
    return has;
}

/* Devices that the user names are opened here. A user who may not open the device's file is not served either. */
const char *service_refusal_here(void)
{
    static const char node[] = "/dev/nvidiactl";
    return !settings()->service                                     ? "MUBLAS_SERVICE=never"
           : settings()->device.count > 0 || settings()->device.all ? "MUBLAS_DEVICE names the device"
           : secure_getenv("CUDA_INJECTION64_PATH") != NULL         ? "CUDA_INJECTION64_PATH is set"
           : access(node, F_OK) == 0 && access(node, R_OK | W_OK) != 0
               ? "this user may not open /dev/nvidiactl"
               : NULL;
}

static const char *refusal_text(int refusal)
{
    switch (refusal) {
    case REFUSAL_IDENTITY: return "the service is another's: its environment or its mublas differ";
    case REFUSAL_MEMORY: return "the service has no pinned memory left";
    case REFUSAL_STOPPING: return "the service is about to end";
    case REFUSAL_FULL: return "the service has as many clients as it takes";
    default: return "the service refuses";
    }
}

/* A server that is being stopped may not answer. */
static bool meet(int socket, const struct service_identity *identity, const char **why)
{
    struct service_welcome welcome;
    int files[2], count = 2;
    *why = "the service does not answer";
    if (!service_greet(socket, identity, REQUEST_CONNECT))
        return false;
    struct pollfd waits = {.fd = socket, .events = POLLIN};
    if (poll(&waits, 1, PATIENCE_MS) <= 0 ||
        recv(socket, &welcome, sizeof welcome, MSG_PEEK | MSG_DONTWAIT) != (ssize_t)sizeof welcome ||
        welcome.magic != SERVICE_MAGIC)
        return false;
    *why = refusal_text(welcome.refusal);
    if (welcome.refusal != REFUSAL_NONE ||
        !service_receive_files(socket, &welcome, sizeof welcome, files, &count, 0))
        return false;
    const bool is_adopted = link_adopt(socket, &welcome, files);
    *why = "the service's memory does not fit here";
    close(files[0]);
    close(files[1]);
    return is_adopted;
}

bool link_open(const char **why)
{
    static struct service_identity identity;
    *why = NULL;
    if (!service_identity_make(&identity))
        return false;
    const int socket = service_connect_socket(&identity, why);
    if (socket < 0)
        return false;
    if (meet(socket, &identity, why))
        return true;
    close(socket);
    return false;
}

static const char *not_used;

/* One that has ended leaves a socket that refuses. */
static bool is_there(void)
{
    static struct service_identity identity;
    const char *why = NULL;
    const int socket = service_identity_make(&identity) ? service_connect_socket(&identity, &why) : -1;
    if (socket >= 0)
        close(socket);
    else if (why)
        log_message(LOG_INFO, "not through the service: %s", why);
    return socket >= 0;
}

static const char *why_not(void)
{
    const char *const why = service_refusal_here();
    return why ? why : has_cuda() ? "the program uses CUDA itself" : NULL;
}

static bool connect_and_fill(struct driver *table)
{
    const char *why = why_not();
    if (why ? !is_there() /* where none runs a refusal is no news */ : link_open(&why))
        why = NULL;
    if (link_socket() < 0) {
        not_used = why;
        if (why)
            log_message(LOG_INFO, "not through the service: %s", why);
        return false;
    }
    service_fill_table(table);
    log_message(LOG_INFO, "calls run on the device through the service");
    return true;
}

static bool would_be_used(void)
{
    return !why_not() && is_there();
}

struct service_use service_use(void)
{
    struct service_use use = link_use();
    use.not_used = not_used;
    return use;
}

/* Else a thread that has jumped out of a call would keep the client's memory for good. */
static void leave(void)
{
    link_lose("this process leaves the device alone");
}

void service_offer(void)
{
    static const struct driver_provider provider = {would_be_used, connect_and_fill, window_share,
                                                    link_is_revoked, link_note_revoked, leave};
    driver_offer(&provider);
    vendor_library_offer(&service_vendor_provider);
}
