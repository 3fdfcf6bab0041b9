/* crowded PLUGIN...: many plug-ins (numbered_caller.c) at once, each named for the number of
 * its BLAS. They are the same code, and of two in memory some return addresses differ in high
 * bits only: each is to get its own BLAS nevertheless. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { PLUGINS_MAX = 100, ROUNDS = 3, LOW_BITS = 0xffff };

int main(int count, char **paths)
{
    int (*calls[PLUGINS_MAX])(int), (*by_pointer[PLUGINS_MAX])(void), numbers[PLUGINS_MAX],
        plugins = 0, wrong = 0, alike = 0;
    for (; plugins < count - 1 && plugins < PLUGINS_MAX; plugins++) {
        const char *path = paths[plugins + 1];
        void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        calls[plugins] = plugin ? (int (*)(int))dlsym(plugin, "numbered_call") : NULL;
        by_pointer[plugins] = plugin ? (int (*)(void))dlsym(plugin, "numbered_by_pointer") : NULL;
        if (!calls[plugins] || !by_pointer[plugins])
            return 2;
        numbers[plugins] = path[strlen(path) - strlen("1.so")] - '0';
        for (int i = 0; i < plugins; i++)
            alike += numbers[i] != numbers[plugins] &&
                     (((uintptr_t)calls[i] ^ (uintptr_t)calls[plugins]) & LOW_BITS) == 0;
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < plugins; i++)
            wrong += (calls[i](2) != numbers[i]) + (by_pointer[i]() != numbers[i]);
    printf("%d plug-ins, %d pairs alike, %d calls wrong\n", plugins, alike, wrong);
    return wrong || alike == 0;
}
