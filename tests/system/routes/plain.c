/* plain wide LIBRARY: a LAPACK with 64-bit integers under the plain names, found by the program's own
 * look-up. plain probe LIBRARY|- NAME...: whether the program's look-up finds names, a line each, once
 * LIBRARY is loaded. Linked with neither BLAS nor LAPACK. */
#include "tap.h"

#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { ORDER = 70, WORK = 1 + 6 * ORDER + 2 * ORDER * ORDER };

typedef void syevd(const char *, const char *, const int64_t *, double *, const int64_t *, double *, double *,
                   const int64_t *, int64_t *, const int64_t *, int64_t *, size_t, size_t);

/* The matrix of min(i, j) has 1 / (4 sin^2 t) for t = (2 k - 1) pi / (4 n + 2): known in closed form. */
static bool is_right(syevd *solve)
{
    static double a[ORDER * ORDER], w[ORDER], work[WORK];
    static int64_t iwork[3 + 5 * ORDER];
    const int64_t n = ORDER, lwork = WORK, liwork = 3 + 5 * ORDER;
    int64_t info = (INT64_C(0x5aa5feed) << 32) | 7;
    bool right = true;
    for (int i = 0; i < ORDER * ORDER; i++)
        a[i] = fmin(i % ORDER, i / ORDER) + 1;
    solve("V", "U", &n, a, &n, w, work, &lwork, iwork, &liwork, &info, 1, 1);
    for (int k = 1; k <= ORDER; k++) {
        const double sine = sin((2 * k - 1) * M_PI / (4 * ORDER + 2)), value = 1 / (4 * sine * sine);
        right = right && fabs(w[ORDER - k] - value) <= 1e-12 * ORDER * ORDER;
    }
    return right && info == 0;
}

static int wide(const char *path)
{
    if (!dlopen(path, RTLD_NOW | RTLD_GLOBAL))
        tap_skip_all(dlerror());
    syevd *solve;
    *(void **)&solve = dlsym(RTLD_DEFAULT, "dsyevd_");
    tap_ok(solve != NULL, "dsyevd_ is found");
    tap_ok(solve && is_right(solve), "and takes 64-bit integers");
    return tap_done();
}

static int probe(const char *path, int count, char **names)
{
    if (strcmp(path, "-") != 0 && !dlopen(path, RTLD_NOW | RTLD_GLOBAL)) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    for (int i = 0; i < count; i++)
        printf("%s %s\n", names[i], dlsym(RTLD_DEFAULT, names[i]) ? "found" : "not");
    return 0;
}

int main(int count, char **words)
{
    if (count == 3 && strcmp(words[1], "wide") == 0)
        return wide(words[2]);
    if (count > 3 && strcmp(words[1], "probe") == 0)
        return probe(words[2], count - 3, words + 3);
    return 2;
}
