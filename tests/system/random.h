/* random.h - reproducible random numbers for the system tests (splitmix64). */
#ifndef MUBLAS_TESTS_RANDOM_H
#define MUBLAS_TESTS_RANDOM_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct random {
    uint64_t state;
};

static inline uint64_t random_bits(struct random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* 0 <= result < bound; 0 for a bound of 0. */
static inline size_t random_below(struct random *random, size_t bound)
{
    return bound ? (size_t)(random_bits(random) % bound) : 0;
}

static inline bool random_chance(struct random *random, unsigned percent)
{
    return random_below(random, 100) < percent;
}

/* In [-1, 1). */
static inline double random_value(struct random *random)
{
    return (double)(int64_t)random_bits(random) * 0x1p-63;
}

/* 1 <= result <= most, all orders of magnitude alike. */
static inline size_t random_magnitude(struct random *random, size_t most)
{
    double exponent = 0.5 * (random_value(random) + 1);
    size_t result = (size_t)exp(exponent * log((double)most + 1));
    return result < 1 ? 1 : result > most ? most : result;
}

#endif
