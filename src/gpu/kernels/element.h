/* element.h - matrix and vector elements: float, double and pairs of them, with the
 * few operations that the kernels need of each. What they round, and in which order,
 * is part of the contract (contract.h).
 *
 * The program's complex arrays are aligned like their real part only: elements in
 * its memory go through load, load_wide and store, never through a T lvalue. */
#ifndef MUBLAS_ELEMENT_H
#define MUBLAS_ELEMENT_H

#include "gpu/kernels/device_ops.h"

template <typename R> struct alignas(2 * sizeof(R)) complex_number {
    R re, im;
};

template <typename T> constexpr bool is_complex = false;
template <typename R> constexpr bool is_complex<complex_number<R>> = true;

template <typename R>
DEVICE_FUNCTION complex_number<R> operator+(const complex_number<R> &a, const complex_number<R> &b)
{
    return {a.re + b.re, a.im + b.im};
}

/* One term: sum + a x. */
template <typename R>
DEVICE_FUNCTION complex_number<R> fused(const complex_number<R> &a, const complex_number<R> &x,
                                        const complex_number<R> &sum)
{
    return {fused(-a.im, x.im, fused(a.re, x.re, sum.re)), fused(a.im, x.re, fused(a.re, x.im, sum.im))};
}

DEVICE_FUNCTION float product(float a, float b) { return a * b; }
DEVICE_FUNCTION double product(double a, double b) { return a * b; }
template <typename R>
DEVICE_FUNCTION complex_number<R> product(const complex_number<R> &a, const complex_number<R> &b)
{
    return {fused(-a.im, b.im, a.re * b.re), fused(a.im, b.re, a.re * b.im)};
}

/* Is it this real number? Zeros of either sign are equal. */
DEVICE_FUNCTION bool equals(float value, int number) { return value == (float)number; }
DEVICE_FUNCTION bool equals(double value, int number) { return value == (double)number; }
template <typename R> DEVICE_FUNCTION bool equals(const complex_number<R> &value, int number)
{
    return value.re == R(number) && value.im == R(0);
}

/* The number 1 in the argument's type. */
DEVICE_FUNCTION float one_as(float) { return 1; }
DEVICE_FUNCTION double one_as(double) { return 1; }
template <typename R> DEVICE_FUNCTION complex_number<R> one_as(complex_number<R>) { return {1, 0}; }

DEVICE_FUNCTION float conjugate(float value) { return value; }
DEVICE_FUNCTION double conjugate(double value) { return value; }
template <typename R> DEVICE_FUNCTION complex_number<R> conjugate(const complex_number<R> &value)
{
    return {value.re, -value.im};
}

/* The conjugate where `mask` is SIGN_MASK, the value itself where it is 0. */
DEVICE_FUNCTION float conjugate_by(float value, unsigned) { return value; }
DEVICE_FUNCTION double conjugate_by(double value, unsigned) { return value; }
template <typename R>
DEVICE_FUNCTION complex_number<R> conjugate_by(const complex_number<R> &value, unsigned mask)
{
    return {value.re, flip_sign(value.im, mask)};
}

/* By value, so that no array is indexed at run time. */
DEVICE_FUNCTION float choose(bool first, float one, float other) { return first ? one : other; }
DEVICE_FUNCTION double choose(bool first, double one, double other) { return first ? one : other; }
template <typename R>
DEVICE_FUNCTION complex_number<R> choose(bool first, const complex_number<R> &one,
                                         const complex_number<R> &other)
{
    return {first ? one.re : other.re, first ? one.im : other.im};
}

template <typename R> DEVICE_FUNCTION const R *parts_of(const complex_number<R> *address)
{
    return reinterpret_cast<const R *>(address);
}
template <typename R> DEVICE_FUNCTION R *parts_of(complex_number<R> *address)
{
    return reinterpret_cast<R *>(address);
}

/* Operands: read-only for the whole kernel. */
template <typename R> DEVICE_FUNCTION complex_number<R> load(const complex_number<R> *address)
{
    return {load(parts_of(address)), load(parts_of(address) + 1)};
}

template <typename R> DEVICE_FUNCTION complex_number<R> load_passing(const complex_number<R> *address)
{
    return {load_passing(parts_of(address)), load_passing(parts_of(address) + 1)};
}
DEVICE_FUNCTION complex_number<float> load_passing_pair(const complex_number<float> *address)
{
    float parts[2];
    load_passing_two(parts_of(address), parts);
    return {parts[0], parts[1]};
}

/* One that is aligned like both parts together. */
DEVICE_FUNCTION complex_number<float> load_pair(const complex_number<float> *address)
{
    float parts[2];
    load_two(parts_of(address), parts);
    return {parts[0], parts[1]};
}

/* 16 aligned bytes. */
template <typename R>
DEVICE_FUNCTION void load_wide(const complex_number<R> *address, complex_number<R> *values)
{
    constexpr int count = 16 / (int)sizeof(R);
    R parts[count];
    load_wide(parts_of(address), parts);
    UNROLL
    for (int k = 0; k < count; k += 2)
        values[k / 2] = {parts[k], parts[k + 1]};
}
template <typename R>
DEVICE_FUNCTION void load_result_wide(const complex_number<R> *address, complex_number<R> *values)
{
    constexpr int count = 16 / (int)sizeof(R);
    R parts[count];
    load_result_wide(parts_of(address), parts);
    UNROLL
    for (int k = 0; k < count; k += 2)
        values[k / 2] = {parts[k], parts[k + 1]};
}
template <typename R>
DEVICE_FUNCTION void store_wide(complex_number<R> *address, const complex_number<R> *values)
{
    constexpr int count = 16 / (int)sizeof(R);
    R parts[count];
    UNROLL
    for (int k = 0; k < count; k += 2)
        parts[k] = values[k / 2].re, parts[k + 1] = values[k / 2].im;
    store_wide(parts_of(address), parts);
}

/* The result vector: an element is read and written by one thread. */
DEVICE_FUNCTION float load_result(const float *address) { return *address; }
DEVICE_FUNCTION double load_result(const double *address) { return *address; }
template <typename R> DEVICE_FUNCTION complex_number<R> load_result(const complex_number<R> *address)
{
    return {parts_of(address)[0], parts_of(address)[1]};
}
DEVICE_FUNCTION void store_result(float *address, float value) { *address = value; }
DEVICE_FUNCTION void store_result(double *address, double value) { *address = value; }
template <typename R>
DEVICE_FUNCTION void store_result(complex_number<R> *address, const complex_number<R> &value)
{
    parts_of(address)[0] = value.re, parts_of(address)[1] = value.im;
}

#endif
