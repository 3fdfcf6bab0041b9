/* single_use.c - EXTRA matrices, each allocated, written, used in one call and freed. */
#include "changing.h"

#include <stdlib.h>

int main(int count, char **arguments)
{
    struct run run = run_begin("single_use", count, arguments, 18);
    struct changing changing = changing_create(run.n, run.extra);
    while (run_next(&run)) {
        run_start(&run);
        for (int call = 0; call < run.extra; call++) {
            double *matrix = allocate((size_t)run.n * (size_t)run.n);
            changing_write(&changing, call, matrix);
            run_call_begins(&run);
            changing_call(&changing, call, matrix);
            run_call_ends(&run);
            free(matrix);
        }
        run_stop(&run);
        changing_digest(&changing, &run);
        run_checked(&run, changing_check(&changing), -1);
    }
    changing_destroy(&changing);
    return run_finish(&run);
}
