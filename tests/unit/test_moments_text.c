/* Times of samples as text, and back. */
#include "tuner/moments_text.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

static struct moments_table *written, *read_back;
static char *text;
static size_t bytes;

static bool read_text(const char *lines, size_t length, char fault[LINE_FAULT_BYTES])
{
    struct line_reader reader;
    memset(read_back, 0, sizeof *read_back);
    line_reader_begin(&reader, lines, length);
    const bool good = moments_text_read(&reader, read_back);
    memcpy(fault, reader.fault, LINE_FAULT_BYTES);
    return good;
}

static void fill(int class, int side, double amount, int times)
{
    struct sample_moments *sample = sample_moments_at(written, class, side, amount);
    sample->asked = 1.03 * amount;
    sample->scouted = side == SIDE_HOST;
    for (int i = 0; i < times; i++)
        sample_moments_add(sample, 0.125 * (i + 1), i % 2, 0.5 * i);
}

static bool is_same(const struct sample_moments *a, const struct sample_moments *b, int times)
{
    bool same = a->amount == b->amount && a->scouted == b->scouted && a->timed == b->timed && b->count == times;
    for (int i = 0; i < times && same; i++)
        same = a->us[i] == b->us[i] && a->sets[i] == b->sets[i] && a->columns[i] == b->columns[i];
    return same && a->asked / b->asked - 1 < 1e-14 && b->asked / a->asked - 1 < 1e-14;
}

static void test_round_trip(void)
{
    const int symv = timed_class_parse("dsymv"), gemm = timed_class_parse("zgemm_deep");
    char fault[LINE_FAULT_BYTES];
    fill(symv, SIDE_HOST, 250000, 5);
    fill(symv, SIDE_DEVICE, 250000, 1);
    fill(gemm, SIDE_DEVICE, 1e6 / 3, SAMPLE_MOMENTS + 3);
    FILE *stream = open_memstream(&text, &bytes);
    moments_text_write(stream, written);
    fclose(stream);
    tap_ok(moments_text_times(written) == 5 + 1 + SAMPLE_MOMENTS, "as many times as count");
    tap_ok(read_text(text, bytes, fault) && moments_text_times(read_back) == 5 + 1 + SAMPLE_MOMENTS, "are read %s",
           fault);
    tap_ok(is_same(&written->samples[symv][SIDE_HOST][0], &read_back->samples[symv][SIDE_HOST][0], 5) &&
               is_same(&written->samples[symv][SIDE_DEVICE][0], &read_back->samples[symv][SIDE_DEVICE][0], 1) &&
               read_back->counts[symv][SIDE_HOST] == 1,
           "and all is as it was");
    const struct sample_moments *full = &read_back->samples[gemm][SIDE_DEVICE][0];
    tap_ok(full->count == SAMPLE_MOMENTS && full->timed == SAMPLE_MOMENTS + 3 &&
               full->amount / (1e6 / 3) - 1 < 1e-12,
           "of a sample with more times the last ones");
    tap_ok(read_text("", 0, fault) && moments_text_times(read_back) == 0, "nothing is nothing");
}

static void test_fault(const char *lines, const char *wanted)
{
    char fault[LINE_FAULT_BYTES];
    tap_ok(!read_text(lines, strlen(lines), fault) && strstr(fault, wanted), "%s", fault);
}

static void test_faults(void)
{
    char many[4096] = "sample host dsymv 9 9 0 65\n", fault[LINE_FAULT_BYTES];
    test_fault("1 0 0\n", "a time of no sample");
    test_fault("sample host dsymv 9 9 0 1\n", "a sample without times");
    test_fault("sample host dsymv 9 9 0 1\nsample host dsymv 8 8 0 1\n1 0 0\n", "a sample without times");
    test_fault("sample here dsymv 9 9 0 1\n1 0 0\n", "neither host nor device");
    test_fault("sample host dfoo 9 9 0 1\n1 0 0\n", "no class of calls 'dfoo'");
    test_fault("sample host dsymv 0 9 0 1\n1 0 0\n", "0 is not from");
    test_fault("sample host dsymv 9 9 2 1\n1 0 0\n", "line 1: ");
    test_fault("sample host dsymv 9 9 0 1\n1 99 0\n", "line 2: ");
    test_fault("sample host dsymv 9 9 0 1\n1 0 0 0\n", "line 2: ");
    test_fault("sample host dsymv 9 9 0 1\n-1 0 0\n", "line 2: ");
    test_fault("sample host dsymv 9 9 0 1\n1 0 0\nsample host dsymv 9 9 0 1\n", "a second time");
    for (int i = 0; i <= SAMPLE_MOMENTS; i++)
        strcat(many, "1 0 0\n");
    test_fault(many, "more than 64 times");
    int refused = 0;
    for (size_t length = 1; length < bytes; length++)
        refused += text[length - 1] != '\n' && !read_text(text, length, fault);
    tap_ok(refused > 500, "%d beginnings that end within a line are refused", refused);
}

int main(void)
{
    written = calloc(1, sizeof *written);
    read_back = calloc(1, sizeof *read_back);
    test_round_trip();
    test_faults();
    free(text);
    free(written);
    free(read_back);
    return tap_done();
}
