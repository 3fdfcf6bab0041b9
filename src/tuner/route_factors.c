#include "tuner/route_factors.h"
#include "tuner/route_times.h"

#include <math.h>

static const char *const side_names[CALL_SIDES] = {[SIDE_HOST] = "host", [SIDE_DEVICE] = "device"};
static const char *const curve_names[ROUTE_CURVES] = {[ROUTE_VALUES] = "values", [ROUTE_VECTORS] = "vectors"};
static const char *const field_names[2] = {"real", "complex"};

static const bool is_learned[LAPACK_FAMILY_COUNT] = {
    [LAPACK_SYEV] = true, [LAPACK_SYEVD] = true, [LAPACK_SYEVR] = true, [LAPACK_SYEVX] = true,
    [LAPACK_SYGV] = true, [LAPACK_SYGVD] = true, [LAPACK_SYGVX] = true, [LAPACK_SYTRD] = true,
};

void route_factors_learn(struct route_factors *factors, enum call_side side, enum route_curve curve, int is_complex,
                         double ratio)
{
    factors->factors[side][curve][is_complex] = fmin(fmax(ratio, 1 / ROUTE_FACTOR_MOST), ROUTE_FACTOR_MOST);
}

static double known_or_one(double factor)
{
    return factor > 0 ? factor : 1;
}

double route_factors_of(const struct route_factors *factors, enum call_side side, const struct route_shape *shape)
{
    if (!factors || !is_learned[shape->family])
        return 1;
    const int is_complex = blas_scalar_parts(shape->type) == 2;
    const double values = known_or_one(factors->factors[side][ROUTE_VALUES][is_complex]);
    const double vectors = known_or_one(factors->factors[side][ROUTE_VECTORS][is_complex]);
    if (!shape->vectors || shape->family == LAPACK_SYTRD)
        return values;
    const double part = side == SIDE_HOST ? fmin(1, (double)shape->k / (double)shape->n) : 1;
    return values + part * (vectors - values);
}

void route_factors_keep(struct route_factors *factors, const struct route_factors *before)
{
    for (int side = 0; side < CALL_SIDES; side++)
        for (int curve = 0; curve < ROUTE_CURVES; curve++)
            for (int field = 0; field < 2; field++)
                if (!(factors->factors[side][curve][field] > 0))
                    factors->factors[side][curve][field] = before->factors[side][curve][field];
}

/* The number of the next word among `count` names; -1: a fault. */
static int read_name(struct line_reader *reader, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (line_reader_is(reader, names[i]))
            return i;
    line_reader_fault(reader, "there is no such factor of a route");
    return -1;
}

bool route_factors_read(struct line_reader *reader, struct route_factors *factors)
{
    int side, field, curve;
    if ((side = read_name(reader, side_names, CALL_SIDES)) < 0 || (field = read_name(reader, field_names, 2)) < 0 ||
        (curve = read_name(reader, curve_names, ROUTE_CURVES)) < 0)
        return false;
    double *const factor = &factors->factors[side][curve][field];
    if (*factor > 0)
        return line_reader_fault(reader, "a factor a second time");
    return line_reader_decimal(reader, 1 / ROUTE_FACTOR_MOST, ROUTE_FACTOR_MOST, factor) && line_reader_end(reader);
}

void route_factors_write(FILE *stream, const struct route_factors *factors)
{
    for (int side = 0; side < CALL_SIDES; side++)
        for (int field = 0; field < 2; field++)
            for (int curve = 0; curve < ROUTE_CURVES; curve++)
                if (factors->factors[side][curve][field] > 0)
                    fprintf(stream, "route %s %s %s %.4g\n", side_names[side], field_names[field], curve_names[curve],
                            factors->factors[side][curve][field]);
}
