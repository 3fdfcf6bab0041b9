/* Factorisations and what follows from them through the shim, beside LAPACK's own: factorisations ROUTINE
 * ORDER SEED.
 *
 * Each call is made twice on equal operands: as a program makes it, and by the address that LAPACK's own
 * library gives. Results must agree to rounding; NaNs with a payload stand wherever a routine is not to
 * write, and must still be there. A line of TAP for each variant; factorisations.sh looks whether as many
 * calls ran on the device. */
#include "tests/system/factorisation_data.h"
#include "tests/tap.h"

#include <string.h>

#define NAMES(apply) \
    apply(potrf, potrf) apply(potrs, potrs) apply(posv, posv) apply(potri, potri) \
    apply(getrf, getrf) apply(getrs, getrs) apply(gesv, gesv) apply(getri, getri) \
    apply(geqrf, geqrf) apply(orgqr, ungqr) apply(ormqr, unmqr) apply(gels, gels) apply(trtri, trtri)

#define DECLARE(real, complex) extern lapack_routine s##real##_, d##real##_, c##complex##_, z##complex##_;
NAMES(DECLARE)

static const struct {
    const char *name, *complex_name;
    lapack_routine *routines[4];
} references[] = {
#define REFERENCE(real, complex) {#real, #complex, {s##real##_, d##real##_, c##complex##_, z##complex##_}},
    NAMES(REFERENCE)
};
enum { REFERENCES = sizeof references / sizeof *references };

/* One variant, on the host and through the shim. */
static void compare(lapack_routine *shim, lapack_routine *host, const struct variant *variant, uint64_t seed)
{
    struct operands initial = operands_make(variant, seed), one = operands_copy(&initial),
                    other = operands_copy(&initial);
    char what[120];
    variant_text(variant, what, sizeof what);
    operands_run(&one, host);
    operands_run(&other, shim);
    const char *const fault = operands_difference(&initial, &one, &other);
    tap_ok(!fault, "%s%s%s", what, fault ? ": " : "", fault ? fault : "");
    operands_free(&initial);
    operands_free(&one);
    operands_free(&other);
}

int main(int count, char **arguments)
{
    if (count != 4)
        return 2;
    for (int i = 0; i < REFERENCES; i++)
        for (int type = 0; type < 4 && strcmp(references[i].name, arguments[1]) == 0; type++) {
            const char *const name = type < 2 ? references[i].name : references[i].complex_name;
            lapack_routine *const host = host_routine("sdcz"[type], name);
            struct variant variant = {
                .routine = references[i].name, .type = "sdcz"[type], .order = atoi(arguments[2])};
            while (variant_next(&variant))
                compare(references[i].routines[type], host, &variant, strtoull(arguments[3], NULL, 10));
        }
    return tap_done();
}
