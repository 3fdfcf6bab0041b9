/* kernel_digests - a digest of every kernel's result bits over a fixed set of calls.
 *
 *   kernel_digests [--max-n N] [--edges] [--check FILE] [--model]
 *
 * Prints a line "name digest" per case, by the device that mublas finds (the GPU, or
 * the emulated one through LD_LIBRARY_PATH). Each case runs aligned and unaligned (trmv in place then);
 * --edges runs it with every launch shape of kernel_shapes.c too; bits that differ
 * between these are an error. --check compares with kept digests and prints
 * only what differs. --model computes digests by contract_model.c, without a device.
 * Exit status 0: all equal; 1: a difference or an error; 77: no device. */
#include "contract_model.h"
#include "digest_file.h"
#include "kernel_cases.h"
#include "kernel_shapes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    int64_t max_n;
    bool edges, model;
    const char *check;
};

static const struct placement placements[] = {{8, 0, 1, 1}, {3, 1, -2, 1}};
enum { PLACEMENT_COUNT = sizeof placements / sizeof *placements };

/* The operands once more by this shape; result is contiguous. */
static bool run_once(struct lane *lane, const struct kernel_case *kernel_case, const struct operands *operands,
                     struct launch_shape shape, void *result)
{
    unsigned char *buffer = malloc(operands->y.size);
    if (!buffer)
        abort();
    launch_shape_override(shape);
    const enum status status = operands_run(lane, operands, buffer);
    launch_shape_override((struct launch_shape){.edge = 0});
    if (status == STATUS_OK)
        operands_result(operands, buffer, result);
    else
        fprintf(stderr, "%s: %s\n", kernel_case->name, status_text(status));
    free(buffer);
    return status == STATUS_OK;
}

/* Every shape of one placement has the bits of `first`, which the first of all runs
 * fills. Making large operands takes longer than all runs on them. */
static bool run_placement(struct lane *lane, const struct kernel_case *kernel_case, int placement, bool edges,
                          void *first, void *other)
{
    const int64_t length = kernel_case_length(kernel_case);
    struct launch_shape shapes[KERNEL_SHAPES_MAX];
    struct operands operands;
    char text[SHAPE_TEXT_MAX];
    bool good = true;
    operands_make(kernel_case, &placements[placement], &operands);
    if (kernel_case->family == FAMILY_TRMV && placement == 1)
        operands_put_in_place(&operands);
    const int count = edges ? kernel_shapes(&operands.call, false, shapes) : 1;
    shapes[0] = (struct launch_shape){.edge = 0};
    for (int shape = 0; good && shape < count; shape++) {
        const bool is_first = placement == 0 && shape == 0;
        good = run_once(lane, kernel_case, &operands, shapes[shape], is_first ? first : other);
        if (good && !is_first && !results_equal(kernel_case->type, first, other, length)) {
            kernel_shape_text(&shapes[shape], text);
            fprintf(stderr, "%s: other bits with %s, %s\n", kernel_case->name, text,
                    placement ? "unaligned" : "aligned");
            good = false;
        }
    }
    operands_free(&operands);
    return good;
}

static bool device_digest(struct lane *lane, const struct kernel_case *kernel_case, bool edges,
                          uint64_t *digest)
{
    const int64_t length = kernel_case_length(kernel_case);
    void *first = calloc((size_t)length, 16), *other = calloc((size_t)length, 16);
    bool good = first && other;
    for (int placement = 0; good && placement < PLACEMENT_COUNT; placement++)
        good = run_placement(lane, kernel_case, placement, edges, first, other);
    *digest = result_digest(kernel_case->type, first, length);
    free(first);
    free(other);
    return good;
}

static uint64_t model_digest(const struct kernel_case *kernel_case)
{
    const int64_t length = kernel_case_length(kernel_case);
    struct operands operands;
    void *result = calloc((size_t)length, 16);
    if (!result)
        abort();
    operands_make(kernel_case, &placements[0], &operands);
    contract_model(&operands.call, result);
    const uint64_t digest = result_digest(kernel_case->type, result, length);
    operands_free(&operands);
    free(result);
    return digest;
}

static bool report(const struct kernel_case *kernel_case, const struct digest_file *kept, uint64_t digest)
{
    uint64_t wanted;
    if (!kept) {
        printf("%-28s %016llx\n", kernel_case->name, (unsigned long long)digest);
        return true;
    }
    if (!digest_file_find(kept, kernel_case->name, &wanted)) {
        printf("%s: no digest kept\n", kernel_case->name);
        return false;
    }
    if (wanted != digest)
        printf("%s: %016llx, kept was %016llx\n", kernel_case->name, (unsigned long long)digest,
               (unsigned long long)wanted);
    return wanted == digest;
}

static int run_cases(const struct options *options, struct lane *lane)
{
    size_t count, bad = 0;
    struct digest_file *kept = options->check ? digest_file_read(options->check) : NULL;
    if (options->check && !kept) {
        fprintf(stderr, "kernel_digests: %s: %s\n", options->check, strerror(errno));
        return 1;
    }
    struct kernel_case *cases = kernel_cases(options->max_n, &count);
    for (size_t i = 0; i < count; i++) {
        uint64_t digest = 0;
        bool good = true;
        if (options->model)
            digest = model_digest(&cases[i]);
        else
            good = device_digest(lane, &cases[i], options->edges, &digest);
        if (!report(&cases[i], kept, digest) || !good)
            bad++;
    }
    if (kept)
        printf("%zu of %zu cases equal\n", count - bad, count);
    if (kept)
        digest_file_free(kept);
    free(cases);
    return bad != 0;
}

static int run_on_device(const struct options *options)
{
    struct device *device;
    struct device_scope scope;
    struct lane *lane;
    if (device_wake(&device) != STATUS_OK || device_enter(device, &scope) != STATUS_OK) {
        fprintf(stderr, "kernel_digests: no device\n");
        return 77;
    }
    int result = 1;
    if (lane_acquire(device, &lane) == STATUS_OK) {
        result = run_cases(options, lane);
        lane_release(lane);
    }
    device_leave(device, &scope);
    return result;
}

int main(int count, char **arguments)
{
    struct options options = {.max_n = 5000};
    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], "--edges") == 0) {
            options.edges = true;
        } else if (strcmp(arguments[i], "--model") == 0) {
            options.model = true;
        } else if (strcmp(arguments[i], "--check") == 0 && i + 1 < count) {
            options.check = arguments[++i];
        } else if (strcmp(arguments[i], "--max-n") == 0 && i + 1 < count) {
            options.max_n = strtoll(arguments[++i], NULL, 10);
        } else {
            fprintf(stderr, "usage: kernel_digests [--max-n N] [--edges] [--check FILE] [--model]\n");
            return 2;
        }
    }
    return options.model ? run_cases(&options, NULL) : run_on_device(&options);
}
