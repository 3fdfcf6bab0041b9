#include "tuner/online/recipe.h"
#include "tuner/online/learned_times.h"
#include "common/text.h"
#include "tuner/online/learned_times.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const recipe_orders[] = {"down", "along", NULL};
const char *const recipe_variants[] = {"last", "ordered", "both", "strips", NULL};

void recipe_shape_text(const struct launch_shape *shape, char text[RECIPE_SHAPE_BYTES])
{
    snprintf(text, RECIPE_SHAPE_BYTES,
             "edge %u threads %u %u columns %u blocks %u order %s team %u variant %s", shape->edge,
             shape->threads_x, shape->threads_y, shape->leaf_columns, shape->blocks_per_multiprocessor,
             recipe_orders[shape->order], shape->team_groups, recipe_variants[shape->variant]);
}

static bool read_choice(struct line_reader *reader, const char *const *names, int *choice)
{
    for (*choice = 0; names[*choice]; ++*choice)
        if (line_reader_is(reader, names[*choice]))
            return true;
    return line_reader_word(reader, names[0]);
}

/* Back from words: a shape that the calls of the class can have. */
static bool recipe_shape_read(struct line_reader *reader, int class, struct launch_shape *shape)
{
    int order, variant;
    const bool good =
        line_reader_word(reader, "edge") && line_reader_count(reader, 256, &shape->edge) &&
        line_reader_word(reader, "threads") &&
        line_reader_count(reader, LAUNCH_THREADS_MAX, &shape->threads_x) &&
        line_reader_count(reader, LAUNCH_THREADS_MAX, &shape->threads_y) &&
        line_reader_word(reader, "columns") && line_reader_count(reader, 8, &shape->leaf_columns) &&
        line_reader_word(reader, "blocks") &&
        line_reader_count(reader, 4096, &shape->blocks_per_multiprocessor) &&
        line_reader_word(reader, "order") && read_choice(reader, recipe_orders, &order) &&
        line_reader_word(reader, "team") && line_reader_count(reader, 4, &shape->team_groups) &&
        line_reader_word(reader, "variant") && read_choice(reader, recipe_variants, &variant);
    if (!good)
        return false;
    shape->order = (enum leaf_order)order;
    shape->variant = (enum symv_variant)variant;
    /* A base has no threads yet; whether those found fit is asked when they are. */
    struct launch_shape tried = *shape;
    if (shape->threads_x == 0 && shape->threads_y == 0)
        tried.threads_x = 32, tried.threads_y = 1;
    const struct blas_call call = tuning_class_call(class, TUNING_UNIT, TUNING_UNIT);
    const char *fault = launch_shape_fault(&call, &tried);
    return !fault || line_reader_fault(reader, "%s", fault);
}

enum { HASH_LINE_BYTES = sizeof "hash 0123456789abcdef\n" - 1, THREADS_MOST = 1024 };

struct recipe_signature recipe_signature_of(const struct device_properties *device)
{
    struct recipe_signature signature;
    memset(&signature, 0, sizeof signature);
    memcpy(signature.kernels, kernel_set_hash, sizeof signature.kernels);
    memcpy(signature.device, device->name, sizeof signature.device);
    signature.multiprocessors = device->multiprocessors;
    signature.driver = device->driver_version;
    return signature;
}

bool recipe_is_of_kind(const struct recipe_signature *one, const struct recipe_signature *other)
{
    return strcmp(one->device, other->device) == 0 && one->multiprocessors == other->multiprocessors;
}

uint64_t recipe_hash(const char *text, size_t bytes)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    return hash;
}

/* A line of one word and something behind it. */
static bool begin_line(struct line_reader *reader, const char *word)
{
    return (line_reader_next(reader) || line_reader_fault(reader, "it ends before '%s'", word)) &&
           line_reader_word(reader, word);
}

static bool read_text(struct line_reader *reader, const char *word, char *text, size_t room)
{
    return begin_line(reader, word) && line_reader_rest(reader, text, room);
}

static bool read_number(struct line_reader *reader, const char *word, int *value)
{
    int64_t number;
    if (!begin_line(reader, word) || !line_reader_integer(reader, 1, 1 << 20, &number))
        return false;
    *value = (int)number;
    return line_reader_end(reader);
}

static bool read_signature(struct line_reader *reader, struct recipe_signature *signature,
                           char made[RECIPE_MADE_BYTES])
{
    const bool good = read_text(reader, "kernels", signature->kernels, sizeof signature->kernels) &&
                      read_text(reader, "device", signature->device, sizeof signature->device) &&
                      read_number(reader, "multiprocessors", &signature->multiprocessors) &&
                      read_number(reader, "driver", &signature->driver) &&
                      read_text(reader, "host", signature->host, sizeof signature->host) &&
                      read_text(reader, "made", made, RECIPE_MADE_BYTES);
    if (good && strcmp(signature->host, "none") == 0)
        signature->host[0] = '\0';
    return good;
}

static bool read_head(struct line_reader *reader, struct recipe *recipe)
{
    return read_signature(reader, &recipe->signature, recipe->made) &&
           read_number(reader, "warps", &recipe->resident_warps) &&
           read_number(reader, "blocks", &recipe->resident_blocks);
}

/* The class section that lines belong to now. */
struct section {
    int class; /* TUNING_CLASS_NONE: none yet */
    struct class_recipe *rules;
};

static bool read_interval(struct line_reader *reader, struct section *section, bool last)
{
    struct class_recipe *rules = section->rules;
    struct recipe_interval interval = {.upto = INT64_MAX};
    const int64_t before = rules->interval_count ? rules->intervals[rules->interval_count - 1].upto : 0;
    if (before == INT64_MAX)
        return line_reader_fault(reader, "a rule after the last one");
    if (rules->interval_count == RECIPE_INTERVALS_MAX)
        return line_reader_fault(reader, "more than %d rules", RECIPE_INTERVALS_MAX);
    if (!last && !line_reader_integer(reader, before + 1, INT64_C(1) << 40, &interval.upto))
        return false;
    const bool is_built_in = line_reader_is(reader, "built-in");
    if (!is_built_in && !recipe_shape_read(reader, section->class, &interval.shape))
        return false;
    if (!line_reader_end(reader))
        return false;
    if (!is_built_in && interval.shape.threads_x == 0)
        return line_reader_fault(reader, "a rule without threads");
    rules->intervals[rules->interval_count++] = interval;
    return true;
}

static bool read_values(struct line_reader *reader, struct occupancy_recipe *occupancy)
{
    return line_reader_decimal(reader, 0, 1, &occupancy->warp_min) &&
           line_reader_decimal(reader, 0, 1, &occupancy->block_min) &&
           line_reader_count(reader, THREADS_MOST, &occupancy->threads_min) &&
           line_reader_decimal(reader, 0, THREADS_MOST, &occupancy->ty_per_tx_max) && line_reader_end(reader);
}

static bool read_active(struct line_reader *reader, const struct recipe *recipe, unsigned edge,
                        struct occupancy_figures *figures)
{
    int64_t value;
    *figures = (struct occupancy_figures){.multiprocessors = recipe->signature.multiprocessors,
                                          .warps = recipe->resident_warps, .blocks = recipe->resident_blocks};
    if (!begin_line(reader, "active") || !line_reader_integer(reader, edge, edge, &value))
        return false;
    for (int warps = 1; warps <= BLOCK_WARPS_MAX; warps++) {
        if (!line_reader_integer(reader, 0, UINT8_MAX, &value))
            return false;
        figures->active[warps] = (unsigned char)value;
    }
    return line_reader_end(reader);
}

static bool read_occupancy(struct line_reader *reader, const struct recipe *recipe, struct section *section)
{
    struct class_recipe *rules = section->rules;
    if (rules->has_occupancy)
        return line_reader_fault(reader, "a second occupancy recipe");
    if (!read_values(reader, &rules->occupancy) || !begin_line(reader, "base") ||
        !recipe_shape_read(reader, section->class, &rules->base) || !line_reader_end(reader))
        return false;
    if (rules->base.threads_x != 0)
        return line_reader_fault(reader, "a base with threads");
    for (int i = 0; i < SHAPE_EDGES; i++)
        if (!read_active(reader, recipe, shape_edges[i], &rules->figures.of_edge[i]))
            return false;
    return rules->has_occupancy = true;
}

static bool end_section(struct line_reader *reader, const struct section *section)
{
    if (section->class == TUNING_CLASS_NONE)
        return true;
    const struct class_recipe *rules = section->rules;
    if (rules->interval_count == 0 || rules->intervals[rules->interval_count - 1].upto != INT64_MAX)
        return line_reader_fault(reader, "the rules of %s do not cover all sizes",
                                 tuning_class_name(section->class));
    if (rules->by_occupancy && !rules->has_occupancy)
        return line_reader_fault(reader, "%s has no occupancy recipe", tuning_class_name(section->class));
    return true;
}

static bool begin_section(struct line_reader *reader, struct recipe *recipe, struct section *section)
{
    char name[32], form_name[16];
    enum tuning_form form;
    if (!end_section(reader, section) || !line_reader_name(reader, name, sizeof name) ||
        !line_reader_name(reader, form_name, sizeof form_name))
        return false;
    section->class = tuning_class_parse(name);
    if (section->class == TUNING_CLASS_NONE || !tuning_form_parse(form_name, &form) ||
        (int)form >= tuning_class_forms(section->class))
        return line_reader_fault(reader, "there is no class '%s %s'", name, form_name);
    section->rules = &recipe->classes[section->class][form];
    if (section->rules->interval_count > 0)
        return line_reader_fault(reader, "%s %s a second time", name, form_name);
    section->rules->by_occupancy = line_reader_is(reader, "occupancy");
    return (section->rules->by_occupancy || line_reader_word(reader, "rules")) && line_reader_end(reader);
}

static bool read_line(struct line_reader *reader, struct recipe *recipe, struct section *section)
{
    if (line_reader_is(reader, "class"))
        return begin_section(reader, recipe, section);
    if (section->class == TUNING_CLASS_NONE)
        return line_reader_word(reader, "class");
    if (line_reader_is(reader, "upto"))
        return read_interval(reader, section, false);
    if (line_reader_is(reader, "beyond"))
        return read_interval(reader, section, true);
    return line_reader_word(reader, "occupancy") && read_occupancy(reader, recipe, section);
}

/* Kept as text, which whoever predicts times parses again; but what is wrong with it is
 * wrong with the whole. */
static bool keep_crossover(struct line_reader *reader, struct recipe *recipe)
{
    char fault[LEARNED_FAULT_BYTES];
    struct learned_times *times = malloc(sizeof *times);
    recipe->crossover = strndup(reader->next, (size_t)(reader->end - reader->next));
    bool good = times && recipe->crossover;
    if (!good)
        line_reader_fault(reader, "out of memory");
    else if (!(good = learned_times_parse(times, recipe->crossover, fault)))
        line_reader_fault(reader, "crossovers: %s", fault);
    free(times);
    return good;
}

static bool read_body(struct line_reader *reader, struct recipe *recipe)
{
    struct section section = {.class = TUNING_CLASS_NONE};
    if (!read_head(reader, recipe))
        return false;
    while (line_reader_next(reader)) {
        if (line_reader_is(reader, "crossover"))
            return line_reader_end(reader) && end_section(reader, &section) && keep_crossover(reader, recipe);
        if (!read_line(reader, recipe, &section))
            return false;
    }
    return !*reader->fault && end_section(reader, &section);
}

static bool check_hash(struct line_reader *reader, const char *text, size_t bytes)
{
    uint64_t hash;
    struct line_reader last;
    if (bytes > HASH_LINE_BYTES)
        line_reader_begin(&last, text + bytes - HASH_LINE_BYTES, HASH_LINE_BYTES);
    if (bytes <= HASH_LINE_BYTES || !line_reader_next(&last) || !line_reader_word(&last, "hash") ||
        !line_reader_hexadecimal(&last, &hash) || hash != recipe_hash(text, bytes - HASH_LINE_BYTES))
        return line_reader_fault(reader, "cut short or changed: its hash does not agree");
    reader->end -= HASH_LINE_BYTES;
    return true;
}

/* Whoever wrote another format may end it otherwise: look at the first line before the last. */
static bool check_frame(const char *text, size_t bytes, struct line_reader *reader)
{
    int64_t format;
    line_reader_begin(reader, text, bytes);
    if (bytes > RECIPE_TEXT_MAX)
        return line_reader_fault(reader, "longer than any recipe");
    if (!line_reader_next(reader) || !line_reader_is(reader, "mublas") || !line_reader_is(reader, "recipe") ||
        !line_reader_integer(reader, 0, INT32_MAX, &format) || !line_reader_end(reader)) {
        *reader->fault = '\0';
        return line_reader_fault(reader, "this is not a recipe of mublas");
    }
    if (format != RECIPE_FORMAT)
        return line_reader_fault(reader, "format %lld, where this mublas reads format %d", (long long)format,
                                 RECIPE_FORMAT);
    return check_hash(reader, text, bytes);
}

bool recipe_parse(const char *text, size_t bytes, struct recipe *recipe, char fault[RECIPE_FAULT_BYTES])
{
    struct line_reader reader;
    memset(recipe, 0, sizeof *recipe);
    if (check_frame(text, bytes, &reader) && read_body(&reader, recipe))
        return true;
    snprintf(fault, RECIPE_FAULT_BYTES, "%s", reader.fault);
    recipe_clear(recipe);
    return false;
}

void recipe_clear(struct recipe *recipe)
{
    free(recipe->crossover);
    memset(recipe, 0, sizeof *recipe);
}

bool recipe_fits(const struct recipe *recipe, const struct recipe_signature *machine,
                 char fault[RECIPE_FAULT_BYTES])
{
    const struct recipe_signature *made = &recipe->signature;
    if (strcmp(made->device, machine->device) != 0)
        snprintf(fault, RECIPE_FAULT_BYTES, "made for the device '%s', this is '%s'", made->device,
                 machine->device);
    else if (made->multiprocessors != machine->multiprocessors)
        snprintf(fault, RECIPE_FAULT_BYTES, "made for %d multiprocessors, these are %d",
                 made->multiprocessors, machine->multiprocessors);
    else if (made->driver != machine->driver)
        snprintf(fault, RECIPE_FAULT_BYTES, "made under a driver for CUDA %d.%d, this is for %d.%d",
                 made->driver / 1000, made->driver % 1000 / 10, machine->driver / 1000,
                 machine->driver % 1000 / 10);
    else if (strcmp(made->kernels, machine->kernels) != 0)
        snprintf(fault, RECIPE_FAULT_BYTES, "made for other kernels than this mublas has");
    else
        return true;
    return false;
}

_Static_assert((int)RECIPE_FAULT_BYTES == (int)TRUSTED_FAULT_BYTES, "faults are handed on");

bool recipe_read(const char *path, struct recipe *recipe, char fault[RECIPE_FAULT_BYTES])
{
    size_t bytes;
    char *text = trusted_file_read(path, RECIPE_TEXT_MAX, &bytes, fault);
    const bool good = text && recipe_parse(text, bytes, recipe, fault);
    free(text);
    return good;
}

static char *take_times(struct recipe *recipe, char fault[RECIPE_FAULT_BYTES])
{
    struct learned_times *const times = malloc(sizeof *times);
    char *section = NULL;
    snprintf(fault, RECIPE_FAULT_BYTES, "%s", !times               ? "out of memory"
                                              : recipe->crossover ? ""
                                                                  : "it has no times of calls");
    if (!*fault && learned_times_parse(times, recipe->crossover, fault)) {
        section = recipe->crossover;
        recipe->crossover = NULL;
    }
    free(times);
    return section;
}

char *recipe_times_read(const char *path, char device[sizeof((struct recipe_signature *)0)->device],
                        char fault[RECIPE_FAULT_BYTES])
{
    struct recipe *const recipe = malloc(sizeof *recipe);
    char *section = NULL;
    snprintf(fault, RECIPE_FAULT_BYTES, "out of memory");
    if (recipe && recipe_read(path, recipe, fault)) {
        section = take_times(recipe, fault);
        if (section)
            strcpy(device, recipe->signature.device);
        recipe_clear(recipe);
    }
    free(recipe);
    return section;
}
