#include "command/tune_left.h"

#include "common/processors.h"
#include "interpose/host_search.h"
#include "tuner/file_replace.h"
#include "tuner/moments_text.h"
#include "tuner/recipe_write.h"
#include "tuner/trusted_file.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FORMAT = 1, TEXT_MAX = 64 << 20, THREADS_MAX = 1 << 20 };
static const double longest = 1e9, least_part = 0.3;

struct head {
    struct recipe_signature signature;
    char made[RECIPE_MADE_BYTES];
    int64_t threads;
};

static bool read_first(struct line_reader *reader)
{
    int64_t format;
    return line_reader_next(reader) && line_reader_word(reader, "mublas") && line_reader_word(reader, "calls") &&
           line_reader_integer(reader, FORMAT, FORMAT, &format) && line_reader_end(reader);
}

static bool read_rest(struct line_reader *reader, struct head *head, struct tune_left *left)
{
    return recipe_head_read(reader, &head->signature, head->made) && line_reader_next(reader) &&
           line_reader_word(reader, "threads") && line_reader_integer(reader, 1, THREADS_MAX, &head->threads) &&
           line_reader_end(reader) && line_reader_next(reader) && line_reader_word(reader, "seconds") &&
           line_reader_decimal(reader, 0, longest, &left->seconds) && line_reader_end(reader) &&
           moments_text_read(reader, &left->moments);
}

/* The one that a process will bind. */
static void find_host(char host[PATH_MAX])
{
    struct host_library library;
    *host = '\0';
    if (host_search("dgemm_", &library) && !realpath(library.path, host))
        snprintf(host, PATH_MAX, "%s", library.path);
}

static bool fits(const struct head *head, const struct tune_files *files, char fault[RECIPE_FAULT_BYTES])
{
    char host[PATH_MAX];
    find_host(host);
    if (!recipe_signature_fits(&head->signature, &files->recipe.signature, fault))
        return false;
    if (strcmp(head->signature.host, host) != 0 || head->threads != processors_for_blas())
        snprintf(fault, RECIPE_FAULT_BYTES, "made with another host BLAS or number of threads");
    else if (!tune_files_is_like(files, head->made))
        snprintf(fault, RECIPE_FAULT_BYTES, "of another command");
    else
        return true;
    return false;
}

static bool parse(const char *text, size_t bytes, const struct tune_files *files, struct tune_left *left,
                  char fault[RECIPE_FAULT_BYTES])
{
    struct line_reader reader;
    struct head head;
    line_reader_begin(&reader, text, bytes);
    if (read_first(&reader) && recipe_tail_read(&reader, text, bytes) && read_rest(&reader, &head, left))
        return fits(&head, files, fault);
    snprintf(fault, RECIPE_FAULT_BYTES, "%s", reader.fault);
    return false;
}

static bool read_left(const char *path, const struct tune_files *files, struct tune_left *left,
                      char fault[RECIPE_FAULT_BYTES])
{
    size_t bytes;
    char *text = trusted_file_read(path, TEXT_MAX, &bytes, fault);
    const bool good = text && parse(text, bytes, files, left, fault);
    free(text);
    return good;
}

bool tune_left_take(struct tune_left *left, const struct tune_files *files, struct tune_calls_options *options)
{
    char path[TUNE_PATH_BYTES], fault[RECIPE_FAULT_BYTES];
    tune_files_left_path(files, path);
    options->moments = &left->moments;
    if (access(path, F_OK) != 0)
        return true;
    if (!read_left(path, files, left, fault)) {
        memset(left, 0, sizeof *left);
        return tune_place_keep_left(path, fault);
    }
    fprintf(stderr, "mublas tune: going on with %s, which has %d times of calls\n", path,
            moments_text_times(&left->moments));
    const double part = fmax(1 - left->seconds / options->seconds, least_part);
    options->seconds *= part;
    options->host_seconds *= part;
    return true;
}

static char *text_of(const struct tune_left *left, const struct tune_files *files, const char *host,
                     size_t *bytes)
{
    struct recipe_signature signature = files->recipe.signature;
    char made[RECIPE_MADE_BYTES], *text = NULL;
    FILE *stream = open_memstream(&text, bytes);
    if (!stream)
        return NULL;
    snprintf(signature.host, sizeof signature.host, "%s", host);
    tune_files_made_with(files, made);
    fprintf(stream, TUNE_LEFT_LINE "%d\n", FORMAT);
    recipe_head_write(stream, &signature, made);
    fprintf(stream, "threads %d\nseconds %.1f\n", processors_for_blas(), left->seconds);
    moments_text_write(stream, &left->moments);
    return recipe_tail_write(stream, &text, bytes);
}

bool tune_left_keep(struct tune_left *left, const struct tune_files *files, const char *host, double seconds)
{
    char path[TUNE_PATH_BYTES], fault[FILE_FAULT_BYTES] = "out of memory";
    size_t bytes;
    if (moments_text_times(&left->moments) == 0 || !*host)
        return false;
    left->seconds += seconds;
    tune_files_left_path(files, path);
    char *text = text_of(left, files, host, &bytes);
    const bool good = text && file_replace(path, text, bytes, fault);
    free(text);
    return good || tune_complain(path, fault);
}
