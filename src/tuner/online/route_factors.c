#include "tuner/online/route_factors.h"

#include <math.h>

static const char *const side_names[CALL_SIDES] = {[SIDE_HOST] = "host", [SIDE_DEVICE] = "device"};
static const char *const curve_names[ROUTE_CURVES] = {[ROUTE_VALUES] = "values",
                                                      [ROUTE_VECTORS] = "vectors",
                                                      [ROUTE_LEVEL3] = "level3",
                                                      [ROUTE_SINGULAR] = "singular"};
static const char *const field_names[2] = {"real", "complex"};
static const struct {
    const char *name, *types[TYPE_Z + 1];
} lines[ROUTE_BORDERS] = {
    [BORDER_OWN] = {"own", {"real", "complex"}},
    [BORDER_CLUSTER] = {"cluster", {"single", "double", "complex-single", "complex-double"}},
    [BORDER_TWO_STAGES] = {"two-stages", {"single", "double"}},
    [BORDER_TWO_STAGES_TENTH] = {"two-stages-tenth", {"single", "double"}},
    [BORDER_TWO_STAGES_ALL] = {"two-stages-all", {"single", "double"}},
};

/* Finds the family's curve, the first of several. False: none, since geev is learned by none. */
static bool curve_of(enum lapack_family family, enum route_curve *curve)
{
    const bool is_singular = family == LAPACK_GESDD || family == LAPACK_GESVD;
    *curve = route_is_eigenproblem(family) ? ROUTE_VALUES : is_singular ? ROUTE_SINGULAR : ROUTE_LEVEL3;
    return family != LAPACK_GEEV;
}

void route_factors_learn(struct route_factors *factors, enum call_side side, enum route_curve curve,
                         int is_complex, double ratio)
{
    factors->factors[side][curve][is_complex] = fmin(fmax(ratio, 1 / ROUTE_FACTOR_MOST), ROUTE_FACTOR_MOST);
}

static double known_or_one(double factor)
{
    return factor > 0 ? factor : 1;
}

/* Eigenvalues of complex matrices have times of their own. */
static double factor_of(const struct route_factors *factors, enum call_side side, enum route_curve curve,
                        int is_complex)
{
    const double *const both = factors->factors[side][curve];
    const bool has_own = curve == ROUTE_VALUES || curve == ROUTE_VECTORS || both[is_complex] > 0;
    return known_or_one(both[has_own ? is_complex : 0]);
}

double route_factors_of(const struct route_factors *factors, enum call_side side,
                        const struct route_shape *shape)
{
    enum route_curve curve;
    if (!factors || !curve_of(shape->family, &curve))
        return 1;
    const int is_complex = blas_scalar_parts(shape->type) == 2;
    const double first = factor_of(factors, side, curve, is_complex);
    if (!shape->vectors || curve != ROUTE_VALUES || shape->family == LAPACK_SYTRD)
        return first;
    const double vectors = factor_of(factors, side, ROUTE_VECTORS, is_complex);
    const double part = side == SIDE_HOST ? fmin(1, (double)shape->k / (double)shape->n) : 1;
    return first + part * (vectors - first);
}

bool route_factors_have(const struct route_factors *factors, enum route_curve curve)
{
    bool any = false;
    for (int side = 0; side < CALL_SIDES; side++)
        for (int field = 0; field < 2; field++)
            any = any || factors->factors[side][curve][field] > 0;
    return any;
}

void route_factors_keep(struct route_factors *factors, const struct route_factors *before)
{
    for (int side = 0; side < CALL_SIDES; side++)
        for (int curve = 0; curve < ROUTE_CURVES; curve++)
            for (int field = 0; field < 2; field++)
                if (!(factors->factors[side][curve][field] > 0))
                    factors->factors[side][curve][field] = before->factors[side][curve][field];
    for (int border = 0; border < ROUTE_BORDERS; border++)
        for (int type = 0; type <= TYPE_Z; type++)
            if (factors->orders[border][type] == 0)
                factors->orders[border][type] = before->orders[border][type];
}

bool route_factors_say_own(const struct route_factors *factors, int is_complex, int64_t order)
{
    return !factors || order >= factors->orders[BORDER_OWN][is_complex];
}

void route_factors_learn_own(struct route_factors *factors, int is_complex, const int64_t *orders,
                             const double *own, const double *solver, int count)
{
    const double clearly = 1.02;
    int from = 0;
    for (int i = 0; i < count; i++)
        if (own[i] > clearly * solver[i])
            from = i + 1;
    if (count > 0)
        factors->orders[BORDER_OWN][is_complex] = from == 0      ? 1
                                                  : from < count ? orders[from]
                                                                 : ROUTE_ORDER_NEVER;
}

struct two_stage_borders route_factors_two_stages(const struct route_factors *factors, enum blas_type type)
{
    struct two_stage_borders borders = two_stage_borders(type), wide = two_stage_borders(TYPE_D);
    int64_t *const orders[] = {&borders.none, &borders.tenth, &borders.all};
    const int64_t of_double[] = {wide.none, wide.tenth, wide.all};
    for (int i = 0; factors && i < 3; i++) {
        const int64_t *const learned = factors->orders[BORDER_TWO_STAGES + i];
        if (learned[type] > 0)
            *orders[i] = learned[type];
        else if (learned[TYPE_D] > 0)
            *orders[i] = *orders[i] * learned[TYPE_D] / of_double[i];
        if (i > 0 && *orders[i] < *orders[i - 1])
            *orders[i] = *orders[i - 1];
    }
    return borders;
}

int64_t route_factors_cluster_to(const struct route_factors *factors, enum blas_type type)
{
    return factors ? factors->orders[BORDER_CLUSTER][type] : 0;
}

/* The number of the next word among names, of which there are `count` or fewer; -1: a fault. */
static int read_name(struct line_reader *reader, const char *const *names, int count)
{
    char word[32];
    for (int i = 0; i < count && names[i]; i++)
        if (line_reader_is(reader, names[i]))
            return i;
    if (line_reader_name(reader, word, sizeof word))
        line_reader_fault(reader, "a route has no '%s' here", word);
    return -1;
}

static bool read_border(struct line_reader *reader, struct route_factors *factors, int border)
{
    const int type = read_name(reader, lines[border].types, TYPE_Z + 1);
    if (type < 0)
        return false;
    if (factors->orders[border][type] > 0)
        return line_reader_fault(reader, "an order a second time");
    return line_reader_integer(reader, 1, ROUTE_ORDER_NEVER, &factors->orders[border][type]) &&
           line_reader_end(reader);
}

bool route_factors_read(struct line_reader *reader, struct route_factors *factors)
{
    int side, field, curve;
    for (int border = 0; border < ROUTE_BORDERS; border++)
        if (line_reader_is(reader, lines[border].name))
            return read_border(reader, factors, border);
    if ((side = read_name(reader, side_names, CALL_SIDES)) < 0 ||
        (field = read_name(reader, field_names, 2)) < 0 ||
        (curve = read_name(reader, curve_names, ROUTE_CURVES)) < 0)
        return false;
    double *const factor = &factors->factors[side][curve][field];
    if (*factor > 0)
        return line_reader_fault(reader, "a factor a second time");
    return line_reader_decimal(reader, 1 / ROUTE_FACTOR_MOST, ROUTE_FACTOR_MOST, factor) &&
           line_reader_end(reader);
}

void route_factors_write(FILE *stream, const struct route_factors *factors)
{
    for (int side = 0; side < CALL_SIDES; side++)
        for (int field = 0; field < 2; field++)
            for (int curve = 0; curve < ROUTE_CURVES; curve++)
                if (factors->factors[side][curve][field] > 0)
                    fprintf(stream, "route %s %s %s %.4g\n", side_names[side], field_names[field],
                            curve_names[curve], factors->factors[side][curve][field]);
    for (int border = 0; border < ROUTE_BORDERS; border++)
        for (int type = 0; type <= TYPE_Z; type++)
            if (factors->orders[border][type] > 0)
                fprintf(stream, "route %s %s %lld\n", lines[border].name, lines[border].types[type],
                        (long long)factors->orders[border][type]);
}
