/* eigen_digests - a digest of the bits that each step of the eigensolver leaves in which neither cuBLAS nor
 * cuSOLVER has a part, over a fixed set of calls.
 *
 *   eigen_digests [--max-n N] [--check FILE] [--multiprocessors N] [--part I/N] [--only PREFIX]
 *                 [--leave-out WORD]
 *
 * Prints a line "name digest" per case, by the device that mublas finds (the GPU, or the emulated one through
 * LD_LIBRARY_PATH). Cases that it is too small for are left out. Each case runs by every way that the device
 * has for it (eigen_steps.h): bits that differ between them are an error, and so is a write beside the
 * results. --check compares with kept digests and prints only what differs, then how often each way was
 * taken. --multiprocessors: only so many of the device's get blocks of grids whose blocks wait for each
 * other. --part does only every N-th case from number I (0..N-1) on: several at once share the work. --only
 * does those whose names begin so, --leave-out none whose names have that in them: divide and conquer takes
 * the device's reciprocal square root, which the emulated one does not have ("stedc"). DIGESTS_SERVICE=1 in
 * the environment: by the device of a service (mublas serve), which must be there. Exit status 0: all equal;
 * 1: a difference, an error or no case at all; 77: no device. */
#include "digest_file.h"
#include "eigen_steps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    int64_t max_n;
    int multiprocessors; /* 0: all */
    unsigned part, parts;
    const char *check, *only, *left_out; /* NULL: none */
};

struct counts {
    size_t done, bad, absent;
    size_t runs[EIGEN_STEPS][EIGEN_WAYS];
};

/* STATUS_UNSUPPORTED: by none. */
static enum status run_ways(struct lane *lane, const struct eigen_case *given, struct counts *counts,
                            uint64_t *first)
{
    const struct eigen_form *const form = eigen_form_of(given->step);
    enum status status = STATUS_UNSUPPORTED;
    for (int way = 0; way < EIGEN_WAYS && form->ways[way]; way++) {
        uint64_t digest;
        const enum status of_way = eigen_run_case(given, way, lane, &digest);
        if (of_way == STATUS_UNSUPPORTED)
            continue;
        if (of_way == STATUS_OK && status == STATUS_OK && digest != *first) {
            fprintf(stderr, "%s: other bits %s\n", given->name, form->ways[way]);
            return STATUS_DEVICE_ERROR;
        }
        if (of_way != STATUS_OK)
            return of_way;
        counts->runs[given->step][way]++;
        *first = digest;
        status = STATUS_OK;
    }
    return status;
}

static void run_case(struct lane *lane, const struct eigen_case *given, const struct digest_file *kept,
                     struct counts *counts)
{
    uint64_t digest = 0;
    const enum status status = run_ways(lane, given, counts, &digest);
    if (status == STATUS_UNSUPPORTED) {
        counts->absent++;
        return;
    }
    counts->done++;
    if (status != STATUS_OK || !digest_file_report(kept, given->name, digest))
        counts->bad++;
    fflush(stdout);
}

static void print_counts(const struct counts *counts)
{
    for (enum eigen_step step = 0; step < EIGEN_STEPS; step++) {
        const struct eigen_form *const form = eigen_form_of(step);
        for (int way = 0; way < EIGEN_WAYS && form->ways[way]; way++)
            printf("%s, %s: %zu\n", form->step, form->ways[way], counts->runs[step][way]);
    }
    printf("%zu of %zu cases equal, %zu not for this device\n", counts->done - counts->bad, counts->done,
           counts->absent);
}

static bool is_wanted(const struct options *options, const char *name)
{
    return strncmp(name, options->only, strlen(options->only)) == 0 &&
           !(options->left_out && strstr(name, options->left_out));
}

static int run_cases(struct lane *lane, const struct options *options)
{
    size_t count;
    struct counts counts = {0};
    struct digest_file *const kept = options->check ? digest_file_read(options->check) : NULL;
    if (options->check && !kept) {
        fprintf(stderr, "eigen_digests: %s: %s\n", options->check, strerror(errno));
        return 1;
    }
    struct eigen_case *const cases = eigen_cases(options->max_n, &count);
    for (size_t i = options->part; i < count; i += options->parts)
        if (is_wanted(options, cases[i].name))
            run_case(lane, &cases[i], kept, &counts);
    if (kept) {
        print_counts(&counts);
        digest_file_free(kept);
    }
    free(cases);
    return counts.bad != 0 || counts.done == 0;
}

static int run_on_device(const struct options *options)
{
    struct device *device;
    struct device_scope scope;
    struct lane *lane;
    digests_offer_service();
    if (device_wake(&device) != STATUS_OK || device_enter(device, &scope) != STATUS_OK) {
        fprintf(stderr, "eigen_digests: no device\n");
        return 77;
    }
    if (!digests_are_served()) {
        fprintf(stderr, "eigen_digests: no service\n");
        return 1;
    }
    int result = 1, *const multiprocessors = &device_kernels(device)->multiprocessors;
    if (options->multiprocessors > *multiprocessors)
        fprintf(stderr, "eigen_digests: the device has %d multiprocessors\n", *multiprocessors);
    else if (lane_acquire(device, &lane) == STATUS_OK) {
        if (options->multiprocessors > 0)
            *multiprocessors = options->multiprocessors;
        result = run_cases(lane, options);
        lane_release(lane);
    }
    device_leave(device, &scope);
    return result;
}

static int usage(void)
{
    fprintf(stderr, "usage: eigen_digests [--max-n N] [--check FILE] [--multiprocessors N] [--part I/N]\n"
                    "                     [--only PREFIX] [--leave-out WORD]\n");
    return 2;
}

int main(int count, char **arguments)
{
    struct options options = {.max_n = 5000, .parts = 1, .only = ""};
    for (int i = 1; i < count; i += 2) {
        const char *const value = i + 1 < count ? arguments[i + 1] : NULL;
        if (!value)
            return usage();
        if (strcmp(arguments[i], "--check") == 0)
            options.check = value;
        else if (strcmp(arguments[i], "--only") == 0)
            options.only = value;
        else if (strcmp(arguments[i], "--leave-out") == 0)
            options.left_out = value;
        else if (strcmp(arguments[i], "--max-n") == 0)
            options.max_n = strtoll(value, NULL, 10);
        else if (strcmp(arguments[i], "--multiprocessors") == 0)
            options.multiprocessors = (int)strtol(value, NULL, 10);
        else if (strcmp(arguments[i], "--part") != 0 ||
                 sscanf(value, "%u/%u", &options.part, &options.parts) != 2 || options.part >= options.parts)
            return usage();
    }
    return run_on_device(&options);
}
