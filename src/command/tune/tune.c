#include "command/tune/tune.h"
#include "command/commands.h"
#include "command/routine_call.h"
#include "command/run/run.h"
#include "common/settings.h"
#include "gpu/vendor/vendor_library.h"
#include "service/message.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child; does not return. */
static void become_tuner(int ordinal, char **arguments)
{
    char number[16];
    int count = 0;
    while (arguments[count])
        count++;
    char *words[count + 3];
    words[0] = "mublas";
    words[1] = "tune";
    memcpy(words + 2, arguments, (size_t)(count + 1) * sizeof *words);
    snprintf(number, sizeof number, "%d", ordinal);
    if (setenv("MUBLAS_DEVICE", number, 1) == 0)
        execv("/proc/self/exe", words);
    _exit(127);
}

static int tune_in_child(int ordinal, char **arguments, const volatile bool *stop)
{
    int status = -1;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        become_tuner(ordinal, arguments);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        if (*stop)
            kill(child, SIGTERM);
    if (WIFEXITED(status) && WEXITSTATUS(status) != 127)
        return WEXITSTATUS(status);
    fputs("mublas tune: the process that tunes another device ended early\n", stderr);
    return 1;
}

static bool is_known(const struct recipe_signature *kinds, int count, const struct recipe_signature *kind)
{
    for (int i = 0; i < count; i++)
        if (recipe_is_of_kind(&kinds[i], kind))
            return true;
    return false;
}

static int tune_one(const struct device_choice *choice, const struct device_properties *device,
                    char **arguments, const volatile bool *stop)
{
    printf("device %d is another kind, %s%s\n", device->ordinal, device->name,
           choice->has_candidates ? ": MUBLAS_DEVICE=all mublas tune learns it, too" : "");
    return choice->has_candidates ? 0 : tune_in_child(device->ordinal, arguments, stop);
}

/* Tunes, once the `first` is, a device of each other kind that MUBLAS_DEVICE names, one after the other by
 * the same arguments, each in a process of its own, whose first device it is. A line says how to tune others
 * that programs may use. Returns the first exit status that is not 0. When *stop is set, the process under
 * way is told to end. */
static int tune_others(const struct recipe_signature *first, char **arguments, const volatile bool *stop)
{
    struct recipe_signature kinds[DEVICES_MAX] = {*first};
    struct device_choice choice;
    struct device_properties device;
    int count = 1, status = 0;
    if (device_choose(&choice) != STATUS_OK)
        return 0;
    for (int place = 1; place < choice.count && status == 0 && !*stop; place++) {
        if (device_query(choice.ordinals[place], &device) != STATUS_OK)
            continue;
        kinds[count] = recipe_signature_of(&device);
        if (!is_known(kinds, count, &kinds[count]))
            status = tune_one(&choice, &device, arguments, stop);
        count++;
    }
    return status;
}

/* Calls' part of the time limit, where crossovers are learned as well; the host's part of that. */
static const double CALLS_PART = 0.49, HOST_PART = 0.68;

struct run {
    struct tune_options options;
    struct tune_files files;
    struct tune_session session;
    struct tune_progress progress;
    struct link_rates links; /* count 0: not measured */
    int ordinal;             /* of the device */
    double started;
    double opening; /* seconds that a process under the shim and the device took to begin */
    int forms, forms_begun, forms_done; /* of all classes wanted */
    double shapes_part;    /* of the progress */
    bool no_time_for_calls;
    int crossovers;        /* classes of calls of which times are known */
    char what[40];
    struct class_summary summaries[TUNING_CLASSES][TUNING_FORMS];
};

static volatile bool stopped;

static void stop(int signal_number)
{
    (void)signal_number;
    stopped = true;
}

static void show_part(void *context, double part)
{
    struct run *run = context;
    const double forms = run->forms > 0 ? (run->forms_done + part) / run->forms : 1;
    tune_progress_show(&run->progress, run->shapes_part * forms, run->what);
}

static bool show_calls(void *context, double part)
{
    struct run *run = context;
    tune_progress_show(&run->progress, run->shapes_part + (1 - run->shapes_part) * part,
                       "calls on host and device");
    return !stopped;
}

static double shapes_end(const struct run *run)
{
    const struct tune_options *options = &run->options;
    return run->started + options->time_limit * (options->calls ? 1 - CALLS_PART : 1) * 0.97;
}

/* An equal share of what is left for each form; a form takes somewhat longer, and the last ones must have
 * theirs. */
static double next_deadline(const struct run *run)
{
    const double now = clock_seconds(), left = shapes_end(run) - now;
    const int forms_left = run->forms - run->forms_begun;
    if (run->options.time_limit <= 0)
        return 0;
    return left <= 0 ? now : now + left * fmin(0.97 / forms_left, 0.8);
}

static bool learn_form(struct run *run, const struct tuning_settings *settings, int class,
                       enum tuning_form form)
{
    struct class_recipe rules;
    FILE *const data = run->files.data;
    const long begin = ftell(data);
    struct class_tuner tuner = {.settings = settings, .timer = &run->session.timer,
                                .kernels = device_kernels(run->session.device), .data = data,
                                .random_state = (uint64_t)class * 7919 + (uint64_t)form,
                                .progress = show_part, .progress_context = run};
    snprintf(run->what, sizeof run->what, "%s %s", tuning_class_name(class), tuning_form_name(form));
    show_part(run, 0);
    run->session.timer.deadline = next_deadline(run);
    const enum status status = class_tuning_run(&tuner, class, form, &rules, &run->summaries[class][form]);
    const bool good = status == STATUS_OK || status == STATUS_UNSUPPORTED;
    const bool learned = status == STATUS_OK && !shape_timer_is_over(&run->session.timer);
    if (!good)
        fprintf(stderr, "\nmublas tune: %s: %s\n", run->what, status_text(status));
    if (learned)
        run->files.recipe.classes[class][form] = rules;
    else
        fseek(data, begin, SEEK_SET);
    run->files.done[class][form] |= learned;
    run->forms_begun++;
    run->forms_done += learned;
    return good;
}

static bool learn_shapes(struct run *run)
{
    const struct tuning_settings settings = tuning_settings_of(run->options.exhaustive);
    bool good = true;
    run->session.timer.limit = run->options.time_limit > 0 ? shapes_end(run) : 0;
    for (int class = 0; class < TUNING_CLASSES; class++)
        run->forms += run->options.classes[class] ? tuning_class_forms(class) : 0;
    for (int class = 0; class < TUNING_CLASSES; class++)
        for (int form = 0; form < tuning_class_forms(class) && run->options.classes[class]; form++)
            if (!good || stopped || shape_timer_is_over(&run->session.timer))
                return good;
            else
                good = learn_form(run, &settings, class, (enum tuning_form)form);
    return good;
}

static struct tune_calls_options calls_options(struct run *run)
{
    struct tune_calls_options options = tune_calls_quick();
    if (run->options.exhaustive)
        options.seconds = 150, options.host_seconds = 110;
    if (run->options.exhaustive || run->options.eigensolvers)
        options.stage_seconds = 20;
    options.routines = run->options.routines ? run->options.call_routines : NULL;
    options.eigensolvers = run->options.eigensolvers;
    options.before = run->files.recipe.crossover;
    options.progress = show_calls;
    options.argument = run;
    if (run->options.time_limit > 0) {
        options.seconds = run->started + run->options.time_limit - clock_seconds() - 1;
        options.host_seconds = HOST_PART * options.seconds;
    }
    return options;
}

/* A process that times calls begins, wakes the device, and ends; the rest of the time is for calls. */
static bool has_time_for_calls(const struct run *run)
{
    const double limit = run->options.time_limit;
    return limit <= 0 || run->started + limit - clock_seconds() > 1 + 2 * run->opening;
}

/* A process that names no device goes by it, if it is this device's. */
static bool has_service(const struct run *run)
{
    static struct service_identity identity;
    const char *why;
    const bool is_asked = settings()->service && settings()->device.count == 0 && !settings()->device.all &&
                          service_device_ordinal() == run->ordinal && service_identity_make(&identity);
    const int socket = is_asked ? service_connect_socket(&identity, &why) : -1;
    if (socket >= 0)
        close(socket);
    return socket >= 0;
}

static bool learn_calls(struct run *run)
{
    struct tune_calls_options options = calls_options(run);
    options.has_service = has_service(run);
    struct learned_times *times = calloc(1, sizeof *times);
    char *text = NULL;
    char ordinal[16];
    /* Calls are to go to this device alone. */
    snprintf(ordinal, sizeof ordinal, "%d", run->ordinal);
    setenv("MUBLAS_DEVICE", ordinal, 1);
    /* Near the border a call's shape hardly counts beside its latency: those that were there will do. */
    setenv("MUBLAS_RECIPE", run->files.fits ? run->options.output : "none", 1);
    const bool good = times && tune_calls(&options, "mublas tune", times) && !stopped;
    if (good && run->links.count > 0)
        times->links_part = link_rates_part(&run->links);
    if (good)
        text = learned_times_text(times);
    if (text) {
        struct recipe *const recipe = &run->files.recipe;
        free(recipe->crossover);
        recipe->crossover = text;
        memcpy(recipe->signature.host, times->host_blas, sizeof recipe->signature.host);
        run->files.calls_done = true;
        run->crossovers = learned_merge_device_curves(times);
    }
    free(times);
    return text != NULL;
}

static void print_form(const struct run *run, int class, enum tuning_form form)
{
    const struct class_recipe *rules = &run->files.recipe.classes[class][form];
    const struct class_summary *summary = &run->summaries[class][form];
    printf("%-16s %-7s", tuning_class_name(class), tuning_form_name(form));
    if (summary->finalists == 0)
        printf("  %d rules from an earlier run\n", rules->interval_count);
    else
        printf(" %6zu %9zu %6d %10s %9.1f%% %12.1f%% %9.2f\n", summary->shapes, summary->finalists,
               rules->interval_count, chooser_names[summary->chooser],
               100 * summary->rules_regret, 100 * summary->occupancy_regret, summary->gain);
}

static void print_summary(const struct run *run)
{
    const struct shape_timer *timer = &run->session.timer;
    printf("%-16s %-7s %6s %9s %6s %10s %10s %13s %9s\n", "class", "form", "shapes", "finalists", "rules",
           "chooser", "rules lose", "occup. loses", "speed-up");
    for (int class = 0; class < TUNING_CLASSES; class++)
        for (int form = 0; form < TUNING_FORMS; form++)
            if (run->files.done[class][form])
                print_form(run, class, (enum tuning_form)form);
    printf("loses: mean over held-out sizes, against the best shape there; speed-up: over the built-in "
           "shapes\n");
    printf("%ld timings in %ld rounds, %ld rounds lost to a device that was slow, %ld changes of its pace, "
           "%ld shapes with other bits\n",
           timer->shapes_timed, timer->rounds, timer->rounds_lost, timer->shifts, timer->wrong);
    if (run->forms_done < run->forms)
        printf("%d of %d classes and forms stay as they were: there was no time for them\n",
               run->forms - run->forms_done, run->forms);
    if (run->no_time_for_calls)
        puts("crossovers stay as they were: there was no time for them (--time-limit)");
    if (run->crossovers > 0)
        printf("crossovers of %d classes of calls\n", run->crossovers);
    if (run->links.count > 0) {
        char text[320];
        link_rates_describe(&run->links, text, sizeof text);
        printf("links: %s up from pinned memory\n", text);
    }
    const double seconds = clock_seconds() - run->started;
    if (tune_files_have_nothing(&run->files))
        printf("nothing learned in %.1f s\n", seconds);
    else
        printf("recipe %s in %.1f s\n", run->options.output, seconds);
}

static int tune(struct run *run)
{
    const struct tune_options *options = &run->options;
    bool good = true;
    if (!tune_files_begin(&run->files, options, &run->session.signature, &run->session.limits)) {
        tune_session_close(&run->session);
        return 1;
    }
    run->shapes_part = !options->calls ? 1 : options->shapes ? 1 - CALLS_PART : 0;
    tune_progress_begin(&run->progress, options->time_limit);
    if (options->shapes)
        good = learn_shapes(run);
    if (options->calls && good && !stopped && has_time_for_calls(run))
        link_rates_measure(&run->links);
    tune_session_close(&run->session);
    bool calls_good = true;
    run->no_time_for_calls = options->calls && !has_time_for_calls(run);
    if (options->calls && good && !stopped && !run->no_time_for_calls)
        calls_good = learn_calls(run);
    tune_progress_end(&run->progress);
    if (good && stopped)
        fprintf(stderr, "mublas tune: interrupted: nothing was learned; %s is as before\n", options->output);
    else if (good && tune_files_finish(&run->files))
        print_summary(run);
    else
        good = false;
    return stopped ? 130 : good && calls_good ? 0 : 1;
}

static bool is_of_level3_alone(const struct tune_options *options)
{
    for (int routine = 0; routine < ROUTINES; routine++)
        if (routine_family(routine) < FAMILY_GEMM &&
            routine_is_listed(routine, options->routines ? options->call_routines : NULL))
            return false;
    return true;
}

/* Is there what calls need besides the device: a process under the shim with a host BLAS, and cuBLAS where
 * all of them are of level 3? */
static bool needs_are_met(const struct tune_options *options)
{
    if (!options->calls || options->evaluate)
        return true;
    if (!options->eigensolvers && is_of_level3_alone(options) && !cublas_library_find()) {
        fputs("mublas tune: there is no cuBLAS, without which these routines stay on the host\n", stderr);
        return false;
    }
    return shim_child_possible("mublas tune", TIMED_CALLS_COMMAND);
}

int tune_run(char **arguments)
{
    static struct run run;
    const struct sigaction action = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND};
    const int outcome = tune_options_read(arguments, &run.options);
    if (outcome >= 0)
        return outcome;
    run.started = clock_seconds();
    if (!needs_are_met(&run.options))
        return 1;
    run.opening = clock_seconds() - run.started;
    /* Processes that time calls have memory of their own; filling it here takes time from them. */
    const bool needs_memory = run.options.shapes || run.options.evaluate;
    const int refusal = tune_session_open(&run.session, needs_memory ? run.options.memory : 1 << 20, &stopped);
    if (refusal != 0)
        return refusal;
    run.opening += run.session.wake_seconds;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    run.ordinal = device_properties(run.session.device)->ordinal;
    tune_files_choose(&run.options, &run.session.signature);
    if (run.options.evaluate)
        return tune_evaluate(&run.session, &run.options);
    const int status = tune(&run);
    tune_files_free(&run.files);
    return status == 0 ? tune_others(&run.session.signature, arguments, &stopped) : status;
}
