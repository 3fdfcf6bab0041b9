#include "command/commands.h"
#include "command/run/run.h"
#include "common/blas_call.h"
#include "common/settings.h"
#include "gpu/kernels/tridiagonal/tridiagonal_arguments.h"
#include "interpose/policy.h"
#include "lapack/eigensolver/own_eigen.h"
#include "tuner/online/crossover.h"
#include "tuner/online/learned_times.h"
#include "tuner/online/recipe.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { POINTS = 60 };

static bool is_known(const struct learned_times *times, int class)
{
    return timed_class_exists(class) && times->host[class].count > 0 && times->resident[class].count > 0;
}

/* n, for gemv sqrt(m n); of level 3 the largest of its sizes. */
static double size_of(int class, double amount)
{
    const struct blas_call call = timed_class_call(class, amount);
    if (call.family < FAMILY_GEMM)
        return call.family == FAMILY_AXPY ? amount : sqrt(amount);
    return fmax((double)call.m, fmax((double)call.n, (double)call.k));
}

static double elements_of(const struct blas_matrix *matrix)
{
    return (double)matrix->rows * (double)matrix->columns / (matrix->part == PART_FULL ? 1 : 2);
}

static double matrix_elements(int class, double amount)
{
    struct blas_call call = timed_class_call(class, amount);
    if (call.family < FAMILY_GEMM)
        return call.family == FAMILY_AXPY ? 0 : call.family == FAMILY_GEMV ? amount : amount / 2;
    call_set_shapes(&call);
    return elements_of(&call.a) + elements_of(&call.b) + elements_of(&call.c);
}

static double host_us(const struct learned_times *times, int class, double amount)
{
    return time_curve_at(&times->host[class], TIME_SHRINKS, amount);
}

static double resident_us(const struct learned_times *times, int class, double amount)
{
    return learned_times_device(times, class, amount);
}

/* The first call with a matrix: it is uploaded, pinned, by the faster way that was learned. */
static double cold_us(const struct learned_times *times, int class, double amount)
{
    const double element = (double)blas_element_bytes(timed_class_type(class));
    const double bytes = matrix_elements(class, amount) * element;
    double pinned = INFINITY, huge = INFINITY;
    if (bytes <= 0)
        return resident_us(times, class, amount);
    learned_times_upload(times, UPLOAD_PINNED, bytes, &pinned);
    learned_times_upload(times, UPLOAD_PINNED_HUGE, bytes, &huge);
    const double upload = fmin(pinned, huge);
    return isfinite(upload) ? resident_us(times, class, amount) + upload : NAN;
}

/* From the least sample of either side to the greatest. */
static void range_of(const struct learned_times *times, int class, double *low, double *high)
{
    const struct time_curve *host = &times->host[class], *device = &times->resident[class];
    *low = fmin(host->samples[0].amount, device->samples[0].amount);
    *high = fmax(host->samples[host->count - 1].amount, device->samples[device->count - 1].amount);
}

/* The least size on a fine ladder at which `device` is below the host; infinity: never there. */
static double border(const struct learned_times *times, int class,
                     double (*device)(const struct learned_times *, int, double))
{
    double low, high;
    range_of(times, class, &low, &high);
    for (double amount = low; amount <= high; amount *= 1.02)
        if (device(times, class, amount) < host_us(times, class, amount))
            return size_of(class, amount);
    return INFINITY;
}

static void put_border(char *text, size_t room, double size)
{
    if (isfinite(size))
        snprintf(text, room, "%.0f", size);
    else
        snprintf(text, room, "never");
}

/* From which size on each class gains on the device, with its matrix there and with its upload. */
static void print_borders(FILE *stream, const struct learned_times *times)
{
    char name[TIMED_CLASS_NAME], resident[24], cold[24];
    fprintf(stream,
            "crossovers against %s, %d threads: calls gain on the device from this n on\n"
            "(gemv: sqrt(m n), level 3: its largest size)\n\n",
            times->host_blas[0] ? times->host_blas : "an unknown host BLAS", times->host_threads);
    fprintf(stream, "%-24s %10s %12s\n", "class", "resident", "with upload");
    for (int class = 0; class < TIMED_CLASSES; class++) {
        if (!is_known(times, class))
            continue;
        put_border(resident, sizeof resident, border(times, class, resident_us));
        put_border(cold, sizeof cold, border(times, class, cold_us));
        fprintf(stream, "%-24s %10s %12s\n", timed_class_name(class, name), resident, cold);
    }
}

static bool has_borders(const struct learned_times *times)
{
    for (int class = 0; class < TIMED_CLASSES; class++)
        if (is_known(times, class))
            return true;
    return false;
}

/* A line for each of many sizes of a class, nothing where a time is not known. */
static void write_lines(FILE *stream, const struct learned_times *times)
{
    char name[TIMED_CLASS_NAME];
    fputs("class,size,host_us,resident_us,upload_us\n", stream);
    for (int class = 0; class < TIMED_CLASSES; class++) {
        double low, high;
        if (!is_known(times, class))
            continue;
        range_of(times, class, &low, &high);
        for (int i = 0; i < POINTS; i++) {
            const double amount = low * pow(high / low, (double)i / (POINTS - 1)),
                         cold = cold_us(times, class, amount);
            fprintf(stream, "%s,%.4g,%.4g,%.4g,", timed_class_name(class, name), size_of(class, amount),
                    host_us(times, class, amount), resident_us(times, class, amount));
            if (isfinite(cold))
                fprintf(stream, "%.4g", cold);
            fputc('\n', stream);
        }
    }
}

enum { PATH_BYTES = 4096 };

struct report {
    char recipe_path[PATH_BYTES], folder[PATH_BYTES];
    bool has_crossovers;
    struct learned_times times;
};

static bool complain(const char *what, const char *why)
{
    fprintf(stderr, "mublas report: %s: %s\n", what, why);
    return false;
}

/* `base` of `bytes` and `ending` into `path`. */
static bool put_path(char path[PATH_BYTES], const char *base, size_t bytes, const char *ending)
{
    const int length = snprintf(path, PATH_BYTES, "%.*s%s", (int)bytes, base, ending);
    return (length > 0 && length < PATH_BYTES) ||
           complain(*base ? base : "--output", length > 0 ? "too long" : "an empty name");
}

static bool name_files(struct report *report, const char *file, const char *folder)
{
    const size_t length = strlen(file);
    const bool is_data = length > 4 && strcmp(file + length - 4, ".csv") == 0;
    const size_t base = is_data ? length - 4 : length;
    if (length >= PATH_BYTES / 2)
        return complain("--tuning", "the path is too long");
    return put_path(report->recipe_path, file, base, "") &&
           (folder ? put_path(report->folder, folder, strlen(folder), "")
                   : put_path(report->folder, file, base, "-report"));
}

static bool read_recipe(struct report *report)
{
    static struct recipe recipe;
    char fault[RECIPE_FAULT_BYTES];
    const bool read = recipe_read(report->recipe_path, &recipe, fault);
    report->has_crossovers = read && recipe.crossover;
    const bool good =
        read && (!recipe.crossover || learned_times_parse(&report->times, recipe.crossover, fault));
    learned_times_settle(&report->times, report->times.host_blas, report->times.host_threads);
    recipe_clear(&recipe);
    return good || complain(report->recipe_path, fault);
}

static bool write_curves(const struct report *report)
{
    char path[PATH_BYTES + 16];
    if (mkdir(report->folder, 0777) != 0 && errno != EEXIST)
        return complain(report->folder, strerror(errno));
    snprintf(path, sizeof path, "%s/crossovers.csv", report->folder);
    FILE *stream = fopen(path, "we");
    if (!stream)
        return complain(path, strerror(errno));
    write_lines(stream, &report->times);
    const bool failed = ferror(stream) != 0;
    return (fclose(stream) == 0 && !failed) || complain(path, "cannot be written");
}

/* A recipe may have been made in a time too short for calls, or without them. */
static bool write_report(const struct report *report)
{
    char data[PATH_BYTES + 8];
    const bool has_table = report->has_crossovers && has_borders(&report->times);
    snprintf(data, sizeof data, "%s.csv", report->recipe_path);
    const bool has_data = access(data, F_OK) == 0;
    if (has_table) {
        if (!write_curves(report))
            return false;
        print_borders(stdout, &report->times);
        printf("\ncurves are in %s/crossovers.csv\n", report->folder);
    } else {
        printf("no table: this recipe has times of no class of calls, for there was no time for them, or they were "
               "not wanted\n(mublas tune --crossovers-only learns them, with a longer --time-limit where one was "
               "given)\n");
    }
    if (has_data)
        printf("times of launch shapes are in %s\n", data);
    if (has_table || has_data)
        puts("bench/tuning_plots.py of mublas' sources draws them");
    return true;
}

/* "--name VALUE" or "--name=VALUE"; 0: another option, -1: without its value, else arguments taken. */
static int take_option(char **arguments, const char *name, const char **value)
{
    const size_t length = strlen(name);
    if (strncmp(arguments[0], name, length) != 0)
        return 0;
    if (arguments[0][length] == '=') {
        *value = arguments[0] + length + 1;
        return 1;
    }
    if (arguments[0][length] != '\0')
        return 0;
    *value = arguments[1];
    return arguments[1] ? 2 : -1;
}

static bool read_options(char ***at, const char **file, const char **folder)
{
    char **arguments = *at;
    while (*arguments && **arguments == '-') {
        if (strcmp(*arguments, "--") == 0) {
            arguments++;
            break;
        }
        int taken = take_option(arguments, "--tuning", file);
        if (taken == 0)
            taken = take_option(arguments, "--output", folder);
        if (taken <= 0) {
            fprintf(stderr, "mublas report: '%s' %s; mublas report --help lists them\n", *arguments,
                    taken < 0 ? "is without a value" : "is not an option");
            return false;
        }
        arguments += taken;
    }
    *at = arguments;
    if (!*file && !*arguments)
        fputs("mublas report: no file: mublas report FILE... merges reports, --tuning FILE shows a recipe\n", stderr);
    else if (*file && *arguments)
        fprintf(stderr, "mublas report: '%s' is one argument too many beside --tuning\n", *arguments);
    else
        return true;
    return false;
}

int report_files(char **arguments)
{
    const char *file = NULL, *folder = NULL;
    if (!read_options(&arguments, &file, &folder))
        return EXIT_BAD_COMMAND_LINE;
    if (!file)
        return merged_report_of_files(folder, arguments);
    struct report *report = calloc(1, sizeof *report);
    const bool good =
        report ? name_files(report, file, folder) && read_recipe(report) && write_report(report)
               : complain("report", "out of memory");
    free(report);
    return good ? 0 : 1;
}

enum { ORDER_MOST = 1 << 15 };

static const struct {
    const char *name;
    enum lapack_family family;
    enum blas_type type;
} routines[] = {
#define ROUTE(name, family, type, ...) {#name, LAPACK_##family, TYPE_##type},
#include "host/lapack.def"
#undef ROUTE
};

static bool pays(const struct machine_model *model, int routine, int64_t n)
{
    const uint64_t bytes = (uint64_t)(n * n) * blas_element_bytes(routines[routine].type);
    const struct route_shape shape = {.family = routines[routine].family,
                                      .type = routines[routine].type,
                                      .vectors = true,
                                      .m = n,
                                      .n = n,
                                      .k = n,
                                      .bytes_up = bytes,
                                      .bytes_down = bytes};
    const struct route_times times = route_times_predict(model, &shape);
    const struct residency none = {.trackable = false};
    return policy_decide_route(settings()->offload, &times, &none).device;
}

static void print_order(FILE *stream, const struct machine_model *model, int routine)
{
    const uint64_t floor = policy_route_floor(settings()->offload);
    int64_t n = floor > 2 ? (int64_t)(floor > ORDER_MOST ? ORDER_MOST : floor) : 2;
    while (n < ORDER_MOST && !pays(model, routine, n))
        n += 1 + n / 100;
    if (n < ORDER_MOST)
        fprintf(stream, " %s %lld", routines[routine].name, (long long)n);
    else
        fprintf(stream, " %s never", routines[routine].name);
}

/* Prints what was learned, and that the rest was not. */
static void print_origin(FILE *stream, const struct machine_model *model)
{
    static const char *const names[ROUTE_CURVES] = {[ROUTE_VALUES] = "eigenvalues",
                                                    [ROUTE_VECTORS] = "eigenvectors",
                                                    [ROUTE_LEVEL3] = "factorisations",
                                                    [ROUTE_SINGULAR] = "singular values"};
    const char *before = "learned: ";
    for (int curve = 0; curve < ROUTE_CURVES; curve++)
        if (model->learned && route_factors_have(&model->learned->routes, (enum route_curve)curve)) {
            fprintf(stream, "%s%s", before, names[curve]);
            before = ", ";
        }
    fputs(*before == ',' ? "; others built in" : "built in", stream);
}

static bool has_two_stages(const struct route_factors *learned)
{
    for (int border = BORDER_TWO_STAGES; border <= BORDER_TWO_STAGES_ALL && learned; border++)
        for (int type = 0; type <= TYPE_Z; type++)
            if (learned->orders[border][type] > 0)
                return true;
    return false;
}

static void print_two_stages(FILE *stream, const struct route_factors *learned)
{
    static const enum blas_type types[] = {TYPE_D, TYPE_S};
    fputs("mublas' own eigensolver takes two stages from these orders on (values, a tenth of vectors, all",
          stream);
    for (int i = 0; i < 2; i++) {
        const struct two_stage_borders from = route_factors_two_stages(learned, types[i]);
        fprintf(stream, "%s %s %lld %lld %lld", i ? "," : "):", i ? "single" : "double", (long long)from.none,
                (long long)from.tenth, (long long)from.all);
    }
    fprintf(stream, " (%s)\n", has_two_stages(learned) ? "learned" : "built in");
}

static void print_clusters(FILE *stream, const struct route_factors *learned)
{
    int count = 0;
    fputs("  and reduces up to these by a cluster, where the device has one:", stream);
    for (enum blas_type type = TYPE_S; type <= TYPE_Z; type++) {
        const int64_t to = route_factors_cluster_to(learned, type);
        count += to > 0;
        fprintf(stream, " %c %lld", "sdcz"[type],
                (long long)(to > 0 ? to : chip_cluster_to(type, TRIDIAGONAL_WARPS)));
    }
    fprintf(stream, " (%s%s)\n", count == 0 ? "" : count <= TYPE_Z ? "learned in part; others " : "learned",
            count <= TYPE_Z ? "built in, of 16 blocks" : "");
}

void route_orders_print(FILE *stream, const struct machine_model *model)
{
    const struct route_factors *const learned = model->learned ? &model->learned->routes : NULL;
    fprintf(stream, "LAPACK routines leave the host from these orders on, with all vectors or as many right-hand "
                    "sides (");
    print_origin(stream, model);
    fputs(")\n", stream);
    for (int i = 0; i < (int)(sizeof routines / sizeof *routines); i++) {
        if (i == 0 || routines[i].family != routines[i - 1].family)
            fputs(i ? "\n " : " ", stream);
        print_order(stream, model, i);
    }
    fputc('\n', stream);
    print_two_stages(stream, learned);
    print_clusters(stream, learned);
}
