#include "border_calls.h"

#include "command/routine_call.h"
#include "interpose/entries/pack.h"

#include <math.h>
#include <stddef.h>

static const double spread = 4, least_bytes = 16 << 10;

static double random_between(uint64_t *seed, double low, double high)
{
    return low * pow(high / low, random_part(seed));
}

int border_class(int routine, uint64_t *seed)
{
    int found = TIMED_CLASS_NONE, count = 0;
    for (int class = 0; class < TIMED_CLASSES; class++)
        if (timed_class_exists(class) && timed_class_family(class) ==
            timed_class_shared(routine_family(routine)) &&
            timed_class_type(class) == routine_type(routine) && random_part(seed) * ++count < 1)
            found = class;
    return found;
}

/* The amount from which on the device is below the host, for a while at least; HUGE_VAL: never. Within 2%. */
static double first_gain(const struct learned_times *times, int class)
{
    static const double grid = 1.02, beyond = 1e3; /* times the last sample: nobody has such calls */
    const struct time_curve *host = &times->host[class], *rest = &times->rest[class];
    /* Without what the result takes: not after it. */
    const double first = time_curve_first_gain(host, rest);
    const struct blas_call some = timed_class_call(class, 1e6);
    if (first == HUGE_VAL || result_home_us(&some, true) == 0)
        return first;
    const double end = beyond * fmax(first, host->samples[host->count - 1].amount);
    for (double amount = first; amount < end; amount *= grid)
        if (learned_times_device(times, class, amount) < time_curve_at(host, TIME_SHRINKS, amount))
            return amount / grid;
    return HUGE_VAL;
}

double border_amount(const struct learned_times *times, int class, double bytes, uint64_t *seed)
{
    const bool known = times->host[class].count && times->resident[class].count;
    const double border = known ? first_gain(times, class) : HUGE_VAL;
    const double least = timed_class_amount_of(class, least_bytes);
    const double most = timed_class_amount_of(class, bytes);
    if (border >= most)
        return random_between(seed, least, most);
    /* Not cut off afterwards: calls would pile up at the ends, where one size would be judged many times. */
    const double low = fmax(border / spread, least / 4);
    return random_between(seed, low, fmin(fmax(border, low) * spread, most));
}

static int64_t scaled(int64_t length, double factor)
{
    return (int64_t)fmax(1, round((double)length * factor));
}

static double largest_matrix(const struct blas_call *call)
{
    const double m = (double)(call->m ? call->m : call->n), n = (double)call->n;
    const double k = (double)(call->k ? call->k : 1);
    return fmax(m * n, k * fmax(m, n)) * (double)blas_element_bytes(call->type);
}

/* Other sizes with as much work, of the same class, on matrices of at most so many bytes. */
static void reshape(struct blas_call *call, double bytes, uint64_t *seed)
{
    enum { TRIES = 200 };
    const int class = timed_class_of(call);
    const bool on_left = call->side == SIDE_LEFT;
    for (int i = 0; i < TRIES; i++) {
        struct blas_call other = *call;
        const double a = random_between(seed, 0.25, 4), b = random_between(seed, 0.25, 4);
        if (call->family == FAMILY_GEMM) {
            other.m = scaled(call->m, a), other.n = scaled(call->n, b);
            other.k = scaled(call->k, 1 / (a * b));
        } else if (call->k) {
            other.n = scaled(call->n, a), other.k = scaled(call->k, 1 / (a * a));
        } else {
            other.m = scaled(call->m, on_left ? a : 1 / (a * a));
            other.n = scaled(call->n, on_left ? 1 / (a * a) : a);
        }
        if (timed_class_of(&other) == class && largest_matrix(&other) <= bytes) {
            *call = other;
            return;
        }
    }
}

void border_call_lay_out(struct blas_call *call)
{
    static double storage;
    struct blas_matrix *const matrices[] = {&call->a, &call->b, &call->c};
    call->a.ld = call->b.ld = call->c.ld = INT64_MAX;
    call->x.increment = call->y.increment = 1;
    pack_legal(call);
    for (int i = 0; i < 3; i++) {
        matrices[i]->ld = matrices[i]->rows;
        matrices[i]->pointer = matrices[i]->rows ? &storage : NULL;
    }
    call->x.pointer = &storage;
}

/* Another ratio of gemv's sides, with about as many elements: up to where the next class begins, or twice
 * that of the last one. */
static void change_ratio(struct blas_call *call, uint64_t *seed)
{
    enum { TRIES = 200 };
    const double m = (double)call->m, n = (double)call->n;
    const bool square = m < 2 * n && n < 2 * m;
    for (int i = 0; i < TRIES; i++) {
        const double taller = square ? random_between(seed, 0.26, 3.9)
                              : m > n ? random_between(seed, 0.25, 2)
                                      : random_between(seed, 0.5, 4);
        struct blas_call other = *call;
        other.m = (int64_t)fmax(1, round(m * sqrt(taller)));
        other.n = (int64_t)fmax(1, round(n / sqrt(taller)));
        if (timed_class_of(&other) == timed_class_of(call)) {
            *call = other;
            return;
        }
    }
}

struct blas_call border_call(int routine, int class, double amount, double reshape_bytes, uint64_t *seed)
{
    struct blas_call call = timed_class_call(class, amount);
    call.family = routine_family(routine);
    if (call.family == FAMILY_GEMV)
        change_ratio(&call, seed);
    if (reshape_bytes > 0 && call.family >= FAMILY_GEMM)
        reshape(&call, reshape_bytes, seed);
    random_flags(&call, seed);
    border_call_lay_out(&call);
    return call;
}

void border_shuffle(int *order, int count, uint64_t *seed)
{
    for (int i = count - 1; i > 0; i--) {
        const int other = (int)(random_part(seed) * (i + 1)), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
}
