#include "tuner/online/work_split.h"

#include <math.h>

enum { DEVICES_MAX = 64 };

static double finish(const struct work_device *device, int64_t items)
{
    return items > 0 ? device->overhead_us + (double)items / device->items_per_us : 0;
}

double work_split_finish(const struct work_device *devices, size_t count, const int64_t *shares)
{
    double last = 0;
    for (size_t i = 0; i < count; i++)
        last = fmax(last, finish(&devices[i], shares[i]));
    return last;
}

/* Items that all devices together have done by then. */
static double done_by(const struct work_device *devices, size_t count, double time)
{
    double items = 0;
    for (size_t i = 0; i < count; i++)
        items += fmax(0, time - devices[i].overhead_us) * devices[i].items_per_us;
    return items;
}

/* When they have done so many, were these divisible at will: between the times at which
 * devices begin, done_by is a line. */
static double common_finish(const struct work_device *devices, size_t count, double items)
{
    double begin = 0, rate = 0;
    for (size_t i = 0; i < count; i++)
        if (devices[i].items_per_us > 0 && devices[i].overhead_us > begin &&
            done_by(devices, count, devices[i].overhead_us) <= items)
            begin = devices[i].overhead_us;
    for (size_t i = 0; i < count; i++)
        rate += devices[i].overhead_us <= begin ? devices[i].items_per_us : 0;
    if (rate > 0)
        return begin + (items - done_by(devices, count, begin)) / rate;
    begin = INFINITY; /* nobody begins at once: not before the first does */
    for (size_t i = 0; i < count; i++)
        if (devices[i].items_per_us > 0)
            begin = fmin(begin, devices[i].overhead_us);
    return begin;
}

static size_t earliest_with_another(const struct work_device *devices, size_t count, const int64_t *shares,
                                    int64_t unit)
{
    size_t best = count;
    double earliest = INFINITY;
    for (size_t i = 0; i < count; i++)
        if (devices[i].items_per_us > 0 && finish(&devices[i], shares[i] + unit) < earliest) {
            earliest = finish(&devices[i], shares[i] + unit);
            best = i;
        }
    return best < count ? best : 0;
}

static size_t latest(const struct work_device *devices, size_t count, const int64_t *shares)
{
    size_t last = 0;
    for (size_t i = 1; i < count; i++)
        if (shares[i] > 0 &&
            (shares[last] == 0 || finish(&devices[i], shares[i]) > finish(&devices[last], shares[last])))
            last = i;
    return last;
}

/* Dealing unit after unit to whoever is done earliest with it is optimal; everything that
 * is done by the common finish is dealt at once. */
void work_split_measured(const struct work_device *devices, size_t count, int64_t items, int64_t unit,
                         int64_t *shares)
{
    const int64_t units = items / unit + (items % unit != 0);
    const double time = common_finish(devices, count, (double)units * (double)unit);
    int64_t dealt = 0;
    for (size_t i = 0; i < count; i++) {
        const double able =
            isfinite(time) ? fmax(0, time - devices[i].overhead_us) * devices[i].items_per_us : 0;
        const double whole = floor(able / (double)unit - 1e-9);
        shares[i] = whole > 0 ? (int64_t)whole * unit : 0;
        if (shares[i] > units * unit - dealt)
            shares[i] = units * unit - dealt;
        dealt += shares[i];
    }
    for (; dealt < units * unit; dealt += unit)
        shares[earliest_with_another(devices, count, shares, unit)] += unit;
    if (dealt > items)
        shares[latest(devices, count, shares)] -= dealt - items;
}

static double part_of_fewer(double fewer, double more, double weight)
{
    const double part = fewer / (fewer + more);
    return part <= 0.4 ? part * weight : 0.5;
}

void work_split_by_elements(const int *elements, size_t count, double weight, int64_t items, int64_t *shares)
{
    size_t order[DEVICES_MAX];
    double parts[DEVICES_MAX], sum = 1;
    for (size_t i = 0; i < count; i++) { /* ascending by elements */
        size_t place = i;
        for (; place > 0 && elements[order[place - 1]] > elements[i]; place--)
            order[place] = order[place - 1];
        order[place] = i;
    }
    parts[0] = 1;
    for (size_t i = 1; i < count; i++) {
        const double fewer = part_of_fewer(elements[order[i - 1]], elements[order[i]], weight);
        parts[i] = parts[i - 1] * (1 - fewer) / fewer;
        sum += parts[i];
    }
    int64_t left = items;
    for (size_t i = 0; i < count; i++) {
        int64_t share = i + 1 < count ? (int64_t)floor((double)items * parts[i] / sum + 0.5) : left;
        share = share < left ? share : left;
        shares[order[i]] = share;
        left -= share;
    }
}
