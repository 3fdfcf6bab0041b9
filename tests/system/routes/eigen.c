/* eigen [--types sdcz] [--seed N] [--found-values] [--only SECTIONS] [--routines WORD,...] [ORDER...]:
 * LAPACK's Hermitian eigensolvers, standard and generalised, called by their Fortran names in memory of which
 * only what LAPACK references can be touched. Results are checked by residuals, and against a copy of the
 * plain host LAPACK that nothing interposes. SECTIONS: letters of s(olve) q(uery) r(efuse) h(alf open) n(ot
 * finite) i(ndefinite).
 * --found-values: W has room for the values found alone, which is more than LAPACK promises. */
#include "eigen_sections.h"
#include "tap.h"

#include <string.h>
#include <unistd.h>

static const char *const names[] = {"syev", "syevd", "syevr", "syevx", "sygv", "sygvd", "sygvx",
                                    "heev", "heevd", "heevr", "heevx", "hegv", "hegvd", "hegvx",
                                    "spev", "spevd", "spevx", "spgv", "spgvd", "spgvx",
                                    "hpev", "hpevd", "hpevx", "hpgv", "hpgvd", "hpgvx"};

void eigen_line(const char *name, int wrong, int calls, const char *what)
{
    tap_ok(wrong == 0 && calls > 0, "%s: %d of %d %s", name, wrong, calls, what);
}

static void run_sections(const struct lapack_routine *routine, char type, const char *sections,
                         const struct eigen_options *options, struct random *random)
{
    const bool generalised = lapack_position(routine, "itype") != 0;
    if (strchr(sections, 's'))
        eigen_solve(routine, type, options, random);
    if (strchr(sections, 'q') && lapack_position(routine, "lwork"))
        eigen_query(routine, type);
    if (strchr(sections, 'r'))
        eigen_refuse(routine, type);
    if (strchr(sections, 'h') && !generalised && lapack_position(routine, "range"))
        eigen_half_open(routine, type, random);
    /* The reference's MRRR does not return from some that are not finite. */
    if (strchr(sections, 'n') && !lapack_position(routine, "isuppz"))
        eigen_not_finite(routine, type, random);
    if (strchr(sections, 'i') && generalised)
        eigen_indefinite(routine, type, random);
}

/* Is it among the words, or are there none? */
static bool is_wanted(const char *words, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = words; at && (at = strstr(at, name)); at += length)
        if ((at == words || at[-1] == ',') && (at[length] == ',' || !at[length]))
            return true;
    return !words;
}

int main(int count, char **words)
{
    static const int orders[] = {0, 1, 2, 3, 31, 32, 33, 63, 64, 65};
    struct eigen_options options = {.types = "sdcz", .order_count = sizeof orders / sizeof *orders};
    struct random random = {20261126u};
    const char *sections = "sqrhni";
    memcpy(options.orders, orders, sizeof orders);
    for (int i = 1, own = 0; i < count; i++) {
        if (strcmp(words[i], "--found-values") == 0)
            options.only_found_values = true;
        else if (strcmp(words[i], "--types") == 0 && i + 1 < count)
            options.types = words[++i];
        else if (strcmp(words[i], "--routines") == 0 && i + 1 < count)
            options.routines = words[++i];
        else if (strcmp(words[i], "--only") == 0 && i + 1 < count)
            sections = words[++i];
        else if (strcmp(words[i], "--seed") == 0 && i + 1 < count)
            random.state = strtoull(words[++i], NULL, 10);
        else if (own < 64)
            options.orders[own++] = atoi(words[i]), options.order_count = own;
    }
    printf("# seed %llu\n", (unsigned long long)random.state);
    alarm(600);
    for (const char *type = options.types; *type; type++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            const struct lapack_routine *routine = lapack_routine(names[i], *type);
            if (routine && is_wanted(options.routines, names[i]))
                run_sections(routine, *type, sections, &options, &random);
        }
    return tap_done();
}
