#include "tuner/online/recipe_search.h"

#include "common/log.h"
#include "common/settings.h"
#include "tuner/online/decision.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 512 };

/* All recipe files of recipes, one after another (built_in_recipes_text.S). */
extern const char mublas_built_in_recipes[] __attribute__((visibility("hidden")));
extern const char mublas_built_in_recipes_end[] __attribute__((visibility("hidden")));

/* A recipe ends in its line of the hash. */
static const char *end_of(const char *text)
{
    const char *line = text;
    while (line < mublas_built_in_recipes_end) {
        const char *next = line;
        while (next < mublas_built_in_recipes_end && *next != '\n')
            next++;
        next += next < mublas_built_in_recipes_end;
        if (next - line > 5 && __builtin_memcmp(line, "hash ", 5) == 0)
            return next;
        line = next;
    }
    return line;
}

const char *built_in_recipe(int number, size_t *bytes)
{
    const char *text = mublas_built_in_recipes;
    while (number-- > 0 && text < mublas_built_in_recipes_end)
        text = end_of(text);
    *bytes = (size_t)(end_of(text) - text);
    return *bytes > 0 ? text : NULL;
}

const char *recipe_origin_name(enum recipe_origin origin)
{
    static const char *const names[RECIPE_ORIGINS] = {"MUBLAS_RECIPE", "the user's", "the system's",
                                                      "built in"};
    return names[origin];
}

static bool join(char path[PATH_BYTES], const char *folder, const char *rest)
{
    /* Relative ones are to be ignored, says the XDG base directory specification. */
    if (!folder || *folder != '/' || snprintf(path, PATH_BYTES, "%s%s", folder, rest) >= PATH_BYTES) {
        *path = '\0';
        return false;
    }
    return true;
}

bool recipe_user_path(char path[PATH_BYTES])
{
    return join(path, secure_getenv("XDG_CONFIG_HOME"), "/mublas/recipe") ||
           join(path, secure_getenv("HOME"), "/.config/mublas/recipe");
}

static void set_path(enum recipe_origin origin, char path[PATH_BYTES])
{
    *path = '\0';
    switch (origin) {
    case RECIPE_OF_SETTING:
        if (strlen(settings()->recipe) < PATH_BYTES)
            strcpy(path, settings()->recipe);
        break;
    case RECIPE_OF_USER: recipe_user_path(path); break;
    case RECIPE_OF_SYSTEM: join(path, MUBLAS_SYSTEM_FOLDER, "/mublas/recipe"); break;
    case RECIPE_BUILT_IN:
    case RECIPE_ORIGINS: break;
    }
}

static bool use(struct recipe_attempt *attempt, bool read, struct recipe *recipe,
                const struct recipe_signature *machine)
{
    if (read && !recipe_fits(recipe, machine, attempt->fault)) {
        recipe_clear(recipe);
        read = false;
    }
    attempt->outcome = read ? RECIPE_IN_FORCE : RECIPE_REFUSED;
    return read;
}

bool recipe_path_of_kind(const char *path, const struct recipe_signature *machine, char beside[PATH_BYTES])
{
    char name[sizeof machine->device];
    strcpy(name, machine->device);
    for (char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at))
            *at = '-';
    return snprintf(beside, PATH_BYTES, "%s-%s-%d", path, name, machine->multiprocessors) < PATH_BYTES;
}

/* One that was asked for is missed. */
static bool try_path(enum recipe_origin origin, struct recipe_attempt *attempt, struct recipe *recipe,
                     const struct recipe_signature *machine)
{
    if (origin != RECIPE_OF_SETTING && access(attempt->path, F_OK) != 0)
        return false;
    return use(attempt, recipe_read(attempt->path, recipe, attempt->fault), recipe, machine);
}

/* Beside one that does not fit, or is not there. */
static bool try_beside(struct recipe_attempt *attempt, struct recipe *recipe,
                       const struct recipe_signature *machine)
{
    char path[PATH_BYTES];
    if (!recipe_path_of_kind(attempt->path, machine, path) || access(path, F_OK) != 0)
        return false;
    strcpy(attempt->path, path);
    return use(attempt, recipe_read(attempt->path, recipe, attempt->fault), recipe, machine);
}

static bool try_file(enum recipe_origin origin, struct recipe_attempt *attempt, struct recipe *recipe,
                     const struct recipe_signature *machine)
{
    set_path(origin, attempt->path);
    attempt->outcome = RECIPE_ABSENT;
    if (origin == RECIPE_OF_SETTING && !*attempt->path && *settings()->recipe) {
        snprintf(attempt->path, PATH_BYTES, "%.40s...", settings()->recipe);
        snprintf(attempt->fault, sizeof attempt->fault, "a path of more than %d characters", PATH_BYTES - 1);
        return use(attempt, false, recipe, machine);
    }
    return *attempt->path && (try_path(origin, attempt, recipe, machine) ||
                              try_beside(attempt, recipe, machine));
}

/* It comes with the kernels, whatever the driver: only the device counts. */
static bool try_built_in(struct recipe_attempt *attempt, struct recipe *recipe,
                         const struct recipe_signature *machine)
{
    size_t bytes;
    const char *text;
    attempt->outcome = RECIPE_ABSENT;
    for (int i = 0; (text = built_in_recipe(i, &bytes)); i++) {
        if (!recipe_parse(text, bytes, recipe, attempt->fault))
            continue; /* tests see to it that there is none */
        struct recipe_signature made = *machine;
        memcpy(made.device, recipe->signature.device, sizeof made.device);
        made.multiprocessors = recipe->signature.multiprocessors;
        recipe->signature = made;
        if (recipe_fits(recipe, machine, attempt->fault)) {
            snprintf(attempt->path, PATH_BYTES, "for %s", made.device);
            attempt->outcome = RECIPE_IN_FORCE;
            return true;
        }
        recipe_clear(recipe);
    }
    return false;
}

bool recipe_search(const struct recipe_signature *machine, struct recipe *recipe,
                   struct recipe_search *search)
{
    memset(search, 0, sizeof *search);
    if (strcmp(settings()->recipe, "none") == 0)
        return false;
    for (int origin = 0; origin < RECIPE_BUILT_IN; origin++)
        if (try_file((enum recipe_origin)origin, &search->attempts[origin], recipe, machine))
            return true;
    return try_built_in(&search->attempts[RECIPE_BUILT_IN], recipe, machine);
}

const struct recipe_attempt *recipe_search_used(const struct recipe_search *search)
{
    for (int origin = 0; origin < RECIPE_ORIGINS; origin++)
        if (search->attempts[origin].outcome == RECIPE_IN_FORCE)
            return &search->attempts[origin];
    return NULL;
}

const struct recipe_attempt *recipe_search_refused_beside(const struct recipe_search *search,
                                                          const struct recipe_signature *machine)
{
    char end[PATH_BYTES];
    const size_t bytes = recipe_path_of_kind("", machine, end) ? strlen(end) : sizeof end;
    for (int origin = 0; origin < RECIPE_BUILT_IN; origin++) {
        const struct recipe_attempt *attempt = &search->attempts[origin];
        const size_t all = strlen(attempt->path);
        if (attempt->outcome == RECIPE_REFUSED && all > bytes && strcmp(attempt->path + all - bytes, end) == 0)
            return attempt;
    }
    return NULL;
}

char *recipe_search_early(void)
{
    struct recipe *recipe = malloc(sizeof *recipe);
    struct recipe_attempt attempt;
    char *section = NULL;
    bool found = !recipe || strcmp(settings()->recipe, "none") == 0;
    for (int origin = 0; origin < RECIPE_BUILT_IN && !found; origin++) {
        set_path((enum recipe_origin)origin, attempt.path);
        if (!*attempt.path || !recipe_read(attempt.path, recipe, attempt.fault))
            continue;
        found = strcmp(recipe->signature.kernels, kernel_set_hash) == 0;
        if (found) {
            section = recipe->crossover;
            recipe->crossover = NULL;
        }
        recipe_clear(recipe);
    }
    free(recipe);
    return section;
}

static struct recipe recipe_found;
static bool is_found;
static const struct device_properties *device_searched_for;

static void search_once(void)
{
    const struct recipe_signature machine = recipe_signature_of(device_searched_for);
    struct recipe_search search;
    is_found = recipe_search(&machine, &recipe_found, &search);
    for (int i = 0; i < RECIPE_ORIGINS; i++) {
        const struct recipe_attempt *attempt = &search.attempts[i];
        if (attempt->outcome == RECIPE_REFUSED)
            log_message(LOG_WARNING, "recipe %s is not used: %s", attempt->path, attempt->fault);
        if (attempt->outcome == RECIPE_IN_FORCE)
            log_message(LOG_INFO, "launch shapes by the recipe %s", attempt->path);
    }
    if (is_found)
        decision_use(&recipe_found);
}

const struct recipe *recipe_of_process(const struct device_properties *device)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool searched;
    pthread_mutex_lock(&lock);
    device_searched_for = device;
    if (!searched)
        search_once();
    searched = true;
    pthread_mutex_unlock(&lock);
    return is_found ? &recipe_found : NULL;
}
