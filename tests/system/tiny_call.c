/* tiny_call LIBRARY... SYMBOL COUNT: COUNT calls of dgemv or dger by any of its names, for
 * counting instructions. LIBRARY is tiny_names.so; of several, each calls once, and the last
 * goes on. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef bool run_function(const char *symbol, long count);

int main(int count, char **arguments)
{
    int symbol = count - 2;
    for (int i = 1; i < symbol; i++) {
        void *library = dlopen(arguments[i], RTLD_NOW);
        run_function *run = library ? (run_function *)dlsym(library, "tiny_run") : NULL;
        if (!run || !run(arguments[symbol], i == symbol - 1 ? atol(arguments[count - 1]) : 1)) {
            fprintf(stderr, "tiny_call: %s\n", run ? "no such symbol" : dlerror());
            return 2;
        }
    }
    if (count > 3)
        return 0;
    fprintf(stderr, "usage: tiny_call LIBRARY... SYMBOL COUNT\n");
    return 2;
}
