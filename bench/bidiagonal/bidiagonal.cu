/* bidiagonal.cu - how long does the reduction to bidiagonal form take on the device when the matrix is read
 * once a column (LAPACK working note 174), beside the same kernel that reads it twice, cuSOLVER's gebrd and
 * its singular values by gesvdp? A prototype: real double, m >= n, m <= 8192, no rescaling of norms.
 *
 * bench/bidiagonal/bidiagonal [--n LIST] [--m M] [--nb LIST] [--repeat COUNT] [--no-check] [--no-peers]
 *
 * LIST: numbers with commas. --n: orders (1024,2048,4096,8192); --m: rows, for all of them (n); --nb: columns
 * of a panel (32,64); --repeat: how often each is timed (5; above order 4096 at most 3, peers 2). It checks
 * itself on small and odd sizes first (--no-check: no), then each order after its times. A run that hangs
 * ends after some seconds with status 3. On a machine with nvcc: `make bench/bidiagonal/bidiagonal`, or, without
 * configure,
 *
 *   nvcc -std=c++17 -O3 -gencode arch=compute_90,code=sm_90 --split-compile=0 -Isrc -Ibench/bidiagonal \
 *       -o bidiagonal bench/bidiagonal/bidiagonal.cu -lcublas -lcusolver
 *
 * Matrices are on the device; copies of them are not part of a time. Lines, by commas:
 *   time,METHOD,m,n,nb,SECONDS,LEAST,COUNT,TB/s      median and least; the rate, were the rest of A read once
 *                                                    a column and nothing else done (m = n: 8/3 n^3 bytes)
 *   check,METHOD,m,n,nb,PRODUCT,TRANSPOSED,Q,P,NORM  checks.h: in units of n eps, at most 10
 *   same,METHOD,m,n,nb                               a second run left the same bits
 *   values,METHOD,m,n,nb,DIFFERENCE                  singular values of B beside A's, in units of n eps
 *   part,METHOD,m,n,nb,PANELS,CHIP,STORE,PRODUCT     seconds: panels read from memory, panels that fit on the
 *                                                    chip, results' way into A, products with the rest
 *   step,METHOD,m,n,nb,ROWS,US,...                   microseconds a column of the panel with so many rows
 *   cycles,METHOD,m,n,nb,BEFORE,PASS,WAIT,ROWS,WAIT  of block 0, a column: its five phases
 *
 * Exit status 1: a check failed; 2: a bad argument. */
#include "checks.h"

#include <algorithm>
#include <string>
#include <string.h>

static bool all_good = true;
static int64_t repeats = 5;

static const char *method_name(bool twice) { return twice ? "two_passes" : "one_pass"; }
static int64_t lda_of(int64_t m) { return bidiagonal_rounded(m); }

static double *copy_of(const double *given, size_t count)
{
    double *const copy = device_memory<double>(count);
    MUST(cudaMemcpyAsync(copy, given, count * 8, cudaMemcpyDeviceToDevice, device.stream));
    return copy;
}

static double milliseconds_between(cudaEvent_t begin, cudaEvent_t end)
{
    float milliseconds;
    MUST(cudaEventElapsedTime(&milliseconds, begin, end));
    return milliseconds;
}

/* Median and least of some turns after one that does not count. `before` is not timed. */
template <typename BEFORE, typename QUEUE>
static void measure(const char *method, int64_t m, int64_t n, int nb, int64_t count, BEFORE before,
                    QUEUE queue, double patience = PEER_PATIENCE_SECONDS)
{
    std::vector<double> times;
    cudaEvent_t begin, end;
    MUST(cudaEventCreate(&begin));
    MUST(cudaEventCreate(&end));
    for (int64_t turn = 0; turn <= count; turn++) {
        before();
        MUST(cudaStreamSynchronize(device.stream));
        MUST(cudaEventRecord(begin, device.stream));
        queue();
        MUST(cudaEventRecord(end, device.stream));
        await_stream(method, patience);
        if (turn > 0)
            times.push_back(1e-3 * milliseconds_between(begin, end));
    }
    std::sort(times.begin(), times.end());
    const double median = 0.5 * (times[times.size() / 2] + times[(times.size() - 1) / 2]);
    printf("time,%s,%lld,%lld,%d,%.6f,%.6f,%lld,%.3f\n", method, (long long)m, (long long)n, nb, median,
           times[0], (long long)count,
           4.0 * (double)n * (double)n * ((double)m - (double)n / 3) / median * 1e-12);
    fflush(stdout);
    MUST(cudaEventDestroy(begin));
    MUST(cudaEventDestroy(end));
}

static void restore(double *a, const double *given, size_t count)
{
    MUST(cudaMemcpyAsync(a, given, count * 8, cudaMemcpyDeviceToDevice, device.stream));
}

/* Does a panel of so many rows and columns stay in shared memory? */
static bool is_on_chip(const bidiagonal_reduction &of, int64_t first)
{
    const int64_t rows = of.m - first, columns = of.n - first;
    const int group = bidiagonal_group(bidiagonal_pairs(rows));
    const int64_t own = (columns + of.blocks - 1) / of.blocks,
                  slots = of.ring / (group * ((rows + 1) / 2 * 2));
    return (own + group - 1) / group <= std::min<int64_t>(slots, BIDIAGONAL_SLOTS_MOST);
}

/* How the time divides, in one more turn. */
static void print_parts(device_reduction &made, const double *given, size_t count)
{
    const bidiagonal_reduction &of = made.of;
    const int panels = panel_count(of);
    std::vector<cudaEvent_t> events(3 * (size_t)panels + 1);
    for (cudaEvent_t &event : events)
        MUST(cudaEventCreate(&event));
    restore(of.a, given, count);
    prepare(made);
    MUST(cudaEventRecord(events[0], device.stream));
    queue_reduction(made, events.data() + 1);
    await_stream("the division");
    double panel[2] = {0, 0}, store = 0, product = 0;
    std::string steps;
    for (int i = 0; i < panels; i++) {
        const int64_t first = (int64_t)i * of.nb;
        const double time = milliseconds_between(events[3 * i], events[3 * i + 1]);
        panel[is_on_chip(of, first)] += time;
        store += milliseconds_between(events[3 * i + 1], events[3 * i + 2]);
        product += milliseconds_between(events[3 * i + 2], events[3 * i + 3]);
        if (i % std::max(1, panels / 12) == 0) {
            char text[64];
            snprintf(text, sizeof text, ",%lld,%.2f", (long long)(of.m - first),
                     1e3 * time / (double)std::min<int64_t>(of.nb, of.n - first));
            steps += text;
        }
    }
    const char *const method = method_name(made.twice);
    const long long m = of.m, n = of.n;
    printf("part,%s,%lld,%lld,%d,%.6f,%.6f,%.6f,%.6f\n", method, m, n, of.nb, 1e-3 * panel[0],
           1e-3 * panel[1], 1e-3 * store, 1e-3 * product);
    printf("step,%s,%lld,%lld,%d%s\n", method, m, n, of.nb, steps.c_str());
    unsigned long long cycles[BIDIAGONAL_PHASES];
    MUST(cudaMemcpy(cycles, of.cycles, sizeof cycles, cudaMemcpyDeviceToHost));
    printf("cycles,%s,%lld,%lld,%d", method, m, n, of.nb);
    for (int i = 0; i < 5; i++)
        printf(",%.0f", (double)cycles[i] / (double)of.n);
    printf("\n");
    fflush(stdout);
    for (cudaEvent_t &event : events)
        MUST(cudaEventDestroy(event));
}

static void run_once(device_reduction &made, const double *given, size_t count)
{
    restore(made.of.a, given, count);
    prepare(made);
    queue_reduction(made, NULL);
    await_stream(method_name(made.twice));
}

static std::vector<double> fetch(const double *from, size_t count)
{
    std::vector<double> here(count);
    MUST(cudaMemcpy(here.data(), from, count * 8, cudaMemcpyDeviceToHost));
    return here;
}

/* Two runs leave the same bits. */
static void check_bits(device_reduction &made, const double *given, size_t count)
{
    run_once(made, given, count);
    const std::vector<double> a = fetch(made.of.a, count), values = fetch(made.values, 4 * (size_t)made.of.n);
    run_once(made, given, count);
    const bool same = a == fetch(made.of.a, count) && values == fetch(made.values, 4 * (size_t)made.of.n);
    printf("same,%s,%lld,%lld,%d,%s\n", method_name(made.twice), (long long)made.of.m, (long long)made.of.n,
           made.of.nb, same ? "good" : "BAD");
    all_good = all_good && same;
}

/* Singular values alone; a is lost. */
static std::vector<double> singular_values(double *a, int64_t m, int64_t n, int64_t lda)
{
    int size;
    MUST(cusolverDnDgesvd_bufferSize(device.solver, (int)m, (int)n, &size));
    double *const work = device_memory<double>((size_t)size), *const s = device_memory<double>((size_t)n);
    MUST(cusolverDnDgesvd(device.solver, 'N', 'N', (int)m, (int)n, a, (int)lda, s, NULL, (int)m, NULL, (int)n,
                          work, size, NULL, device.info));
    await_stream("gesvd", PEER_PATIENCE_SECONDS);
    const std::vector<double> values = fetch(s, (size_t)n);
    MUST(cudaFree(work));
    MUST(cudaFree(s));
    return values;
}

static void check_values(const bidiagonal_reduction &of, const double *given)
{
    const size_t count = (size_t)(of.lda * of.n), n = (size_t)of.n;
    double *const a = copy_of(given, count), *const b = device_memory<double>(n * n);
    const std::vector<double> d = fetch(of.d, n), e = fetch(of.e, n),
                              of_a = singular_values(a, of.m, of.n, of.lda);
    std::vector<double> dense(n * n);
    for (size_t i = 0; i < n; i++) {
        dense[i * (n + 1)] = d[i];
        if (i + 1 < n)
            dense[i * (n + 1) + n] = e[i];
    }
    MUST(cudaMemcpy(b, dense.data(), n * n * 8, cudaMemcpyHostToDevice));
    const std::vector<double> of_b = singular_values(b, of.n, of.n, of.n);
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = std::max(most, fabs(of_a[i] - of_b[i]) / of_a[0]);
    const bool good = most / unit_of(of.n) <= 10;
    printf("values,one_pass,%lld,%lld,%d,%.3f,%s\n", (long long)of.m, (long long)of.n, of.nb,
           most / unit_of(of.n), good ? "good" : "BAD");
    all_good = all_good && good;
    MUST(cudaFree(a));
    MUST(cudaFree(b));
}

static void check_size(int64_t m, int64_t n, int nb)
{
    const int64_t lda = lda_of(m);
    const size_t count = (size_t)(lda * n);
    double *const given = device_memory<double>(count), *const a = device_memory<double>(count);
    fill(given, m, n, lda, 1);
    for (int twice = 0; twice < 2; twice++) {
        device_reduction made = make_reduction(m, n, a, lda, nb, twice);
        check_bits(made, given, count);
        all_good = print_check(method_name(twice), m, n, nb, check(made.of, given)) && all_good;
        if (!twice && n > 1 && n <= 300)
            check_values(made.of, given);
        free_reduction(made);
    }
    MUST(cudaFree(given));
    MUST(cudaFree(a));
}

static void check_self()
{
    static const struct {
        int m, n, nb;
    } sizes[] = {{1, 1, 32},       {2, 2, 32},       {3, 3, 32},      {31, 31, 32},   {33, 33, 32},
                 {65, 65, 64},     {100, 100, 32},   {200, 200, 64},  {257, 257, 48}, {1000, 777, 32},
                 {2100, 1999, 32}, {3000, 2049, 64}, {4097, 300, 32}, {8191, 257, 64}};
    for (const auto &size : sizes)
        check_size(size.m, size.n, size.nb);
    if (all_good)
        return;
    printf("# a check failed: no times\n");
    exit(1);
}

static void measure_own(int64_t m, int64_t n, int nb, bool twice, const double *given, double *a,
                        int64_t count)
{
    const size_t elements = (size_t)(lda_of(m) * n);
    device_reduction made = make_reduction(m, n, a, lda_of(m), nb, twice);
    measure(
        method_name(twice), m, n, nb, count,
        [&] {
            restore(a, given, elements);
            prepare(made);
        },
        [&] { queue_reduction(made, NULL); }, PATIENCE_SECONDS);
    all_good = print_check(method_name(twice), m, n, nb, check(made.of, given)) && all_good;
    print_parts(made, given, elements);
    free_reduction(made);
}

static void measure_gebrd(int64_t m, int64_t n, const double *given, double *a, int64_t count)
{
    const int64_t lda = lda_of(m);
    bidiagonal_reduction of = {};
    int size;
    double *const values = device_memory<double>(4 * (size_t)n);
    of.m = m, of.n = n, of.lda = lda, of.a = a;
    of.d = values, of.e = values + n, of.tauq = values + 2 * n, of.taup = values + 3 * n;
    MUST(cusolverDnDgebrd_bufferSize(device.solver, (int)m, (int)n, &size));
    double *const work = device_memory<double>((size_t)size);
    measure(
        "cusolver_gebrd", m, n, 0, count, [&] { restore(a, given, (size_t)(lda * n)); },
        [&] {
            MUST(cusolverDnDgebrd(device.solver, (int)m, (int)n, a, (int)lda, of.d, of.e, of.tauq, of.taup,
                                  work, size, device.info));
        });
    print_check("cusolver_gebrd", m, n, 0, check(of, given));
    MUST(cudaFree(values));
    MUST(cudaFree(work));
}

static void measure_gesvdp(int64_t m, int64_t n, const double *given, double *a, int64_t count, bool vectors)
{
    const int64_t lda = lda_of(m);
    const cusolverEigMode_t mode = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    double *const s = device_memory<double>((size_t)n), *const u = device_memory<double>((size_t)(lda * n));
    double *const v = device_memory<double>((size_t)(n * n));
    size_t size, host_size;
    double shifted;
    MUST(cusolverDnXgesvdp_bufferSize(device.solver, device.parameters, mode, 1, m, n, CUDA_R_64F, a, lda,
                                      CUDA_R_64F, s, CUDA_R_64F, u, lda, CUDA_R_64F, v, n, CUDA_R_64F, &size,
                                      &host_size));
    char *const work = device_memory<char>(size);
    std::vector<char> host_work(host_size);
    measure(
        vectors ? "cusolver_gesvdp_vectors" : "cusolver_gesvdp_values", m, n, 0, count,
        [&] { restore(a, given, (size_t)(lda * n)); },
        [&] {
            MUST(cusolverDnXgesvdp(device.solver, device.parameters, mode, 1, m, n, CUDA_R_64F, a, lda,
                                   CUDA_R_64F, s, CUDA_R_64F, u, lda, CUDA_R_64F, v, n, CUDA_R_64F, work,
                                   size, host_work.data(), host_size, device.info, &shifted));
        });
    for (void *memory : {(void *)s, (void *)u, (void *)v, (void *)work})
        MUST(cudaFree(memory));
}

static void measure_size(int64_t m, int64_t n, const std::vector<int64_t> &widths, bool own, bool peers)
{
    const size_t count = (size_t)(lda_of(m) * n);
    double *const given = device_memory<double>(count), *const a = device_memory<double>(count);
    const int64_t own_count = n > 4096 ? std::min<int64_t>(repeats, 3) : repeats;
    const int64_t peer_count = n > 4096 ? std::min<int64_t>(repeats, 2) : repeats;
    fill(given, m, n, lda_of(m), 1);
    if (own) {
        for (int64_t nb : widths)
            measure_own(m, n, (int)nb, false, given, a, own_count);
        measure_own(m, n, (int)widths[0], true, given, a, own_count);
    }
    if (peers) {
        measure_gebrd(m, n, given, a, peer_count);
        measure_gesvdp(m, n, given, a, peer_count, false);
        measure_gesvdp(m, n, given, a, peer_count, true);
    }
    MUST(cudaFree(given));
    MUST(cudaFree(a));
}

static std::vector<int64_t> numbers_of(const char *option, const char *text)
{
    std::vector<int64_t> numbers;
    for (char *end; text && *text; text = *end ? end + 1 : end) {
        const long long number = strtoll(text, &end, 10);
        if (end == text || number < 1 || (*end && *end != ',')) {
            numbers.clear();
            break;
        }
        numbers.push_back(number);
    }
    if (!numbers.empty())
        return numbers;
    fprintf(stderr, "bidiagonal: %s takes positive numbers with commas between\n", option);
    exit(2);
}

int main(int count, char **arguments)
{
    std::vector<int64_t> orders = {1024, 2048, 4096, 8192}, widths = {32, 64};
    int64_t rows = 0;
    bool checks = true, peers = true;
    for (int i = 1; i < count; i++) {
        const std::string option = arguments[i];
        const char *const value = i + 1 < count ? arguments[i + 1] : NULL;
        if (option == "--no-check")
            checks = false;
        else if (option == "--no-peers")
            peers = false;
        else if (option == "--n")
            orders = numbers_of("--n", value), i++;
        else if (option == "--m")
            rows = numbers_of("--m", value)[0], i++;
        else if (option == "--nb")
            widths = numbers_of("--nb", value), i++;
        else if (option == "--repeat")
            repeats = numbers_of("--repeat", value)[0], i++;
        else {
            fprintf(stderr, "bidiagonal: no option '%s': see the head of bidiagonal.cu\n", arguments[i]);
            return 2;
        }
    }
    open_device();
    if (checks)
        check_self();
    /* New times come first: a peer that takes long, or the session's end, must not cost it. */
    for (int64_t n : orders)
        measure_size(rows ? rows : n, n, widths, true, false);
    for (int64_t n : orders)
        if (peers)
            measure_size(rows ? rows : n, n, widths, false, true);
    return all_good ? 0 : 1;
}
