/* Texts that machines read have points in a locale of commas, and are read there: recipe, learned times and
 * tuning data, the same bytes as in "C". */
#include "common/text.h"
#include "recipe_example.h"
#include "tap.h"
#include "tuner/learn/shape_timer.h"
#include "tuner/online/learned_times.h"
#include "unit_test.h"

#include <errno.h>
#include <unistd.h>

static char folder[] = "/tmp/mublas-locale-XXXXXX";
static const char *const source = "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n";

static bool has_commas(void)
{
    char text[8];
    snprintf(text, sizeof text, "%.1f", 1.5);
    return strcmp(text, "1,5") == 0;
}

static bool run(const char *format)
{
    char command[200];
    snprintf(command, sizeof command, format, folder, folder, folder);
    return system(command) == 0;
}

/* A locale of commas, for all threads. */
static bool set_commas(void)
{
    char path[64];
    if (!mkdtemp(folder))
        return false;
    snprintf(path, sizeof path, "%s/source", folder);
    FILE *file = fopen(path, "w");
    if (!file || fputs(source, file) < 0 || fclose(file) != 0)
        return false;
    run("LD_PRELOAD= localedef -c -i %s/source %s/xx_XX 2> /dev/null");
    setenv("LOCPATH", folder, 1);
    setlocale(LC_NUMERIC, "xx_XX");
    run("rm -r %s");
    return has_commas();
}

static char *data_text(void)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    const struct blas_call call = {.family = FAMILY_SYMV, .type = TYPE_D, .n = 1500};
    const struct tuning_time time = {1.25e-6, 1.0625e-6, 1.5e-6, 3};
    tuning_data_line(stream, tuning_class_parse("dsymv"), &call, "sweep", &example_small, &time);
    return stream && fclose(stream) == 0 ? text : NULL;
}

static char *times_text(const char *lines, char fault[LEARNED_FAULT_BYTES])
{
    static struct learned_times times;
    return learned_times_parse(&times, lines, fault) ? learned_times_text(&times) : NULL;
}

struct texts {
    char *recipe, *data, *times;
};

static struct texts make_texts(void)
{
    static const char lines[] = "wake 412500.5\nlinks-together 0.75\nhost dsymv 4096 1.5 65536 20.25\n"
                                "flags dsymm_left_deep 0.85 1.18\n";
    static struct recipe recipe;
    char fault[LEARNED_FAULT_BYTES];
    size_t bytes;
    example_make(&recipe);
    const struct texts texts = {recipe_text(&recipe, &bytes), data_text(), times_text(lines, fault)};
    recipe_clear(&recipe);
    return texts;
}

static bool same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

UNIT_TEST(test_plain_locale)
{
    const struct texts plain = make_texts();
    if (!set_commas())
        tap_skip_all("localedef makes no locale here");
    const struct texts texts = make_texts();
    tap_ok(same(plain.recipe, texts.recipe), "the recipe");
    tap_ok(same(plain.data, texts.data) && strstr(texts.data, "1.25"), "tuning data");
    tap_ok(same(plain.times, texts.times) && strstr(texts.times, "20.25"), "learned times, read and written");
    static struct recipe recipe;
    char fault[RECIPE_FAULT_BYTES];
    tap_ok(recipe_parse(texts.recipe, strlen(texts.recipe), &recipe, fault) &&
               recipe.classes[tuning_class_parse("dgemv_none")][TUNING_WIDE].occupancy.warp_min == 0.25,
           "a recipe is read");
    struct line_reader reader;
    double value;
    line_reader_begin(&reader, "0.25\n", 5);
    line_reader_next(&reader);
    tap_ok(!line_reader_decimal(&reader, 0.5, 1.5, &value) && strstr(reader.fault, "0.25 is not from 0.5 to 1.5"),
           "what is said of a faulty number");
    errno = 7;
    const locale_t program = plain_locale_begin();
    const bool is_plain = !has_commas();
    plain_locale_end(program);
    tap_ok(is_plain && has_commas() && errno == 7, "the program's locale comes back");
    return tap_done();
}
