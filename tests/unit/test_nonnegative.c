/* Least squares that stay positive: at the minimum no slope leads downwards but below 0. */
#include "tuner/nonnegative.h"
#include "tap.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { TERMS = 10, SAMPLES = 25, PROBLEMS = 500 };

static uint64_t random_state;

static double random_part(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(random_state >> 11) * 0x1p-53;
}

/* Columns of very different sizes; of every third problem the last is twice the first, and one is 0. */
static void plant(int problem, double *squares, double *right)
{
    double rows[SAMPLES][TERMS];
    for (int i = 0; i < TERMS * TERMS; i++)
        squares[i] = 0;
    for (int i = 0; i < TERMS; i++)
        right[i] = 0;
    for (int sample = 0; sample < SAMPLES; sample++) {
        double wanted = 0.2 * (random_part() - 0.5);
        for (int i = 0; i < TERMS; i++)
            rows[sample][i] = random_part() * pow(10, i % 4);
        if (problem % 3 == 0)
            rows[sample][TERMS - 1] = 2 * rows[sample][0], rows[sample][4] = 0;
        for (int i = 0; i < TERMS; i++)
            wanted += (i % 3 == 1 ? -0.2 : 1) * rows[sample][i] / pow(10, i % 4);
        for (int i = 0; i < TERMS; i++) {
            right[i] += rows[sample][i] * wanted;
            for (int k = 0; k < TERMS; k++)
                squares[i * TERMS + k] += rows[sample][i] * rows[sample][k];
        }
    }
}

/* Relative to what the column and the samples would give. */
static bool is_minimum(const double *squares, const double *right, const double *x, int *zeros)
{
    bool good = true;
    for (int i = 0; i < TERMS; i++) {
        double slope = -right[i], size = fabs(right[i]);
        for (int k = 0; k < TERMS; k++) {
            slope += squares[i * TERMS + k] * x[k];
            size += fabs(squares[i * TERMS + k] * x[k]);
        }
        good = good && x[i] >= 0 && slope >= -1e-7 * size && (x[i] == 0 || slope <= 1e-7 * size);
        *zeros += x[i] == 0;
    }
    return good;
}

int main(int count, char **arguments)
{
    double squares[TERMS * TERMS], right[TERMS], x[TERMS];
    int wrong = 0, zeros = 0;
    random_state = count > 1 ? strtoull(arguments[1], NULL, 0) : 5;
    printf("# seed %llu\n", (unsigned long long)random_state);
    for (int problem = 0; problem < PROBLEMS; problem++) {
        plant(problem, squares, right);
        nonnegative_solve(squares, right, TERMS, x);
        wrong += !is_minimum(squares, right, x, &zeros);
    }
    tap_ok(wrong == 0, "%d of %d minima are none", wrong, PROBLEMS);
    tap_ok(zeros > PROBLEMS && zeros < 9 * PROBLEMS, "%d of %d coefficients are 0", zeros, PROBLEMS * TERMS);
    return tap_done();
}
