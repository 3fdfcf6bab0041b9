/* Transfers by several threads of which a step fails, or for which there are no threads: what happened is
 * reported, and what follows is right. */
#include "common/own_thread.h"
#include "shared_transfer.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __SANITIZE_THREAD__
enum { EVERY = 4 }; /* each takes twenty times as long */
#else
enum { EVERY = 1 };
#endif

/* One call fails: it is reported, and what follows is right. */
static void test_failed_upload(const char *script)
{
    unsigned char *other = allocate(LARGE), *source = allocate(LARGE), *result = allocate(LARGE);
    struct transfer transfer = {.lane = lane, .device = device, .device_pitch = LARGE, .host = other,
                                .host_pitch = LARGE, .width = LARGE, .height = 1};
    fill_randomly(source, LARGE);
    memset(other, 0x66, LARGE);
    set_faults(script);
    const bool failed = !upload(transfer, 3);
    set_faults(NULL);
    transfer.host = source;
    transfer.device += LARGE;
    bool good = upload(transfer, 3);
    transfer.host = result;
    good = good && download(transfer, 3) && memcmp(result, source, LARGE) == 0;
    tap_ok(failed && good, "up, %s: %s, afterwards %s", script, failed ? "reported" : "not reported",
           good ? "right" : "wrong");
    free(other);
    free(source);
    free(result);
}

static void test_failed_download(const char *script, bool may_touch)
{
    unsigned char *source = allocate(LARGE), *result = allocate(LARGE);
    bool touched = false;
    struct transfer transfer = {.lane = lane, .device = device, .device_pitch = LARGE, .host = source,
                                .host_pitch = LARGE, .width = LARGE, .height = 1};
    fill_randomly(source, LARGE);
    memset(result, 0x77, LARGE);
    bool good = upload(transfer, 3) && lane_synchronise(lane, "waiting") == STATUS_OK;
    transfer.host = result;
    transfer.touched = &touched;
    set_faults(script);
    const bool failed = !download(transfer, 3);
    set_faults(NULL);
    const bool untouched = all_are(result, LARGE, 0x77);
    good = good && touched == !untouched && (may_touch || untouched);
    /* Bytes queued into slots before do not come over what is packed next. */
    fill_randomly(source, LARGE);
    transfer.host = source;
    transfer.device += LARGE;
    good = good && upload(transfer, 3) && lane_synchronise(lane, "waiting") == STATUS_OK;
    transfer.host = result;
    memset(result, 0x77, LARGE);
    good = good && download(transfer, 3) && memcmp(result, source, LARGE) == 0;
    tap_ok(failed && good, "down, %s: %s, host memory %s, afterwards %s", script,
           failed ? "reported" : "not reported", untouched ? "untouched" : "touched",
           good ? "right" : "wrong");
    free(source);
    free(result);
}

static void test_failures(void)
{
    static const char *const ups[] = {"cuMemcpyHtoDAsync_v2:1:801", "cuMemcpyHtoDAsync_v2:37:801",
                                      "cuEventRecord:1:801",        "cuEventRecord:9:801",
                                      "cuEventQuery:1:801",         "cuEventSynchronize:2:801"};
    static const struct {
        const char *script;
        bool may_touch;
    } downs[] = {{"cuMemcpyDtoHAsync_v2:1:801", false}, {"cuMemcpyDtoHAsync_v2:35:801", true},
                 {"cuEventRecord:2:801", true},         {"cuEventSynchronize:7:801", true},
                 {"cuEventSynchronize:1:801", false},   {"COPY_BACK:20:801", true},
                 {"cuEventQuery:1:801", false},         {"COPY_BACK:1:801", false}};
    for (size_t i = EVERY - 1; i < sizeof ups / sizeof *ups; i += EVERY)
        test_failed_upload(ups[i]);
    for (size_t i = EVERY - 1; i < sizeof downs / sizeof *downs; i += EVERY)
        test_failed_download(downs[i].script, downs[i].may_touch);
}

/* Another thread's job keeps the helpers: one thread does it all, as before. */
static void stay_idle(void *unused, unsigned part)
{
    (void)unused, (void)part;
}

static void test_busy_helpers(void)
{
    unsigned char *memory = allocate(LARGE), *result = allocate(LARGE);
    struct transfer transfer = {.lane = lane, .device = device, .device_pitch = LARGE, .host = memory,
                                .host_pitch = LARGE, .width = LARGE, .height = 1};
    enum status status = STATUS_OK;
    fill_randomly(memory, LARGE);
    processors = 4;
    const struct job idle = {.work = stay_idle, .may = job_helpers_touch_nothing, .parts = 1};
    struct job_crew *const crew = job_helpers_begin(&idle, 1);
    bool good = crew;
    good = good && !shared_transfer_run(&transfer, 1, 3, true, &status) &&
           transfer_upload(&transfer) == STATUS_OK;
    transfer.host = result;
    good = good && transfer_download(&transfer) == STATUS_OK && memcmp(memory, result, LARGE) == 0;
    job_helpers_end(crew, NULL);
    tap_ok(good, "where helpers are busy one thread does it all");
    free(memory);
    free(result);
}

static unsigned char *opened;
static pid_t caller;
static volatile int faults, foreign;

static void open_page(int signal, siginfo_t *info, void *context)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *const at = (unsigned char *)((uintptr_t)info->si_addr / page * page);
    (void)signal, (void)context;
    if (at < opened || at >= opened + LARGE)
        _exit(9);
    faults++;
    foreign += gettid() != caller;
    mprotect(at, page, PROT_READ | PROT_WRITE);
    memset(at, (int)((size_t)(at - opened) / page % 251), page);
}

/* Up, and home again to memory that may be read alone. */
static void test_opened_on_access(int helpers)
{
    const struct sigaction action = {.sa_sigaction = open_page, .sa_flags = SA_SIGINFO};
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct sigaction before;
    bool good;
    faults = foreign = 0;
    caller = gettid();
    opened = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const struct transfer transfer = {.lane = lane, .device = device, .device_pitch = LARGE, .host = opened,
                                      .host_pitch = LARGE, .width = LARGE, .height = 1};
    sigaction(SIGSEGV, &action, &before);
    mprotect(opened, LARGE / 2, PROT_NONE);
    good = upload(transfer, helpers) && faults == LARGE / 2 / (int)page;
    mprotect(opened + LARGE / 2, LARGE / 2, PROT_READ);
    good = good && download(transfer, helpers) && faults == LARGE / (int)page;
    sigaction(SIGSEGV, &before, NULL);
    for (size_t i = 0; i < LARGE / page && good; i++)
        good = all_are(opened + i * page, page, i < LARGE / 2 / page ? (unsigned char)(i % 251) : 0);
    tap_ok(good && foreign == 0, "what a handler opens is touched by the calling thread alone, with %d helpers",
           helpers);
    munmap(opened, LARGE);
}

int main(void)
{
    open_memory();
    for (int helpers = 1; helpers <= 7; helpers += 3)
        test_opened_on_access(helpers);
    processors = 4;
    test_failures();
    test_busy_helpers();
    return close_memory();
}
