/* crossovers.c - do decisions between host and device fall on the right side?
 *
 *   crossovers [--recipe=FILE] [--routines=NAME,...] [--calls=N] [--seconds=S] [--bytes=N]
 *              [--processes=N] [--output=FILE] [--save=FILE] [--any-shape]
 *
 * Takes the learned times and launch shapes of a recipe, or, without one, learns the times first within S
 * seconds (25), as `mublas tune --quick` does. Then for each routine N (100) random calls (border_calls.h),
 * on matrices of at most N bytes (32M): times the call on the host and, resident, on the device, up to ten
 * times each (judged_calls.h), or that often by each of N processes, one after the other, and looks at the
 * policy's choice. A choice counts as good if it is the faster side or loses less than 10%; a routine passes
 * with 95 of 100. Beside it: how many choices of the built-in model, with nothing learned, would have been
 * good. The output file gets a line for every call, with all its times, the saved one what was learned, as
 * the crossover section of a recipe. */
#include "border_calls.h"
#include "command/tune/tune.h"
#include "gpu/device.h"
#include "interpose/policy.h"
#include "judged_calls.h"
#include "tuner/online/recipe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PASSES_OF_100 = 95 };
static const double loss_allowed = 0.10;

static const char output_header[] =
    "routine,m,n,k,side,uplo,trans,trans_b,diag,host_us,device_us,choice,loss,host_expected_us,"
    "device_expected_us,built_in_choice,built_in_loss,built_in_host_us,built_in_device_us,"
    "host_rounds_us,device_rounds_us\n";

struct options {
    const char *recipe, *routines, *output, *save;
    int calls, processes;
    double seconds, bytes;
    bool any_shape;
};

struct judge {
    const struct options *options;
    struct machine_model model, built_in;
    const struct shim_child_settings *as_programs;
    char reason[96]; /* why some calls stayed on the host; "" */
    FILE *output;
    uint64_t seed;
    int calls, good;
};

struct score {
    int calls, right, good, built_in_good;
    double worst_loss;
};

static bool is_judged(const struct judge *judge, int routine)
{
    uint64_t seed = 0;
    return routine_is_listed(routine, judge->options->routines) && border_class(routine, &seed) >= 0;
}

static bool chooses_device(const struct machine_model *model, const struct blas_call *call)
{
    const uint64_t written = call->c.pointer ? (uint64_t)call->c.ld * (uint64_t)call->c.columns *
                                                   blas_element_bytes(call->type) : 0;
    const struct residency residency = {.trackable = true, .resident = true, .kept_bytes = written};
    return call_gated_size(call) >= policy_floor(OFFLOAD_AUTO, model, call->family, call->type) &&
           policy_decide(OFFLOAD_AUTO, model, call, crossover_times(model, call), &residency).device;
}

static double loss_of(bool device_chosen, const struct judged_call *judged)
{
    const double host = judged->us[SIDE_HOST], device = judged->us[SIDE_DEVICE];
    return (device_chosen ? device : host) / fmin(host, device) - 1;
}

static void write_rounds(FILE *output, const double *rounds, int timed)
{
    for (int round = 0; round < timed; round++)
        fprintf(output, "%c%.4f", round ? ' ' : ',', rounds[round]);
}

static void write_call(const struct judge *judge, const struct judged_call *judged)
{
    const struct blas_call *call = &judged->call;
    const bool chosen = chooses_device(&judge->model, call);
    const bool built_in = chooses_device(&judge->built_in, call);
    const struct predicted_times learned = crossover_times(&judge->model, call);
    const struct predicted_times without = crossover_times(&judge->built_in, call);
    char name[ROUTINE_NAME];
    fprintf(judge->output, "%s,%lld,%lld,%lld,%d,%d,%d,%d,%d,%.3f,%.3f,%s,%.4f,%.1f,%.1f",
            routine_name(routine_of(call->family, call->type), name), (long long)call->m, (long long)call->n,
            (long long)call->k, (int)call->side, (int)call->uplo, (int)call->trans, (int)call->trans_b,
            (int)call->diag, judged->us[SIDE_HOST], judged->us[SIDE_DEVICE], chosen ? "device" : "host",
            loss_of(chosen, judged),
            learned.host_us, learned.resident_us);
    fprintf(judge->output, ",%s,%.4f,%.1f,%.1f", built_in ? "device" : "host", loss_of(built_in, judged),
            without.host_us, without.resident_us);
    for (int side = 0; side < CALL_SIDES; side++)
        write_rounds(judge->output, judged->rounds[side], judged->timed);
    fputc('\n', judge->output);
}

static void judge_call(struct judge *judge, const struct judged_call *judged, struct score *score)
{
    if (!isfinite(judged->us[SIDE_HOST]) || !isfinite(judged->us[SIDE_DEVICE]))
        return;
    const bool chosen = chooses_device(&judge->model, &judged->call);
    const double loss = loss_of(chosen, judged);
    score->calls++;
    score->right += chosen == (judged->us[SIDE_DEVICE] < judged->us[SIDE_HOST]);
    score->good += loss < loss_allowed;
    score->built_in_good += loss_of(chooses_device(&judge->built_in, &judged->call), judged) < loss_allowed;
    score->worst_loss = fmax(score->worst_loss, loss);
    if (judge->output)
        write_call(judge, judged);
}

/* Random calls near the border. */
static void draw_routine(struct judge *judge, int routine, struct judged_call *judged)
{
    for (int i = 0; i < judge->options->calls; i++) {
        const int class = border_class(routine, &judge->seed);
        const double amount = border_amount(judge->model.learned, class, judge->options->bytes,
                                            &judge->seed);
        judged[i].call = border_call(routine, class, amount,
                                     judge->options->any_shape ? judge->options->bytes : 0, &judge->seed);
    }
}

static bool judge_routine(struct judge *judge, int routine, const struct judged_call *judged)
{
    char name[ROUTINE_NAME], floor_text[24] = "never";
    struct score score = {0};
    for (int i = 0; i < judge->options->calls; i++)
        judge_call(judge, &judged[i], &score);
    const uint64_t floor = policy_floor(OFFLOAD_AUTO, &judge->model, routine_family(routine),
                                        routine_type(routine));
    if (floor != UINT64_MAX)
        snprintf(floor_text, sizeof floor_text, "%llu", (unsigned long long)floor);
    const bool passes = score.calls && score.good * 100 >= score.calls * PASSES_OF_100;
    printf("%-8s %12s %6d %6d %6d %8.1f%%  %s  %8d\n", routine_name(routine, name), floor_text, score.calls,
           score.right, score.good, 100 * score.worst_loss, passes ? "pass" : "FAIL", score.built_in_good);
    judge->calls += score.calls, judge->good += score.good;
    fflush(stdout);
    return passes;
}

/* The number behind NAME= in [least, most]; otherwise says so. */
static bool read_number(const char *option, double least, double most, double *number)
{
    const char *text = strchr(option, '=') + 1;
    char *end;
    *number = strtod(text, &end);
    if (end != text && !*end && *number >= least && *number <= most)
        return true;
    fprintf(stderr, "crossovers: '%s' wants a number from %g to %g\n", option, least, most);
    return false;
}

static bool read_options(char **arguments, struct options *options)
{
    double calls = options->calls, processes = options->processes;
    bool good = true;
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
        else if (strcmp(option, "--any-shape") == 0)
            options->any_shape = true;
        else if (strncmp(option, "--calls=", 8) == 0)
            good = read_number(option, 1, 1e5, &calls) && good;
        else if (strncmp(option, "--processes=", 12) == 0)
            good = read_number(option, 1, JUDGED_PROCESSES, &processes) && good;
        else if (strncmp(option, "--seconds=", 10) == 0)
            good = read_number(option, 0, 1e5, &options->seconds) && good;
        else if (strncmp(option, "--bytes=", 8) == 0)
            good = read_number(option, 1, 1e12, &options->bytes) && good;
        else {
            fprintf(stderr, "crossovers: '%s' is not an option\n", option);
            return false;
        }
    }
    options->calls = (int)calls;
    options->processes = (int)processes;
    int length;
    const char *wrong = options->routines ? routine_list_error(options->routines, &length) : NULL;
    if (wrong)
        fprintf(stderr, "crossovers: '%.*s' is not an offloaded routine\n", length, wrong);
    return good && !wrong;
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

/* By one process. */
static bool time_once(struct judge *judge, struct judged_call *const *groups, int count)
{
    struct call_timer timer;
    struct call_timer_end end = {.any_on_device = false};
    const struct options *options = judge->options;
    if (!call_timer_start(&timer, judge->as_programs, "crossovers", 4 * (size_t)options->bytes))
        return false;
    judged_calls_time(&timer, groups, count, options->calls, &judge->seed);
    call_timer_stop(&timer, &end);
    if (!judge->reason[0])
        memcpy(judge->reason, end.reason, sizeof judge->reason);
    return true;
}

/* False: no process. */
static bool time_all(struct judge *judge, struct judged_call *judged)
{
    struct judged_call *groups[ROUTINES];
    int count = 0;
    for (int routine = 0; routine < ROUTINES; routine++)
        if (is_judged(judge, routine)) {
            groups[count] = judged + routine * judge->options->calls;
            draw_routine(judge, routine, groups[count++]);
        }
    for (int process = 0; process < judge->options->processes; process++)
        if (!time_once(judge, groups, count))
            return false;
    return true;
}

static bool open_output(struct judge *judge)
{
    const char *path = judge->options->output;
    judge->output = path ? fopen(path, "we") : NULL;
    if (path && !judge->output)
        perror(path);
    return !path || judge->output;
}

static int judge_calls(struct judge *judge, const struct judged_call *judged)
{
    int passed = 0, count = 0;
    printf("%-8s %12s %6s %6s %6s %9s %14s\n", "routine", "gains from", "calls", "right", "good",
           "worst loss", "built-in good");
    if (judge->output)
        fputs(output_header, judge->output);
    for (int routine = 0; routine < ROUTINES; routine++)
        if (is_judged(judge, routine)) {
            count++;
            passed += judge_routine(judge, routine, judged + routine * judge->options->calls);
        }
    printf("%d of %d routines pass; %d of %d calls are good\n", passed, count, judge->good, judge->calls);
    return count == 0 || passed != count;
}

static int judge_all(struct judge *judge)
{
    struct judged_call *judged = calloc((size_t)ROUTINES * (size_t)judge->options->calls, sizeof *judged);
    const bool timed = judged && open_output(judge) && time_all(judge, judged);
    const int result = timed ? judge_calls(judge, judged) : 1;
    free(judged);
    return result;
}

static int run(const struct options *options, struct learned_times *times)
{
    const struct shim_child_settings as_programs = {.offload = "always", .recipe = options->recipe,
                                                    .huge_pages = true};
    static struct judge judge;
    struct device_properties device;
    int result;
    judge.options = options;
    judge.as_programs = &as_programs;
    judge.seed = 20260101;
    const bool has_device = device_query(0, &device) == STATUS_OK;
    learned_times_settle(times, times->host_blas, times->host_threads);
    judge.model = crossover_model_here(has_device ? &device : NULL);
    judge.model.huge_pages = true;
    judge.built_in = judge.model;
    crossover_use_learned(&judge.model, times);
    printf("host BLAS %s, %d threads; device %s\n", times->host_blas, times->host_threads,
           has_device ? device.name : "none");
    result = judge_all(&judge);
    if (judge.reason[0])
        printf("some calls stayed on the host: %s\n", judge.reason);
    return judge.output && fclose(judge.output) != 0 ? 1 : result;
}

int main(int count, char **arguments)
{
    struct options options = {.calls = 100, .processes = 1, .seconds = 25, .bytes = 32 << 20};
    if (count == 3 && strcmp(arguments[1], TIMED_CALLS_COMMAND) == 0)
        return timed_calls(arguments[2]);
    if (!read_options(arguments + 1, &options))
        return 2;
    struct learned_times *times = malloc(sizeof *times);
    if (!times || !provide_times(&options, times) || (options.save && !save_times(options.save, times)))
        return 1;
    return run(&options, times);
}
