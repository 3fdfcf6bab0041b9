/* Sets of flags: numbers and calls tell the same, and every combination that a routine has is one. */
#include "command/routine_call.h"
#include "tap.h"
#include "tuner/online/tuning_class.h"
#include "unit_test.h"

#include <string.h>

static const double amounts[] = {2e4, 1e6, 3e8};
enum { AMOUNTS = sizeof amounts / sizeof *amounts };

static bool same_flags(const struct blas_call *a, const struct blas_call *b)
{
    return a->family == b->family && a->side == b->side && a->uplo == b->uplo && a->trans == b->trans &&
           a->trans_b == b->trans_b && a->diag == b->diag;
}

static struct blas_call call_of(int class, double amount, int set)
{
    struct blas_call call = timed_class_call(class, amount);
    flag_set_apply(set, &call);
    return call;
}

/* Flags that the call had before do not shine through. */
static bool overwrites(int class, int set)
{
    const struct blas_call wanted = call_of(class, amounts[0], set);
    for (int other = 0; other < flag_sets_of(class); other++) {
        struct blas_call call = call_of(class, amounts[0], other);
        call.family = timed_class_family(class);
        flag_set_apply(set, &call);
        if (!same_flags(&call, &wanted))
            return false;
    }
    return true;
}

/* The class says the same of its calls. */
static bool stays_in_class(int class, int set)
{
    for (int i = 0; i < AMOUNTS; i++) {
        const struct blas_call plain = timed_class_call(class, amounts[i]),
                               call = call_of(class, amounts[i], set);
        if (timed_class_of(&call) != timed_class_of(&plain) || call.side != plain.side ||
            (call.family == FAMILY_TRSM && call.diag != plain.diag) ||
            (call.family < FAMILY_GEMM && (call.trans == TRANS_NONE) != (plain.trans == TRANS_NONE)))
            return false;
    }
    return true;
}

static void test_numbers(void)
{
    int classes = 0, unbounded = 0, lost = 0, alike = 0, astray = 0, most = 0;
    for (int class = 0; class < TIMED_CLASSES; class++) {
        if (!timed_class_exists(class))
            continue;
        const int sets = flag_sets_of(class);
        classes++;
        unbounded += sets < 1 || sets > FLAG_SETS_MOST;
        most = sets > most ? sets : most;
        for (int set = 0; set < sets; set++) {
            const struct blas_call call = call_of(class, amounts[1], set);
            lost += flag_set_of(&call) != set || !overwrites(class, set);
            astray += !stays_in_class(class, set);
            for (int other = 0; other < set; other++) {
                const struct blas_call another = call_of(class, amounts[1], other);
                alike += same_flags(&call, &another);
            }
        }
    }
    tap_ok(classes == 204 && unbounded == 0 && most == FLAG_SETS_MOST, "each of %d classes has 1 to %d sets",
           classes, most);
    tap_ok(lost == 0, "the flags of every set say its number, whatever they were before (%d do not)", lost);
    tap_ok(alike == 0, "no two sets of a class have the same flags (%d have)", alike);
    tap_ok(astray == 0, "a call with them is of the class still (%d are not)", astray);
}

/* How often each set of the class comes when its routines' flags are gone through: calls of these sizes. */
static void count_sets(int class, const struct blas_call *sizes, int counts[FLAG_SETS_MOST])
{
    memset(counts, 0, FLAG_SETS_MOST * sizeof *counts);
    for (int routine = 0; routine < ROUTINES; routine++) {
        struct blas_call call = {.family = routine_family(routine), .type = routine_type(routine),
                                 .m = sizes->m, .n = sizes->n, .k = sizes->k};
        if (timed_class_shared(call.family) != timed_class_family(class) ||
            call.type != timed_class_type(class))
            continue;
        do {
            struct blas_call back = call;
            if (timed_class_of(&call) != class || blas_is_packed(&call)) /* packed: the square's */
                continue;
            const int set = flag_set_of(&call);
            back.family = timed_class_family(class);
            flag_set_apply(set, &back);
            counts[set] += same_flags(&back, &call) ? 1 : 1000;
        } while (routine_next_flags(&call));
    }
}

static void test_routines(void)
{
    char name[TIMED_CLASS_NAME];
    int wrong = 0;
    for (int class = 0; class < TIMED_CLASSES; class++) {
        if (!timed_class_exists(class))
            continue;
        const struct blas_call sizes = timed_class_call(class, amounts[1]);
        int counts[FLAG_SETS_MOST];
        count_sets(class, &sizes, counts);
        for (int set = 0; set < FLAG_SETS_MOST; set++)
            if (counts[set] != (set < flag_sets_of(class))) {
                wrong++;
                printf("# %s, set %d: %d\n", timed_class_name(class, name), set, counts[set]);
            }
    }
    tap_ok(wrong == 0, "the combinations of flags that routines have are the sets, each once (%d are not)",
           wrong);
    const int symm = timed_class_parse("zsymm_right_deep");
    struct blas_call call = timed_class_call(symm, 1e6);
    const int symmetric = flag_set_of(&call);
    call.family = FAMILY_HEMM;
    tap_ok(timed_class_of(&call) == symm && flag_set_of(&call) != symmetric,
           "HEMM is a set of its own in SYMM's class");
}

static enum blas_trans conjugated(enum blas_trans trans)
{
    return trans == TRANS_TRANSPOSE ? TRANS_CONJUGATE : trans;
}

static void test_conjugates(void)
{
    int checked = 0, wrong = 0, outside = 0;
    for (int class = 0; class < TIMED_CLASSES; class++) {
        if (!timed_class_exists(class))
            continue;
        const bool real = timed_class_type(class) == TYPE_S || timed_class_type(class) == TYPE_D;
        const int sets = flag_sets_of(class);
        for (int set = 0; set < sets; set++) {
            struct blas_call call = call_of(class, amounts[1], set), other = call;
            other.trans = conjugated(call.trans), other.trans_b = conjugated(call.trans_b);
            if (real && !same_flags(&call, &other)) {
                checked++;
                wrong += timed_class_of(&other) != class || flag_set_of(&other) != set;
            }
            if (call.trans == TRANS_NONE)
                other.trans = TRANS_CONJUGATE_ONLY;
            if (call.trans_b == TRANS_NONE)
                other.trans_b = TRANS_CONJUGATE_ONLY;
            const int found = flag_set_of(&other);
            outside += timed_class_of(&other) != class || found < 0 || found >= sets ||
                       (call.family < FAMILY_GEMM && call.trans == TRANS_NONE && found != set);
        }
    }
    tap_ok(checked > 100 && wrong == 0, "real numbers' conjugate transpose is their transpose (%d of %d)",
           checked - wrong, checked);
    tap_ok(outside == 0, "a matrix that is conjugated alone is of a set, too, of level 2 as if it was not");
}

UNIT_TEST(test_flag_sets)
{
    test_numbers();
    test_routines();
    test_conjugates();
    return tap_done();
}
