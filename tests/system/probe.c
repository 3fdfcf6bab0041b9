/* Prints whether dlsym finds the names that are given: a line each, "NAME found" or "NAME not". */
#include <dlfcn.h>
#include <stdio.h>

extern void dgemm_64_(void) __attribute__((weak));

int main(int count, char **names)
{
    printf("a reference to dgemm_64_ %s\n", dgemm_64_ ? "found" : "not");
    for (int i = 1; i < count; i++)
        printf("%s %s\n", names[i], dlsym(RTLD_DEFAULT, names[i]) ? "found" : "not");
    return 0;
}
