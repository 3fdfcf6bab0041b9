#include "command/verify/verify.h"
#include "common/launcher.h"
#include "common/loader.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The BLACS, as their users' guide declares them for Fortran. */
typedef void pinfo_function(int *me, int *count);
typedef void get_function(const int *context, const int *what, int *value);
typedef void gridinit_function(int *context, const char *order, const int *rows, const int *columns,
                               size_t length);
typedef void gridinfo_function(const int *context, int *rows, int *columns, int *row, int *column);
typedef void end_function(const int *value);
typedef void sum_function(const int *context, const char *scope, const char *topology, const int *m,
                          const int *n, double *numbers, const int *ld, const int *to_row,
                          const int *to_column, size_t scope_length, size_t topology_length);

static const char *const open_mpi[] = {"libscalapack-openmpi.so.2.2", "libscalapack-openmpi.so.2.1",
                                       "libscalapack-openmpi.so.2.0", "libscalapack-openmpi.so", NULL};
static const char *const mpich[] = {"libscalapack-mpich.so.2.2", "libscalapack-mpich.so.2.1",
                                    "libscalapack-mpich.so.2.0", "libscalapack-mpich.so", NULL};

const char *parallel_library_known(int number)
{
    static const char *const names[] = {"libscalapack-openmpi.so.2.2", "libscalapack-openmpi.so.2.1",
                                        "libscalapack-mpich.so.2.2",   "libscalapack-mpich.so.2.1",
                                        "libscalapack.so.2.2",         "libscalapack.so.2",
                                        "libscalapack.so",             "libmkl_scalapack_lp64.so.2",
                                        "libmkl_scalapack_lp64.so.1",  NULL};
    return names[number];
}

static const char *const *names_here(void)
{
    const char *const launcher = world_rank().variable;
    return launcher && strncmp(launcher, "OMPI_", 5) == 0 ? open_mpi : mpich;
}

/* With global symbols: MKL's libraries find each other by them, and the shim finds the host's. But its own
 * calls of BLAS go to what it depends on, so that the host's results are the host's. */
static bool open_one(const char *name, struct parallel_library *library, const char **error)
{
    library->handle = loader_open_or_why(name, RTLD_LAZY | RTLD_GLOBAL | RTLD_DEEPBIND, error);
    if (library->handle)
        snprintf(library->name, sizeof library->name, "%s", name);
    return library->handle;
}

static bool open_listed(const char *files, struct parallel_library *library)
{
    const char *error = NULL;
    for (const char *at = files; *at; at += strcspn(at, ":"), at += *at == ':') {
        char name[PATH_MAX];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ":"), at);
        if (*name && !open_one(name, library, &error)) {
            fprintf(stderr, "mublas verify: --scalapack: %s\n", error ? error : name);
            return false;
        }
    }
    return library->handle;
}

bool parallel_library_open(const char *files, struct parallel_library *library)
{
    const char *const *name = names_here(), *error = NULL;
    *library = (struct parallel_library){.handle = NULL};
    if (files)
        return open_listed(files, library);
    while (*name && !open_one(*name, library, &error))
        name++;
    if (!library->handle)
        fprintf(stderr, "mublas verify: no ScaLAPACK is found, neither %s nor others; name the one of this MPI by "
                        "--scalapack=FILE\n", names_here()[0]);
    return library->handle;
}

host_function *parallel_library_host(const struct parallel_library *library, const char *name)
{
    return (host_function *)loader_symbol(library->handle, name);
}

host_function *parallel_library_shim(const char *name)
{
    return (host_function *)dlvsym(RTLD_DEFAULT, name, "MUBLAS_BY_REFERENCE");
}

static bool has_functions(const struct parallel_library *library)
{
    static const char *const names[] = {"blacs_pinfo_", "blacs_get_", "blacs_gridinfo_", "dgsum2d_"};
    static const char *const of_shim[] = {"blacs_gridinit_", "blacs_gridexit_", "blacs_exit_"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!parallel_library_host(library, names[i])) {
            fprintf(stderr, "mublas verify: %s has no %s\n", library->name, names[i]);
            return false;
        }
    for (size_t i = 0; i < sizeof of_shim / sizeof *of_shim; i++)
        if (!parallel_library_shim(of_shim[i])) {
            fprintf(stderr, "mublas verify: the shim has no %s\n", of_shim[i]);
            return false;
        }
    return true;
}

static int rows_for(int processes)
{
    int rows = (int)sqrt(processes);
    while (processes % rows != 0)
        rows--;
    return rows;
}

bool parallel_grid_open(const struct parallel_library *library, struct parallel_grid *grid)
{
    static const int nobody = -1, default_context = 0;
    int processes;
    *grid = (struct parallel_grid){.library = library};
    if (!has_functions(library))
        return false;
    ((pinfo_function *)parallel_library_host(library, "blacs_pinfo_"))(&grid->me, &processes);
    ((get_function *)parallel_library_host(library, "blacs_get_"))(&nobody, &default_context, &grid->context);
    const int rows = rows_for(processes), columns = processes / rows;
    ((gridinit_function *)parallel_library_shim("blacs_gridinit_"))(&grid->context, "R", &rows, &columns, 1);
    struct grid_place *const place = &grid->place;
    ((gridinfo_function *)parallel_library_host(library, "blacs_gridinfo_"))(
        &grid->context, &place->rows, &place->columns, &place->row, &place->column);
    return true;
}

void parallel_grid_close(const struct parallel_grid *grid)
{
    static const int ends_mpi = 0;
    ((end_function *)parallel_library_shim("blacs_gridexit_"))(&grid->context);
    ((end_function *)parallel_library_shim("blacs_exit_"))(&ends_mpi);
}

void parallel_grid_sum(const struct parallel_grid *grid, double *numbers, int64_t count)
{
    static const int one = 1, everybody = -1;
    const int many = (int)count;
    ((sum_function *)parallel_library_host(grid->library, "dgsum2d_"))(
        &grid->context, "A", " ", &many, &one, numbers, &many, &everybody, &everybody, 1, 1);
}

/* A place for each process, so that no maximum is needed, which would pass over NaN. */
double parallel_grid_largest(const struct parallel_grid *grid, double number)
{
    enum { MOST = 4096 };
    static double numbers[MOST];
    const int count = grid->place.rows * grid->place.columns;
    double largest = 0;
    memset(numbers, 0, sizeof numbers);
    numbers[grid->me % MOST] = number;
    parallel_grid_sum(grid, numbers, count < MOST ? count : MOST);
    for (int i = 0; i < count && i < MOST; i++)
        largest = numbers[i] <= largest ? largest : numbers[i];
    return largest;
}
