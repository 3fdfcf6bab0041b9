#include "tuner/online/tuning_class.h"
#include "common/blas_call.h"
#include "common/whole_number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    FIRST_LEVEL3 = TUNING_CLASSES * TIMED_FORMS,
    SMALL = 32, /* LAPACK's block in dsytrd, as most small sizes of level 3 */
    ASPECT = 4,
    FAR_FROM = 32 /* to 1 */
};

/* Gemv's: the tuning forms, and beyond them. */
enum gemv_form { SQUARE, TALL, WIDE, FAR_TALL, FAR_WIDE };
static const double ratios[TIMED_FORMS] = {1, 16, 1. / 16, 64, 1. / 64}; /* of rows to columns */
static const char *const gemv_form_names[TIMED_FORMS] = {"square", "tall", "wide", "far_tall", "far_wide"};

enum level3_form { DEEP, PANEL, NARROW };

static const struct {
    enum blas_family family;
    enum blas_side side;
    enum blas_diag diag; /* which counts for TRSM alone */
    const char *name;
} groups[LEVEL3_GROUPS] = {
    {FAMILY_GEMM, SIDE_LEFT, DIAG_NON_UNIT, "gemm"},
    {FAMILY_SYMM, SIDE_LEFT, DIAG_NON_UNIT, "symm_left"},
    {FAMILY_SYMM, SIDE_RIGHT, DIAG_NON_UNIT, "symm_right"},
    {FAMILY_SYRK, SIDE_LEFT, DIAG_NON_UNIT, "syrk"},
    {FAMILY_SYR2K, SIDE_LEFT, DIAG_NON_UNIT, "syr2k"},
    {FAMILY_TRMM, SIDE_LEFT, DIAG_NON_UNIT, "trmm_left"},
    {FAMILY_TRMM, SIDE_RIGHT, DIAG_NON_UNIT, "trmm_right"},
    {FAMILY_TRSM, SIDE_LEFT, DIAG_NON_UNIT, "trsm_left"},
    {FAMILY_TRSM, SIDE_RIGHT, DIAG_NON_UNIT, "trsm_right"},
    {FAMILY_HERK, SIDE_LEFT, DIAG_NON_UNIT, "herk"},
    {FAMILY_HER2K, SIDE_LEFT, DIAG_NON_UNIT, "her2k"},
    {FAMILY_TRSM, SIDE_LEFT, DIAG_UNIT, "trsm_left_unit"},
    {FAMILY_TRSM, SIDE_RIGHT, DIAG_UNIT, "trsm_right_unit"},
};

static const char *const form_names[LEVEL3_FORMS] = {"deep", "panel", "narrow"};

static int group_of(int class)
{
    return (class - FIRST_LEVEL3) / (LEVEL3_TYPES * LEVEL3_FORMS);
}

static enum level3_form level3_form_of_class(int class)
{
    return (enum level3_form)((class - FIRST_LEVEL3) % LEVEL3_FORMS);
}

enum blas_family timed_class_shared(enum blas_family family)
{
    return family == FAMILY_HEMM ? FAMILY_SYMM : blas_full_family(family);
}

/* How many products a result sums up, and the other sizes. */
static enum level3_form level3_form_of(const struct blas_call *call)
{
    const enum blas_family family = timed_class_shared(call->family);
    int64_t sum = call->k, others = call->n;
    if (blas_has_side(family)) {
        sum = blas_side_order(call);
        others = call->side == SIDE_LEFT ? call->n : call->m;
    } else if (family == FAMILY_GEMM) {
        others = smaller(call->m, call->n);
    }
    if (sum < others / ASPECT || (sum <= SMALL && sum <= others))
        return PANEL;
    return others < sum / ASPECT || others <= SMALL ? NARROW : DEEP;
}

static int level3_class_of(const struct blas_call *call)
{
    const enum blas_family family = timed_class_shared(call->family);
    for (int group = 0; group < LEVEL3_GROUPS; group++)
        if (groups[group].family == family && call->type != TYPE_W &&
            (!blas_has_side(family) || groups[group].side == call->side) &&
            (family != FAMILY_TRSM || groups[group].diag == call->diag))
            return FIRST_LEVEL3 + (group * LEVEL3_TYPES + (int)call->type)
                * LEVEL3_FORMS + (int)level3_form_of(call);
    return TIMED_CLASS_NONE;
}

/* Whose triangles have a class each, in place of gemv's forms. */
static bool has_triangles(enum blas_family family)
{
    return family == FAMILY_SYMV || family == FAMILY_HEMV;
}

static int gemv_form_of(const struct blas_call *call)
{
    if (call->m / FAR_FROM >= call->n)
        return FAR_TALL;
    return call->n / FAR_FROM >= call->m ? FAR_WIDE : (int)tuning_form_of(call);
}

int timed_class_of(const struct blas_call *call)
{
    if (call->family >= FAMILY_GEMM)
        return level3_class_of(call);
    const int class = call->type == TYPE_W ? TUNING_CLASS_NONE : tuning_class_of(call);
    const int form = blas_is_symmetric(call)       ? call->uplo == UPLO_UPPER
                     : call->family == FAMILY_GEMV ? gemv_form_of(call)
                                                   : SQUARE;
    return class == TUNING_CLASS_NONE ? TIMED_CLASS_NONE : class * TIMED_FORMS + form;
}

bool timed_class_exists(int class)
{
    if (class < 0 || class >= TIMED_CLASSES)
        return false;
    const enum blas_family family = timed_class_family(class);
    if (class >= FIRST_LEVEL3)
        return blas_family_has_type(family, timed_class_type(class));
    const int forms = has_triangles(family) ? 2 : family == FAMILY_GEMV ? TIMED_FORMS : 1;
    return timed_class_type(class) != TYPE_W && class % TIMED_FORMS < forms;
}

const char *timed_class_name(int class, char name[TIMED_CLASS_NAME])
{
    if (class >= FIRST_LEVEL3) {
        snprintf(name, TIMED_CLASS_NAME, "%c%s_%s", "sdcz"[timed_class_type(class)],
                 groups[group_of(class)].name,
                 form_names[level3_form_of_class(class)]);
        return name;
    }
    const enum blas_family family = timed_class_family(class);
    const int form = class % TIMED_FORMS;
    const char *suffix = has_triangles(family) && form ? "upper"
                         : family == FAMILY_GEMV       ? gemv_form_names[form]
                                                       : "";
    snprintf(name, TIMED_CLASS_NAME, "%s%s%s", tuning_class_name(class / TIMED_FORMS), *suffix ? "_" : "",
             suffix);
    return name;
}

int timed_class_parse(const char *name)
{
    char known[TIMED_CLASS_NAME];
    for (int class = 0; class < TIMED_CLASSES; class++)
        if (timed_class_exists(class) && strcmp(timed_class_name(class, known), name) == 0)
            return class;
    return TIMED_CLASS_NONE;
}

double timed_class_amount_of(int class, double bytes)
{
    const double elements = bytes / (double)blas_element_bytes(timed_class_type(class));
    if (class < FIRST_LEVEL3)
        return elements;
    return level3_form_of_class(class) == DEEP ? elements * sqrt(elements) : elements * SMALL;
}

enum blas_family timed_class_family(int class)
{
    return class >= FIRST_LEVEL3 ? groups[group_of(class)].family : tuning_class_family(class / TIMED_FORMS);
}

enum blas_type timed_class_type(int class)
{
    if (class >= FIRST_LEVEL3)
        return (enum blas_type)((class - FIRST_LEVEL3) / LEVEL3_FORMS % LEVEL3_TYPES);
    return tuning_class_type(class / TIMED_FORMS);
}

static int64_t length(double value)
{
    return value < 1 ? 1 : (int64_t)value;
}

/* Rank-k updates have one size besides k: narrow ones are n = 32 with a long k, which makes their
 * largest matrix 32 by k. */
static struct blas_call level3_call(int class, double amount)
{
    struct blas_call call = {.family = timed_class_family(class), .type = timed_class_type(class)};
    const enum level3_form form = level3_form_of_class(class);
    const int64_t large = length(form == DEEP ? cbrt(amount) : sqrt(amount / SMALL));
    const int64_t sum = form == PANEL ? SMALL : large, others = form == NARROW ? SMALL : large;
    if (blas_has_side(call.family)) { /* the triangle is m by m from the left, n by n from the right */
        const int64_t wide = form == PANEL ? length(amount / SMALL / SMALL) : others;
        call.side = groups[group_of(class)].side;
        call.diag = groups[group_of(class)].diag;
        call.m = call.side == SIDE_LEFT ? sum : wide;
        call.n = call.side == SIDE_LEFT ? wide : sum;
        return call;
    }
    call.n = others;
    call.k = sum;
    call.m = call.family == FAMILY_GEMM ? large : 0;
    if (form == NARROW && call.family != FAMILY_GEMM)
        call.k = length(amount / SMALL / SMALL);
    return call;
}

struct blas_call timed_class_call(int class, double amount)
{
    if (class >= FIRST_LEVEL3)
        return level3_call(class, amount);
    const double side = timed_class_family(class) == FAMILY_AXPY ? amount : sqrt(amount);
    struct blas_call call = {.family = timed_class_family(class), .type = timed_class_type(class),
                             .n = length(side)};
    const int form = class % TIMED_FORMS;
    call.trans = tuning_class_call(class / TIMED_FORMS, 1, 1).trans;
    if (has_triangles(call.family))
        call.uplo = form ? UPLO_UPPER : UPLO_LOWER;
    if (call.family != FAMILY_GEMV)
        return call;
    call.m = length(side * sqrt(ratios[form]));
    call.n = length(side / sqrt(ratios[form]));
    return call;
}

uint64_t timed_class_gated(int class, double amount)
{
    const enum blas_family family = timed_class_family(class);
    /* The gate of families with a side takes m n, and the order is one of these. */
    const bool by_root = tuning_family_is_triangle(family) || blas_has_side(family);
    const double gated = by_root ? sqrt(amount) : amount;
    return gated < 0x1p63 ? (uint64_t)gated : UINT64_MAX;
}

struct transpositions {
    int count;
    enum blas_trans values[3];
};

/* How many values each flag has. */
struct flag_ranges {
    struct transpositions trans;
    int uplo, trans_b, diag, hermitian;
};

/* The family is one that classes have. `transposed`: the call, for level 2. */
static struct transpositions transpositions_of(enum blas_family family, enum blas_type type, bool transposed)
{
    static const struct transpositions none = {1, {TRANS_NONE}}, real = {1, {TRANS_TRANSPOSE}},
        either = {2, {TRANS_TRANSPOSE, TRANS_CONJUGATE}}, symmetric = {2, {TRANS_NONE, TRANS_TRANSPOSE}},
        hermitian = {2, {TRANS_NONE, TRANS_CONJUGATE}},
        all = {3, {TRANS_NONE, TRANS_TRANSPOSE, TRANS_CONJUGATE}};
    const bool complex = blas_is_complex(type);
    if (family == FAMILY_GEMV || family == FAMILY_TRMV)
        return !transposed ? none : complex ? either : real;
    if (family == FAMILY_SYRK || family == FAMILY_SYR2K)
        return symmetric;
    if (family == FAMILY_HERK || family == FAMILY_HER2K)
        return hermitian;
    if (family == FAMILY_GEMM || family == FAMILY_TRMM || family == FAMILY_TRSM)
        return complex ? all : symmetric;
    return none;
}

/* The ranges of the call's class. */
static struct flag_ranges ranges_of(const struct blas_call *call)
{
    const enum blas_family family = timed_class_shared(call->family);
    const bool has_triangle = family == FAMILY_TRMV || family >= FAMILY_SYMM;
    struct flag_ranges ranges = {.trans = transpositions_of(family, call->type, blas_is_transposed(call)),
                                 .uplo = has_triangle ? 2 : 1, .trans_b = 1, .diag = 1, .hermitian = 1};
    if (family == FAMILY_GEMM)
        ranges.trans_b = ranges.trans.count;
    if (family == FAMILY_TRMV || family == FAMILY_TRMM)
        ranges.diag = 2;
    if (family == FAMILY_SYMM && blas_is_complex(call->type))
        ranges.hermitian = 2;
    return ranges;
}

int flag_sets_of(int class)
{
    const struct blas_call call = timed_class_call(class, 1);
    const struct flag_ranges ranges = ranges_of(&call);
    return ranges.uplo * ranges.trans.count * ranges.trans_b * ranges.diag * ranges.hermitian;
}

/* The next digit of a number of mixed radix. */
static int take_digit(int *number, int radix)
{
    const int digit = *number % radix;
    *number /= radix;
    return digit;
}

void flag_set_apply(int set, struct blas_call *call)
{
    const struct flag_ranges ranges = ranges_of(call);
    if (take_digit(&set, ranges.hermitian))
        call->family = FAMILY_HEMM;
    if (ranges.diag > 1)
        call->diag = take_digit(&set, ranges.diag) ? DIAG_UNIT : DIAG_NON_UNIT;
    if (ranges.trans_b > 1)
        call->trans_b = ranges.trans.values[take_digit(&set, ranges.trans_b)];
    call->trans = ranges.trans.values[take_digit(&set, ranges.trans.count)];
    if (ranges.uplo > 1)
        call->uplo = take_digit(&set, ranges.uplo) ? UPLO_UPPER : UPLO_LOWER;
}

static int place_of(const struct transpositions *trans, enum blas_trans value)
{
    for (int i = 0; i < trans->count; i++)
        if (trans->values[i] == value)
            return i;
    return trans->count - 1; /* real numbers' conjugate transpose */
}

int flag_set_of(const struct blas_call *call)
{
    const struct flag_ranges ranges = ranges_of(call);
    int set = ranges.uplo > 1 && call->uplo == UPLO_UPPER;
    set = set * ranges.trans.count + place_of(&ranges.trans, call->trans);
    set = set * ranges.trans_b + (ranges.trans_b > 1 ? place_of(&ranges.trans, call->trans_b) : 0);
    set = set * ranges.diag + (ranges.diag > 1 && call->diag == DIAG_UNIT);
    return set * ranges.hermitian + (ranges.hermitian > 1 && call->family == FAMILY_HEMM);
}

int device_sets_of(int class)
{
    return 2 * flag_sets_of(class);
}

/* Rows, as stored, of the first matrix. */
static int64_t rows_of_a(const struct blas_call *call)
{
    const enum blas_family family = call->family;
    if (family == FAMILY_AXPY)
        return 0;
    if (blas_has_side(family))
        return blas_side_order(call);
    if ((family == FAMILY_GEMM || blas_is_update(family)) && blas_is_transposed(call))
        return call->k;
    return family == FAMILY_GEMM || family == FAMILY_GEMV ? call->m : call->n;
}

/* Rows of the second; 0: there is none. */
static int64_t rows_of_b(const struct blas_call *call)
{
    const enum blas_family family = call->family;
    if (family == FAMILY_GEMM)
        return call->trans_b == TRANS_NONE ? call->k : call->n;
    if (family == FAMILY_SYR2K || family == FAMILY_HER2K)
        return rows_of_a(call);
    return family == FAMILY_SYMM || family == FAMILY_HEMM ? call->m : 0;
}

/* Rows of the result, if that is a matrix. */
static int64_t rows_of_c(const struct blas_call *call)
{
    return call->family < FAMILY_GEMM ? 0 : blas_is_update(call->family) ? call->n : call->m;
}

static bool is_odd(const struct blas_matrix *matrix, int64_t rows)
{
    return rows > 0 && (matrix->ld > 0 ? matrix->ld : rows) % 2 != 0;
}

int device_set_of(const struct blas_call *call)
{
    const bool odd = is_odd(&call->a, rows_of_a(call)) || is_odd(&call->b, rows_of_b(call)) ||
                     is_odd(&call->c, rows_of_c(call));
    return 2 * flag_set_of(call) + odd;
}

struct timed_call timed_call_of(const struct blas_call *call)
{
    const int class = timed_class_of(call);
    if (class == TIMED_CLASS_NONE)
        return (struct timed_call){.class = class};
    return (struct timed_call){.class = class, .device_set = device_set_of(call),
                               .amount = call_work_products(call)};
}
