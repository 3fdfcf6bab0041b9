#include "common/log.h"
#include "common/settings.h"
#include "tuner/online/recipe.h"

#include <ctype.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIZES_KEPT = 1024 };

/* A shape in 64 bits, never 0; written as a whole. */
union packed_shape {
    struct {
        uint64_t edge : 12, threads_x : 12, threads_y : 12, leaf_columns : 4, blocks : 14, order : 1,
            wide_team : 1, variant : 2, known : 1, none : 1;
    } part;
    uint64_t whole;
};

/* Touched page by page: a program pays for the classes and sizes that it has. */
struct decisions {
    const struct recipe *_Atomic recipe;
    _Atomic uint64_t kept[TUNING_CLASSES][TUNING_FORMS][SIZES_KEPT];
};

/* Decisions for the first device and those like it; for the unlike ones by place. */
static struct decisions first;
static struct decisions *_Atomic others[DEVICES_MAX];

static uint64_t pack(const struct launch_shape *shape)
{
    union packed_shape packed = {.part = {.edge = shape->edge & 0xfff,
                                          .threads_x = shape->threads_x & 0xfff,
                                          .threads_y = shape->threads_y & 0xfff,
                                          .leaf_columns = shape->leaf_columns & 0xf,
                                          .blocks = shape->blocks_per_multiprocessor & 0x3fff,
                                          .order = shape->order == ORDER_ALONG,
                                          .wide_team = shape->team_groups == 4,
                                          .variant = (unsigned)shape->variant & 3u,
                                          .known = 1}};
    return packed.whole;
}

static bool unpack(uint64_t whole, struct launch_shape *shape)
{
    const union packed_shape packed = {.whole = whole};
    *shape = (struct launch_shape){packed.part.edge,
                                   packed.part.threads_x,
                                   packed.part.threads_y,
                                   packed.part.leaf_columns,
                                   packed.part.blocks,
                                   packed.part.order ? ORDER_ALONG : ORDER_DOWN,
                                   packed.part.wide_team ? 4 : 1,
                                   (enum symv_variant)packed.part.variant};
    return !packed.part.none;
}

bool decision_of(const struct class_recipe *rules, int class, enum tuning_form form, int64_t size,
                 bool by_occupancy, struct launch_shape *shape)
{
    if (by_occupancy && rules->has_occupancy && tuning_class_family(class) != FAMILY_AXPY) {
        const struct blas_call call = tuning_class_call_at(class, form, size);
        *shape = occupancy_shape(&call, &rules->base, &rules->occupancy, &rules->figures);
        if (shape->edge != 0)
            return true;
    }
    for (int i = 0; i < rules->interval_count; i++)
        if (size <= rules->intervals[i].upto) {
            *shape = rules->intervals[i].shape;
            return shape->edge != 0;
        }
    return false;
}

struct launch_shape decision_or_built_in(const struct class_recipe *rules, const struct blas_call *call,
                                         bool by_occupancy)
{
    struct launch_shape shape;
    if (decision_of(rules, tuning_class_of(call), tuning_form_of(call), tuning_size_of(call), by_occupancy,
                    &shape) &&
        launch_shape_can(call, &shape))
        return shape;
    return launch_shape_built_in(call);
}

/* A place below 0 stands for the first device. */
static struct decisions *decisions_at(int place)
{
    struct decisions *const other =
        place < 0 ? NULL : atomic_load_explicit(&others[place], memory_order_acquire);
    return other ? other : &first;
}

bool decision_shape(int place, const struct blas_call *call, struct launch_shape *shape)
{
    struct decisions *const decisions = decisions_at(place);
    const struct recipe *recipe = atomic_load_explicit(&decisions->recipe, memory_order_acquire);
    const union packed_shape none = {.part = {.known = 1, .none = 1}};
    const int class = tuning_class_of(call);
    if (!recipe || class == TUNING_CLASS_NONE)
        return false;
    const enum tuning_form form = tuning_form_of(call);
    const struct class_recipe *rules = &recipe->classes[class][form];
    const int64_t size = tuning_size_of(call);
    if (size >= SIZES_KEPT)
        return decision_of(rules, class, form, size, rules->by_occupancy, shape);
    _Atomic uint64_t *const kept = &decisions->kept[class][form][size];
    uint64_t packed = atomic_load_explicit(kept, memory_order_relaxed);
    if (packed == 0) {
        packed = decision_of(rules, class, form, size, rules->by_occupancy, shape) ? pack(shape) : none.whole;
        atomic_store_explicit(kept, packed, memory_order_relaxed);
    }
    return unpack(packed, shape);
}

void decision_use(const struct recipe *recipe)
{
    if (atomic_load(&first.recipe)) /* not the first: decisions are kept of another */
        memset((void *)first.kept, 0, sizeof first.kept);
    atomic_store_explicit(&first.recipe, recipe, memory_order_release);
    launch_shape_choose_by(recipe ? decision_shape : NULL);
}

bool decision_use_at(int place, const struct recipe *recipe)
{
    struct decisions *const decisions = calloc(1, sizeof *decisions);
    if (!decisions)
        return false;
    atomic_store(&decisions->recipe, recipe);
    atomic_store_explicit(&others[place], decisions, memory_order_release);
    launch_shape_choose_by(decision_shape);
    return true;
}

enum { PATH_BYTES = 512 };

/* All recipe files of recipes, one after another (common/embedded.S). */
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
