/* The recipes in force: of the first device, and of each other kind that a process may use. */
#include "command/doctor/checks.h"
#include "tuner/online/recipe_search.h"

#include <string.h>

static const char subject[] = "recipe";

/* The first recipe that was meant to be used and is not; NULL: none. */
static const struct recipe_attempt *lost_recipe(const struct recipe_search *search)
{
    for (int origin = 0; origin < RECIPE_ORIGINS; origin++) {
        const struct recipe_attempt *attempt = &search->attempts[origin];
        const bool was_named = origin == RECIPE_OF_SETTING && *attempt->path;
        if ((attempt->outcome == RECIPE_REFUSED && origin != RECIPE_BUILT_IN) ||
            (attempt->outcome == RECIPE_ABSENT && was_named))
            return attempt;
    }
    return NULL;
}

/* A line for a device of another kind than those before. */
static void check_of_other(struct patient *patient, const struct device_properties *device)
{
    struct recipe recipe;
    struct recipe_search search;
    const struct recipe_signature signature = recipe_signature_of(device);
    if (recipe_search(&signature, &recipe, &search)) {
        finding_good(&patient->findings, subject, "device %d, %s: %s: %s", device->ordinal, device->name,
                     recipe_search_used(&search)->path, recipe.made);
        recipe_clear(&recipe);
        return;
    }
    const struct recipe_attempt *lost = recipe_search_refused_beside(&search, &signature);
    if (lost)
        finding_wrong(&patient->findings, subject, "run MUBLAS_DEVICE=all mublas tune, which learns it anew",
                      "device %d, %s: %s is not used: %s", device->ordinal, device->name, lost->path,
                      lost->fault);
    else
        finding_good(&patient->findings, subject,
                     "device %d, %s: none, built-in figures hold (MUBLAS_DEVICE=all mublas tune learns it)",
                     device->ordinal, device->name);
}

static void check_other_kinds(struct patient *patient)
{
    struct recipe_signature kinds[DEVICES_MAX] = {recipe_signature_of(&patient->properties)};
    struct device_properties device;
    int count = 1;
    for (int place = 1; place < patient->choice.count; place++) {
        bool is_known = device_query(patient->choice.ordinals[place], &device) != STATUS_OK;
        const struct recipe_signature kind = is_known ? kinds[0] : recipe_signature_of(&device);
        for (int i = 0; i < count; i++)
            is_known = is_known || recipe_is_of_kind(&kinds[i], &kind);
        if (is_known)
            continue;
        kinds[count++] = kind;
        check_of_other(patient, &device);
    }
}

void check_recipe(struct patient *patient)
{
    struct recipe recipe;
    struct recipe_search search = {.attempts = {{.outcome = RECIPE_NOT_TRIED}}};
    if (!patient->has_device) {
        finding_skipped(&patient->findings, subject, "there is no device");
        return;
    }
    const struct recipe_signature signature = recipe_signature_of(&patient->properties);
    const bool found = recipe_search(&signature, &recipe, &search);
    const struct recipe_attempt *lost = lost_recipe(&search), *used = recipe_search_used(&search);
    if (lost)
        finding_wrong(&patient->findings, subject, "run mublas tune, which learns this machine anew",
                      "%s is not used: %s", lost->path,
                      lost->outcome == RECIPE_ABSENT ? "it is not there" : lost->fault);
    else if (used)
        finding_good(&patient->findings, subject, "%s: %s", used->path, recipe.made);
    else
        finding_good(&patient->findings, subject,
                     "none, built-in figures hold (mublas tune learns this machine)");
    if (found)
        recipe_clear(&recipe);
    check_other_kinds(patient);
}
