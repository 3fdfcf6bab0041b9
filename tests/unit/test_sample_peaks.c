/* Which times stick out of a curve. */
#include "tap.h"
#include "tuner/sample_peaks.h"

/* Amounts 1, 2, 4 and so on. */
static struct time_curve curve_of(const double *us, int count)
{
    struct time_curve curve = {.count = 0};
    for (int i = 0; i < count; i++)
        time_curve_add(&curve, (double)(1 << i), us[i]);
    return curve;
}

int main(void)
{
    static const struct {
        double us[4];
        int count, place;
        bool peak;
        const char *what;
    } cases[] = {{{10, 14, 14}, 3, 1, false, "a sixth more than between its neighbours is no peak"},
                 {{10, 15, 14}, 3, 1, true, "a quarter more is one"},
                 {{10, 5, 14}, 3, 1, false, "less is none"},
                 {{16, 14, 15}, 3, 0, false, "the first one may take as long as the next, and a seventh more"},
                 {{18, 14, 15}, 3, 0, true, "but not a quarter more"},
                 {{10, 10, 23}, 3, 2, false, "the last one may take longer in proportion to its work"},
                 {{10, 10, 25}, 3, 2, true, "but not a quarter more than that"},
                 {{10, 13}, 2, 1, false, "of two the last"},
                 {{20, 13}, 2, 0, true, "and the first"},
                 {{1000}, 1, 0, false, "a single one does not stick out"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct time_curve curve = curve_of(cases[i].us, cases[i].count);
        tap_ok(sample_peaks_is(&curve, cases[i].place) == cases[i].peak &&
                   sample_peaks_is_at(&curve, (double)(1 << cases[i].place)) == cases[i].peak,
               "%s", cases[i].what);
    }
    const struct time_curve curve = curve_of(cases[1].us, 3);
    tap_ok(!sample_peaks_is_at(&curve, 3), "where there is no sample there is no peak");
    return tap_done();
}
