#include "gpu/device_shares.h"
#include "common/settings.h"

#include <math.h>
#include <stddef.h>

/* After ten pieces a change of pace has been followed for the most part. */
static const double KEPT = 0.8;

/* How much the guess's ratio of link and products weighs beside the pieces. */
static const double STIFFNESS = 1e-3;

struct device_pace device_pace_guess(double link, double products)
{
    return (struct device_pace){.link = link, .products = products};
}

static void follow(double *sum, double value)
{
    *sum = KEPT * *sum + value;
}

void device_pace_note(struct device_pace *pace, double bytes, double operations, double seconds)
{
    const double guess = bytes / pace->link + operations / pace->products;
    if (!(seconds > 0) || !(guess > 0))
        return;
    const double up = bytes / pace->link / guess, work = operations / pace->products / guess,
                 time = seconds / guess;
    follow(&pace->weight, 1);
    follow(&pace->time, time);
    follow(&pace->up_up, up * up);
    follow(&pace->up_work, up * work);
    follow(&pace->work_work, work * work);
    follow(&pace->up_time, up * time);
    follow(&pace->work_time, work * time);
}

/* Finds the factors of the guessed times of link and products: first both by one factor, then each by
 * its own, of which none may become negative. */
static void solve(const struct device_pace *pace, double *link, double *products)
{
    const double scale = pace->weight > 0 ? pace->time / pace->weight : 1;
    const double stiffness = STIFFNESS * pace->weight;
    const double a = pace->up_up + stiffness, b = pace->up_work, c = pace->work_work + stiffness;
    const double right_up = pace->up_time + stiffness * scale,
                 right_work = pace->work_time + stiffness * scale;
    const double determinant = a * c - b * b;
    *link = *products = scale;
    if (determinant > 0) {
        *link = (right_up * c - right_work * b) / determinant;
        *products = (right_work * a - right_up * b) / determinant;
    }
    if (*link < 0) {
        *link = 0;
        *products = right_work / c;
    } else if (*products < 0) {
        *products = 0;
        *link = right_up / a;
    }
}

double device_pace_seconds(const struct device_pace *pace, double bytes, double operations)
{
    double link, products;
    solve(pace, &link, &products);
    return bytes / pace->link * link + operations / pace->products * products;
}

/* Beyond so many units several are dealt at once: nobody would see the difference. */
enum { DEALS_MOST = 4096 };

/* The device that ends first with one more unit. */
static int next_of(const double *unit_seconds, const double *ends, const int64_t *shares,
                   const double *start_seconds, int count)
{
    int best = 0;
    double best_end = INFINITY;
    for (int i = 0; i < count; i++) {
        const double start = start_seconds && shares && shares[i] == 0 ? start_seconds[i] : 0;
        const double end = ends[i] + start + unit_seconds[i];
        if (end < best_end) {
            best = i;
            best_end = end;
        }
    }
    return best;
}

void device_shares_by_seconds(const double *unit_seconds, const double *start_seconds, int count,
                              int64_t units, int64_t *shares)
{
    const int64_t most = 1 + units / DEALS_MOST;
    double ends[DEVICES_MAX] = {0};
    for (int i = 0; i < count; i++)
        shares[i] = 0;
    while (units > 0) {
        const int next = next_of(unit_seconds, ends, shares, start_seconds, count);
        const int64_t dealt = most < units ? most : units;
        ends[next] += (double)dealt * unit_seconds[next];
        if (shares[next] == 0 && start_seconds)
            ends[next] += start_seconds[next];
        shares[next] += dealt;
        units -= dealt;
    }
}

bool device_shares_takes_next(const double *unit_seconds, const double *busy_seconds, int count, int own,
                              int64_t remaining)
{
    double ends[DEVICES_MAX];
    for (int i = 0; i < count; i++)
        ends[i] = busy_seconds[i];
    for (int64_t dealt = 0; dealt < remaining && dealt < DEALS_MOST; dealt++) {
        const int next = next_of(unit_seconds, ends, NULL, NULL, count);
        if (next == own)
            return true;
        ends[next] += unit_seconds[next];
    }
    return remaining > DEALS_MOST;
}

static int largest_of(const double *values, int count)
{
    int largest = 0;
    for (int i = 1; i < count; i++)
        if (values[i] > values[largest])
            largest = i;
    return largest;
}

void device_shares_by_fractions(const double *fractions, int count, int64_t units, int64_t *shares)
{
    const int largest = largest_of(fractions, count);
    int64_t left = units;
    for (int i = 0; i < count; i++) {
        if (i == largest)
            continue;
        const int64_t wanted = (int64_t)floor(fractions[i] * (double)units + 0.5);
        shares[i] = wanted < left ? wanted : left;
        left -= shares[i];
    }
    shares[largest] = left;
}

/* Weights of the fewer elements' fraction: formula (6) of the paper, from tenths, thirds and halves measured
 * at 2 : 3. */
static const double weights[COMPUTATION_CLASSES] = {0.25, 0.75, 1.25};

/* The fraction that the weaker of two gets of the work of both: formulas (7) and (8). */
static double weaker_fraction(double weaker, double stronger, enum computation_class class)
{
    const double ratio = weaker / (weaker + stronger);
    return ratio <= 0.4 ? ratio * weights[class] : 0.5;
}

/* The weakest that is stronger than `than`, or as strong and behind it; -1: none. */
static int next_stronger(const double *power, int count, int than)
{
    int next = -1;
    for (int i = 0; i < count; i++) {
        const bool is_behind = than < 0 || power[i] > power[than] || (power[i] == power[than] && i > than);
        if (is_behind && (next < 0 || power[i] < power[next]))
            next = i;
    }
    return next;
}

/* From each pair of neighbours, the weakest first, the ratio of their work; all together the continued ratio.
 */
void device_shares_by_rule(const double *power, int count, enum computation_class class, double *fractions)
{
    int weaker = next_stronger(power, count, -1);
    double sum = 1;
    fractions[weaker] = 1;
    for (int stronger; (stronger = next_stronger(power, count, weaker)) >= 0; weaker = stronger) {
        const double part = weaker_fraction(power[weaker], power[stronger], class);
        fractions[stronger] = fractions[weaker] * (1 - part) / part;
        sum += fractions[stronger];
    }
    for (int i = 0; i < count; i++)
        fractions[i] /= sum;
}

/* CUDA C programming guide, arithmetic instructions: results of 32-bit additions per clock and
 * multiprocessor. */
int device_shares_elements(int compute_major, int compute_minor)
{
    switch (compute_major) {
    case 1: return 8;
    case 2: return compute_minor == 0 ? 32 : 48;
    case 3: return 192;
    case 5: return 128;
    case 6: return compute_minor == 0 ? 64 : 128;
    case 7: return 64;
    case 8: return compute_minor == 0 ? 64 : 128;
    default: return 128;
    }
}

double device_shares_power(const struct device_properties *properties)
{
    return (double)properties->multiprocessors * properties->clock_hz *
           device_shares_elements(properties->compute_major, properties->compute_minor);
}
