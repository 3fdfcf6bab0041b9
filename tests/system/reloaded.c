/* reloaded BYSTANDER FIRST SECOND: plug-ins (numbered_caller.c) that are unloaded and make
 * room for others with a BLAS of their own: return addresses that meant one BLAS mean another
 * then. BYSTANDER is loaded and calls first of all, and stays; it may be empty. */
#include <dlfcn.h>
#include <stdio.h>

enum { ROUNDS = 6 };

struct plug_in {
    void *handle;
    int (*call)(int calls);
};

static int wrong_at_the_end;

static struct plug_in load(const char *path)
{
    struct plug_in plug_in = {dlopen(path, RTLD_NOW | RTLD_LOCAL), NULL};
    int **wrong = plug_in.handle ? (int **)dlsym(plug_in.handle, "numbered_wrong") : NULL;
    if (!wrong) {
        printf("%s\n", dlerror());
        return (struct plug_in){NULL, NULL};
    }
    *wrong = &wrong_at_the_end;
    plug_in.call = (int (*)(int))dlsym(plug_in.handle, "numbered_call");
    return plug_in;
}

int main(int count, char **arguments)
{
    const void *last = NULL;
    int wrong = 0, reused = 0;
    if (count != 4)
        return 2;
    if (*arguments[1] && (load(arguments[1]).call == NULL || load(arguments[1]).call(3) != 1))
        return 2;
    for (int round = 0; round < ROUNDS; round++) {
        int expected = 1 + round % 2;
        struct plug_in plug_in = load(arguments[1 + expected]);
        if (!plug_in.call)
            return 2;
        reused += last == (const void *)plug_in.call;
        last = (const void *)plug_in.call;
        int found = plug_in.call(3);
        if (found != expected && ++wrong)
            printf("round %d: BLAS number %d instead of %d\n", round, found, expected);
        if (dlclose(plug_in.handle) != 0 || dlopen(arguments[1 + expected], RTLD_NOW | RTLD_NOLOAD))
            return 2;
    }
    printf("%d of %d times in the place of another; %d calls wrong while unloading\n", reused, ROUNDS - 1,
           wrong_at_the_end);
    return wrong || wrong_at_the_end || reused < 2;
}
