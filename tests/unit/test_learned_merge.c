/* The new times that count, and the earlier ones that stay. */
#include "command/tune/tune.h"
#include "tap.h"
#include "unit_test.h"

#include <stdlib.h>
#include <string.h>

static void read_text(struct learned_times *times, const char *text)
{
    char fault[LEARNED_FAULT_BYTES];
    if (!learned_times_parse(times, text, fault))
        printf("# %s\n", fault);
    learned_times_settle(times, times->host_blas, times->host_threads);
}

static bool has(const struct learned_times *times, const char *class)
{
    return times->host[timed_class_parse(class)].count > 0;
}

static bool has_device(const struct learned_times *times, const char *class)
{
    return times->resident[timed_class_parse(class)].count > 0;
}

static void test_single(struct learned_times *times)
{
    read_text(times, "host dsymv 100 1 200 2\ndevice dsymv 100 1\n"
                     "host saxpy 100 1\ndevice saxpy 100 1 200 2\n"
                     "host daxpy 100 1 200 2\ndevice daxpy 100 1 200 2\n");
    tap_ok(learned_merge_device_curves(times) == 3, "three classes' curves");
    learned_merge_forget_single(times);
    tap_ok(!has(times, "dsymv") && !has_device(times, "dsymv") && has(times, "daxpy") &&
               has_device(times, "daxpy") && !has_device(times, "saxpy") &&
               learned_merge_device_curves(times) == 1,
           "a class with one sample on a side is forgotten on both");
}

static void test_stayed(struct learned_times *times)
{
    static const char both[] = "host zsymm_left_deep 100 1 200 2\ndevice zsymm_left_deep 100 1 200 2\n"
                               "host daxpy 100 1 200 2\ndevice daxpy 100 1 200 2\n";
    struct call_timer_end end = {.any_on_device = true};
    read_text(times, both);
    learned_merge_forget_stayed(times, &end);
    tap_ok(has_device(times, "zsymm_left_deep") && has_device(times, "daxpy"), "nothing stayed: all count");
    end.stayed[routine_of(FAMILY_HEMM, TYPE_Z)] = true;
    learned_merge_forget_stayed(times, &end);
    tap_ok(!has_device(times, "zsymm_left_deep") && has(times, "zsymm_left_deep") &&
               has_device(times, "daxpy"),
           "where zhemm stayed the device's times of zsymm's class, which is its own, do not");
    read_text(times, both);
    end.stayed[routine_of(FAMILY_HEMM, TYPE_Z)] = false;
    end.stayed[routine_of(FAMILY_AXPY, TYPE_D)] = true;
    learned_merge_forget_stayed(times, &end);
    tap_ok(has_device(times, "zsymm_left_deep") && !has_device(times, "daxpy"), "nor daxpy's where that did");
    end.stayed[routine_of(FAMILY_SYMM, TYPE_Z)] = true;
    learned_merge_forget_stayed(times, &end);
    tap_ok(!has_device(times, "zsymm_left_deep"), "nor zsymm's own");
}

static const char before[] = "host-blas b\nhost-threads 4\nwake 5\nupload pinned 100 7\n"
                             "host dsymv 100 1 200 2\ndevice dsymv 100 1 200 2\ndevice-sets dsymv 1 1.5\n"
                             "host ssymv_upper 100 1 200 2\n"
                             "host zgemm_deep 100 1 200 2\n"
                             "flags zgemm_deep 1 1.1 1.2 0.9 0.8 1 1.4 1.35 0.7\n"
                             "device zgemm_deep 100 1 200 2\n"
                             "device-sets zgemm_deep 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1.7\n";

static void test_others(struct learned_times *times)
{
    static const struct call_timer_end none;
    const int symv = timed_class_parse("dsymv"), gemm = timed_class_parse("zgemm_deep");
    static const char now[] = "host-blas b\nhost-threads 4\nwake 6\nupload pinned 100 9\n"
                              "host dsymv 100 3 200 4\ndevice dsymv 100 3 200 4\n";
    read_text(times, now);
    learned_merge_keep_others(times, before, "dsymv", &none);
    tap_ok(times->host[symv].samples[0].us == 3 && times->device_sets[symv][1] == 0 &&
               has(times, "zgemm_deep") && times->flags[gemm][8] == 0.7 && has_device(times, "zgemm_deep") &&
               times->device_sets[gemm][17] == 1.7,
           "of routines that were not to be learned what there was stays, with its factors");
    tap_ok(times->wake_us == 6 && times->upload[0].samples[0].us == 9,
           "of the rest what is not known now");
    read_text(times, now);
    learned_merge_keep_others(times, before, NULL, &none);
    tap_ok(has(times, "zgemm_deep") && times->flags[gemm][8] == 0.7 &&
               times->host[symv].samples[0].us == 3,
           "and of routines that were to be learned, where there was no time");
    struct call_timer_end stayed = none;
    stayed.stayed[routine_of(FAMILY_GEMM, TYPE_Z)] = true;
    read_text(times, now);
    learned_merge_keep_others(times, before, NULL, &stayed);
    tap_ok(!has(times, "zgemm_deep") && !has_device(times, "zgemm_deep"),
           "nothing where their calls stayed on the host");
    read_text(times, now);
    times->host_threads = 8;
    learned_merge_keep_others(times, before, "dsymv", &none);
    tap_ok(!has(times, "zgemm_deep") && times->flags[gemm][8] == 0 && has_device(times, "zgemm_deep"),
           "the host's with as many threads alone");
    read_text(times, now);
    learned_merge_keep_others(times, "host-blas b\nhost-threads 4\nupload staged 100 9\n"
                                     "host zgemm_deep 100 1 200 2\nhost dfoo 1 2\n",
                              "dsymv", &none);
    tap_ok(times->wake_us == 6 && times->upload[UPLOAD_STAGED].count == 0 && !has(times, "zgemm_deep"),
           "nothing of a section that is wrong");
    read_text(times, "host-blas b\nhost-threads 4\nupload staged 100 9\n");
    learned_merge_keep_others(times, before, "dsymv", &none);
    tap_ok(times->wake_us == 5 && times->upload[UPLOAD_STAGED].samples[0].us == 9 &&
               times->upload[UPLOAD_PINNED].samples[0].us == 7,
           "each way and figure for itself");
    tap_ok(learned_merge_is_wanted(FAMILY_SYMM, TYPE_Z, "zhemm") &&
               !learned_merge_is_wanted(FAMILY_SYMM, TYPE_C, "zhemm") &&
               learned_merge_is_wanted(FAMILY_SYMM, TYPE_C, NULL),
           "zsymm's classes are wanted for zhemm");
}

UNIT_TEST(test_learned_merge)
{
    struct learned_times *times = malloc(sizeof *times);
    test_single(times);
    test_stayed(times);
    test_others(times);
    free(times);
    return tap_done();
}
