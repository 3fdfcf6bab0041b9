/* A device that other ranks use too: by how many, and what that makes of times, prices and decisions. */
#include "gpu/device_sharing.h"
#include "mirror/ledger/account.h"
#include "policy_calls.h"
#include "predicted_call.h"
#include "tap.h"
#include "unit_test.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { RANKS = 16 };

static bool close_to(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

static void test_factor(void)
{
    tap_ok(device_sharing_factor(1, false) == 1 && device_sharing_factor(16, false) == 16,
           "contexts take turns: as many times as long as there are ranks");
    tap_ok(device_sharing_factor(16, true) == 4 && device_sharing_factor(6, true) == 1.5 &&
               device_sharing_factor(4, true) == 1 && device_sharing_factor(2, true) == 1,
           "a quarter of that under MPS, but never less than alone");
}

static void make_file(const char *folder, const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
}

static void remove_file(const char *folder, const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

static void test_files(void)
{
    static const char *const names[] = {"nvidia0", "nvidia11", "nvidiactl", "nvidia-uvm",
                                        "nvidia",  "nvidia1a", "null"};
    char folder[] = "/tmp/test_device_sharing-XXXXXX";
    if (!mkdtemp(folder))
        return;
    tap_ok(device_sharing_count_files(folder) == 0, "no device files");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        make_file(folder, names[i]);
    tap_ok(device_sharing_count_files(folder) == 2, "two among others");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        remove_file(folder, names[i]);
    rmdir(folder);
    tap_ok(device_sharing_count_files(folder) == 0, "and none where there is no folder");
}

static void set(const char *rank, const char *ranks, const char *visible, const char *given)
{
    setenv("OMPI_COMM_WORLD_LOCAL_RANK", rank, 1);
    setenv("OMPI_COMM_WORLD_LOCAL_SIZE", ranks, 1);
    setenv("CUDA_VISIBLE_DEVICES", visible, 1);
    setenv("SLURM_GPUS_ON_NODE", given, 1);
}

static void test_bound(void)
{
    set("0", "16", "3", "4");
    tap_ok(device_sharing_bound_of() == 4, "one device shown of the four that the job has");
    set("0", "16", "0,1", "4");
    tap_ok(device_sharing_bound_of() == 0, "two are shown");
    set("0", "16", "MIG-12", "1");
    tap_ok(device_sharing_bound_of() == INT_MAX, "a slice is nobody else's");
    /* The rank is read once. */
    set("0", "16", "0", "1");
    tap_ok(device_sharing_foreseen() == 16, "16 ranks, the one device of the job");
    set("0", "16", "0", "4");
    tap_ok(device_sharing_foreseen() == 4, "... and one of four that were dealt to them");
    set("0", "16", "0,1,2,3,4,5,6,7", "1");
    tap_ok(device_sharing_foreseen() == 2, "... and eight to choose from");
}

static void test_daemon(void)
{
    char folder[] = "/tmp/test_device_sharing-XXXXXX";
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (!mkdtemp(folder))
        return;
    snprintf(address.sun_path, sizeof address.sun_path, "%s/control", folder);
    tap_ok(!mps_daemon_answers(folder), "no daemon");
    setenv("CUDA_MPS_PIPE_DIRECTORY", folder, 1);
    tap_ok(strcmp(mps_daemon_folder(), folder) == 0, "its folder is the environment's");
    const int daemon = socket(AF_UNIX, SOCK_STREAM, 0);
    const bool good =
        bind(daemon, (struct sockaddr *)&address, sizeof address) == 0 && listen(daemon, 1) == 0;
    tap_ok(good && mps_daemon_answers(folder), "a socket that somebody listens at");
    set("0", "16", "0", "1");
    tap_ok(device_sharing_foreseen() == 4, "under it 16 ranks are foreseen to take a quarter");
    close(daemon);
    tap_ok(!mps_daemon_answers(folder), "a socket left behind");
    unlink(address.sun_path);
    tap_ok(mkfifo(address.sun_path, 0600) == 0 && !mps_daemon_answers(folder), "a pipe that nobody reads");
    const int reader = open(address.sun_path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    tap_ok(mps_daemon_answers(folder), "and one that somebody reads");
    close(reader);
    unlink(address.sun_path);
    make_file(folder, "control");
    tap_ok(!mps_daemon_answers(folder), "a file is no daemon");
    unlink(address.sun_path);
    rmdir(folder);
}

static struct blas_call gemm_call(int64_t n)
{
    static double storage;
    const struct blas_matrix matrix = {&storage, n, n, n, PART_FULL};
    return (struct blas_call){.family = FAMILY_GEMM, .type = TYPE_D, .m = n, .n = n, .k = n,
                              .alpha = {.d = 1}, .a = matrix, .b = matrix, .c = matrix};
}

static struct machine_model model_of(int cores, double sharing)
{
    struct machine_model model = crossover_builtin_model(NULL, cores);
    crossover_share(&model, sharing);
    return model;
}

/* Through a service clients use the device side by side, and a connection is all that they wait for. */
static void test_served(void)
{
    struct machine_model alone = model_of(1, 1), served = model_of(1, 1), many = model_of(1, 1);
    struct wake_account of_context = {0}, of_service = {0};
    crossover_serve(&served, 1);
    crossover_serve(&many, RANKS);
    const struct blas_call call = gemm_call(300);
    const double one_us = crossover_times(&alone, &call).resident_us - result_home_us(&call, true),
                 served_us = crossover_times(&served, &call).resident_us - result_home_us(&call, false),
                 many_home_us = STAGED_RESULT_US + 1e6 * 300 * 300 * 8 / many.staged_bandwidth,
                 many_us = crossover_times(&many, &call).resident_us - many_home_us;
    tap_ok(close_to(served_us, one_us) && many_us > 1.5 * one_us && many_us < 2.01 * one_us,
           "through a service a call takes as long as alone, and twice as long beside fifteen others");
    tap_ok(many_home_us > 1.5 * result_home_us(&call, false) && many_home_us < 8 * result_home_us(&call, false),
           "but for the result, which comes home over a part of the link");
    tap_ok(served.wake_us <= 1e4 && many.wake_us == served.wake_us && served.solver_wake_us < 10 &&
               served.level3_wake_us < 10 && many.level3_first_us < 10,
           "whoever else is there, to wake is to connect, and the libraries are open");
    tap_ok(crossover_copies_us(&served, 64 << 20, true) < crossover_copies_us(&served, 64 << 20, false) * 1.01 &&
               crossover_copies_us(&many, 64 << 20, true) >= 1e6 * (64 << 20) / (RESULT_PINNED_BANDWIDTH / 4) &&
               crossover_new_output_us(&served, &call) == 0,
           "copies are staged, and share the link");
    const double gain_us = 80e3; /* of a dsyevd of order 1024 */
    tap_ok(!wake_is_paid_by_route(OFFLOAD_AUTO, &alone, gain_us, &of_context) &&
               wake_is_paid_by_route(OFFLOAD_AUTO, &served, gain_us, &of_service),
           "which pays for a connection what would not pay for a context");
}

/* Scans of memory are the host's. */
static void test_times(void)
{
    struct machine_model alone = model_of(1, 1), shared = model_of(1, RANKS);
    alone.scan_us_per_byte = shared.scan_us_per_byte = 0;
    bool good = true;
    for (int64_t n = 100; n < 3000; n *= 3) {
        const struct blas_call call = gemm_call(n);
        const struct predicted_times one = predicted_call(&alone, &call, 8, false),
                                     other = predicted_call(&shared, &call, 8, false);
        good = good && one.host_us == other.host_us && close_to(other.resident_us, RANKS * one.resident_us) &&
               close_to(other.upload_us, RANKS * one.upload_us) &&
               close_to(crossover_new_output_us(&shared, &call),
                        RANKS * crossover_new_output_us(&alone, &call));
    }
    tap_ok(good, "calls and copies of each of 16 ranks take 16 times as long, on the host as long as ever");
    tap_ok(close_to(shared.wake_us, RANKS * alone.wake_us) &&
               close_to(shared.level3_wake_us, RANKS * alone.level3_wake_us) &&
               close_to(shared.level3_first_us, RANKS * alone.level3_first_us) &&
               close_to(shared.solver_wake_us, RANKS * alone.solver_wake_us),
           "and so do waking and opening cuBLAS and cuSOLVER");
}

static void test_routes(void)
{
    const struct machine_model alone = model_of(1, 1), shared = model_of(1, RANKS);
    const int64_t n = 4096;
    const uint64_t bytes = 8 * n * n;
    const struct route_shape shape = {.family = LAPACK_SYEVD, .type = TYPE_D, .vectors = true,
                                      .m = n, .n = n, .k = n,
                                      .bytes_up = bytes, .bytes_down = bytes, .bytes_kept = bytes};
    const struct route_times one = route_times_predict(&alone, &shape),
                             other = route_times_predict(&shared, &shape);
    const struct residency residency = {.trackable = true, .missing_bytes = shape.bytes_up};
    tap_ok(one.host_us == other.host_us && close_to(other.compute_us, RANKS * one.compute_us) &&
               close_to(other.moving_us, RANKS * one.moving_us) &&
               close_to(other.kept_us, RANKS * one.kept_us),
           "routes likewise");
    tap_ok(policy_decide_route(OFFLOAD_AUTO, &other, &residency).device &&
               other.host_us - other.compute_us - other.moving_us > shared.wake_us + shared.solver_wake_us,
           "a dsyevd of order 4096 of one core goes all the same, and pays for waking by itself");
}

/* Beside processors with wide vectors, as the H200's of bench/service.sh, and without. */
static void test_small_served_products(const struct blas_call *call, const struct residency *rewritten)
{
    struct machine_model served = model_of(1, 1), slow = model_of(1, 1);
    struct wake_account account = {.saved_us = 0};
    crossover_use_processors(&served, 64, 0);
    crossover_serve(&served, RANKS);
    crossover_serve(&slow, RANKS);
    const struct predicted_times times = crossover_times(&served, call);
    const struct residency resident = {.missing_bytes = 0};
    const struct blas_call small = gemm_call(200);
    const struct residency small_rewritten = {.missing_bytes = 2 * 200 * 200 * 8};
    int calls = 1;
    wake(OFFLOAD_AUTO, &served, call, 0, &account);
    tap_ok(close_to(account.saved_us, times.host_us / 2 - times.resident_us),
           "through a service a call counts by what it saves beyond half of the host's time");
    while (calls < 100 && !wake(OFFLOAD_AUTO, &served, call, 0, &account))
        calls++;
    tap_ok(calls < 40 && policy_decide(OFFLOAD_AUTO, &served, call, times, &resident).device &&
               policy_decide(OFFLOAD_AUTO, &served, call, times, rewritten).device &&
               policy_decide(OFFLOAD_AUTO, &slow, call, crossover_times(&slow, call), rewritten).device &&
               !policy_decide(OFFLOAD_AUTO, &served, &small, crossover_times(&served, &small), &small_rewritten).device,
           "products of order 300 are for sixteen, once %d have paid for the connection, also where all send their "
           "operands; of order 200 those are not", calls);
}

/* Calls that gain alone. */
static void test_small_products(void)
{
    const struct machine_model alone = model_of(1, 1), four = model_of(1, 4), shared = model_of(1, RANKS);
    const struct blas_call call = gemm_call(300), small = gemm_call(200);
    struct wake_account account = {.saved_us = 0};
    const struct residency rewritten = {.missing_bytes = 2 * 300 * 300 * 8};
    tap_ok(!never_pays(&alone, &small, false) && never_pays(&shared, &small, false),
           "a dgemm of order 200 pays for a process alone, never for one of 16 ranks");
    tap_ok(!wake(OFFLOAD_AUTO, &shared, &call, 0, &account) &&
               account.saved_us == 0,
           "one of order 300 pays nothing there for a device");
    tap_ok(policy_decide(OFFLOAD_AUTO, &alone, &call, crossover_times(&alone, &call), &rewritten).device &&
               !policy_decide(OFFLOAD_AUTO, &four, &call, crossover_times(&four, &call), &rewritten).device,
           "on a device in use, with operands to send, it is not for four ranks either");
    test_small_served_products(&call, &rewritten);
    tap_ok(crossover_floor(&shared, FAMILY_GEMM, TYPE_D) > 4 * crossover_floor(&alone, FAMILY_GEMM, TYPE_D),
           "the floors are higher");
}

/* Nothing is begun before all is paid. */
static void test_prices(void)
{
    const struct machine_model alone = model_of(1, 1), shared = model_of(1, RANKS);
    const struct blas_call call = gemm_call(2000);
    struct wake_account account = {.saved_us = 0};
    int calls = 1;
    while (!wake(OFFLOAD_AUTO, &shared, &call, 0, &account))
        calls++;
    tap_ok(account.saved_us >= shared.wake_us && account.saved_us < 1.2 * shared.wake_us && calls > 10,
           "a shared device is woken once all of the price would have been saved");
    tap_ok(solver_is_paid(OFFLOAD_AUTO, &alone, 0.9 * alone.solver_wake_us) == PURCHASE_SOON &&
               solver_is_paid(OFFLOAD_AUTO, &shared, 0.9 * shared.solver_wake_us) == PURCHASE_NOT_YET &&
               solver_is_paid(OFFLOAD_AUTO, &shared, shared.solver_wake_us) == PURCHASE_NOW,
           "nothing is prepared of cuSOLVER there");
    account = (struct wake_account){.saved_us = 0};
    tap_ok(!wake_is_paid_by_route(OFFLOAD_AUTO, &shared, 0.9 * shared.wake_us, &account) &&
               wake_is_paid_by_route(OFFLOAD_AUTO, &shared, 0.2 * shared.wake_us, &account),
           "and by routes");
}

/* A recipe learned on the machine alone is multiplied, too. */
static void test_learned(void)
{
    static struct learned_times alone, shared;
    static const char text[] = "host-blas blas\nhost-threads 1\nwake 300000\n"
                               "upload staged 1000000 200 100000000 20000\n"
                               "host dsymv 1000 5 1000000 500\ndevice dsymv 1000 20 1000000 30\n";
    char fault[LEARNED_FAULT_BYTES];
    static double storage;
    const struct blas_call call = {.family = FAMILY_SYMV, .type = TYPE_D, .n = 1000,
                                   .a = {&storage, 1000, 1000, 1000, PART_LOWER}};
    struct machine_model one = model_of(1, 1), other = model_of(1, RANKS);
    const bool good = learned_times_parse(&alone, text, fault) && learned_times_parse(&shared, text, fault);
    learned_times_settle(&alone, "blas", 1);
    learned_times_settle_shared(&shared, "blas", 1, RANKS);
    crossover_use_learned(&one, &alone);
    crossover_use_learned(&other, &shared);
    const struct predicted_times alone_times = predicted_call(&one, &call, 1000000, false),
                                 shared_times = predicted_call(&other, &call, 1000000, false);
    tap_ok(good && alone_times.host_us == shared_times.host_us &&
               close_to(shared_times.resident_us, RANKS * alone_times.resident_us) &&
               close_to(shared_times.upload_us, RANKS * alone_times.upload_us) &&
               alone_times.upload_us == 200,
           "learned times are multiplied, too");
    tap_ok(one.wake_us == 3e5 && other.wake_us == RANKS * 3e5, "and so is the learned price");
    uint64_t floor, higher;
    learned_times_floor(&alone, FAMILY_SYMV, TYPE_D, &floor);
    learned_times_floor(&shared, FAMILY_SYMV, TYPE_D, &higher);
    tap_ok(floor > 0 && higher > 2 * floor && higher < 2000, "floors are learned anew: %llu and %llu",
           (unsigned long long)floor, (unsigned long long)higher);
}

UNIT_TEST(test_device_sharing)
{
    test_factor();
    test_files();
    test_bound();
    test_daemon();
    test_served();
    test_times();
    test_routes();
    test_small_products();
    test_prices();
    test_learned();
    return tap_done();
}
