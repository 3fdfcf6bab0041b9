#include "program.h"
#include "../timing.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>

static int whole_number(const char *program, const char *name, const char *text)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || *end || end == text || value < 1 || value > INT_MAX) {
        fprintf(stderr, "%s: %s='%s' is not a whole number from 1 to %d\n", program, name, text, INT_MAX);
        exit(2);
    }
    return (int)value;
}

static const uint64_t digest_start = 0xcbf29ce484222325u;

struct run run_begin(const char *program, int count, char **arguments, int extra)
{
    struct run run = {.program = program,
                      .n = 1000,
                      .repetitions = 2,
                      .extra = extra,
                      .repetition = -1,
                      .residual = -1,
                      .orthogonality = -1};
    if (count > (extra ? 4 : 3)) {
        fprintf(stderr, "usage: %s [N [REPETITIONS%s]]\n", program, extra ? " [EXTRA]" : "");
        exit(2);
    }
    if (count > 1)
        run.n = whole_number(program, "N", arguments[1]);
    if (count > 2)
        run.repetitions = whole_number(program, "REPETITIONS", arguments[2]);
    if (count > 3)
        run.extra = whole_number(program, "EXTRA", arguments[3]);
    run.times = calloc(2 * (size_t)run.repetitions, sizeof *run.times);
    run.digests = calloc((size_t)run.repetitions, sizeof *run.digests);
    if (!run.times || !run.digests)
        expect_success("memory", -1);
    for (int i = 0; i < run.repetitions; i++)
        run.digests[i] = digest_start;
    run.call_times = run.times + run.repetitions;
    return run;
}

bool run_next(struct run *run)
{
    return ++run->repetition < run->repetitions;
}

void run_start(struct run *run)
{
    run->start = seconds_now();
}

void run_stop(struct run *run)
{
    run->times[run->repetition] += seconds_now() - run->start;
}

void run_call_begins(struct run *run)
{
    run->call_start = seconds_now();
}

void run_call_ends(struct run *run)
{
    run->call_times[run->repetition] += seconds_now() - run->call_start;
}

static double larger(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

void run_checked(struct run *run, double residual, double orthogonality)
{
    run->residual = larger(run->residual, residual);
    run->orthogonality = larger(run->orthogonality, orthogonality);
}

static uint64_t digest_with(uint64_t digest, uint64_t bits)
{
    digest = (digest ^ bits) * 0x9fb21c651e98df25u;
    return digest ^ digest >> 32;
}

/* By words, not by bytes as digest_of: the results of an eigensolver are gigabytes. */
void run_digest(struct run *run, const double *values, size_t count)
{
    uint64_t digest = run->digests[run->repetition];
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        digest = digest_with(digest, bits);
    }
    run->digests[run->repetition] = digest;
}

/* False if BENCH_REPETITIONS names a file that cannot be written. */
static bool append_repetitions(const struct run *run)
{
    const char *path = getenv("BENCH_REPETITIONS");
    if (!path || !*path)
        return true;
    FILE *file = fopen(path, "a");
    for (int i = 0; file && i < run->repetitions; i++)
        fprintf(file, "%s,%d,%d,%.6f,%016llx\n", run->program, run->n, i + 1, run->times[i],
                (unsigned long long)run->digests[i]);
    if (file && fclose(file) == 0)
        return true;
    fprintf(stderr, "%s: cannot write '%s'\n", run->program, path);
    return false;
}

static void print_unless_negative(const char *form, double value)
{
    putchar(',');
    if (!(value < 0))
        printf(form, value);
}

int run_finish(struct run *run)
{
    size_t later = (size_t)run->repetitions - 1;
    uint64_t digest = digest_start;
    bool appended = append_repetitions(run); /* before the median sorts the times */
    for (int i = 0; i < run->repetitions; i++)
        digest = digest_with(digest, run->digests[i]);
    double first = run->times[0], calls = later ? median(run->call_times + 1, later) : run->call_times[0];
    printf("%s,%d,%d,%.6f", run->program, run->n, run->repetitions, first);
    print_unless_negative("%.6f", later ? median(run->times + 1, later) : -1);
    print_unless_negative("%.6f", calls > 0 ? calls : -1);
    print_unless_negative("%.3g", run->residual);
    print_unless_negative("%.3g", run->orthogonality);
    printf(",%016llx\n", (unsigned long long)digest);
    free(run->times);
    free(run->digests);
    return fflush(stdout) == 0 && appended ? 0 : 1;
}

static void *allocate_bytes(size_t count, size_t size)
{
    void *memory = malloc((count ? count : 1) * size);
    if (!memory) {
        fprintf(stderr, "no memory for %zu elements\n", count);
        exit(1);
    }
    return memory;
}

double *allocate(size_t count)
{
    return allocate_bytes(count, sizeof(double));
}

int *allocate_integers(size_t count)
{
    return allocate_bytes(count, sizeof(int));
}

void expect_success(const char *routine, int info)
{
    if (info == 0)
        return;
    fprintf(stderr, "%s failed with info = %d\n", routine, info);
    exit(1);
}
