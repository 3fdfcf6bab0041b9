#include "scalapack/blacs.h"
#include "common/loader.h"

#include <dlfcn.h>
#include <pthread.h>

typedef void gridinfo_function(const int *context, int *rows, int *columns, int *row, int *column);
typedef void combine_function(const int *context, const char *scope, const char *topology, const int *m,
                              const int *n, int32_t *numbers, const int *ld, int *row_of, int *column_of,
                              const int *ld_of, const int *to_row, const int *to_column,
                              size_t scope_length, size_t topology_length);

static struct {
    gridinfo_function *gridinfo;
    combine_function *igamn2d, *igamx2d;
} blacs;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *look_up(void *handle, const char *name)
{
    void *const found = handle ? loader_symbol(handle, name) : NULL;
    return found ? found : loader_symbol(RTLD_DEFAULT, name);
}

static void find_from(void *handle)
{
    blacs.igamn2d = (combine_function *)look_up(handle, "igamn2d_");
    blacs.igamx2d = (combine_function *)look_up(handle, "igamx2d_");
    blacs.gridinfo = (gridinfo_function *)look_up(handle, "blacs_gridinfo_");
}

bool blacs_find(const void *code)
{
    Dl_info object;
    pthread_mutex_lock(&lock);
    if (!blacs.gridinfo) {
        const bool is_known = dladdr(code, &object) && object.dli_fname;
        void *const handle = is_known ? loader_open(object.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
        find_from(handle); /* the handle is kept, and so is the library */
    }
    const bool found = blacs.igamn2d && blacs.igamx2d && blacs.gridinfo;
    pthread_mutex_unlock(&lock);
    return found;
}

/* A library with integers of 64 bits writes so many; the low half is what both write. */
struct grid_place blacs_place(int context)
{
    enum { ROWS, COLUMNS, ROW, COLUMN, COUNT };
    const int64_t handle = context;
    int64_t told[COUNT] = {-1, -1, -1, -1};
    blacs.gridinfo((const int *)&handle, (int *)&told[ROWS], (int *)&told[COLUMNS], (int *)&told[ROW],
                   (int *)&told[COLUMN]);
    return (struct grid_place){(int)told[ROWS], (int)told[COLUMNS], (int)told[ROW], (int)told[COLUMN]};
}

/* To all processes, without telling whose number it was. */
static void combine(combine_function *function, int context, int32_t *numbers, int count)
{
    static const int one = 1, nobody = -1;
    int unused = 0;
    function(&context, "All", " ", &count, &one, numbers, &count, &unused, &unused, &nobody, &nobody, &nobody,
             3, 1);
}

void blacs_smallest(int context, int32_t *numbers, int count)
{
    combine(blacs.igamn2d, context, numbers, count);
}

void blacs_largest(int context, int32_t *numbers, int count)
{
    combine(blacs.igamx2d, context, numbers, count);
}
