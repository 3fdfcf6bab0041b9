/* recipe.h - what the tuner learned of a machine, in memory and as text.
 *
 * Per class and form (tuning_class.h) the rules of launch shapes, the occupancy recipe, and
 * which of the two chooses; and the crossovers. The text is line-based and ends in a line
 * with its own hash, so that a file that was cut or touched is noticed: all or nothing. The
 * reader takes any bytes; recipe_write.h has an example. No globals; thread-safe. */
#ifndef MUBLAS_RECIPE_H
#define MUBLAS_RECIPE_H

#include "gpu/device.h"
#include "gpu/launch_shape.h"
#include "tuner/online/occupancy_shape.h"
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

/* The hash in the last line, of all bytes before that line (FNV-1a, 64 bits). */
uint64_t recipe_hash(const char *text, size_t bytes);

/* Words for enum leaf_order and symv_variant, ended by NULL. */
extern const char *const recipe_orders[], *const recipe_variants[];

/* Words of a shape in the text. */
enum { RECIPE_SHAPE_BYTES = 160 };
void recipe_shape_text(const struct launch_shape *shape, char text[RECIPE_SHAPE_BYTES]);

#endif
