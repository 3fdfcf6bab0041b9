#include "tuner/online/learned_times.h"
#include "common/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Finds the family's curve, the first of several. False: none, since geev and gebrd are learned by none. */
static bool curve_of(enum lapack_family family, enum route_curve *curve)
{
    const bool is_singular = lapack_kind_of(family) == LAPACK_KIND_SINGULAR;
    *curve = route_is_eigenproblem(family) ? ROUTE_VALUES : is_singular ? ROUTE_SINGULAR : ROUTE_LEVEL3;
    return family != LAPACK_GEEV && family != LAPACK_GEBRD;
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

bool route_factors_know_host(const struct route_factors *factors, const struct route_shape *shape)
{
    enum route_curve curve;
    if (!factors || !curve_of(shape->family, &curve))
        return false;
    const bool has_vectors = shape->vectors && curve == ROUTE_VALUES && shape->family != LAPACK_SYTRD;
    const double *const both = factors->factors[SIDE_HOST][has_vectors ? ROUTE_VECTORS : curve];
    const bool has_own = curve == ROUTE_VALUES || both[1] > 0;
    return both[blas_scalar_parts(shape->type) == 2 && has_own] > 0;
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

static bool route_factors_read(struct line_reader *reader, struct route_factors *factors)
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

/* The lines of a recipe's crossover section, without the first word, "route", where one is read:
 *   route host|device real|complex values|vectors|level3|singular FACTOR
 *   route own real|complex ORDER
 *   route two-stages|two-stages-tenth|two-stages-all single|double ORDER
 *   route cluster single|double|complex-single|complex-double ORDER */
static void route_factors_write(FILE *stream, const struct route_factors *factors)
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

/* The other lines of the crossover section. */
static const double greatest = 1e18;

static const char *const way_names[UPLOAD_WAYS] = {"pinned", "pinned-huge", "staged", "served"};

/* Samples as "AMOUNT US AMOUNT US ...", ascending, to the end of the line. */
static bool read_curve(struct line_reader *reader, struct time_curve *curve)
{
    double amount = 0, us, least = 0;
    if (curve->count)
        return line_reader_fault(reader, "a curve a second time");
    do {
        if (!line_reader_decimal(reader, 1, greatest, &amount) || !line_reader_decimal(reader, 1e-6,
                                                                                       greatest, &us))
            return false;
        if (amount <= least)
            return line_reader_fault(reader, "amounts do not ascend");
        if (!time_curve_add(curve, amount, us))
            return line_reader_fault(reader, "more than %d samples", TIME_CURVE_SAMPLES);
        least = amount;
    } while (reader->at < reader->stop);
    return true;
}

static bool read_figure(struct line_reader *reader, double *figure)
{
    if (*figure != 0)
        return line_reader_fault(reader, "a figure a second time");
    return line_reader_decimal(reader, 1e-12, greatest, figure) && line_reader_end(reader);
}

static bool read_host_blas(struct line_reader *reader, struct learned_times *times)
{
    if (times->host_blas[0])
        return line_reader_fault(reader, "a host BLAS a second time");
    return line_reader_rest(reader, times->host_blas, sizeof times->host_blas);
}

static bool read_host_threads(struct line_reader *reader, struct learned_times *times)
{
    int64_t threads;
    if (times->host_threads)
        return line_reader_fault(reader, "a number of threads a second time");
    if (!line_reader_integer(reader, 1, 1 << 20, &threads) || !line_reader_end(reader))
        return false;
    times->host_threads = (int)threads;
    return true;
}

static bool read_class(struct line_reader *reader, int *class)
{
    char name[TIMED_CLASS_NAME];
    if (!line_reader_name(reader, name, sizeof name))
        return false;
    *class = timed_class_parse(name);
    return *class != TIMED_CLASS_NONE ||
           line_reader_fault(reader, "there is no class of calls '%s'", name);
}

/* One factor for each set of the class. */
static bool read_factors(struct line_reader *reader, int sets, double *factors)
{
    static const double least = 1. / FLAG_FACTOR_MOST;
    if (factors[0] > 0)
        return line_reader_fault(reader, "factors a second time");
    for (int set = 0; set < sets; set++)
        if (!line_reader_decimal(reader, least, FLAG_FACTOR_MOST, &factors[set]))
            return false;
    return line_reader_end(reader);
}

static bool read_upload(struct line_reader *reader, struct learned_times *times)
{
    for (int way = 0; way < UPLOAD_WAYS; way++)
        if (line_reader_is(reader, way_names[way]))
            return read_curve(reader, &times->upload[way]);
    return line_reader_fault(reader, "there is no such way");
}

static bool read_line(struct line_reader *reader, struct learned_times *times)
{
    int class;
    if (line_reader_is(reader, "host-blas"))
        return read_host_blas(reader, times);
    if (line_reader_is(reader, "host-threads"))
        return read_host_threads(reader, times);
    if (line_reader_is(reader, "wake"))
        return read_figure(reader, &times->wake_us);
    if (line_reader_is(reader, "served-wake"))
        return read_figure(reader, &times->served_wake_us);
    if (line_reader_is(reader, "links-together"))
        return read_figure(reader, &times->links_part);
    if (line_reader_is(reader, "upload"))
        return read_upload(reader, times);
    if (line_reader_is(reader, "flags"))
        return read_class(reader, &class) && read_factors(reader, flag_sets_of(class), times->flags[class]);
    if (line_reader_is(reader, "narrow-shares") || line_reader_is(reader, "result") ||
        line_reader_is(reader, "scan"))
        return true; /* of older recipes */
    if (line_reader_is(reader, "device-sets"))
        return read_class(reader, &class) &&
               read_factors(reader, device_sets_of(class), times->device_sets[class]);
    if (line_reader_is(reader, "route"))
        return route_factors_read(reader, &times->routes);
    if (line_reader_is(reader, "host"))
        return read_class(reader, &class) && read_curve(reader, &times->host[class]);
    return line_reader_word(reader, "device") && read_class(reader, &class) &&
           read_curve(reader, &times->resident[class]);
}

bool learned_times_parse(struct learned_times *times, const char *text, char fault[LEARNED_FAULT_BYTES])
{
    struct line_reader reader;
    memset(times, 0, sizeof *times);
    line_reader_begin(&reader, text, strlen(text));
    while (line_reader_next(&reader))
        if (!read_line(&reader, times))
            break;
    if (*reader.fault) {
        snprintf(fault, LEARNED_FAULT_BYTES, "crossover %s", reader.fault);
        return false;
    }
    return true;
}

static void write_curve(FILE *stream, const char *side, const char *name, const struct time_curve *curve)
{
    if (curve->count == 0)
        return;
    fprintf(stream, "%s %s", side, name);
    for (int i = 0; i < curve->count; i++)
        fprintf(stream, " %.10g %.4g", curve->samples[i].amount, curve->samples[i].us);
    fputc('\n', stream);
}

static void write_factors(FILE *stream, const char *what, const char *name, const double *factors, int sets)
{
    if (!(factors[0] > 0) || sets == 1)
        return;
    fprintf(stream, "%s %s", what, name);
    for (int set = 0; set < sets; set++)
        fprintf(stream, " %.3g", factors[set]);
    fputc('\n', stream);
}

static void write_lines(const struct learned_times *times, FILE *stream)
{
    char name[TIMED_CLASS_NAME];
    if (times->host_blas[0])
        fprintf(stream, "host-blas %s\n", times->host_blas);
    if (times->host_threads)
        fprintf(stream, "host-threads %d\n", times->host_threads);
    if (times->wake_us > 0)
        fprintf(stream, "wake %.4g\n", times->wake_us);
    if (times->served_wake_us > 0)
        fprintf(stream, "served-wake %.4g\n", times->served_wake_us);
    if (times->links_part > 0)
        fprintf(stream, "links-together %.3g\n", times->links_part);
    for (int way = 0; way < UPLOAD_WAYS; way++)
        write_curve(stream, "upload", way_names[way], &times->upload[way]);
    route_factors_write(stream, &times->routes);
    for (int class = 0; class < TIMED_CLASSES; class++)
        if (timed_class_exists(class)) {
            write_curve(stream, "host", timed_class_name(class, name), &times->host[class]);
            write_factors(stream, "flags", name, times->flags[class], flag_sets_of(class));
            write_curve(stream, "device", name, &times->resident[class]);
            write_factors(stream, "device-sets", name, times->device_sets[class], device_sets_of(class));
        }
}

char *learned_times_text(const struct learned_times *times)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return NULL;
    const locale_t locale = plain_locale_begin();
    write_lines(times, stream);
    plain_locale_end(locale);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}
