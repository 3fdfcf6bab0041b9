/* lapack.c - how fast are mublas' eigensolver and cuSOLVER's on matrices on the device, and is mublas right?
 *
 *   bench/lapack [--orders=128,256,...] [--routines=dsytrd,zheevd,...] [--seconds=240] [--csv=FILE]
 *
 * By the native API, in one process: tridiagonalisation, and eigenvalues with all vectors, the first tenth of
 * them or none, of random matrices in double precision, real and complex. A line for each: seconds on the
 * device and microseconds a column of both, how many times as fast mublas is, what part of its time the
 * memory needs (the floor: half of the rest of the matrix read once a column, at the bandwidth that a kernel
 * reads with here), and mublas' errors in units of n eps (lapack_problem.h). FILE gets the same for
 * bench/lapack_plots.py. What by the order before would take longer than what is left of the seconds is left
 * out; on an H100 the usual ones reach order 32768 for some. Exit status: 1 where a result is wrong, 2 for a
 * bad argument. */
#include "lapack_peer.h"
#include "timing.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

enum { ORDERS_MOST = 32, TURNS_MOST = 7, ORDER_LEAST = 8, ORDER_LARGEST = 40000, PEERS = 2 };
#define OPTIONS "--orders=N,N,... (%d to %d), --routines=NAME,..., --seconds=S and --csv=FILE"
static const double WARM_UP_MOST = 2; /* seconds: what takes longer is not done twice */
static const double TURNS_SECONDS = 1, BOUND = 30;

static const struct lapack_case cases[] = {{"dsytrd", false, WORK_REDUCTION}, {"dsyevd", false, WORK_ALL},
                                           {"dsyevd", false, WORK_TENTH},     {"dsyevd", false, WORK_NONE},
                                           {"zhetrd", true, WORK_REDUCTION},  {"zheevd", true, WORK_ALL},
                                           {"zheevd", true, WORK_TENTH},      {"zheevd", true, WORK_NONE}};
enum { CASES = sizeof cases / sizeof *cases };

static struct options {
    int64_t orders[ORDERS_MOST];
    int count;
    const char *routines, *csv;
    double seconds;
} options = {{128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768}, 9, NULL, NULL, 240};

/* Seconds are negative where nothing was measured. */
struct outcome {
    double seconds;
    int turns;
};
static struct {
    double seconds;
    int64_t n;
} latest[CASES][PEERS]; /* of mublas, then cuSOLVER */

static double started;
static bool has_peer, all_right = true;
static FILE *csv;

static void refuse(const char *text)
{
    fprintf(stderr, "lapack: '%s' is none of " OPTIONS "\n", text, ORDER_LEAST, ORDER_LARGEST);
    exit(2);
}

static void read_orders(const char *argument, const char *text)
{
    options.count = 0;
    for (char *end; options.count < ORDERS_MOST; text = end + 1) {
        const long long order = strtoll(text, &end, 10);
        if (end == text || (*end && *end != ',') || order < ORDER_LEAST || order > ORDER_LARGEST)
            refuse(argument);
        options.orders[options.count++] = order;
        if (!*end)
            return;
    }
    refuse(argument);
}

static void read_option(const char *argument)
{
    const char *const sign = strchr(argument, '='), *const value = sign ? sign + 1 : "";
    char *end = NULL;
    if (strcmp(argument, "--help") == 0) {
        printf("options: " OPTIONS "\n", ORDER_LEAST, ORDER_LARGEST);
        exit(0);
    }
    if (*value == '\0')
        refuse(argument);
    else if (strncmp(argument, "--orders=", 9) == 0)
        read_orders(argument, value);
    else if (strncmp(argument, "--routines=", 11) == 0)
        options.routines = value;
    else if (strncmp(argument, "--csv=", 6) == 0)
        options.csv = value;
    else if (strncmp(argument, "--seconds=", 10) == 0)
        options.seconds = strtod(value, &end);
    else
        refuse(argument);
    if (end && (end == value || *end))
        refuse(argument);
}

static double seconds_left(void)
{
    return options.seconds - (seconds_now() - started);
}

static double predicted(int number, int peer, int64_t n)
{
    const double times = latest[number][peer].n ? (double)n / (double)latest[number][peer].n : 0;
    return latest[number][peer].seconds * times * times * times;
}

static struct outcome measure(struct lapack_problem *problem, int number, int peer)
{
    const struct lapack_device *const device = problem->device;
    bool (*const queue)(void *) = peer ? lapack_peer_queue : lapack_problem_queue;
    struct outcome outcome = {-1, 0};
    double times[TURNS_MOST], total = 0;
    const double expected = predicted(number, peer, problem->n);
    if (expected > seconds_left()) {
        printf("# %s, n = %lld, by %s: left out; it would take %.0f s\n", problem->what.routine,
               (long long)problem->n, peer ? "cuSOLVER" : "mublas", expected);
        return outcome;
    }
    if (!(peer ? lapack_peer_ask(problem) : lapack_problem_ask(problem)))
        return outcome;
    for (int turn = -1; turn < TURNS_MOST && total < TURNS_SECONDS; turn++) {
        lapack_problem_fill(problem, problem->a);
        const double seconds = lapack_device_time(device, queue, problem);
        if (seconds < 0)
            return (struct outcome){-1, 0};
        if (turn < 0 && seconds < WARM_UP_MOST)
            continue;
        times[outcome.turns++] = seconds;
        total += seconds;
    }
    outcome.seconds = median(times, (size_t)outcome.turns);
    latest[number][peer].seconds = outcome.seconds;
    latest[number][peer].n = problem->n;
    return outcome;
}

/* Half of the rest of the matrix, column by column. */
static double floor_of(const struct lapack_problem *problem)
{
    const double n = (double)problem->n, element = problem->what.is_complex ? 16 : 8;
    return problem->device->bandwidth > 0 ? n * n * n / 6 * element / problem->device->bandwidth : -1;
}

/* A number, or a dash where there is none. */
static const char *number(const char *format, double value)
{
    static char texts[16][24];
    static int next;
    char *const text = texts[next = (next + 1) % 16];
    if (value < 0)
        return "-";
        /* The formats are those below. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, sizeof texts[0], format, value);
#pragma GCC diagnostic pop
    return text;
}

static double per_column(const struct lapack_problem *problem, struct outcome outcome)
{
    return outcome.seconds < 0 ? -1 : 1e6 * outcome.seconds / (double)problem->n;
}

static void print_header(const struct lapack_device *device)
{
    printf("# %s, %s GB/s read\n", device->name,
           number("%.0f", device->bandwidth > 0 ? 1e-9 * device->bandwidth : -1));
    printf("%-7s %-5s %6s  %10s %8s  %10s %8s  %6s %6s  %8s %8s %8s\n", "", "vec-", "", "mublas", "us a",
           "cuSOLVER", "us a", "", "of", "resid-", "orthog-", "");
    printf("%-7s %-5s %6s  %10s %8s  %10s %8s  %6s %6s  %8s %8s %8s\n", "routine", "tors", "n", "s", "column",
           "s", "column", "faster", "floor", "ual", "onality", "sums");
    if (csv)
        fprintf(
            csv,
            "device,bandwidth,routine,vectors,n,floor_seconds,mublas_seconds,mublas_turns,cusolver_seconds,"
            "cusolver_turns,residual,orthogonality,sums\n");
}

static void print_line(const struct lapack_problem *problem, struct outcome ours, struct outcome peer,
                       struct lapack_check check)
{
    const double least = floor_of(problem);
    const char *const vectors = lapack_work_name(problem->what.work);
    printf("%-7s %-5s %6lld  %10s %8s  %10s %8s  %6s %6s  %8s %8s %8s\n", problem->what.routine, vectors,
           (long long)problem->n, number("%.6f", ours.seconds), number("%.2f", per_column(problem, ours)),
           number("%.6f", peer.seconds), number("%.2f", per_column(problem, peer)),
           number("%.2f", ours.seconds > 0 && peer.seconds > 0 ? peer.seconds / ours.seconds : -1),
           number("%.0f%%", ours.seconds > 0 && least > 0 ? 100 * least / ours.seconds : -1),
           number("%.3f", check.residual), number("%.3f", check.orthogonality), number("%.3f", check.sums));
    fflush(stdout);
    if (!csv)
        return;
    fprintf(csv, "%s,%.4g,%s,%s,%lld,%.6g,%.9g,%d,%.9g,%d,%.4g,%.4g,%.4g\n", problem->device->name,
            problem->device->bandwidth, problem->what.routine, vectors, (long long)problem->n, least,
            ours.seconds, ours.turns, peer.seconds, peer.turns, check.residual, check.orthogonality,
            check.sums);
    fflush(csv);
}

static void judge(const struct lapack_problem *problem, struct lapack_check check)
{
    const int info = lapack_problem_info(problem);
    if (info == 0 && check.residual < BOUND && check.orthogonality < BOUND && check.sums < BOUND)
        return;
    printf("# WRONG: %s, vectors %s, n = %lld: info %d\n", problem->what.routine,
           lapack_work_name(problem->what.work), (long long)problem->n, info);
    all_right = false;
}

static void run_case(const struct lapack_device *device, int which, int64_t n)
{
    struct lapack_problem problem;
    struct lapack_check check = {-1, -1, -1};
    struct outcome peer = {-1, 0};
    if (!lapack_problem_make(&problem, device, &cases[which], n)) {
        printf("# %s, n = %lld: left out; there is no memory\n", cases[which].routine, (long long)n);
        return;
    }
    const struct outcome ours = measure(&problem, which, 0);
    if (ours.turns > 0) {
        check = lapack_problem_check(&problem);
        judge(&problem, check);
    }
    if (has_peer)
        peer = measure(&problem, which, 1);
    if (ours.turns > 0 || peer.turns > 0)
        print_line(&problem, ours, peer, check);
    lapack_problem_free(&problem);
}

static bool is_wanted(const char *routine)
{
    const char *const found = options.routines ? strstr(options.routines, routine) : routine;
    return found && (!options.routines || found[strlen(routine)] == '\0' || found[strlen(routine)] == ',');
}

int main(int count, char **arguments)
{
    started = seconds_now();
    for (int i = 1; i < count; i++)
        read_option(arguments[i]);
    if (options.csv && !(csv = fopen(options.csv, "w"))) {
        fprintf(stderr, "lapack: --csv=%s: %s\n", options.csv, strerror(errno));
        return 2;
    }
    const struct lapack_device device = lapack_device_open();
    has_peer = lapack_peer_open(&device);
    print_header(&device);
    for (int i = 0; i < options.count; i++)
        for (int which = 0; which < CASES; which++)
            if (is_wanted(cases[which].routine))
                run_case(&device, which, options.orders[i]);
    printf("# %.0f s in all%s\n", seconds_now() - started, all_right ? "" : "; there were WRONG results");
    if (csv && fclose(csv) != 0)
        lapack_fail("--csv=%s: %s", options.csv, strerror(errno));
    mublas_destroy(device.handle);
    return all_right ? 0 : 1;
}
