#include "tuner/learn/border_search.h"

#include <math.h>

enum { ORDERS_MOST = 3, ORDER_UNIT = 32 };

/* By logarithms: of the order, and of the ratio. */
struct point {
    double order, ratio;
};

/* Where the line through both meets a ratio of one, not far from what was timed: a line that hardly falls is
 * mostly noise. Where it does not fall it only tells which way is the faster one. */
static double crossing(struct point first, struct point second)
{
    const double most = log(1.4), slope = (second.ratio - first.ratio) / (second.order - first.order);
    const double step = slope < 0 ? -second.ratio / slope : copysign(most, second.ratio);
    return second.order + fmin(fmax(step, -most), most);
}

static int64_t order_at(double logarithm, int64_t most)
{
    const int64_t order = ORDER_UNIT * llround(fmax(1, exp(logarithm) / ORDER_UNIT));
    return order < most ? order : most;
}

int64_t border_search(int64_t known, int64_t most, border_ratio *ratio_at, void *context)
{
    const double alike = 0.02, first_step = 0.12;
    struct point before = {0, 0}, now = {log((double)known), 0};
    double next = now.order, ratio;
    int64_t last = 0;
    int timed = 0;
    for (bool is_between = false; timed < ORDERS_MOST && !is_between; timed++) {
        const int64_t order = order_at(next, most);
        if (order == last || !ratio_at(context, order, &ratio))
            break;
        last = order;
        now = (struct point){log((double)order), log(ratio)};
        if (fabs(now.ratio) < alike)
            return order;
        const double step = fmax(first_step, log1p(ORDER_UNIT / (double)order)); /* to another order */
        next = timed == 0 ? now.order + copysign(step, now.ratio) : crossing(before, now);
        is_between = timed > 0 && signbit(before.ratio) != signbit(now.ratio);
        before = now;
    }
    return timed == 0 ? 0 : order_at(next, most);
}
