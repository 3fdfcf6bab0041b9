#include "common/text.h"
#include "interpose/report/report_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const phrases[HOST_REASON_COUNT] = {
    [HOST_FORWARDED] = "mublas does not offload these routines",
    [HOST_BELOW_FLOOR] = "they are too small ever to pay",
    [HOST_ARGUMENTS] = "of their arguments: invalid, nothing to compute, infinite alpha, or operands that "
                       "overlap",
    [HOST_QUERY] = "they only ask for the size of a workspace", /* of parallel routines */
    [HOST_FASTER] = "the host was predicted to be faster",
    [HOST_NOT_RESIDENT] = "the matrix was not used often enough yet to be worth sending",
    [HOST_REWRITTEN] = "the matrix is rewritten between calls and would have to be sent again each time",
    [HOST_UNTRACKABLE] = "the matrix lies in memory whose writes cannot be followed (shared memory, a "
                         "file, a "
                         "stack, or unaligned), and sending it for each call is slower",
    [HOST_NOT_OPENED] = "calls had not yet paid for opening the GPU, cuBLAS or cuSOLVER",
    [HOST_FP_ENVIRONMENT] = "the program traps floating-point exceptions or rounds in another way, or a "
                            "scalar is denormal",
    [HOST_SWITCHED_OFF] = "MUBLAS_OFFLOAD=never says so",
    [HOST_NO_DEVICE] = "there was no usable GPU",
    [HOST_ENDING] = "the program was ending",
    [HOST_BUSY] = "calls of other threads were in the way",
    [HOST_SANDBOX] = "the program has forbidden itself system calls (seccomp)",
    [HOST_NESTED] = "they were made within another BLAS call",
    [HOST_AFTER_FORK] = "a fork's child, or a process under a checkpointer, cannot use the GPU",
    [HOST_INTEGERS] = "the width of the library's integers is unknown, or several libraries differ in it",
    [HOST_UNSUPPORTED] = "the GPU's library does not have them",
    [HOST_OUT_OF_MEMORY] = "the GPU's memory is too small for them",
    [HOST_INACCESSIBLE] = "the memory of an operand is protected",
    [HOST_VALUES] = "a matrix is not finite, or near overflow or underflow",
    [HOST_UNSUCCESSFUL] = "they ended with INFO other than 0, which the host has to say",
    [HOST_DEVICE_ERROR] = "the GPU failed",
};

static const char *const remedies[HOST_REASON_COUNT] = {
    [HOST_OUT_OF_MEMORY] = " MUBLAS_DEVICE_MEMORY says how much mublas may fill.",
    [HOST_AFTER_FORK] = " Start workers as programs of their own (in Python: multiprocessing's spawn).",
    [HOST_FP_ENVIRONMENT] = " Build without trapping exceptions (gfortran's -ffpe-trap).",
    [HOST_DEVICE_ERROR] = " A line on standard error says how (MUBLAS_VERBOSE=0 hides it).",
};

/* Behind a list of routines of which some make calls that are in the list themselves. */
static const char without_inside[] = " The seconds of each are without those of calls that it makes.";

const char advice_silent_children[] =
    "One that leaves by _exit, as Python's multiprocessing has it after a fork, or that a signal ends, "
    "writes no report: in Python take multiprocessing's spawn.";

static bool lacks_library(const struct advice_facts *facts, enum host_reason reason, bool is_lapack)
{
    return reason == HOST_UNSUPPORTED && (is_lapack ? facts->solver_is_missing : facts->level3_is_missing);
}

const char *advice_because(const struct advice_facts *facts, enum host_reason reason, bool is_lapack)
{
    if (lacks_library(facts, reason, is_lapack) && facts->device == ADVICE_DEVICE_NONE)
        return is_lapack ? "neither a usable GPU nor cuSOLVER was found"
                         : "neither a usable GPU nor cuBLAS was found";
    if (lacks_library(facts, reason, is_lapack))
        return is_lapack ? "no cuSOLVER was found that works" : "no cuBLAS was found that works";
    if (reason == HOST_NOT_OPENED && facts->device == ADVICE_DEVICE_NONE)
        return "there was no usable GPU that they could have paid for";
    if (reason == HOST_UNTRACKABLE && facts->tracking != ADVICE_TRACKS)
        return "writes are not tracked here, and sending the matrix for each call is slower";
    return phrases[reason];
}

static const char *advice_remedy(const struct advice_facts *facts, enum host_reason reason, bool is_lapack)
{
    if (lacks_library(facts, reason, is_lapack) && facts->device == ADVICE_DEVICE_NONE)
        return " mublas doctor says what to do about both.";
    if (lacks_library(facts, reason, is_lapack))
        return is_lapack ? " Install CUDA's libcusolver (CUDA 13 or 12) with its libcublas, or name it by "
                           "MUBLAS_CUSOLVER. mublas doctor shows what else is missing."
                         : " Install CUDA's libcublas (CUDA 13, 12 or 11), or name it by MUBLAS_CUBLAS. "
                           "mublas doctor shows what else is missing.";
    return remedies[reason] ? remedies[reason] : "";
}

const char *advice_device_remedy(const char *fault)
{
    if (fault && strstr(fault, "no CUDA driver"))
        return "Where there is an NVIDIA GPU, install its driver; start a container with the GPU. mublas "
               "doctor says more.";
    return "mublas doctor says what to do.";
}

const char *advice_tracking_remedy(const char *fault)
{
    if (strstr(fault, "not permitted") || strstr(fault, "Permission denied"))
        return "allow the system call userfaultfd in the container's profile";
    if (strstr(fault, "closed its descriptors"))
        return "the program should close its own descriptors only";
    return "that takes Linux 6.7 or newer with userfaultfd";
}

static void advice_print_size(char *text, size_t room, const struct advice_routine *routine)
{
    const long long sizes[] = {routine->m, routine->n, routine->k};
    size_t used = 0;
    *text = '\0';
    for (int i = 0; i < 3; i++)
        if (sizes[i] > 0 && used < room)
            used += (size_t)snprintf(text + used, room - used, "%s%lld", used ? " x " : "", sizes[i]);
}

/* "6.1 s on the host in 12 calls (2.3 s of that in calls that it makes)" */
static void advice_print_spent(char *text, size_t room, const struct advice_routine *routine, int reason)
{
    const unsigned long long calls = routine->calls[reason];
    const double seconds = routine->seconds[reason], inside = routine->inside_seconds[reason];
    if (inside >= 0.0005)
        snprintf(text, room, "%.3f s on the host in %llu call%s (%.3f s of that in calls that it makes)",
                 seconds, calls, plural(calls), inside);
    else if (seconds > 0)
        snprintf(text, room, "%.3f s on the host in %llu call%s", seconds, calls, plural(calls));
    else
        snprintf(text, room, "%llu call%s on the host (not timed)", calls, plural(calls));
}

/* Less is 0.000 where seconds are printed. */
static const double LEAST_TOLD = 0.0005;

static bool is_of(const struct advice_routine *routine, enum advice_kind kind)
{
    return kind == ADVICE_KIND_ANY || routine->is_lapack == (kind == ADVICE_KIND_LAPACK);
}

/* Without the calls that it makes, which are told themselves: so that parts add up to their sum. */
static double own_seconds(const struct advice_routine *routine, int reason)
{
    return routine->seconds[reason] - routine->inside_seconds[reason];
}

double advice_seconds_for(const struct advice_facts *facts, enum host_reason reason, enum advice_kind kind)
{
    double sum = 0;
    for (int i = 0; i < facts->count; i++)
        if (is_of(&facts->routines[i], kind))
            sum += own_seconds(&facts->routines[i], reason);
    return sum;
}

uint64_t advice_calls_for(const struct advice_facts *facts, enum host_reason reason, enum advice_kind kind)
{
    uint64_t sum = 0;
    for (int i = 0; i < facts->count; i++)
        if (is_of(&facts->routines[i], kind))
            sum += facts->routines[i].calls[reason];
    return sum;
}

static void say_faster(const struct advice_giving *giving, const struct advice_routine *routine,
                       const char *spent)
{
    char size[96];
    advice_print_size(size, sizeof size, routine);
    if (routine->pays_from > routine->n && routine->n > 0)
        advice_say(giving, "%s: %s; the largest, of order %lld, is below the order that pays here: %lld.",
                   routine->name, spent, routine->n, routine->pays_from);
    else if (routine->n > 0)
        advice_say(giving, "%s: %s, because the host was predicted to be faster; the largest was %s.",
                   routine->name, spent, size);
    else
        advice_say(giving, "%s: %s, because the host was predicted to be faster.", routine->name, spent);
}

static void say_routine(const struct advice_giving *giving, const struct advice_routine *routine, int reason)
{
    char spent[160];
    advice_print_spent(spent, sizeof spent, routine, reason);
    if (reason == HOST_FASTER)
        say_faster(giving, routine, spent);
    else if (reason == HOST_VARIANT)
        advice_say(giving, "%s: %s, because of %s, which its routine on the GPU does not have.",
                   routine->name, spent, routine->variant ? routine->variant : "an argument");
    else
        advice_say(giving, "%s: %s, because %s.%s", routine->name, spent,
                   advice_because(giving->facts, (enum host_reason)reason, routine->is_lapack),
                   advice_remedy(giving->facts, (enum host_reason)reason, routine->is_lapack));
}

/* Many routines have these reasons: one sentence tells all of a kind. */
static bool is_told_together(int reason)
{
    switch (reason) {
    case HOST_FORWARDED:
    case HOST_BELOW_FLOOR:
    case HOST_ARGUMENTS:
    case HOST_SWITCHED_OFF:
    case HOST_NOT_OPENED:
    case HOST_UNSUPPORTED:
    case HOST_OUT_OF_MEMORY:
    case HOST_NO_DEVICE: return true;
    default: return false;
    }
}

/* A routine with less than a thousandth of the run is one of many: a sentence for each would hide what
 * matters. */
static double trifle_seconds(const struct advice_facts *facts)
{
    return fmax(LEAST_TOLD, facts->run_seconds / 1000);
}

static bool is_trifle(const struct advice_facts *facts, const struct advice_routine *routine, int reason)
{
    return reason == HOST_FASTER && routine->calls[reason] && routine->seconds[reason] > 0 &&
           routine->seconds[reason] < trifle_seconds(facts);
}

static int trifles(const struct advice_facts *facts)
{
    int count = 0;
    for (int i = 0; i < facts->count; i++)
        count += is_trifle(facts, &facts->routines[i], HOST_FASTER);
    return count;
}

static void print_trifles(FILE *stream, const struct advice_facts *facts)
{
    const char *before = "";
    for (int i = 0; i < facts->count; i++) {
        const struct advice_routine *const routine = &facts->routines[i];
        if (!is_trifle(facts, routine, HOST_FASTER))
            continue;
        fprintf(stream, "%s%s (%llu)", before, routine->name,
                (unsigned long long)routine->calls[HOST_FASTER]);
        before = ", ";
    }
}

static void say_trifles(const struct advice_giving *giving)
{
    char *names = NULL;
    size_t length;
    FILE *stream = open_memstream(&names, &length);
    if (!stream)
        return;
    print_trifles(stream, giving->facts);
    if (fclose(stream) == 0)
        advice_say(giving,
                   "Less than %.3f s on the host by each of these routines, because the host was predicted "
                   "to "
                   "be faster: %s.",
                   fmax(trifle_seconds(giving->facts), 0.001), names);
    free(names);
}

static int by_seconds(const void *one, const void *other, void *reason)
{
    const int which = *(const int *)reason;
    const struct advice_routine *const a = *(const struct advice_routine *const *)one;
    const struct advice_routine *const b = *(const struct advice_routine *const *)other;
    const double difference = own_seconds(b, which) - own_seconds(a, which);
    return difference != 0 ? (difference > 0 ? 1 : -1) : (a > b) - (a < b);
}

/* "zhemv 1.131 s (2), zheevx (7)": the costliest first. */
static void print_routines(FILE *stream, const struct advice_facts *facts, int reason, enum advice_kind kind)
{
    int count = 0;
    const struct advice_routine **const sorted = calloc((size_t)facts->count + 1, sizeof *sorted);
    for (int i = 0; sorted && i < facts->count; i++)
        if (facts->routines[i].calls[reason] && is_of(&facts->routines[i], kind))
            sorted[count++] = &facts->routines[i];
    if (count)
        qsort_r(sorted, (size_t)count, sizeof *sorted, by_seconds, &reason);
    for (int i = 0; i < count; i++) {
        fprintf(stream, "%s%s", i ? ", " : "", sorted[i]->name);
        if (own_seconds(sorted[i], reason) >= LEAST_TOLD)
            fprintf(stream, " %.3f s", own_seconds(sorted[i], reason));
        fprintf(stream, " (%llu)", (unsigned long long)sorted[i]->calls[reason]);
    }
    free(sorted);
}

static bool has_inside(const struct advice_facts *facts, enum host_reason reason, enum advice_kind kind)
{
    for (int i = 0; i < facts->count; i++)
        if (is_of(&facts->routines[i], kind) && facts->routines[i].inside_seconds[reason] > 0)
            return true;
    return false;
}

void advice_say_together(const struct advice_giving *giving, enum host_reason reason, enum advice_kind kind)
{
    char *names = NULL;
    size_t length;
    const double seconds = advice_seconds_for(giving->facts, reason, kind);
    const char *const because = advice_because(giving->facts, reason, kind == ADVICE_KIND_LAPACK);
    const char *const remedy = advice_remedy(giving->facts, reason, kind == ADVICE_KIND_LAPACK);
    FILE *stream = advice_calls_for(giving->facts, reason, kind) ? open_memstream(&names, &length) : NULL;
    if (!stream)
        return;
    print_routines(stream, giving->facts, reason, kind);
    if (fclose(stream) == 0 && seconds >= LEAST_TOLD)
        advice_say(giving, "%.3f s of calls on the host, because %s: %s.%s%s", seconds, because, names,
                   remedy, has_inside(giving->facts, reason, kind) ? without_inside : "");
    else
        advice_say(giving, "Calls on the host, because %s (%s): %s.%s", because,
                   seconds > 0 ? "less than a millisecond was timed" : "not timed", names, remedy);
    free(names);
}

struct loss {
    const struct advice_routine *routine;
    int reason;
};

static int by_cost(const void *one, const void *other)
{
    const struct loss *const a = one, *const b = other;
    const double difference = b->routine->seconds[b->reason] - a->routine->seconds[a->reason];
    if (difference != 0)
        return difference > 0 ? 1 : -1;
    return a->routine != b->routine ? (a->routine > b->routine) - (a->routine < b->routine)
                                    : a->reason - b->reason;
}

void advice_say_routines(const struct advice_giving *giving)
{
    const struct advice_facts *const facts = giving->facts;
    size_t count = 0;
    const bool skips_trifles = trifles(facts) > 1;
    struct loss *const losses = malloc((size_t)facts->count * HOST_REASON_COUNT * sizeof *losses);
    for (int i = 0; losses && i < facts->count; i++)
        for (int reason = 0; reason < HOST_REASON_COUNT; reason++)
            if (facts->routines[i].calls[reason] && !is_told_together(reason) && reason != HOST_QUERY &&
                !(skips_trifles && is_trifle(facts, &facts->routines[i], reason)))
                losses[count++] = (struct loss){&facts->routines[i], reason};
    if (count)
        qsort(losses, count, sizeof *losses, by_cost);
    for (size_t i = 0; i < count; i++)
        say_routine(giving, losses[i].routine, losses[i].reason);
    free(losses);
    if (skips_trifles)
        say_trifles(giving);
}

void advice_say(const struct advice_giving *giving, const char *format, ...)
{
    char *sentence = NULL;
    va_list values;
    va_start(values, format);
    const int length = vasprintf(&sentence, format, values);
    va_end(values);
    if (length >= 0)
        giving->take(giving->context, sentence);
    ++*giving->said;
    free(length >= 0 ? sentence : NULL);
}
