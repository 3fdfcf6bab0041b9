/* double_double.h - type W: an element is the sum of two doubles, hi and lo, with hi the
 * nearest double to the sum: about 106 bits. Two doubles in memory, hi first.
 *
 * The operations' exact sequences are part of the contract (contract.h). A term takes 15
 * double-precision instructions, a sum 20. */
#ifndef MUBLAS_DOUBLE_DOUBLE_H
#define MUBLAS_DOUBLE_DOUBLE_H

#include "gpu/kernels/element.h"

struct alignas(16) double_double {
    double hi, lo;
};

template <typename T> constexpr bool is_double_double = false;
template <> constexpr bool is_double_double<double_double> = true;

/* What s = a + b left out (Knuth's two-sum). */
DEVICE_FUNCTION double left_out(double a, double b, double s)
{
    const double b_in_s = s - a;
    return (a - (s - b_in_s)) + (b - b_in_s);
}

/* s + w as an element, w so much smaller than s that hi takes no more than its last bits.
 * Of an Inf or NaN s there is no rest: w, mostly NaN by then, would make a NaN of an Inf. */
DEVICE_FUNCTION double_double settled(double s, double w)
{
    const double rest = is_finite(s) ? w : 0;
    const double hi = s + rest;
    return {hi, rest - (hi - s)};
}

/* What p = a.hi b.hi leaves out of the product but for a.lo b.lo, which is below the rest's own error. */
DEVICE_FUNCTION double product_rest(const double_double &a, const double_double &b, double p)
{
    return fused(a.lo, b.hi, fused(a.hi, b.lo, fused(a.hi, b.hi, -p)));
}

DEVICE_FUNCTION double_double operator+(const double_double &a, const double_double &b)
{
    const double s = a.hi + b.hi, r = a.lo + b.lo;
    const double_double sum = settled(s, left_out(a.hi, b.hi, s) + r);
    return settled(sum.hi, sum.lo + left_out(a.lo, b.lo, r));
}

DEVICE_FUNCTION double_double fused(const double_double &a, const double_double &x, const double_double &sum)
{
    const double p = a.hi * x.hi;
    const double rest = product_rest(a, x, p);
    const double s = sum.hi + p;
    return settled(s, left_out(sum.hi, p, s) + (sum.lo + rest));
}

DEVICE_FUNCTION double_double product(const double_double &a, const double_double &b)
{
    const double p = a.hi * b.hi;
    return settled(p, product_rest(a, b, p));
}

DEVICE_FUNCTION bool equals(const double_double &value, int number)
{
    return value.hi == (double)number && value.lo == 0;
}

DEVICE_FUNCTION double_double one_as(double_double) { return {1, 0}; }

DEVICE_FUNCTION double_double conjugate(const double_double &value) { return value; }
DEVICE_FUNCTION double_double conjugate_by(const double_double &value, unsigned) { return value; }

DEVICE_FUNCTION double_double choose(bool first, const double_double &one, const double_double &other)
{
    return {first ? one.hi : other.hi, first ? one.lo : other.lo};
}

DEVICE_FUNCTION const double *parts_of(const double_double *address)
{
    return reinterpret_cast<const double *>(address);
}
DEVICE_FUNCTION double *parts_of(double_double *address) { return reinterpret_cast<double *>(address); }

/* The program's arrays may be aligned like doubles only, as those of complex numbers. */
DEVICE_FUNCTION double_double load(const double_double *address)
{
    return {load(parts_of(address)), load(parts_of(address) + 1)};
}
DEVICE_FUNCTION double_double load_passing(const double_double *address)
{
    return {load_passing(parts_of(address)), load_passing(parts_of(address) + 1)};
}
DEVICE_FUNCTION void load_wide(const double_double *address, double_double *values)
{
    double parts[2];
    load_wide(parts_of(address), parts);
    values[0] = {parts[0], parts[1]};
}
DEVICE_FUNCTION double_double load_result(const double_double *address)
{
    return {parts_of(address)[0], parts_of(address)[1]};
}
DEVICE_FUNCTION void store_result(double_double *address, const double_double &value)
{
    parts_of(address)[0] = value.hi, parts_of(address)[1] = is_finite(value.hi) ? value.lo : 0;
}

#ifndef MUBLAS_EMULATED
DEVICE_FUNCTION double_double group_before(const double_double &value, unsigned from)
{
    return {group_before(value.hi, from), group_before(value.lo, from)};
}

DEVICE_FUNCTION double_double group_exchange(const double_double &value, int mask)
{
    return {group_exchange(value.hi, mask), group_exchange(value.lo, mask)};
}

/* Two doubles whole, as a complex number goes. */
DEVICE_FUNCTION void store_partial(double_double *address, const double_double &value)
{
    store_partial(reinterpret_cast<complex_number<double> *>(address), complex_number<double>{value.hi, value.lo});
}
DEVICE_FUNCTION double_double load_partial(const double_double *address)
{
    const complex_number<double> two = load_partial(reinterpret_cast<const complex_number<double> *>(address));
    return {two.re, two.im};
}
#endif

#endif
