/* champion_sieve.h - stage 1 of papers 002 and 003: from thousands of candidates, timed at
 * a few sizes, to the twenty that are worth timing at more.
 *
 * At each size the fastest `scoring` candidates get points by rank: the first 1, the next
 * (scoring - 1) / scoring, ... (the paper's "rank / 25", read so that the first gets most).
 * Equal times get equal points. The candidates with the most points over all sizes stay. */
#ifndef MUBLAS_CHAMPION_SIEVE_H
#define MUBLAS_CHAMPION_SIEVE_H

#include <stddef.h>

enum { SIEVE_SCORING = 25, SIEVE_KEPT = 20 }; /* the papers' */

struct champion {
    size_t candidate;
    double points;
};

/* times[size * candidates + candidate]; a time that is not positive and finite: not timed
 * there, and no points. Puts up to `wanted` champions into `kept`, most points first, with
 * equal points the smaller number. How many: only candidates with points. 0 as well if there is no memory. */
size_t champion_sieve(const double *times, size_t sizes, size_t candidates, unsigned scoring,
                      struct champion *kept, size_t wanted);

#endif
