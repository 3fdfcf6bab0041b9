#include "command/tune_left.h"

#include "tuner/file_replace.h"
#include "tuner/moments_text.h"
#include "tuner/trusted_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FORMAT = 1, HASH_LINE_BYTES = 22, TEXT_MAX = 64 << 20, COUNT_MAX = 1 << 20 };
static const double longest = 1e9;

static bool read_text(struct line_reader *reader, const char *word, char *text, size_t room)
{
    return line_reader_next(reader) && line_reader_word(reader, word) && line_reader_rest(reader, text, room);
}

static bool read_number(struct line_reader *reader, const char *word, int *value)
{
    int64_t number;
    if (!line_reader_next(reader) || !line_reader_word(reader, word) ||
        !line_reader_integer(reader, 0, COUNT_MAX, &number) || !line_reader_end(reader))
        return false;
    *value = (int)number;
    return true;
}

static bool read_body(struct line_reader *reader, struct tune_left *left)
{
    struct tune_left_key *key = &left->key;
    struct recipe_signature *signature = &key->signature;
    int64_t format;
    return line_reader_next(reader) && line_reader_word(reader, "mublas") && line_reader_word(reader, "calls") &&
           line_reader_integer(reader, FORMAT, FORMAT, &format) && line_reader_end(reader) &&
           read_text(reader, "kernels", signature->kernels, sizeof signature->kernels) &&
           read_text(reader, "device", signature->device, sizeof signature->device) &&
           read_number(reader, "multiprocessors", &signature->multiprocessors) &&
           read_number(reader, "driver", &signature->driver) &&
           read_text(reader, "host", signature->host, sizeof signature->host) &&
           read_number(reader, "threads", &key->threads) &&
           read_text(reader, "made", key->made, sizeof key->made) && line_reader_next(reader) &&
           line_reader_word(reader, "seconds") && line_reader_decimal(reader, 0, longest, &left->seconds) &&
           line_reader_end(reader) && moments_text_read(reader, &left->moments);
}

/* The last line is the hash of all before. */
static bool is_whole(const char *text, size_t bytes)
{
    char wanted[HASH_LINE_BYTES + 1];
    if (bytes < HASH_LINE_BYTES)
        return false;
    snprintf(wanted, sizeof wanted, "hash %016" PRIx64 "\n", recipe_hash(text, bytes - HASH_LINE_BYTES));
    return memcmp(text + bytes - HASH_LINE_BYTES, wanted, HASH_LINE_BYTES) == 0;
}

static const char *how(const char *made)
{
    const char *by = strstr(made, " by ");
    return by ? by : made;
}

static const char *difference(const struct tune_left_key *key, const struct tune_left_key *other)
{
    const struct recipe_signature *one = &key->signature, *two = &other->signature;
    if (strcmp(one->kernels, two->kernels) != 0)
        return "made for other kernels";
    if (strcmp(one->device, two->device) != 0 || one->multiprocessors != two->multiprocessors ||
        one->driver != two->driver)
        return "made for another device or driver";
    if (strcmp(one->host, two->host) != 0 || key->threads != other->threads)
        return "made with another host BLAS or number of threads";
    return strcmp(how(key->made), how(other->made)) == 0 ? NULL : "made by another command";
}

static bool read_left(const char *text, size_t bytes, const struct tune_left_key *key, struct tune_left *left,
                      char fault[RECIPE_FAULT_BYTES])
{
    struct line_reader reader;
    const char *wrong = "cut short or changed: its hash does not agree";
    if (is_whole(text, bytes)) {
        line_reader_begin(&reader, text, bytes - HASH_LINE_BYTES);
        wrong = read_body(&reader, left) ? difference(key, &left->key) : reader.fault;
    }
    if (wrong)
        snprintf(fault, RECIPE_FAULT_BYTES, "%s", wrong);
    return !wrong;
}

bool tune_left_read(const char *path, const struct tune_left_key *key, struct tune_left *left,
                    char fault[RECIPE_FAULT_BYTES])
{
    size_t bytes;
    memset(left, 0, sizeof *left);
    *fault = '\0';
    if (access(path, F_OK) != 0)
        return false;
    char *text = trusted_file_read(path, TEXT_MAX, &bytes, fault);
    const bool good = text && read_left(text, bytes, key, left, fault);
    if (!good)
        memset(left, 0, sizeof *left);
    free(text);
    return good;
}

bool tune_left_write(const char *path, const struct tune_left *left, char fault[RECIPE_FAULT_BYTES])
{
    const struct tune_left_key *key = &left->key;
    const struct recipe_signature *signature = &key->signature;
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    snprintf(fault, RECIPE_FAULT_BYTES, "out of memory");
    if (!stream)
        return false;
    fprintf(stream,
            "mublas calls %d\nkernels %s\ndevice %s\nmultiprocessors %d\ndriver %d\nhost %s\nthreads %d\n"
            "made %s\nseconds %.1f\n",
            FORMAT, signature->kernels, signature->device, signature->multiprocessors, signature->driver,
            *signature->host ? signature->host : "none", key->threads, key->made, left->seconds);
    moments_text_write(stream, &left->moments);
    fflush(stream);
    if (!ferror(stream))
        fprintf(stream, "hash %016" PRIx64 "\n", recipe_hash(text, bytes));
    const bool good = fclose(stream) == 0 && file_replace(path, text, bytes, fault);
    free(text);
    return good;
}
