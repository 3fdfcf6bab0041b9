/* recipe_search.h - which recipe is in force: that of the setting MUBLAS_RECIPE, the user's, the
 * system's, one that is built in; the first that is there, can be trusted and fits. Where a machine has
 * several kinds of devices, a file may hold the recipe of one, and those of the others lie beside it. */
#ifndef MUBLAS_RECIPE_SEARCH_H
#define MUBLAS_RECIPE_SEARCH_H

#include "tuner/online/recipe.h"

enum recipe_origin { RECIPE_OF_SETTING, RECIPE_OF_USER, RECIPE_OF_SYSTEM, RECIPE_BUILT_IN, RECIPE_ORIGINS };
enum recipe_outcome { RECIPE_NOT_TRIED, RECIPE_ABSENT, RECIPE_REFUSED, RECIPE_IN_FORCE };

struct recipe_search {
    struct recipe_attempt {
        enum recipe_outcome outcome;
        char path[512];                 /* "" where there is no such place; of a built-in one its name */
        char fault[RECIPE_FAULT_BYTES]; /* where refused */
    } attempts[RECIPE_ORIGINS];
};

/* The text of number `number`, from 0 on, of the recipes that come with mublas (recipes); NULL:
 * there are no more. */
const char *built_in_recipe(int number, size_t *bytes);

/* What people call an origin: "MUBLAS_RECIPE", "user's", ... */
const char *recipe_origin_name(enum recipe_origin origin);

/* Where the user's recipe lies, also if it is not there yet: $XDG_CONFIG_HOME/mublas/recipe or
 * ~/.config/mublas/recipe. False: no home. */
bool recipe_user_path(char path[512]);

/* The name of a file beside `path` for the recipe of this kind of device: PATH-NAME-MULTIPROCESSORS. False:
 * it is too long. */
bool recipe_path_of_kind(const char *path, const struct recipe_signature *machine, char beside[512]);

/* Look for the recipe of this machine. False: there is none, and launches and crossovers are
 * the built-in ones; after true recipe_clear must follow. Thread-safe. */
bool recipe_search(const struct recipe_signature *machine, struct recipe *recipe,
                   struct recipe_search *search);

/* Of a search the recipe in force, and the one that lies beside another kind's for this kind of device and is
 * refused; NULL: there is none. */
const struct recipe_attempt *recipe_search_used(const struct recipe_search *search);
const struct recipe_attempt *recipe_search_refused_beside(const struct recipe_search *search,
                                                          const struct recipe_signature *machine);

/* Before a device is awake: the crossover section of the first of the setting's, the user's and the
 * system's recipes that is there, can be trusted and was made for these kernels, from malloc; whether it
 * fits the device is seen when that wakes. NULL: there is none. Logs nothing. */
char *recipe_search_early(void);

/* The recipe of this process: the first call searches, logs what was refused and lets launches
 * be shaped by what was found. NULL: none. Lives as long as the process. Thread-safe. */
const struct recipe *recipe_of_process(const struct device_properties *device);

#endif
