#include "tuner/online/order_curve.h"

#include <math.h>

static int known_orders(const struct order_curve *curve)
{
    int count = 0;
    while (count < CURVE_ORDERS && curve->seconds[count] > 0)
        count++;
    return count;
}

double order_curve_seconds(const struct order_curve *curve, double n)
{
    const double steps = log2(n / CURVE_FIRST_ORDER);
    const int last = known_orders(curve) - 2;
    const int i = steps < 0 ? 0 : steps > last ? last : (int)steps;
    const double power = log2(curve->seconds[i + 1] / curve->seconds[i]);
    return curve->seconds[i] * exp2(power * (steps - i));
}
