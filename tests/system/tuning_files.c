/* tuning_files FOLDER: a recipe and its data file as `mublas tune` leaves them, with planted
 * times, for tuning_report.sh. */
#include "command/tune/tune.h"
#include "tuner/learn/shape_timer.h"
#include "tuner/online/learned_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHAPES = 12 };

static struct launch_shape shape_of(int number)
{
    return (struct launch_shape){64u << number % 3, 16u << number / 6, 4u << number % 2, 1, 0, ORDER_DOWN, 1,
                                 number == 5 ? VARIANT_STRIPS : VARIANT_LAST_ARRIVER};
}

static void put(FILE *stream, int class, const struct blas_call *call, const char *stage, int shape,
                double us)
{
    const struct launch_shape shaped = shape_of(shape);
    const struct tuning_time time = {us * 1e-6, us * 0.99e-6, us * 1.01e-6, 5};
    tuning_data_line(stream, class, call, stage, &shaped, &time);
}

/* At held-out sizes rules are at 98%, at one of twenty 90%, occupancy at 80%, the built-in at
 * half of the best. */
static void put_class(FILE *stream, const char *name, enum tuning_form form)
{
    const int class = tuning_class_parse(name);
    for (int i = 0; i < 6; i++) {
        const struct blas_call call = tuning_class_call_at(class, form, 8 << i);
        const double best = 5 + 1e-6 * (double)call.n * (double)call.n;
        for (int shape = 0; shape < SHAPES; shape++)
            put(stream, class, &call, "sieve", shape, best * (1 + 0.1 * shape));
        put(stream, class, &call, "final", 0, best * 1.01);
        put(stream, class, &call, "final", 1, best * 1.02);
        put(stream, class, &call, "default", 3, best * 1.01 / 0.5);
    }
    for (int i = 0; i < 20; i++) {
        const struct blas_call call = tuning_class_call_at(class, form, 9 + 12 * i);
        const double best = 5 + 1e-6 * (double)call.n * (double)call.n;
        put(stream, class, &call, "best", 0, best);
        put(stream, class, &call, "rules", 1, best / (i == 7 ? 0.9 : 0.98));
        put(stream, class, &call, "occupancy", 2, best / 0.8);
        for (int shape = 4; shape < SHAPES; shape++)
            put(stream, class, &call, "held", shape, best * (1 + 0.1 * shape));
    }
}

/* The host takes 1 us at n = 32 and n^2, zgemm's half to twice as much, by its flags, the device 16 us from
 * there on; with the upload never less than the host of axpy, which stays below 16 us. */
static char *crossovers(void)
{
    static struct learned_times times;
    strcpy(times.host_blas, "/usr/lib/<planted>.so");
    times.host_threads = 8;
    const char *const names[] = {"dsymv", "dgemv_none_square", "dgemv_none_tall", "dgemv_none_wide",
                                 "dsyr2k_panel", "zgemm_deep", "strsm_left_narrow"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const int class = timed_class_parse(names[i]);
        for (double n = 32; n <= 4096; n *= 2) {
            time_curve_add(&times.host[class], n * n, n * n / 1024);
            time_curve_add(&times.resident[class], n * n, 16 + n * n * 1e-5);
        }
    }
    for (int set = 0; set < 9; set++)
        times.flags[timed_class_parse("zgemm_deep")][set] = set < 4 ? 0.5 : set > 4 ? 2 : 1;
    const int axpy = timed_class_parse("daxpy");
    time_curve_add(&times.host[axpy], 1000, 1);
    time_curve_add(&times.host[axpy], 10000, 10);
    time_curve_add(&times.resident[axpy], 1000, 20);
    time_curve_add(&times.resident[axpy], 10000, 21);
    time_curve_add(&times.upload[UPLOAD_PINNED_HUGE], 1 << 12, 100);
    time_curve_add(&times.upload[UPLOAD_PINNED_HUGE], 1 << 26, 2000);
    return learned_times_text(&times);
}

static int write_recipe(const char *path)
{
    static struct recipe recipe;
    char fault[RECIPE_FAULT_BYTES];
    size_t bytes;
    recipe.signature =
        (struct recipe_signature){.device = "Planted device", .multiprocessors = 4, .driver = 13000};
    memcpy(recipe.signature.kernels, kernel_set_hash, sizeof kernel_set_hash);
    strcpy(recipe.made, "2026-11-22 by a test");
    recipe.resident_warps = 64, recipe.resident_blocks = 32;
    struct class_recipe *rules = &recipe.classes[tuning_class_parse("dsymv")][TUNING_SQUARE];
    rules->interval_count = 1;
    rules->intervals[0] = (struct recipe_interval){INT64_MAX, shape_of(1)};
    recipe.crossover = crossovers();
    char *text = recipe_text(&recipe, &bytes);
    const bool good = text && file_replace(path, text, bytes, fault);
    if (!good)
        fprintf(stderr, "tuning_files: %s: %s\n", path, text ? fault : "out of memory");
    free(text);
    return good ? 0 : 1;
}

int main(int count, char **arguments)
{
    char path[4096];
    if (count != 2)
        return 2;
    snprintf(path, sizeof path, "%s/planted.csv", arguments[1]);
    FILE *stream = fopen(path, "w");
    if (!stream) {
        perror(path);
        return 1;
    }
    const struct recipe_signature signature = {.device = "Planted <device>"};
    tuning_data_begin(stream, &signature, "2026-11-22 by a test");
    put_class(stream, "dsymv", TUNING_SQUARE);
    put_class(stream, "saxpy", TUNING_SQUARE);
    put_class(stream, "dgemv_none", TUNING_TALL);
    if (fclose(stream) != 0)
        return 1;
    snprintf(path, sizeof path, "%s/planted", arguments[1]);
    return write_recipe(path);
}
