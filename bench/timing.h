/* timing.h - clock, median, digest and random numbers of the bench programs. */
#ifndef MUBLAS_BENCH_TIMING_H
#define MUBLAS_BENCH_TIMING_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Sorts `times`. */
static inline double median(double *times, size_t count)
{
    qsort(times, count, sizeof *times, compare_doubles);
    return count % 2 ? times[count / 2] : 0.5 * (times[count / 2 - 1] + times[count / 2]);
}

/* Of the bits of the values (FNV-1a): equal runs print equal digests. */
static inline uint64_t digest_of(const double *values, size_t count)
{
    uint64_t digest = 0xcbf29ce484222325u;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        for (int byte = 0; byte < 8; byte++)
            digest = (digest ^ (bits >> 8 * byte & 0xff)) * 0x100000001b3u;
    }
    return digest;
}

/* In [-1, 1): a fixed function of its arguments, so that every run has the same matrix. */
static inline double entry(uint64_t seed, uint64_t row, uint64_t column)
{
    uint64_t z = seed * 0x9e3779b97f4a7c15u + row * 0xbf58476d1ce4e5b9u + column * 0x94d049bb133111ebu;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)(int64_t)(z ^ z >> 31) * 0x1p-63;
}

#endif
