/* reflector.h - elementary reflectors H = I - tau v v', as LAPACK's larfg makes them, v(0) = 1, and what
 * kernels that apply them need of elements. */
#ifndef MUBLAS_REFLECTOR_H
#define MUBLAS_REFLECTOR_H

#include "gpu/kernels/warp_ops.h"

#ifdef MUBLAS_EMULATED
DEVICE_FUNCTION float root_of(float value) { return sqrtf(value); }
DEVICE_FUNCTION double root_of(double value) { return sqrt(value); }
DEVICE_FUNCTION uint32_t float_bits(float value) { return __builtin_bit_cast(uint32_t, value); }
DEVICE_FUNCTION float float_of(uint32_t bits) { return __builtin_bit_cast(float, bits); }
DEVICE_FUNCTION uint64_t double_bits(double value) { return __builtin_bit_cast(uint64_t, value); }
DEVICE_FUNCTION double double_of(uint64_t bits) { return __builtin_bit_cast(double, bits); }
#else
DEVICE_FUNCTION float root_of(float value) { return __fsqrt_rn(value); }
DEVICE_FUNCTION double root_of(double value) { return __dsqrt_rn(value); }
DEVICE_FUNCTION uint32_t float_bits(float value) { return __float_as_uint(value); }
DEVICE_FUNCTION float float_of(uint32_t bits) { return __uint_as_float(bits); }
DEVICE_FUNCTION uint64_t double_bits(double value) { return (uint64_t)__double_as_longlong(value); }
DEVICE_FUNCTION double double_of(uint64_t bits) { return __longlong_as_double((long long)bits); }
#endif

/* 2^-e for a value from 2^e to below 2^(e + 1), by the bits of its exponent; an infinity for a NaN or an
 * infinity. */
DEVICE_FUNCTION float power_against(float value)
{
    return float_of((254u << 23) - (float_bits(value) & 0x7f800000u));
}
DEVICE_FUNCTION double power_against(double value)
{
    return double_of((2046ull << 52) - (double_bits(value) & 0x7ff0000000000000ull));
}

template <typename T> struct real_of_type {
    using type = T;
};
template <typename R> struct real_of_type<complex_number<R>> {
    using type = R;
};
template <typename T> using real_of = typename real_of_type<T>::type;

DEVICE_FUNCTION float real_part(float value) { return value; }
DEVICE_FUNCTION double real_part(double value) { return value; }
template <typename R> DEVICE_FUNCTION R real_part(const complex_number<R> &value) { return value.re; }
DEVICE_FUNCTION float imaginary_part(float) { return 0; }
DEVICE_FUNCTION double imaginary_part(double) { return 0; }
template <typename R> DEVICE_FUNCTION R imaginary_part(const complex_number<R> &value) { return value.im; }

DEVICE_FUNCTION float scaled(float factor, float value) { return factor * value; }
DEVICE_FUNCTION double scaled(double factor, double value) { return factor * value; }
template <typename R> DEVICE_FUNCTION complex_number<R> scaled(R factor, const complex_number<R> &value)
{
    return {factor * value.re, factor * value.im};
}

DEVICE_FUNCTION float negated(float value) { return -value; }
DEVICE_FUNCTION double negated(double value) { return -value; }
template <typename R> DEVICE_FUNCTION complex_number<R> negated(const complex_number<R> &value)
{
    return {-value.re, -value.im};
}

template <typename T> DEVICE_FUNCTION T element_of(real_of<T> value)
{
    if constexpr (is_complex<T>)
        return {value, 0};
    else
        return value;
}

/* sum + the real part of conj(a) b */
template <typename T> DEVICE_FUNCTION real_of<T> real_product_added(const T &a, const T &b, real_of<T> sum)
{
    sum = fused(real_part(a), real_part(b), sum);
    if constexpr (is_complex<T>)
        sum = fused(a.im, b.im, sum);
    return sum;
}

DEVICE_FUNCTION float reciprocal(float value) { return 1 / value; }
DEVICE_FUNCTION double reciprocal(double value) { return 1 / value; }
/* Smith's, without overflow in between. */
template <typename R> DEVICE_FUNCTION complex_number<R> reciprocal(const complex_number<R> &value)
{
    const bool mainly_real = (value.re < 0 ? -value.re : value.re) >= (value.im < 0 ? -value.im : value.im);
    const R large = mainly_real ? value.re : value.im, small = mainly_real ? value.im : value.re;
    const R ratio = small / large, inverse = 1 / fused(small, ratio, large);
    return mainly_real ? complex_number<R>{inverse, -ratio * inverse}
                       : complex_number<R>{ratio * inverse, -inverse};
}

/* Sums of squares below `least` have lost digits, or all. `up` raises what gave them, exactly, as far as
 * needed. */
template <typename R> struct square_range;
template <> struct square_range<float> {
    static constexpr float least = 0x1p-80f, up = 0x1p60f, down = 1 / up;
};
template <> struct square_range<double> {
    static constexpr double least = 0x1p-900, up = 0x1p500, down = 1 / up;
};

/* H with H' (alpha, x) = (beta, 0). Kernels carry u = power * ((alpha, x) - beta e1), of about 1, instead of
 * v = scale u, so that products with u need not wait for a division. */
template <typename T> struct reflector {
    using R = real_of<T>;
    R beta, power;
    T first; /* of u */
    bool identity; /* x is zero, and alpha real: H = I, u = 0 */

    DEVICE_METHOD T scale() const { return identity ? T{} : reciprocal(first); }
    /* beta and first have one power of two in common, which falls out. */
    DEVICE_METHOD T tau() const
    {
        if (identity)
            return T{};
        const R whole = -(beta * power);
        if constexpr (is_complex<T>)
            return {first.re / whole, first.im / whole};
        else
            return first / whole;
    }
};

/* From alpha and the sum of squares of x; raised_squares(up) is the sum again with x times a power of two.
 * Numbers that are too small even so, less than 2^-900 before the power, count as zero: they are nothing
 * beside what the routes let pass. */
template <typename T, typename F>
DEVICE_FUNCTION reflector<T> reflector_of(const T &alpha, real_of<T> squares, F raised_squares)
{
    using R = real_of<T>;
    using range = square_range<R>;
    R up = 1, down = 1;
    T head = alpha;
    bool identity = squares == R(0) && imaginary_part(alpha) == R(0);
    R whole = real_product_added(head, head, squares);
    if (!(whole >= range::least)) {
        up = range::up, down = range::down;
        head = scaled(up, alpha);
        const R raised = raised_squares(up);
        whole = real_product_added(head, head, raised);
        identity = whole < range::least ||
                   (raised == R(0) && imaginary_part(alpha) == R(0)); /* NaN goes on */
    }
    if (identity)
        return {real_part(alpha), R(1), T{}, true};
    const R root = root_of(whole), beta = real_part(head) >= R(0) ? -root : root, power = power_against(root);
    return {beta * down, power * up, scaled(power, head + element_of<T>(-beta)), false};
}

#endif
