/* recipe.h - what the tuner learned of a machine, in memory and as text; the recipe in force, and the
 * launch shape of a call by it.
 *
 * A recipe has per class and form (tuning_class.h) the rules of launch shapes, the occupancy recipe, and
 * which of the two chooses; and the crossovers. The text is line-based and ends in a line with its own
 * hash, so that a file that was cut or touched is noticed: all or nothing. The reader (recipe.c) takes any
 * bytes, has no globals and is thread-safe; shape_timer.h has an example. recipe_search.c finds the recipe
 * in force. */
#ifndef MUBLAS_RECIPE_H
#define MUBLAS_RECIPE_H

#include "gpu/device.h"
#include "gpu/launch.h"
#include "tuner/online/tuning_class.h"

enum {
    RECIPE_FORMAT = 2, /* 1 had other sizes of gemv */
    RECIPE_INTERVALS_MAX = 64,
    RECIPE_TEXT_MAX = 1 << 20, /* bytes */
    RECIPE_FAULT_BYTES = 256,
    RECIPE_MADE_BYTES = 80
};

/* The build and the machine that a recipe is valid for. */
struct recipe_signature {
    char kernels[17]; /* kernel_set_hash */
    char device[96];
    int multiprocessors;
    int driver;       /* as in device_properties */
    char host[256];   /* the host BLAS that crossovers were measured against; "" for none: of those only */
};

/* Sizes (tuning_size_of) up to and with `upto` have the shape; the last interval's is INT64_MAX.
 * A shape of edge 0: what is built in for the call. */
struct recipe_interval {
    int64_t upto;
    struct launch_shape shape;
};

struct class_recipe {
    bool by_occupancy;  /* the optimizer chooses; otherwise the intervals */
    int interval_count; /* 0: nothing was learned of this class and form */
    struct recipe_interval intervals[RECIPE_INTERVALS_MAX];
    bool has_occupancy; /* the analyzer has run, and what follows is there */
    struct occupancy_recipe occupancy;
    struct launch_shape base; /* of occupancy_shape; its threads are 0 */
    struct shape_figures figures;
};

struct recipe {
    struct recipe_signature signature;
    char made[RECIPE_MADE_BYTES]; /* for people: when, how */
    int resident_warps, resident_blocks; /* of a multiprocessor, at most */
    struct class_recipe classes[TUNING_CLASSES][TUNING_FORMS];
    char *crossover; /* what learned_times_parse takes, NUL-terminated, from malloc; NULL: none */
};

/* The signature of this build on that device; the host is left empty. */
struct recipe_signature recipe_signature_of(const struct device_properties *device);

/* Devices of one name and as many multiprocessors, whatever the driver. */
bool recipe_is_of_kind(const struct recipe_signature *one, const struct recipe_signature *other);

/* Read the text. False: nothing was learned of it, and `fault` is a phrase. After true
 * recipe_clear must follow. */
bool recipe_parse(const char *text, size_t bytes, struct recipe *recipe, char fault[RECIPE_FAULT_BYTES]);
void recipe_clear(struct recipe *recipe);

/* Was it made for this machine, the host BLAS aside? A phrase if not. */
bool recipe_fits(const struct recipe *recipe, const struct recipe_signature *machine,
                 char fault[RECIPE_FAULT_BYTES]);

/* Read a file: a regular one, owned by this user or root, that nobody else may write. Out of
 * memory is a fault like any other. */
bool recipe_read(const char *path, struct recipe *recipe, char fault[RECIPE_FAULT_BYTES]);

/* The crossover section of a recipe's file, which learned_times_parse takes, from malloc; and the name of its
 * device. NULL: there is none, or nothing that can be read. */
char *recipe_times_read(const char *path, char device[sizeof((struct recipe_signature *)0)->device],
                        char fault[RECIPE_FAULT_BYTES]);

/* The hash in the last line, of all bytes before that line (FNV-1a, 64 bits). */
uint64_t recipe_hash(const char *text, size_t bytes);

/* Words for enum leaf_order and symv_variant, ended by NULL. */
extern const char *const recipe_orders[], *const recipe_variants[];

/* Words of a shape in the text. */
enum { RECIPE_SHAPE_BYTES = 160 };
void recipe_shape_text(const struct launch_shape *shape, char text[RECIPE_SHAPE_BYTES]);

/* A decision on a shape depends on class, form and size (tuning_class.h) alone and is kept for sizes below
 * 1024 (n = 32768), so that the walk over block shapes is made once. Decisions are thread-safe without
 * locks. */

/* Let launches be shaped by this recipe, which must stay as it is from now on; NULL: by the
 * built-in rules again. While launches are under way in other threads only once, from
 * nothing to something. */
void decision_use(const struct recipe *recipe);

/* The same for the device at `place` alone, which is unlike the first and not in use yet; once. False: out of
 * memory, and the first's recipe shapes its launches, too. */
bool decision_use_at(int place, const struct recipe *recipe);

/* A launch_shape_chooser. False: the recipe has nothing for the class, or there is none. */
bool decision_shape(int place, const struct blas_call *call, struct launch_shape *shape);

/* The same by a class's part of a recipe, worked out anew and not kept: by its occupancy recipe where that is
 * wanted and admits a shape, else by its rules. False: it has none, or wants the built-in shape. */
bool decision_of(const struct class_recipe *rules, int class, enum tuning_form form, int64_t size,
                 bool by_occupancy, struct launch_shape *shape);

/* The shape of a launch of the call by these rules, whose class and form are the call's. */
struct launch_shape decision_or_built_in(const struct class_recipe *rules, const struct blas_call *call,
                                         bool by_occupancy);

/* The recipe in force is that of the setting MUBLAS_RECIPE, the user's, the system's, or one that is built
 * in: the first that is there, can be trusted and fits. On a machine with several kinds of devices a file
 * may hold the recipe of one, and those of the others lie beside it. */
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

/* An origin's name for people: "MUBLAS_RECIPE", "user's", ... */
const char *recipe_origin_name(enum recipe_origin origin);

/* The path of the user's recipe, also if it is not there yet: $XDG_CONFIG_HOME/mublas/recipe or
 * ~/.config/mublas/recipe. False: no home. */
bool recipe_user_path(char path[512]);

/* The name of a file beside `path` for the recipe of this kind of device: PATH-NAME-MULTIPROCESSORS. False:
 * it is too long. */
bool recipe_path_of_kind(const char *path, const struct recipe_signature *machine, char beside[512]);

/* Look for the recipe of this machine. False: there is none, and launches and crossovers are
 * the built-in ones; after true recipe_clear must follow. Thread-safe. */
bool recipe_search(const struct recipe_signature *machine, struct recipe *recipe,
                   struct recipe_search *search);

/* A search's recipe in force, and its refused one that lies beside another kind's for this kind of device;
 * NULL: there is none. */
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
