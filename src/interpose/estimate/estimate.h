/* estimate.h - a GPU that is not there (MUBLAS_ESTIMATE): which calls would run on it, and how long they
 * would take.
 *
 * Calls stay on the host, which is timed. Each is decided as on a machine with that GPU, by the same
 * functions, models and accounts (policy.h, ledger.h): the host's time is foretold for the
 * choice, measured for the table. The mirrors' place is taken by a table of the matrices that calls have
 * used, each with a few dozen elements by which it is told, outside of the time that is measured, whether
 * the program has rewritten it. Memory of the GPU is taken to be enough. All functions are thread-safe. */
#ifndef MUBLAS_ESTIMATE_H
#define MUBLAS_ESTIMATE_H

#include "common/settings.h"
#include "interpose/call/program_call.h"
#include "tuner/online/recipe.h"

#include <stdbool.h>
#include <stdint.h>

static inline bool estimate_wanted(void)
{
    return *settings()->estimate != '\0';
}

/* The setting is this, for mublas' own figures of an H100, or a recipe's file (recipe_times_read). */
#define ESTIMATE_BUILT_IN "h100"

/* The times that the model in force has: of a file, or built-in figures of this device (device_use.c). */
extern struct estimate_source {
    char device[sizeof((struct recipe_signature *)0)->device];
    bool is_file;
} estimate_source;

/* Says where a call of BLAS would run, described, once calls have paid for the GPU. HOST_NO_REASON: on the GPU, and call->foretold says how long it would take;
 * otherwise why it would be the host's. Inside the door; the host has not run it yet. */
enum host_reason estimate_call(struct program_call *call);

/* The same of a route of LAPACK. First the choice, by these times and what may stay on the GPU, one matrix or none;
 * and then, where calls have paid for a GPU, the times of the call. */
struct policy_decision estimate_decide_route(const struct route_times *times, const struct operand *kept, int count);
enum host_reason estimate_route(struct program_call *call);

/* The host has run a call that would have run on the GPU, in so many nanoseconds. */
void estimate_note(enum symbol symbol, const struct foretold *foretold, uint64_t nanoseconds);

/* The same of BLAS, whose results are on the GPU from then on. */
void estimate_note_call(const struct program_call *call, uint64_t nanoseconds);

/* A routine's calls that would have run on the GPU. */
struct estimate_row {
    uint64_t calls, nanoseconds; /* on the host, measured */
    uint64_t learned_calls;      /* by a recipe's times, not by built-in figures */
    double us, best_us, worst_us;
};
bool estimate_has_calls(void);

/* Microseconds of what the first calls would have waited for. */
struct estimate_prices {
    double device_us, level3_us, routines_us, solver_us;
    int routines; /* of level 3, whose kernels are loaded */
};

/* An estimate has these besides the report of its process, or of several. All zero: there is none. */
struct estimate {
    bool is_there;
    char *device, *file;     /* the GPU's name, and the file that tells of it: NULL of built-in figures */
    double sharing;          /* so many times as long for each rank */
    uint64_t end_nanoseconds; /* of the process, since 1970 */
    struct estimate_prices prices;
    struct estimate_row rows[SYMBOL_COUNT];
};

/* That of this process, whose strings are from malloc. For a fork's child that made no call, without its rows. */
void estimate_read(struct estimate *estimate);

/* For estimate.c alone, which locks: the matrices that would stay on the GPU, and their accounts, as
 * mirror/ has them for one that is there (matrices.c). Each function takes the operands of a call; these
 * three are as operands_residency, operands_credit and operands_earn. */
struct residency matrices_residency(const struct operand *operands, int count);
void matrices_credit(const struct operand *operands, int count, double saved_us);
void matrices_earn(const struct operand *operands, int count, double saved_us);

/* Microseconds of the uploads of a call that would run on the GPU: what is not there, and of the rest what
 * the program has rewritten since, as far as samples tell. They are there from then on, unless most was
 * rewritten. */
double matrices_upload_us(const struct machine_model *model, const struct operand *operands, int count);

/* The same of one operand: which part of it goes up, 0 to 1. */
double matrices_upload_part(const struct operand *operand);

/* The host has written the results in the GPU's stead. */
void matrices_note_results(const struct operand *operands, int count);

/* Bytes that the call reads. */
uint64_t matrices_bytes_read(const struct operand *operands, int count);

#endif
