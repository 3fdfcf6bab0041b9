/* Recipes: what is written is read again, and nothing else is. */
#include "command/tune/tune.h"
#include "recipe_example.h"
#include "tap.h"
#include "tuner/learn/shape_timer.h"
#include "tuner/online/recipe.h"
#include "unit_test.h"

#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

static struct recipe example, read_back;
static char *text;
static size_t bytes;
static char fault[RECIPE_FAULT_BYTES];

static bool equal(const struct recipe *a, const struct recipe *b)
{
    return memcmp(&a->signature, &b->signature, sizeof a->signature) == 0 && strcmp(a->made, b->made) == 0 &&
           a->resident_warps == b->resident_warps && a->resident_blocks == b->resident_blocks &&
           memcmp(a->classes, b->classes, sizeof a->classes) == 0 && strcmp(a->crossover, b->crossover) == 0;
}

static void test_round_trip(void)
{
    tap_ok(recipe_parse(text, bytes, &read_back, fault) && equal(&example, &read_back),
           "what was written is read");
    recipe_clear(&read_back);
}

static void test_cut(void)
{
    size_t refused = 0;
    for (size_t length = 0; length < bytes; length++)
        refused += !recipe_parse(text, length, &read_back, fault) && !read_back.crossover;
    tap_ok(refused == bytes, "%zu of %zu cut texts are refused", refused, bytes);
    refused = 0;
    for (size_t at = 0; at < bytes; at++) {
        text[at] ^= 1;
        refused += !recipe_parse(text, bytes, &read_back, fault);
        text[at] ^= 1;
    }
    tap_ok(refused == bytes, "and %zu of %zu with one bit changed", refused, bytes);
}

/* Replace the first `old` by `new` and make the hash agree again; to be freed. */
static char *changed(const char *old, const char *new)
{
    char *result = NULL;
    const char *at = strstr(text, old), *hash = strstr(text, "\nhash ") + 1;
    if (!at)
        return NULL;
    const int length = asprintf(&result, "%.*s%s%.*s", (int)(at - text), text, new,
                                (int)(hash - at - (ptrdiff_t)strlen(old)), at + strlen(old));
    char *whole = NULL;
    if (length < 0 ||
        asprintf(&whole, "%shash %016" PRIx64 "\n", result, recipe_hash(result, (size_t)length)) < 0)
        exit(1);
    free(result);
    return whole;
}

static void test_refused(const char *old, const char *new, const char *wanted)
{
    char *other = changed(old, new);
    const bool read = other && recipe_parse(other, strlen(other), &read_back, fault);
    tap_ok(other && (wanted ? !read && strstr(fault, wanted) : read), "'%s' for '%s': %s", new, old,
           read ? "read" : fault);
    if (read)
        recipe_clear(&read_back);
    free(other);
}

static void test_contents(void)
{
    test_refused("made 2026", "made 2027", NULL);
    test_refused("mublas recipe 2", "mublas recipe 1", "format 1");
    test_refused("mublas recipe 2", "mublas recipe 3", "format 3");
    test_refused("mublas recipe 2", "#!/bin/sh", "not a recipe");
    test_refused("upto 40 edge 64 threads 16 8 columns 1 blocks 0 order down team 4 variant last",
                 "upto 40 built-in", NULL);
    test_refused("upto 40", "upto 40 built-in", "end of the line");
    test_refused("upto 40", "upto 0", "not from 1");
    test_refused("upto 40", "upto -1", "a number");
    test_refused("upto 40", "upto 99999999999999999999", "a number");
    test_refused("beyond", "upto 50", "do not cover all sizes");
    test_refused("beyond", "upto 40", "not from 41");
    test_refused("upto 40", "beyond", "after the last");
    test_refused("edge 256", "edge 96", "edge");
    test_refused("threads 64 4", "threads 64 9", "Tx * Ty");
    test_refused("threads 64 4", "threads 0 0", "without threads");
    test_refused("threads 64 4", "threads 64  4", "a number");
    test_refused("variant both", "variant none", "'last' is wanted");
    test_refused("order along", "order up", "'down' is wanted");
    test_refused("class dgemv_none square rules", "class dgemv square rules", "there is no class");
    test_refused("class dgemv_none square rules", "class dgemv_none tall rules", "a second time");
    test_refused("class dsymv square rules", "class dsymv wide rules", "there is no class");
    test_refused("class dsymv square rules", "class dsymv square occupancy", "no occupancy recipe");
    test_refused("class dsymv square rules", "class dgemv_transpose square rules", "only symv");
    test_refused("occupancy 0.250000", "occupancy 1.25", "not from 0 to 1");
    test_refused("active 256 32", "active 256 256", "not from 0 to 255");
    test_refused("active 64", "active 128", "not from 64 to 64");
    test_refused("active 128 32", "active 128 32 32", "end of the line");
    test_refused("base edge", "bass edge", "'base' is wanted");
    test_refused("multiprocessors 4", "multiprocessors 0", "not from 1");
    test_refused("host dsymv 4096 1", "host dsymv 4096 0", "crossover line 2");
    test_refused("host dsymv 4096 1", "class dsymv square", "crossover line 2");
    test_refused("flags dsymm_left_deep 0.85 1.18", "flags dsymm_left_deep 0.85", "crossover line 3");
    test_refused("flags zgemm_deep", "flags dsymm_left_deep", "crossover line 5");
    test_refused("driver 13000", "drive 13000", "'driver' is wanted");
}

static void test_fit(void)
{
    struct recipe_signature machine = example.signature;
    machine.host[0] = '\0';
    tap_ok(recipe_fits(&example, &machine, fault), "it fits the machine with any host BLAS");
    machine.driver = 12080;
    tap_ok(!recipe_fits(&example, &machine, fault) && strstr(fault, "CUDA 13.0, this is for 12.8"), "%s",
           fault);
    machine = example.signature, machine.multiprocessors = 132;
    tap_ok(!recipe_fits(&example, &machine, fault) && strstr(fault, "these are 132"), "%s", fault);
    machine = example.signature, machine.kernels[3] ^= 1;
    tap_ok(!recipe_fits(&example, &machine, fault) && strstr(fault, "other kernels"), "%s", fault);
    machine = example.signature, strcpy(machine.device, "Tesla C1060");
    tap_ok(!recipe_fits(&example, &machine, fault) && strstr(fault, "this is 'Tesla C1060'"), "%s", fault);
}

static void test_mode(const char *path, mode_t mode, const char *wanted)
{
    chmod(path, mode);
    const bool read = recipe_read(path, &read_back, fault);
    tap_ok(wanted ? !read && strstr(fault, wanted) : read, "mode %o: %s", mode, read ? "read" : fault);
    if (read)
        recipe_clear(&read_back);
}

static void test_files(void)
{
    char folder[] = "/tmp/mublas-recipe-XXXXXX", path[64], link_path[64];
    if (!mkdtemp(folder))
        exit(1);
    snprintf(path, sizeof path, "%s/new/recipe", folder);
    tap_ok(!recipe_read(path, &read_back, fault) && strstr(fault, "No such file"), "no file: %s", fault);
    tap_ok(file_replace(path, "old", 3, fault) && file_replace(path, text, bytes, fault),
           "a file is replaced");
    test_mode(path, 0644, NULL);
    test_mode(path, 0600, NULL);
    test_mode(path, 0646, "others may write");
    test_mode(path, 0664, "others may write");
    chmod(path, 0644);
    snprintf(link_path, sizeof link_path, "%s/fifo", folder);
    mkfifo(link_path, 0600);
    tap_ok(!recipe_read(link_path, &read_back, fault) && strstr(fault, "regular"), "a fifo: %s", fault);
    unlink(link_path);
    tap_ok(!recipe_read(folder, &read_back, fault) && strstr(fault, "regular"), "a folder: %s", fault);
    unlink(path);
    snprintf(path, sizeof path, "%s/new", folder);
    tap_ok(rmdir(path) == 0, "nothing else is left in the folder");
    rmdir(folder);
}

/* The recipes that come with mublas are sound, whole, and one for a device. */
static void test_built_in(void)
{
    int count = 0, good = 0, twice = 0;
    char devices[16][sizeof example.signature.device];
    const char *built_in;
    for (size_t length; (built_in = built_in_recipe(count, &length)) && count < 16; count++) {
        *devices[count] = '\0';
        if (!recipe_parse(built_in, length, &read_back, fault)) {
            printf("# number %d: %s\n", count, fault);
            continue;
        }
        memcpy(devices[count], read_back.signature.device, sizeof devices[count]);
        for (int i = 0; i < count; i++)
            twice += strcmp(devices[i], devices[count]) == 0;
        good++;
        recipe_clear(&read_back);
    }
    tap_ok(good == count && twice == 0, "%d of %d built-in recipes are read, %d twice", good, count, twice);
}

UNIT_TEST(test_recipe)
{
    example_make(&example);
    text = recipe_text(&example, &bytes);
    printf("# %zu bytes\n", bytes);
    test_round_trip();
    test_cut();
    test_contents();
    test_fit();
    test_files();
    test_built_in();
    return tap_done();
}
