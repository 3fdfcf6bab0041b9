/* Any bytes may come to the recipe's reader: test_recipe_fuzz [SEED [ROUNDS]]. Recipes are changed
 * here and there, most of them signed again so that the reader looks inside; what it accepts must
 * be sound, and come out of the writer as it went in. Under sanitizers nothing may be reported. */
#include "tuner/learn/shape_timer.h"
#include "recipe_example.h"
#include "tap.h"
#include "tuner/online/learned_times.h"
#include "tuner/online/recipe.h"
#include "unit_test.h"

#include <inttypes.h>

enum { ROOM = 16384, HASH_LINE = 22 };

static uint64_t state;
static char text[ROOM];
static size_t bytes;

static uint64_t next_random(uint64_t below)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) % below;
}

static size_t somewhere(void)
{
    return bytes > 0 ? (size_t)next_random(bytes) : 0;
}

static void replace(size_t at, size_t length, const char *with, size_t count)
{
    if (at + length > bytes || bytes - length + count > ROOM - HASH_LINE - 1)
        return;
    memmove(text + at + count, text + at + length, bytes - at - length);
    memcpy(text + at, with, count);
    bytes = bytes - length + count;
}

/* Words that the reader knows, and numbers at the borders of what it takes. */
static void insert_word(void)
{
    static const char *const words[] = {
        "class", "dsymv", "saxpy", "square", "wide", "rules", "occupancy", "upto", "beyond", "edge",
        "threads", "columns", "base", "active", "crossover", "hash", "host", "device", "flags",
        "device-sets", "zgemm_deep", "64", "256", "0", "-1", "1", "4", "8", "100", "0.01",
        "18446744073709551616", "9223372036854775807", "1e308", "1e-308", "0.5", ".", "e", "1e", "\n", " ",
        "  ", "nan"};
    const char *word = words[next_random(sizeof words / sizeof *words)];
    size_t at = somewhere(), length = 0;
    if (next_random(2) == 0) { /* instead of a word */
        while (at > 0 && text[at - 1] != ' ' && text[at - 1] != '\n')
            at--;
        while (at + length < bytes && text[at + length] != ' ' && text[at + length] != '\n')
            length++;
    }
    replace(at, length, word, strlen(word));
}

/* A line doubled, moved or taken away. */
static void shift_line(void)
{
    size_t begin = somewhere(), end;
    char line[2048];
    while (begin > 0 && text[begin - 1] != '\n')
        begin--;
    for (end = begin; end < bytes && text[end] != '\n';)
        end++;
    const size_t length = end < bytes ? end + 1 - begin : end - begin;
    if (length > sizeof line)
        return;
    memcpy(line, text + begin, length);
    if (next_random(2) == 0)
        replace(begin, length, "", 0);
    if (next_random(3) > 0) {
        size_t at = somewhere();
        while (at > 0 && text[at - 1] != '\n')
            at--;
        replace(at, 0, line, length);
    }
}

static void mutate(void)
{
    const char byte = (char)next_random(256);
    const size_t at = somewhere();
    switch (next_random(6)) {
    case 0: replace(at, 1, &byte, 1); break;
    case 1: replace(at, 0, &byte, 1); break;
    case 2: replace(at, (size_t)next_random(20), "", 0); break;
    case 3: shift_line(); break;
    default: insert_word();
    }
}

/* Sign what stands before the last line. */
static void sign(void)
{
    bytes = bytes > HASH_LINE ? bytes - HASH_LINE : 0;
    bytes += (size_t)snprintf(text + bytes, ROOM - bytes, "hash %016" PRIx64 "\n", recipe_hash(text, bytes));
}

/* Every factor, as far as there are any, is one that a time may have. */
static bool are_sound(const double *factors, int sets, int room)
{
    for (int set = 0; set < room; set++) {
        const bool wanted = factors[0] > 0 && set < sets;
        if (wanted ? !(factors[set] >= 1. / FLAG_FACTOR_MOST && factors[set] <= FLAG_FACTOR_MOST)
                   : factors[set] != 0)
            return false;
    }
    return true;
}

static bool has_sound_factors(const char *crossover)
{
    static struct learned_times times;
    char fault[LEARNED_FAULT_BYTES];
    if (!learned_times_parse(&times, crossover, fault))
        return false;
    for (int class = 0; class < TIMED_CLASSES; class++)
        if (timed_class_exists(class) &&
            (!are_sound(times.flags[class], flag_sets_of(class), FLAG_SETS_MOST) ||
             !are_sound(times.device_sets[class], device_sets_of(class), DEVICE_SETS_MOST)))
            return false;
    return true;
}

static bool is_sound(const struct recipe *recipe)
{
    if (recipe->crossover && !has_sound_factors(recipe->crossover))
        return false;
    for (int class = 0; class < TUNING_CLASSES; class++)
        for (int form = 0; form < TUNING_FORMS; form++) {
            const struct class_recipe *rules = &recipe->classes[class][form];
            const struct blas_call call = tuning_class_call(class, TUNING_UNIT, TUNING_UNIT);
            struct launch_shape shape;
            for (int i = 0; i < rules->interval_count; i++)
                if ((rules->intervals[i].shape.edge &&
                     launch_shape_fault(&call, &rules->intervals[i].shape)) ||
                    (i > 0 && rules->intervals[i].upto <= rules->intervals[i - 1].upto))
                    return false;
            for (int64_t size = 1; size < 1000 && rules->interval_count > 0; size *= 7) {
                if (!decision_of(rules, class, (enum tuning_form)form, size, false, &shape) && shape.edge)
                    return false;
                decision_of(rules, class, (enum tuning_form)form, size, true, &shape);
            }
        }
    return true;
}

/* Written and read again it is the same text. */
static bool is_stable(const struct recipe *recipe)
{
    struct recipe again;
    char fault[RECIPE_FAULT_BYTES];
    size_t first_bytes = 0, second_bytes = 0;
    char *first = recipe_text(recipe, &first_bytes), *second = NULL;
    bool good = first && recipe_parse(first, first_bytes, &again, fault);
    if (good) {
        second = recipe_text(&again, &second_bytes);
        good = second && first_bytes == second_bytes && memcmp(first, second, first_bytes) == 0;
        recipe_clear(&again);
    }
    free(first);
    free(second);
    return good;
}

UNIT_TEST(test_recipe_fuzz)
{
    const uint64_t seed = count > 1 ? strtoull(arguments[1], NULL, 0) : 1;
    const long rounds = count > 2 ? atol(arguments[2]) : 20000;
    long accepted = 0, bad = 0, unnamed = 0;
    static struct recipe example, recipe;
    size_t sound_bytes;
    example_make(&example);
    char *sound = recipe_text(&example, &sound_bytes);
    printf("# seed %" PRIu64 ", %ld rounds\n", seed, rounds);
    state = seed;
    for (long round = 0; round < rounds && sound_bytes < ROOM; round++) {
        char fault[RECIPE_FAULT_BYTES] = "";
        memcpy(text, sound, sound_bytes);
        bytes = sound_bytes;
        for (uint64_t changes = 1 + next_random(4); changes > 0; changes--)
            mutate();
        if (next_random(8) > 0)
            sign();
        /* In memory of just that size, so that a step beyond it shows. */
        char *exact = malloc(bytes + 1);
        memcpy(exact, text, bytes);
        if (recipe_parse(exact, bytes, &recipe, fault)) {
            accepted++;
            bad += !is_sound(&recipe) || !is_stable(&recipe);
            recipe_clear(&recipe);
        } else {
            unnamed += strncmp(fault, "line ", 5) != 0 || strlen(fault) < 10;
        }
        free(exact);
    }
    tap_ok(bad == 0 && accepted > rounds / 1000, "of %ld accepted recipes %ld were not sound", accepted, bad);
    tap_ok(unnamed == 0, "every refusal names a line and a reason");
    free(sound);
    recipe_clear(&example);
    return tap_done();
}
