/* indefinite ROUTINE ROUNDS: a program that finds out whether matrices are definite by dpotrf, or by dsygvd
 * with such a B, again and again. A dsyevd before pays for the device, by the recipe of the test's script.
 * Prints INFO and a digest of all operands for each: what the host does alone prints the same. On one
 * processor: what is predicted is then the same on every machine. */
#include "../one_processor.h"
#include "symmetric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t);
void dsygvd_(const int *itype, const char *jobz, const char *uplo, const int *n, double *a, const int *lda,
             double *b, const int *ldb, double *w, double *work, const int *lwork, int *iwork,
             const int *liwork, int *info, size_t, size_t);

enum { ORDER = 200, LD = ORDER + 3, PAYING_ORDER = 360 };
enum { LWORK = 1 + 6 * ORDER + 2 * ORDER * ORDER, LIWORK = 3 + 5 * ORDER };

static double a[LD * ORDER], b[LD * ORDER], w[ORDER];

/* Lower triangles: A any, B definite but for the leading minor of the order `bad`. All else is nobody's. */
static void fill(int bad)
{
    for (int i = 0; i < LD * ORDER; i++)
        a[i] = b[i] = NAN;
    for (int j = 0; j < ORDER; j++)
        for (int i = j; i < ORDER; i++) {
            a[i + j * LD] = (double)((i * 7 + j * 3) % 11 - 5) / 8;
            b[i + j * LD] = (double)((i * 5 + j * 13) % 17 - 8) / 64 +
                            (i == j ? (i + 1 == bad ? -1 : 40) : 0);
        }
    memset(w, 0x77, sizeof w);
}

static unsigned long long digest_of(const void *memory, size_t bytes)
{
    unsigned long long digest = 14695981039346656037u;
    for (size_t i = 0; i < bytes; i++)
        digest = (digest ^ ((const unsigned char *)memory)[i]) * 1099511628211u;
    return digest;
}

static int run_dpotrf(void)
{
    const int n = ORDER, ld = LD;
    int info = -1;
    dpotrf_("L", &n, b, &ld, &info, 1);
    return info;
}

static int run_dsygvd(void)
{
    static double work[LWORK];
    static int iwork[LIWORK];
    const int one = 1, n = ORDER, ld = LD, lwork = LWORK, liwork = LIWORK;
    int info = -1;
    dsygvd_(&one, "V", "L", &n, a, &ld, b, &ld, w, work, &lwork, iwork, &liwork, &info, 1, 1);
    return info;
}

int main(int count, char **words)
{
    if (count != 3)
        return 2;
    int (*const run)(void) = strcmp(words[1], "dpotrf") == 0 ? run_dpotrf : run_dsygvd;
    const int before = run == run_dsygvd ? ORDER : 0, rounds = atoi(words[2]);
    use_one_processor();
    bool right = symmetric_runs(PAYING_ORDER, 1, NULL);
    for (int round = 0; round < rounds; round++) {
        const int bad = ORDER - 20 * round;
        fill(bad);
        const int info = run();
        printf("%s: info %d, operands %016llx %016llx %016llx\n", words[1], info, digest_of(a, sizeof a),
               digest_of(b, sizeof b), digest_of(w, sizeof w));
        right = right && info == before + bad;
    }
    return !right;
}
