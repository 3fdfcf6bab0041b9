/* Products that a process under the shim makes, as programs do, on the device and on the host. */
#include "command/doctor/checks.h"
#include "command/run/offload_report.h"
#include "command/run/shim_child.h"
#include "command/tune/call_timer.h"
#include "command/verify/blas_calls.h"
#include "common/clock.h"
#include "common/settings.h"
#include "interpose/host_reason.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static const char who[] = "mublas doctor", subject[] = "test product";
static const char advice[] =
    "run mublas verify, and send its output with that of mublas doctor to who looks after mublas "
    "here";
enum { ROUTINES_MOST = 2 };
static const double largest_difference = 16; /* as for mublas verify */

struct products {
    int made, right, on_device;
    double difference; /* the largest, in eps of the terms' magnitudes */
    char reason[160];  /* why one stayed on the host */
};

static void count(struct products *products, const char *report, const char *name, int calls,
                  double difference, int kept)
{
    struct offload_row row;
    products->made++;
    products->right += difference < largest_difference && kept;
    if (!(difference <= products->difference))
        products->difference = difference;
    if (!offload_report_row(report, name, &row))
        return;
    products->on_device += row.on_device >= (unsigned long long)calls;
    if (*row.reason && !*products->reason) /* the first one is the cause */
        snprintf(products->reason, sizeof products->reason, "%s stayed on the host: %s", name, row.reason);
}

/* The answers are known while the child lives, its report once it has ended. False: it did not end well. */
static bool make(const char *what, struct products *products)
{
    static const struct shim_child_settings always = {.offload = "always"};
    struct shim_child child;
    char line[128], names[ROUTINES_MOST][16];
    double differences[ROUTINES_MOST];
    int calls[ROUTINES_MOST], kept[ROUTINES_MOST], made = 0;
    if (!shim_child_start(&child, &always, who, VERIFY_CALLS_COMMAND, what))
        return false;
    while (made < ROUTINES_MOST && fgets(line, sizeof line, child.answers))
        made += sscanf(line, "done %15s %d %lf %d", names[made], &calls[made], &differences[made],
                       &kept[made]) == 4;
    const int status = shim_child_wait(&child);
    for (int i = 0; i < made; i++)
        count(products, child.report, names[i], calls[i], differences[i], kept[i]);
    shim_child_clean(&child);
    return status == 0;
}

static void tell_stayed(struct findings *findings, const char *reason)
{
    const char *const amount = getenv("MUBLAS_DEVICE_MEMORY");
    const bool is_full = strstr(reason, host_reason_text(HOST_OUT_OF_MEMORY)) != NULL;
    if (is_full && amount)
        finding_wrong(findings, subject, "unset MUBLAS_DEVICE_MEMORY, or let it be more",
                      "%s, of which MUBLAS_DEVICE_MEMORY=%s lets mublas fill too little", reason, amount);
    else
        finding_wrong(findings, subject,
                      is_full ? "see by nvidia-smi who uses the device's memory" : advice, "%s",
                      *reason ? reason : "not every call was made on the device");
}

static void judge(struct findings *findings, const struct products *products, bool ended, int wanted,
                  const char *names, double seconds)
{
    if (products->right < products->made)
        finding_wrong(findings, subject, advice, "%s: device and host differ by %.3g eps of the terms", names,
                      products->difference);
    else if (products->made < wanted || !ended)
        finding_wrong(findings, subject, advice, "%s: the process under the shim did not finish them", names);
    else if (products->on_device < wanted)
        tell_stayed(findings, products->reason);
    else if (settings()->offload == OFFLOAD_NEVER)
        finding_wrong(findings, subject, "unset MUBLAS_OFFLOAD",
                      "%s are right on the device, but MUBLAS_OFFLOAD=never "
                      "keeps all calls on the host",
                      names);
    else
        finding_good(findings, subject,
                     "%s on the device agree with the host, to %.2g eps of the terms, in %.1f s", names,
                     products->difference, seconds);
}

void check_product(struct patient *patient)
{
    struct products products = {.made = 0};
    const char *what = patient->has_cublas ? "600 dsymv,dgemm" : "600 dsymv";
    const bool awake = patient->device != NULL;
    if (awake)
        device_close(patient->device);
    if (!shim_child_possible(who, TIMED_CALLS_COMMAND)) {
        finding_wrong(&patient->findings, subject, "install mublas anew, and a host BLAS",
                      "no process can be run under the shim (the line above says why)");
        return;
    }
    if (!awake) {
        finding_skipped(&patient->findings, subject, "there is no device with kernels");
        return;
    }
    const uint64_t start = clock_nanoseconds();
    const bool ended = make(what, &products);
    judge(&patient->findings, &products, ended, patient->has_cublas ? 2 : 1, what + 4,
          (double)(clock_nanoseconds() - start) * 1e-9);
}
