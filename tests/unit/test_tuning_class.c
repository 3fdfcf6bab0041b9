/* Tuning classes: every call has the class whose canonical call it shares. */
#include "tuner/online/tuning_class.h"
#include "tap.h"
#include "unit_test.h"

#include <string.h>

static void test_round_trips(void)
{
    for (int class = 0; class < TUNING_CLASSES; class++) {
        const char *name = tuning_class_name(class);
        bool forms = true, sizes = true;
        for (int form = 0; form < tuning_class_forms(class); form++)
            for (int64_t size = 1; size < 600; size = size * 3 / 2 + 1) {
                const struct blas_call call = tuning_class_call_at(class, (enum tuning_form)form, size);
                forms = forms && tuning_class_of(&call) == class && (int)tuning_form_of(&call) == form;
                sizes = sizes && tuning_size_of(&call) == size;
            }
        tap_ok(tuning_class_parse(name) == class, "%s by its name", name);
        tap_ok(forms, "%s: calls of the class are of its class and form", name);
        tap_ok(sizes, "%s: and of their size", name);
    }
}

static void test_sharing(void)
{
    struct blas_call call = tuning_class_call(tuning_class_parse("ctrmv_transpose"), 0, 100);
    call.trans = TRANS_CONJUGATE, call.uplo = UPLO_UPPER, call.diag = DIAG_UNIT;
    tap_ok(strcmp(tuning_class_name(tuning_class_of(&call)), "ctrmv_transpose") == 0,
           "conjugation, triangle and diagonal share");
    call.trans = TRANS_CONJUGATE_ONLY;
    tap_ok(strcmp(tuning_class_name(tuning_class_of(&call)), "ctrmv_none") == 0,
           "the conjugate is not transposed");
}

static void test_outsiders(void)
{
    struct blas_call call = tuning_class_call(tuning_class_parse("wsymv"), 0, 100);
    tap_ok(call.type == TYPE_W && call.a.ld % 8 == 0, "wsymv is double-double");
    call.family = FAMILY_GEMV;
    tap_ok(tuning_class_of(&call) == TUNING_CLASS_NONE, "there is no wgemv");
    call.family = FAMILY_SYMV, call.type = TYPE_Z;
    tap_ok(tuning_class_of(&call) == TUNING_CLASS_NONE, "nor zsymv");
    call.family = FAMILY_SYR2K, call.type = TYPE_D;
    tap_ok(tuning_class_of(&call) == TUNING_CLASS_NONE, "nor anything of level 3");
    tap_ok(tuning_class_parse("dgemv") == TUNING_CLASS_NONE && tuning_class_parse("") == TUNING_CLASS_NONE,
           "and not under these names");
}

/* Transposed, rows and columns change places. */
static void test_form(int64_t m, int64_t n, enum tuning_form wanted, int64_t size)
{
    const struct blas_call call = tuning_class_call(tuning_class_parse("dgemv_none"), m, n),
                           turned = tuning_class_call(tuning_class_parse("dgemv_transpose"), n, m);
    const enum tuning_form other = wanted == TUNING_TALL   ? TUNING_WIDE
                                   : wanted == TUNING_WIDE ? TUNING_TALL
                                                           : TUNING_SQUARE;
    tap_ok(tuning_form_of(&call) == wanted && tuning_size_of(&call) == size,
           "%lld x %lld is %s, of size %lld", (long long)m, (long long)n,
           tuning_form_name(tuning_form_of(&call)), (long long)tuning_size_of(&call));
    tap_ok(tuning_form_of(&turned) == other && tuning_size_of(&turned) == size,
           "and so is it transposed: %s, %lld", tuning_form_name(tuning_form_of(&turned)),
           (long long)tuning_size_of(&turned));
}

UNIT_TEST(test_tuning_class)
{
    test_round_trips();
    test_sharing();
    test_outsiders();
    test_form(4000, 1000, TUNING_TALL, 63);
    test_form(3999, 1000, TUNING_SQUARE, 57); /* sqrt(m n) / 1.1, for the terms are few */
    test_form(1000, 4000, TUNING_WIDE, 32);   /* as of 250 x 4000 */
    test_form(1000, 3999, TUNING_SQUARE, 69); /* sqrt(m n) * 1.1 */
    test_form(173, 200, TUNING_SQUARE, 7);    /* the terms' leaf tiles */
    test_form(37, 998, TUNING_WIDE, 8);       /* where 64 x 1024 is */
    test_form(4, 1024, TUNING_WIDE, 4);       /* sqrt(m n) * 2 */
    test_form(998, 37, TUNING_TALL, 7);       /* the terms are the shorter side */
    test_form(1, 1, TUNING_SQUARE, 1);
    const struct blas_call tall = tuning_class_call(tuning_class_parse("zgemv_none"), 3166, 188);
    tap_ok(tuning_size_of(&tall) == 24,
           "3166 x 188 is as 24's 3072 x 192, with 6 leaf tiles in a row, not 25's with 7");
    test_form(INT64_C(1) << 30, 1, TUNING_TALL, 1024);
    return tap_done();
}
