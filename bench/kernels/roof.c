#include "roof.h"

#include <math.h>
#include <stdio.h>

extern const unsigned char roof_image[];

enum { WORD_BYTES = 16, REMEMBERED_MOST = 1024 };
enum function { READ_4, READ_8, UPDATE_2, UPDATE_4, FUNCTION_COUNT };

static CUfunction functions[FUNCTION_COUNT];

/* Blocks: so many per multiprocessor, or, with 0, one for every chunk. */
struct shape {
    enum function function;
    unsigned unroll, threads, blocks;
};
static const struct shape read_shapes[] = {
    {READ_4, 4, 256, 0}, {READ_8, 8, 256, 0}, {READ_4, 4, 512, 0}, {READ_8, 8, 256, 4}, {READ_4, 4, 512, 4},
    {READ_8, 8, 512, 2}};
static const struct shape update_shapes[] = {
    {UPDATE_2, 2, 256, 0}, {UPDATE_4, 4, 256, 0}, {UPDATE_2, 2, 512, 0}, {UPDATE_4, 4, 256, 4}};

struct pass {
    const struct operands *operands;
    struct rotation rotation;
    struct shape shape;
    uint64_t words; /* of each array */
};

bool roof_open(struct device *device)
{
    static const char *const names[FUNCTION_COUNT] = {"roof_read_4", "roof_read_8", "roof_update_2",
                                                      "roof_update_4"};
    CUmodule module;
    if (roof_image[0] == 'm' && roof_image[1] == 'u') {
        fprintf(stderr, "measure: built without nvcc: no roof is measured\n");
        return false;
    }
    if (device_check(device, driver()->module_load(&module, roof_image), "loading the roof kernels") !=
        STATUS_OK)
        return false;
    for (int i = 0; i < FUNCTION_COUNT; i++)
        if (device_check(device, driver()->module_function(&functions[i], module, names[i]), names[i]) !=
            STATUS_OK) {
            fprintf(stderr, "measure: this device does not know %s: no roof is measured\n", names[i]);
            functions[READ_4] = NULL;
            return false;
        }
    return true;
}

static enum status queue_pass(void *context, int call)
{
    const struct pass *pass = context;
    struct lane *lane = pass->operands->memory.lane;
    const struct shape *shape = &pass->shape;
    uint64_t blocks = (pass->words + shape->unroll * shape->threads - 1) / (shape->unroll * shape->threads);
    const uint64_t persistent = shape->blocks * (uint64_t)device_properties(lane->device)->multiprocessors;
    const bool updates = shape->function >= UPDATE_2;
    CUdeviceptr first = pass->operands->memory.matrices +
                        (size_t)(call % pass->rotation.matrices) * pass->rotation.matrix_stride;
    CUdeviceptr second = updates ? first + pass->words * WORD_BYTES : pass->operands->memory.vectors;
    uint64_t words = pass->words;
    unsigned mask = 0;
    void *read_parameters[] = {&first, &words, &second},
         *update_parameters[] = {&first, &second, &words, &mask};
    if (persistent && persistent < blocks)
        blocks = persistent;
    return device_check(lane->device,
                        driver()->launch_kernel(functions[shape->function], (unsigned)blocks, 1, 1,
                                                shape->threads, 1, 1, 0, lane->stream,
                                                updates ? update_parameters : read_parameters, NULL),
                        "launching the roof kernel");
}

enum status roof_measure(const struct operands *operands, const struct replay_settings *settings,
                         enum roof_kind kind, double bytes, bool warm, double *best)
{
    const double per_word = WORD_BYTES * (kind == ROOF_UPDATE ? 3 : 1);
    const size_t l2_bytes = device_properties(operands->memory.lane->device)->l2_bytes;
    const struct shape *shapes = kind == ROOF_UPDATE ? update_shapes : read_shapes;
    const size_t count = kind == ROOF_UPDATE ? sizeof update_shapes / sizeof *shapes
                                             : sizeof read_shapes / sizeof *shapes;
    struct pass pass = {.operands = operands, .words = (uint64_t)ceil(bytes / per_word)};
    const size_t arrays = kind == ROOF_UPDATE ? 2 : 1;
    const size_t footprint = (pass.words * WORD_BYTES * arrays + 255) / 256 * 256;
    if (footprint > operands->memory.matrix_bytes)
        return STATUS_UNSUPPORTED;
    pass.rotation = rotation_make(bytes, footprint, 256, operands->memory.matrix_bytes, l2_bytes, warm);
    *best = INFINITY;
    for (size_t i = 0; i < count; i++) {
        struct timing timing;
        pass.shape = shapes[i];
        enum status status = replay_time(operands->memory.lane, settings, pass.rotation.calls, queue_pass,
                                         &pass, &timing);
        if (status != STATUS_OK)
            return status;
        *best = fmin(*best, timing.seconds);
    }
    return STATUS_OK;
}

enum status roof_seconds(const struct operands *operands, const struct replay_settings *settings,
                         enum roof_kind kind, double bytes, bool warm, double *seconds)
{
    static struct {
        enum roof_kind kind;
        bool warm;
        double bytes, seconds;
    } remembered[REMEMBERED_MOST];
    static int count;
    *seconds = 0;
    if (!functions[READ_4])
        return STATUS_OK;
    for (int i = 0; i < count; i++)
        if (remembered[i].kind == kind && remembered[i].warm == warm &&
            fabs(remembered[i].bytes / bytes - 1) < 0.005) {
            *seconds = remembered[i].seconds * bytes / remembered[i].bytes;
            return STATUS_OK;
        }
    enum status status = roof_measure(operands, settings, kind, bytes, warm, seconds);
    if (status == STATUS_UNSUPPORTED) /* larger than the pool */
        *seconds = 0, status = STATUS_OK;
    if (status == STATUS_OK && *seconds > 0 && count < REMEMBERED_MOST) {
        remembered[count].kind = kind, remembered[count].warm = warm;
        remembered[count].bytes = bytes, remembered[count++].seconds = *seconds;
    }
    return status;
}
