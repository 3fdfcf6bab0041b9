/* crossovers.c - do decisions between host and device fall on the right side?
 *
 *   crossovers [--recipe=FILE] [--routines=NAME,...] [--calls=N] [--seconds=S] [--bytes=N]
 *              [--output=FILE] [--save=FILE]
 *
 * Takes the learned times and launch shapes of a recipe, or, without one, learns the times first
 * within S seconds (25), as `mublas tune --quick` does. Then for each routine N (100) random
 * calls (border_calls.h), on matrices of at most N bytes (32M):
 * times the call on the host and, resident, on the device, and looks at the policy's choice. A choice counts
 * as good if it is the faster side or loses less than 10%; a routine passes with 95 of 100. The output file gets a line
 * for every call, the saved one what was learned, as the crossover section of a recipe. */
#include "border_calls.h"
#include "command/call_timer.h"
#include "command/timed_calls.h"
#include "command/tune_calls.h"
#include "gpu/device.h"
#include "interpose/policy.h"
#include "tuner/recipe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PASSES_OF_100 = 95 };
static const double loss_allowed = 0.10, budget_us = 3000;

struct options {
    const char *recipe, *routines, *output, *save;
    int calls;
    double seconds, bytes;
};

struct judge {
    const struct options *options;
    struct machine_model model;
    struct call_timer host, device;
    FILE *output;
    uint64_t seed;
};

struct score {
    int calls, right, good;
    double worst_loss;
};

/* In turns, the better of two times each: a host whose threads wait for processors is slow for a while. */
static bool time_sides(struct judge *judge, const struct blas_call *call, double *host, double *device)
{
    struct blas_call timed = *call;
    timed.a.ld = 0;
    *host = *device = HUGE_VAL;
    for (int turn = 0; turn < 2; turn++) {
        double host_us, device_us;
        if (!call_timer_warm(&judge->host, &timed, budget_us / 2, &host_us, NULL) ||
            !call_timer_warm(&judge->device, &timed, budget_us / 2, &device_us, NULL))
            return false;
        *host = fmin(*host, host_us);
        *device = fmin(*device, device_us);
    }
    return true;
}

static void judge_call(struct judge *judge, const struct blas_call *call, struct score *score)
{
    const uint64_t written = call->c.pointer ? (uint64_t)call->c.ld * (uint64_t)call->c.columns *
                                                   blas_element_bytes(call->type) : 0;
    const struct residency residency = {.trackable = true, .resident = true, .kept_bytes = written};
    double host, device;
    if (!time_sides(judge, call, &host, &device))
        return;
    const bool below = crossover_size(call) < policy_floor(OFFLOAD_AUTO, &judge->model, call->family,
                                                           call->type);
    const bool chosen = !below && policy_decide(OFFLOAD_AUTO, &judge->model, call, &residency).device;
    const double best = fmin(host, device), loss = (chosen ? device : host) / best - 1;
    score->calls++;
    score->right += chosen == (device < host);
    score->good += loss < loss_allowed;
    score->worst_loss = fmax(score->worst_loss, loss);
    if (judge->output) {
        char name[ROUTINE_NAME];
        fprintf(judge->output, "%s,%lld,%lld,%lld,%d,%d,%d,%d,%d,%.3f,%.3f,%s,%.4f\n",
                routine_name(routine_of(call->family, call->type), name), (long long)call->m,
                    (long long)call->n,
                (long long)call->k, (int)call->side, (int)call->uplo, (int)call->trans, (int)call->trans_b,
                (int)call->diag, host, device,
                chosen ? "device" : "host", loss);
    }
}

static bool judge_routine(struct judge *judge, int routine)
{
    char name[ROUTINE_NAME], floor_text[24] = "never";
    struct score score = {0};
    for (int i = 0; i < judge->options->calls; i++) {
        const int class = border_class(routine, &judge->seed);
        const struct blas_call call =
            border_call(routine, class, border_amount(judge->model.learned, class, judge->options->bytes,
                                                      &judge->seed),
                        &judge->seed);
        judge_call(judge, &call, &score);
    }
    const uint64_t floor = policy_floor(OFFLOAD_AUTO, &judge->model, routine_family(routine),
                                        routine_type(routine));
    if (floor != UINT64_MAX)
        snprintf(floor_text, sizeof floor_text, "%llu", (unsigned long long)floor);
    const bool passes = score.calls && score.good * 100 >= score.calls * PASSES_OF_100;
    printf("%-8s %12s %6d %6d %6d %8.1f%%  %s\n", routine_name(routine, name), floor_text, score.calls,
           score.right,
           score.good, 100 * score.worst_loss, passes ? "pass" : "FAIL");
    fflush(stdout);
    return passes;
}

static bool read_options(char **arguments, struct options *options)
{
    for (; *arguments; arguments++) {
        const char *option = *arguments;
        if (strncmp(option, "--recipe=", 9) == 0)
            options->recipe = option + 9;
        else if (strncmp(option, "--routines=", 11) == 0)
            options->routines = option + 11;
        else if (strncmp(option, "--output=", 9) == 0)
            options->output = option + 9;
        else if (strncmp(option, "--save=", 7) == 0)
            options->save = option + 7;
        else if (strncmp(option, "--calls=", 8) == 0)
            options->calls = atoi(option + 8);
        else if (strncmp(option, "--seconds=", 10) == 0)
            options->seconds = atof(option + 10);
        else if (strncmp(option, "--bytes=", 8) == 0)
            options->bytes = atof(option + 8);
        else {
            fprintf(stderr, "crossovers: '%s' is not an option\n", option);
            return false;
        }
    }
    int length;
    const char *wrong = options->routines ? routine_list_error(options->routines, &length) : NULL;
    if (wrong)
        fprintf(stderr, "crossovers: '%.*s' is not an offloaded routine\n", length, wrong);
    return !wrong;
}

static bool read_recipe(const char *path, struct learned_times *times)
{
    static struct recipe recipe;
    char fault[RECIPE_FAULT_BYTES];
    bool good = recipe_read(path, &recipe, fault);
    if (good)
        good = learned_times_parse(times, recipe.crossover ? recipe.crossover : "", fault);
    if (!good)
        fprintf(stderr, "crossovers: %s: %s\n", path, fault);
    return good;
}

static bool save_times(const char *path, const struct learned_times *times)
{
    char *text = learned_times_text(times);
    FILE *stream = text ? fopen(path, "we") : NULL;
    bool good = stream && fputs(text, stream) >= 0;
    good = stream && fclose(stream) == 0 && good;
    if (!good)
        perror(path);
    free(text);
    return good;
}

static bool provide_times(const struct options *options, struct learned_times *times)
{
    struct tune_calls_options quick = tune_calls_quick();
    if (options->recipe)
        return read_recipe(options->recipe, times);
    quick.routines = options->routines;
    quick.host_seconds *= options->seconds / quick.seconds;
    quick.seconds = options->seconds;
    quick.most_bytes = 4 * (size_t)options->bytes;
    return tune_calls(&quick, "crossovers", times);
}

static int judge_all(struct judge *judge)
{
    int passed = 0, judged = 0;
    printf("%-8s %12s %6s %6s %6s %9s\n", "routine", "gains from", "calls", "right", "good", "worst loss");
    if (judge->output)
        fputs("routine,m,n,k,side,uplo,trans,trans_b,diag,host_us,device_us,choice,loss\n", judge->output);
    for (int routine = 0; routine < ROUTINES; routine++)
        if (routine_is_listed(routine, judge->options->routines) && border_class(routine,
                                                                                 &judge->seed) >= 0) {
            judged++;
            passed += judge_routine(judge, routine);
        }
    printf("%d of %d routines pass\n", passed, judged);
    return passed != judged;
}

static int run(const struct options *options, struct learned_times *times)
{
    const struct shim_child_settings on_host = {.offload = "never"};
    const struct shim_child_settings on_device = {.offload = "always", .recipe = options->recipe,
                                                  .huge_pages = true};
    struct judge judge = {.options = options, .seed = 20260101};
    struct device_properties device;
    struct call_timer_end end;
    int result = 1;
    const bool has_device = device_query(0, &device) == STATUS_OK;
    learned_times_settle(times, times->host_blas, times->host_threads);
    judge.model = crossover_model_here(has_device ? &device : NULL);
    judge.model.huge_pages = true;
    crossover_use_learned(&judge.model, times);
    printf("host BLAS %s, %d threads; device %s\n", times->host_blas, times->host_threads,
           has_device ? device.name : "none");
    judge.output = options->output ? fopen(options->output, "we") : NULL;
    if (options->output && !judge.output)
        perror(options->output);
    else if (call_timer_start(&judge.host, &on_host, "crossovers", 4 * (size_t)options->bytes) &&
             call_timer_start(&judge.device, &on_device, "crossovers", 4 * (size_t)options->bytes))
        result = judge_all(&judge);
    call_timer_stop(&judge.host, &end);
    call_timer_stop(&judge.device, &end);
    if (end.reason[0])
        printf("some calls stayed on the host: %s\n", end.reason);
    return judge.output && fclose(judge.output) != 0 ? 1 : result;
}

int main(int count, char **arguments)
{
    struct options options = {.calls = 100, .seconds = 25, .bytes = 32 << 20};
    if (count == 3 && strcmp(arguments[1], TIMED_CALLS_COMMAND) == 0)
        return timed_calls(arguments[2]);
    if (!read_options(arguments + 1, &options))
        return 2;
    struct learned_times *times = malloc(sizeof *times);
    if (!times || !provide_times(&options, times) || (options.save && !save_times(options.save, times)))
        return 1;
    return run(&options, times);
}
