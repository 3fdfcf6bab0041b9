/* The place of a process among its launcher's, the device and the memory that follow from it. */
#include "gpu/device.h"
#include "tap.h"
#include "unit_test.h"

#include <limits.h>
#include <string.h>

static const char *const (*environment)[2];

static const char *look_up(const char *name)
{
    for (const char *const(*entry)[2] = environment; (*entry)[0]; entry++)
        if (strcmp((*entry)[0], name) == 0)
            return (*entry)[1];
    return NULL;
}

enum { VARIABLES_MAX = 5 };

static void test_launchers(void)
{
    static const struct {
        const char *variables[VARIABLES_MAX][2];
        int rank, ranks;
        const char *what;
    } cases[] = {
        {{{"OMPI_COMM_WORLD_LOCAL_RANK", "1"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}}, 1, 4, "Open MPI"},
        {{{"MPI_LOCALRANKID", "3"}, {"MPI_LOCALNRANKS", "4"}}, 3, 4, "Hydra"},
        {{{"MV2_COMM_WORLD_LOCAL_RANK", "0"}, {"MV2_COMM_WORLD_LOCAL_SIZE", "2"}}, 0, 2, "MVAPICH2"},
        {{{"PALS_LOCAL_RANKID", "5"}}, 5, 0, "PALS, the number of ranks unknown"},
        {{{"SLURM_LOCALID", "1"}, {"SLURM_STEP_TASKS_PER_NODE", "2(x3),1"}, {"SLURM_NODEID", "2"}}, 1, 2,
         "Slurm, third machine"},
        {{{"SLURM_LOCALID", "0"}, {"SLURM_STEP_TASKS_PER_NODE", "2(x3),1"}, {"SLURM_NODEID", "3"}}, 0, 1,
         "Slurm, last machine"},
        {{{"SLURM_LOCALID", "1"}, {"SLURM_STEP_TASKS_PER_NODE", "4"}}, 1, 4, "Slurm, one machine"},
        {{{"SLURM_LOCALID", "1"}, {"SLURM_STEP_TASKS_PER_NODE", "2(y3)"}}, 1, 0, "Slurm, in a form not known"},
        {{{"SLURM_LOCALID", "0"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "2"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "3"}}, 2, 3,
         "mpirun inside a Slurm job"},
        {{{"OMPI_COMM_WORLD_LOCAL_RANK", "-1"}}, -1, 0, "a negative rank"},
        {{{"OMPI_COMM_WORLD_LOCAL_RANK", "1x"}}, -1, 0, "a rank that is no number"},
        {{{"OMPI_COMM_WORLD_LOCAL_RANK", ""}}, -1, 0, "an empty rank"},
        {{{"OMPI_COMM_WORLD_LOCAL_RANK", "4"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}}, -1, 0, "a rank beyond the last"},
        {{{"OMPI_COMM_WORLD_LOCAL_RANK", "1"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "x"}}, 1, 0, "a bad number of ranks"},
        {{{"OMPI_COMM_WORLD_LOCAL_RANK", "x"}, {"MPI_LOCALRANKID", "1"}}, 1, 0, "a bad rank before a good one"},
        {{{"HOME", "/"}}, -1, 0, "no launcher"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        environment = cases[i].variables;
        struct local_rank found = local_rank_find(look_up);
        tap_ok(found.rank == cases[i].rank && found.ranks == cases[i].ranks && (found.rank < 0) == !found.variable,
               "%s: rank %d of %d", cases[i].what, found.rank, found.ranks);
    }
}

/* Ranks on several machines. */
static void test_world(void)
{
    static const struct {
        const char *variables[VARIABLES_MAX][2];
        int rank, ranks;
        const char *what;
    } cases[] = {
        {{{"OMPI_COMM_WORLD_LOCAL_RANK", "1"}, {"OMPI_COMM_WORLD_RANK", "5"}, {"OMPI_COMM_WORLD_SIZE", "8"}}, 5, 8,
         "Open MPI"},
        {{{"MPI_LOCALRANKID", "0"}, {"PMI_RANK", "3"}, {"PMI_SIZE", "4"}}, 3, 4, "Hydra"},
        {{{"MV2_COMM_WORLD_RANK", "2"}, {"MV2_COMM_WORLD_SIZE", "3"}}, 2, 3, "MVAPICH2"},
        {{{"PALS_RANKID", "7"}}, 7, 0, "PALS, the number of ranks unknown"},
        {{{"FLUX_TASK_RANK", "1"}, {"FLUX_JOB_SIZE", "2"}}, 1, 2, "Flux"},
        {{{"SLURM_PROCID", "6"}, {"SLURM_STEP_NUM_TASKS", "7"}, {"SLURM_NTASKS", "7"}}, 6, 7, "a Slurm job step"},
        {{{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "7"}}, -1, 0, "a Slurm batch script"},
        {{{"SLURM_PROCID", "0"}, {"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "3"}}, 2, 3,
         "mpirun inside a Slurm batch script"},
        {{{"PMIX_RANK", "4"}}, 4, 0, "PMIx alone"},
        {{{"OMPI_COMM_WORLD_RANK", "one"}}, -1, 0, "a rank that is no number"},
        {{{"HOME", "/"}}, -1, 0, "no launcher"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        environment = cases[i].variables;
        struct local_rank found = world_rank_find(look_up);
        tap_ok(found.rank == cases[i].rank && found.ranks == cases[i].ranks, "of the job, %s: rank %d of %d",
               cases[i].what, found.rank, found.ranks);
    }
}

static struct device_choice choose(int setting, const struct local_rank *rank, int devices, int bound_of)
{
    const struct device_list list = {.count = setting >= 0, .ordinals = {setting}};
    return device_choice_make(&list, rank, devices, bound_of);
}

static void test_choices(void)
{
    static const struct {
        int setting;
        int rank, ranks, devices;
        int bound_of;
        int ordinal, sharers;
    } cases[] = {
        {-1, -1, 0, 4, 0, 0, 1}, {-1, 0, 4, 4, 0, 0, 1},       {-1, 3, 4, 4, 0, 3, 1},
        {-1, 5, 8, 4, 0, 1, 2},  {-1, 4, 5, 4, 0, 0, 2},       {-1, 3, 5, 4, 0, 3, 1},
        {-1, 2, 4, 1, 0, 0, 4},  {-1, 2, 4, 1, INT_MAX, 0, 1}, {-1, 5, 0, 4, 0, 1, 1},
        {-1, 2, 4, 1, 1, 0, 4},  {-1, 2, 4, 1, 4, 0, 1},       {-1, 2, 16, 1, 3, 0, 6},
        {2, 5, 8, 4, 0, 2, 2},   {7, -1, 0, 4, 0, 7, 1},       {0, 5, 16, 1, 0, 0, 16},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct local_rank rank = {cases[i].rank, cases[i].ranks, cases[i].rank < 0 ? NULL : "RANK"};
        struct device_choice choice =
            choose(cases[i].setting, &rank, cases[i].devices, cases[i].bound_of);
        tap_ok(choice.ordinal == cases[i].ordinal && choice.sharers == cases[i].sharers,
               "rank %d of %d, %d devices, bound of %d, MUBLAS_DEVICE %d: device %d (%s)", cases[i].rank,
               cases[i].ranks, cases[i].devices, cases[i].bound_of, cases[i].setting, choice.ordinal, choice.reason);
    }
}

static bool uses(const struct device_choice *choice, int count, int first, int second)
{
    return choice->count == count && choice->ordinal == first && choice->ordinals[0] == first &&
           (count < 2 || choice->ordinals[1] == second);
}

static void test_lists(void)
{
    const struct device_list list = {.count = 2, .ordinals = {2, 0}}, beyond = {.count = 3, .ordinals = {5, 1, 0}},
                             all = {.all = true}, one = {.count = 0};
    const struct local_rank none = {.rank = -1}, third = {2, 4, "RANK"};
    struct device_choice choice = device_choice_make(&list, &third, 3, 0);
    tap_ok(uses(&choice, 2, 2, 0) && choice.sharers == 3 && strcmp(choice.reason, "MUBLAS_DEVICE=2,0") == 0,
           "a list counts in its order, whatever the rank");
    choice = device_choice_make(&beyond, &none, 2, 0);
    tap_ok(uses(&choice, 2, 1, 0) && choice.missing == 5, "what is not there is left out and named");
    choice = device_choice_make(&all, &none, 3, 0);
    tap_ok(uses(&choice, 3, 0, 1) && choice.ordinals[2] == 2 && choice.missing < 0, "all of three");
    choice = device_choice_make(&all, &third, 3, 0);
    tap_ok(uses(&choice, 3, 2, 0) && choice.sharers == 4, "all, from the rank's own one on, shared by all ranks");
    choice = device_choice_make(&all, &none, 12, 0);
    tap_ok(choice.count == DEVICES_MAX, "of twelve as many as a process may have");
    choice = device_choice_make(&one, &none, 4, 0);
    tap_ok(choice.count == 1, "by default one");
}

static struct device_choice with_candidates(const struct device_list *setting, int devices, bool is_launched)
{
    const struct local_rank none = {.rank = -1};
    struct device_choice choice = device_choice_make(setting, &none, devices, 0);
    device_choice_add_candidates(&choice, setting, is_launched);
    return choice;
}

static void test_candidates(void)
{
    const struct device_list unset = {.count = 0}, second = {.count = 1, .ordinals = {1}}, all = {.all = true};
    struct device_choice choice = with_candidates(&unset, 3, false);
    tap_ok(uses(&choice, 3, 0, 1) && choice.ordinals[2] == 2 && choice.has_candidates && choice.sharers == 1 &&
               strcmp(device_choice_reason(&choice, 0), "default, the first of 3 visible") == 0 &&
               strcmp(device_choice_reason(&choice, 1), choice.reason) != 0,
           "those behind the first are candidates");
    choice = with_candidates(&unset, 12, false);
    tap_ok(choice.count == DEVICES_MAX, "as many as a process may have");
    choice = with_candidates(&unset, 3, true);
    tap_ok(choice.count == 1 && !choice.has_candidates, "none under a launcher");
    choice = with_candidates(&unset, 1, false);
    tap_ok(choice.count == 1 && !choice.has_candidates, "none where there is one device");
    choice = with_candidates(&second, 3, false);
    tap_ok(uses(&choice, 1, 1, 0) && !choice.has_candidates, "none beside one that is named");
    choice = with_candidates(&all, 3, false);
    tap_ok(choice.count == 3 && !choice.has_candidates &&
               strcmp(device_choice_reason(&choice, 1), choice.reason) == 0,
           "those of all are named");
}

/* The ranks of a machine, each dealt a device: nobody's `sharers` may be off by one. */
static void test_sharers_add_up(void)
{
    bool good = true;
    for (int ranks = 1; ranks <= 20; ranks++) {
        for (int devices = 1; devices <= 8; devices++) {
            int on[8] = {0};
            for (int r = 0; r < ranks; r++)
                on[choose(-1, &(struct local_rank){r, ranks, "RANK"}, devices, false).ordinal]++;
            for (int r = 0; r < ranks; r++) {
                struct device_choice choice =
                    choose(-1, &(struct local_rank){r, ranks, "RANK"}, devices, 0);
                good = good && choice.sharers == on[choice.ordinal];
            }
        }
    }
    tap_ok(good, "1 to 20 ranks on 1 to 8 devices: sharers are those that chose the device");
}

static void test_share(void)
{
    struct device_choice alone = {.sharers = 1}, four = {.sharers = 4};
    tap_ok(device_choice_share(&alone, 80, 700, 1000) == 560, "alone: 80%% of what is free");
    tap_ok(device_choice_share(&four, 80, 1000, 1000) == 160, "four ranks: 80%% of a quarter");
    tap_ok(device_choice_share(&four, 80, 100, 1000) == 80, "but of what is free, where that is less");
}

UNIT_TEST(test_local_rank)
{
    test_launchers();
    test_world();
    test_choices();
    test_lists();
    test_candidates();
    test_sharers_add_up();
    test_share();
    return tap_done();
}
