/* first_at_end SCOPE FIRST SECOND ORPHAN: plug-ins (numbered_caller.c) whose first BLAS calls
 * are those of their destructors, while they and their BLAS are unloaded, again and again;
 * SCOPE is "local" or "global". Meanwhile and after that ORPHAN calls, which brings no BLAS: at
 * last it is to get a real one, which counts as number 1. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 40 }; /* more than there may be hosts */

static int wrong_at_the_end, (*orphan_call)(int);

static void *find(void *plug_in, const char *name)
{
    void *found = plug_in ? dlsym(plug_in, name) : NULL;
    if (!found)
        printf("%s\n", dlerror());
    return found;
}

static void call_orphan(void)
{
    wrong_at_the_end += orphan_call(1) != 2;
}

/* Load it, let it call that BLAS from destructors, and see it gone. */
static bool come_and_go(const char *path, int scope, int number, void (*at_end)(void))
{
    void *plug_in = dlopen(path, RTLD_NOW | scope);
    int **wrong = (int **)find(plug_in, "numbered_wrong"), *first = (int *)find(plug_in, "numbered_first");
    void (**hook)(void) = (void (**)(void))find(plug_in, "numbered_at_end");
    if (!wrong || !first || !hook)
        return false;
    *wrong = &wrong_at_the_end;
    *first = number;
    *hook = at_end;
    return dlclose(plug_in) == 0 && !dlopen(path, RTLD_NOW | RTLD_NOLOAD);
}

int main(int count, char **arguments)
{
    if (count != 5)
        return 2;
    int scope = strcmp(arguments[1], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL;
    orphan_call = (int (*)(int))find(dlopen(arguments[4], RTLD_NOW | RTLD_LOCAL), "numbered_call");
    for (int round = 0; round < ROUNDS; round++)
        if (!come_and_go(arguments[2 + round % 2], scope, 1 + round % 2, NULL))
            return 2;
    if (!orphan_call || !come_and_go(arguments[3], scope, 2, call_orphan))
        return 2;
    int wrong = orphan_call(3) != 1;
    int (*call)(int) = (int (*)(int))find(dlopen(arguments[3], RTLD_NOW | scope), "numbered_call");
    wrong += !call || call(3) != 2 || orphan_call(3) != 1;
    printf("%d calls wrong while unloading, %d after\n", wrong_at_the_end, wrong);
    return wrong || wrong_at_the_end;
}
