/* kernel_digests - a digest of every kernel's result bits over a fixed set of calls.
 *
 *   kernel_digests [--max-n N] [--edges] [--stress REPEATS] [--check FILE] [--model] [--part I/N]
 *                  [--only PREFIX]
 *
 * Prints a line "name digest" per case, by the device that mublas finds (the GPU, or
 * the emulated one through LD_LIBRARY_PATH). Each case runs aligned and unaligned
 * (trmv in place then), symv and hemv also as spmv and hpmv; --edges runs it with every launch shape and variant of
 * kernel_shapes.c too; --stress repeats each of these runs on two streams at once beside a
 * busy neighbour (kernel_stress.h). Bits that differ between any of them are an error.
 * --check compares with kept digests and prints only what differs. --model computes
 * digests by contract_model.c, without a device.
 * --part does only every N-th case from number I (0..N-1) on: several at once share the work.
 * --only does those whose names begin so.
 * DIGESTS_SERVICE=1 in the environment: by the device of a service (mublas serve), which must be there.
 * Exit status 0: all equal; 1: a difference, an error or no case at all; 77: no device. */
#include "contract_model.h"
#include "digest_file.h"
#include "kernel_cases.h"
#include "kernel_shapes.h"
#include "kernel_stress.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    int64_t max_n;
    bool edges, model;
    unsigned stress; /* repeats */
    unsigned part, parts;
    const char *check;
    const char *only;
};

struct runner {
    const struct options *options;
    struct lane *lane;
    struct kernel_stress stress;
};

/* The last one is of packed triangles. */
static const struct placement placements[] = {{8, 0, 0, 1, 1}, {3, 1, 1, -2, 1}, {0, 1, 0, 1, 2}};
enum { PACKED = 2 };

/* The operands once more by this shape; result is contiguous. */
static bool run_once(struct lane *lane, const struct kernel_case *kernel_case,
                     const struct operands *operands, struct launch_shape shape, void *result)
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

/* One shape of one placement: once, and under stress. */
static bool run_shape(struct runner *runner, const struct kernel_case *kernel_case,
                      const struct operands *operands, struct launch_shape shape, const void *first,
                      void *result)
{
    return run_once(runner->lane, kernel_case, operands, shape, result) &&
           results_equal(kernel_case->type, first, result, kernel_case_length(kernel_case)) &&
           (!runner->options->stress ||
            kernel_stress_run(&runner->stress, operands, shape, runner->options->stress, first));
}

/* Every shape of one placement has the bits of `first`, which the first of all runs
 * fills. Making large operands takes longer than all runs on them. */
static bool run_placement(struct runner *runner, const struct kernel_case *kernel_case, int placement,
                          void *first, void *other)
{
    struct launch_shape shapes[KERNEL_SHAPES_MAX];
    struct operands operands;
    char text[SHAPE_TEXT_MAX];
    bool good = true;
    operands_make(kernel_case, &placements[placement], &operands);
    if (kernel_case->family == FAMILY_TRMV && placement == 1)
        operands_put_in_place(&operands);
    if (placement == PACKED)
        operands_pack(&operands);
    const int count = kernel_shapes(&operands.call, false, shapes);
    for (int shape = 0; good && shape < (runner->options->edges ? count : 1); shape++) {
        void *result = placement == 0 && shape == 0 ? first : other;
        good = run_shape(runner, kernel_case, &operands, shapes[shape], first, result);
        if (!good) {
            kernel_shape_text(&shapes[shape], text);
            fprintf(stderr, "%s: fails or has other bits with %s, %s\n", kernel_case->name, text,
                    placement == PACKED ? "packed" : placement ? "unaligned" : "aligned");
        }
    }
    operands_free(&operands);
    return good;
}

static bool device_digest(struct runner *runner, const struct kernel_case *kernel_case, uint64_t *digest)
{
    const int64_t length = kernel_case_length(kernel_case);
    void *first = calloc((size_t)length, 16), *other = calloc((size_t)length, 16);
    bool good = first && other;
    for (int placement = 0; good && placement < PACKED + operands_can_be_packed(kernel_case); placement++)
        good = run_placement(runner, kernel_case, placement, first, other);
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

static int run_cases(struct runner *runner)
{
    const struct options *options = runner->options;
    size_t count, done = 0, bad = 0;
    struct digest_file *kept = options->check ? digest_file_read(options->check) : NULL;
    if (options->check && !kept) {
        fprintf(stderr, "kernel_digests: %s: %s\n", options->check, strerror(errno));
        return 1;
    }
    struct kernel_case *cases = kernel_cases(options->max_n, &count);
    for (size_t i = options->part; i < count; i += options->parts) {
        uint64_t digest = 0;
        bool good = true;
        if (strncmp(cases[i].name, options->only, strlen(options->only)) != 0)
            continue;
        done++;
        if (options->model)
            digest = model_digest(&cases[i]);
        else
            good = device_digest(runner, &cases[i], &digest);
        if (!digest_file_report(kept, cases[i].name, digest) || !good)
            bad++;
    }
    if (kept)
        printf("%zu of %zu cases equal\n", done - bad, done);
    if (kept)
        digest_file_free(kept);
    free(cases);
    return bad != 0 || done == 0;
}

/* A neighbour that takes a GPU's while, and not the emulated one's. */
static int run_stressed(struct runner *runner, struct device *device)
{
    const int64_t neighbour_n = runner->options->max_n > 1000 ? 8192 : 70;
    if (!kernel_stress_begin(device, neighbour_n, &runner->stress))
        return 1;
    const int result = run_cases(runner);
    kernel_stress_end(&runner->stress);
    return result;
}

static int run_on_device(const struct options *options)
{
    struct runner runner = {.options = options};
    struct device *device;
    struct device_scope scope;
    digests_offer_service();
    if (device_wake(&device) != STATUS_OK || device_enter(device, &scope) != STATUS_OK) {
        fprintf(stderr, "kernel_digests: no device\n");
        return 77;
    }
    if (!digests_are_served()) {
        fprintf(stderr, "kernel_digests: no service\n");
        return 1;
    }
    int result = 1;
    if (lane_acquire(device, &runner.lane) == STATUS_OK) {
        result = options->stress ? run_stressed(&runner, device) : run_cases(&runner);
        lane_release(runner.lane);
    }
    device_leave(device, &scope);
    return result;
}

static int usage(void)
{
    fprintf(stderr, "usage: kernel_digests [--max-n N] [--edges] [--stress REPEATS] [--check FILE] [--model] "
                    "[--part I/N]\n"
                    "                      [--only PREFIX]\n");
    return 2;
}

int main(int count, char **arguments)
{
    struct options options = {.max_n = 5000, .parts = 1, .only = ""};
    for (int i = 1; i < count; i++) {
        const char *value = i + 1 < count ? arguments[i + 1] : NULL;
        if (strcmp(arguments[i], "--edges") == 0) {
            options.edges = true;
        } else if (strcmp(arguments[i], "--model") == 0) {
            options.model = true;
        } else if (!value) {
            return usage();
        } else if (strcmp(arguments[i], "--check") == 0) {
            options.check = arguments[++i];
        } else if (strcmp(arguments[i], "--only") == 0) {
            options.only = arguments[++i];
        } else if (strcmp(arguments[i], "--max-n") == 0) {
            options.max_n = strtoll(arguments[++i], NULL, 10);
        } else if (strcmp(arguments[i], "--stress") == 0) {
            options.stress = (unsigned)strtoul(arguments[++i], NULL, 10);
        } else if (strcmp(arguments[i], "--part") == 0) {
            if (sscanf(arguments[++i], "%u/%u", &options.part, &options.parts) != 2 ||
                options.part >= options.parts)
                return usage();
        } else {
            return usage();
        }
    }
    struct runner of_model = {.options = &options};
    return options.model ? run_cases(&of_model) : run_on_device(&options);
}
