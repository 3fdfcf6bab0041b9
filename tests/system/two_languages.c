/* two_languages PLUGIN PLUGIN: plug-ins (two_languages_caller.c) that have their Fortran names from
 * one library, but for one of them, and their C names each from another. */
#include <dlfcn.h>
#include <stdio.h>

enum { ROUNDS = 3, PLUGINS = 2 };

int main(int count, char **arguments)
{
    int (*calls[PLUGINS])(void);
    int wrong = 0;
    if (count != 1 + PLUGINS)
        return 2;
    for (int i = 0; i < PLUGINS; i++) {
        void *handle = dlopen(arguments[1 + i], RTLD_NOW | RTLD_LOCAL);
        if (!handle) {
            printf("%s\n", dlerror());
            return 2;
        }
        calls[i] = (int (*)(void))dlsym(handle, "two_languages_call");
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < PLUGINS; i++) {
            int expected = 111 + 11 * i, found = calls[i]();
            if (found != expected && ++wrong)
                printf("round %d: BLAS numbers %d instead of %d\n", round, found, expected);
        }
    return wrong != 0;
}
