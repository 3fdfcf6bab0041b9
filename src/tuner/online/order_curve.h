/* order_curve.h - a routine's measured times by the order of its matrix. */
#ifndef MUBLAS_ORDER_CURVE_H
#define MUBLAS_ORDER_CURVE_H

enum { CURVE_ORDERS = 6, CURVE_FIRST_ORDER = 512 };

/* Seconds for the orders 512, 1024, 2048, 4096, 8192, 16384; what was not measured is 0 and goes on with the power of the
 * two before. */
struct order_curve {
    double seconds[CURVE_ORDERS];
};

/* Between two orders, and beyond them, times are powers of the order. Pure. */
double order_curve_seconds(const struct order_curve *curve, double n);

#endif
