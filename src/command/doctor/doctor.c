#include "command/doctor/doctor.h"
#include "command/commands.h"
#include "command/run/run.h"
#include "command/tune/tune.h"
#include "command/verify/verify.h"
#include "common/clock.h"
#include "common/loader.h"
#include "common/settings.h"
#include "common/text.h"
#include "gpu/device_sharing.h"
#include "interpose/policy.h"
#include "service/client/link.h"
#include "tuner/online/recipe.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GREEN = 32, RED = 31, SUBJECT_WIDTH = 13 };

/* Colours only where standard output is a terminal that knows them and NO_COLOR is not set. */
static void findings_begin(struct findings *findings)
{
    const char *terminal = getenv("TERM"), *refused = getenv("NO_COLOR");
    findings->wrong = 0;
    findings->colours = isatty(STDOUT_FILENO) && terminal && *terminal && strcmp(terminal, "dumb") != 0 &&
                        !(refused && *refused);
}

static void print_head(const struct findings *findings, int colour, const char *verdict, const char *subject)
{
    if (findings->colours && colour)
        printf("\033[%dm%-6s\033[0m %-*s ", colour, verdict, SUBJECT_WIDTH, subject);
    else
        printf("%-6s %-*s ", verdict, SUBJECT_WIDTH, subject);
}

/* Lines come as they are found: the later checks take seconds. */
static void end_line(void)
{
    putchar('\n');
    fflush(stdout);
}

void finding_good(struct findings *findings, const char *subject, const char *format, ...)
{
    va_list arguments;
    print_head(findings, GREEN, "ok", subject);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    end_line();
}

void finding_wrong(struct findings *findings, const char *subject, const char *advice, const char *format,
                   ...)
{
    va_list arguments;
    findings->wrong++;
    print_head(findings, RED, "WRONG", subject);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n%-6s %-*s do: %s", "", SUBJECT_WIDTH, "", advice);
    end_line();
}

void finding_skipped(struct findings *findings, const char *subject, const char *why)
{
    print_head(findings, 0, "-", subject);
    printf("not checked: %s", why);
    end_line();
}

/* These three say what parallel programs find, and are never wrong: ScaLAPACK, NVIDIA's service that lets
 * ranks share a device, and how many do. */
static void check_scalapack(struct patient *patient)
{
    char found[512] = "";
    const char *error, *name;
    size_t used = 0;
    for (int i = 0; (name = parallel_library_known(i)); i++)
        if (loader_finds(name, &error) && used < sizeof found)
            used += (size_t)snprintf(found + used, sizeof found - used, "%s%s", used ? ", " : "", name);
    finding_good(&patient->findings, "ScaLAPACK", "%s",
                 *found ? found : "none in the loader's folders; a parallel program brings its own");
}

static void check_mps(struct patient *patient)
{
    const char *const folder = mps_daemon_folder();
    char program[PATH_MAX];
    if (mps_daemon_answers(folder))
        finding_good(&patient->findings, "MPS", "it runs, with its pipes in %s", folder);
    else if (mps_daemon_program(program))
        finding_good(&patient->findings, "MPS", "it is installed (%s) and does not run", program);
    else
        finding_good(&patient->findings, "MPS", "it does not run, and there is no nvidia-cuda-mps-control");
}

static void check_service(struct patient *patient)
{
    char text[512];
    if (serve_describe(service_refusal_here(), text, sizeof text))
        finding_good(&patient->findings, "service", "%s", text);
    else
        finding_wrong(&patient->findings, "service",
                      "end a process that does not answer by kill; remove a folder that is another's, or name one of "
                      "your own by XDG_RUNTIME_DIR",
                      "%s", text);
}

/* Says nothing without a launcher. */
static void check_ranks(struct patient *patient)
{
    const struct local_rank *const rank = local_rank();
    const int devices = patient->choice.devices;
    if (rank->rank < 0)
        return;
    if (!patient->has_device)
        finding_skipped(&patient->findings, "ranks", "there is no device that they could share");
    else
        finding_good(&patient->findings, "ranks",
                     "this is rank %d of %d here (%s); %d device%s; %d rank%s share%s this one",
                     rank->rank, rank->ranks, rank->variable, devices, plural((unsigned)devices),
                     patient->choice.sharers, plural((unsigned)patient->choice.sharers),
                     patient->choice.sharers == 1 ? "s" : "");
}

/* The recipes in force: of the first device, and of each other kind that a process may use. */
static const char recipe_subject[] = "recipe";

/* The first recipe that was meant to be used and is not; NULL: none. */
static const struct recipe_attempt *lost_recipe(const struct recipe_search *search)
{
    for (int origin = 0; origin < RECIPE_ORIGINS; origin++) {
        const struct recipe_attempt *attempt = &search->attempts[origin];
        const bool was_named = origin == RECIPE_OF_SETTING && *attempt->path;
        if ((attempt->outcome == RECIPE_REFUSED && origin != RECIPE_BUILT_IN) ||
            (attempt->outcome == RECIPE_ABSENT && was_named))
            return attempt;
    }
    return NULL;
}

/* A line for a device of another kind than those before. */
static void check_of_other(struct patient *patient, const struct device_properties *device)
{
    struct recipe recipe;
    struct recipe_search search;
    const struct recipe_signature signature = recipe_signature_of(device);
    if (recipe_search(&signature, &recipe, &search)) {
        finding_good(&patient->findings, recipe_subject, "device %d, %s: %s: %s", device->ordinal,
                     device->name, recipe_search_used(&search)->path, recipe.made);
        recipe_clear(&recipe);
        return;
    }
    const struct recipe_attempt *lost = recipe_search_refused_beside(&search, &signature);
    if (lost)
        finding_wrong(&patient->findings, recipe_subject,
                      "run MUBLAS_DEVICE=all mublas tune, which learns it anew",
                      "device %d, %s: %s is not used: %s", device->ordinal, device->name, lost->path,
                      lost->fault);
    else
        finding_good(&patient->findings, recipe_subject,
                     "device %d, %s: none, built-in figures hold (MUBLAS_DEVICE=all mublas tune learns it)",
                     device->ordinal, device->name);
}

static void check_other_kinds(struct patient *patient)
{
    struct recipe_signature kinds[DEVICES_MAX] = {recipe_signature_of(&patient->properties)};
    struct device_properties device;
    int count = 1;
    for (int place = 1; place < patient->choice.count; place++) {
        bool is_known = device_query(patient->choice.ordinals[place], &device) != STATUS_OK;
        const struct recipe_signature kind = is_known ? kinds[0] : recipe_signature_of(&device);
        for (int i = 0; i < count; i++)
            is_known = is_known || recipe_is_of_kind(&kinds[i], &kind);
        if (is_known)
            continue;
        kinds[count++] = kind;
        check_of_other(patient, &device);
    }
}

/* A line more for each kind of device beside the first's. */
static void check_recipe(struct patient *patient)
{
    struct recipe recipe;
    struct recipe_search search = {.attempts = {{.outcome = RECIPE_NOT_TRIED}}};
    if (!patient->has_device) {
        finding_skipped(&patient->findings, recipe_subject, "there is no device");
        return;
    }
    const struct recipe_signature signature = recipe_signature_of(&patient->properties);
    const bool found = recipe_search(&signature, &recipe, &search);
    const struct recipe_attempt *lost = lost_recipe(&search), *used = recipe_search_used(&search);
    if (lost)
        finding_wrong(&patient->findings, recipe_subject, "run mublas tune, which learns this machine anew",
                      "%s is not used: %s", lost->path,
                      lost->outcome == RECIPE_ABSENT ? "it is not there" : lost->fault);
    else if (used)
        finding_good(&patient->findings, recipe_subject, "%s: %s", used->path, recipe.made);
    else
        finding_good(&patient->findings, recipe_subject,
                     "none, built-in figures hold (mublas tune learns this machine)");
    if (found)
        recipe_clear(&recipe);
    check_other_kinds(patient);
}

/* Products that a process under the shim makes, as programs do, on the device and on the host. */
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

static void count_product(struct products *products, const char *report, const char *name, int calls,
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
static bool make_products(const char *what, struct products *products)
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
        count_product(products, child.report, names[i], calls[i], differences[i], kept[i]);
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

static void judge_products(struct findings *findings, const struct products *products, bool ended, int wanted,
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

/* Closes the device, and has another process use it. */
static void check_product(struct patient *patient)
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
    const bool ended = make_products(what, &products);
    judge_products(&patient->findings, &products, ended, patient->has_cublas ? 2 : 1, what + 4,
                   (double)(clock_nanoseconds() - start) * 1e-9);
}

int doctor_run(char **arguments)
{
    struct patient patient = {.has_driver = false};
    if (*arguments) {
        fprintf(stderr, "mublas doctor: '%s': it takes no arguments\n", *arguments);
        return EXIT_BAD_COMMAND_LINE;
    }
    /* The lines say what the log would. */
    setenv("MUBLAS_VERBOSE", "0", 0);
    findings_begin(&patient.findings);
    check_settings(&patient);
    check_driver(&patient);
    check_device(&patient);
    check_kernels(&patient);
    check_links(&patient);
    check_tracking(&patient);
    check_container(&patient);
    check_host(&patient);
    check_cublas(&patient);
    check_cusolver(&patient);
    check_scalapack(&patient);
    check_mps(&patient);
    check_service(&patient);
    check_ranks(&patient);
    check_recipe(&patient);
    check_product(&patient);
    if (!patient.has_device)
        return EXIT_NO_DEVICE;
    return patient.findings.wrong > 0;
}
