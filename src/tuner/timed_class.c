#include "tuner/timed_class.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    FIRST_SYR2K = TUNING_CLASSES * TUNING_FORMS,
    PANEL_COLUMNS = 32, /* LAPACK's block in dsytrd, where most calls come from */
    PANEL_ASPECT = 4,
    SIDE_RATIO = 16
};

static const char *const syr2k_names[] = {"ssyr2k_panel", "ssyr2k_deep", "dsyr2k_panel", "dsyr2k_deep"};

static bool is_deep(int class)
{
    return (class - FIRST_SYR2K) % 2;
}

int timed_class_of(const struct blas_call *call)
{
    if (call->family == FAMILY_SYR2K) {
        if (call->type != TYPE_S && call->type != TYPE_D)
            return TIMED_CLASS_NONE;
        return FIRST_SYR2K + 2 * (call->type == TYPE_D) + (call->k > PANEL_COLUMNS &&
                                                           call->k >= call->n / PANEL_ASPECT);
    }
    int class = call->type == TYPE_W ? TUNING_CLASS_NONE : tuning_class_of(call);
    return class == TUNING_CLASS_NONE ? TIMED_CLASS_NONE : class * TUNING_FORMS + (int)tuning_form_of(call);
}

bool timed_class_exists(int class)
{
    if (class < 0 || class >= FIRST_SYR2K)
        return class >= 0 && class < TIMED_CLASSES;
    int tuning = class / TUNING_FORMS;
    return tuning_class_type(tuning) != TYPE_W && class % TUNING_FORMS < tuning_class_forms(tuning);
}

const char *timed_class_name(int class, char name[TIMED_CLASS_NAME])
{
    if (class >= FIRST_SYR2K) {
        snprintf(name, TIMED_CLASS_NAME, "%s", syr2k_names[class - FIRST_SYR2K]);
        return name;
    }
    int tuning = class / TUNING_FORMS;
    bool has_forms = tuning_class_forms(tuning) > 1;
    snprintf(name, TIMED_CLASS_NAME, "%s%s%s", tuning_class_name(tuning), has_forms ? "_" : "",
             has_forms ? tuning_form_name((enum tuning_form)(class % TUNING_FORMS)) : "");
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

double timed_class_amount(const struct blas_call *call)
{
    double n = (double)call->n;
    switch (call->family) {
    case FAMILY_AXPY: return n;
    case FAMILY_GEMV: return (double)call->m * n;
    case FAMILY_SYR2K: return n * n * (double)call->k;
    default: return n * n;
    }
}

enum blas_family timed_class_family(int class)
{
    return class >= FIRST_SYR2K ? FAMILY_SYR2K : tuning_class_family(class / TUNING_FORMS);
}

enum blas_type timed_class_type(int class)
{
    if (class >= FIRST_SYR2K)
        return class - FIRST_SYR2K < 2 ? TYPE_S : TYPE_D;
    return tuning_class_type(class / TUNING_FORMS);
}

static double side_of(int class, double amount)
{
    switch (timed_class_family(class)) {
    case FAMILY_AXPY: return amount;
    case FAMILY_SYR2K: return is_deep(class) ? cbrt(amount) : sqrt(amount / PANEL_COLUMNS);
    default: return sqrt(amount);
    }
}

static int64_t length(double value)
{
    return value < 1 ? 1 : (int64_t)value;
}

struct blas_call timed_class_call(int class, double amount)
{
    double side = side_of(class, amount), ratio = sqrt(SIDE_RATIO);
    if (class >= FIRST_SYR2K)
        return (struct blas_call){.family = FAMILY_SYR2K, .type = timed_class_type(class), .n = length(side),
                                  .k = is_deep(class) ? length(side) : PANEL_COLUMNS};
    struct blas_call call = {.family = timed_class_family(class), .type = timed_class_type(class),
                             .n = length(side)};
    enum tuning_form form = (enum tuning_form)(class % TUNING_FORMS);
    call.trans = tuning_class_call(class / TUNING_FORMS, 1, 1).trans;
    if (call.family != FAMILY_GEMV)
        return call;
    call.m = length(form == TUNING_TALL ? side * ratio : form == TUNING_WIDE ? side / ratio : side);
    call.n = length(form == TUNING_TALL ? side / ratio : form == TUNING_WIDE ? side * ratio : side);
    return call;
}

uint64_t timed_class_gated(int class, double amount)
{
    const enum blas_family family = timed_class_family(class);
    double gated = family == FAMILY_GEMV || family == FAMILY_SYR2K ? amount : side_of(class, amount);
    return gated < 0x1p63 ? (uint64_t)gated : UINT64_MAX;
}
