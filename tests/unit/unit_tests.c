/* The main program of tests that share one. */
#include "unit_test.h"

#include <stdio.h>
#include <string.h>

static struct unit_test *tests;

void unit_test_add(struct unit_test *test)
{
    test->next = tests;
    tests = test;
}

static const struct unit_test *find(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const struct unit_test *test = tests;
    while (test && strcmp(test->name, name) != 0)
        test = test->next;
    return test;
}

int main(int count, char **arguments)
{
    for (int i = 0; i < 2 && i < count; i++) {
        const struct unit_test *test = find(arguments[i]);
        if (test)
            return test->run(count - i, arguments + i);
    }
    fprintf(stderr, "usage: %s TEST [ARGUMENT...], where TEST is one of:\n", arguments[0]);
    for (const struct unit_test *test = tests; test; test = test->next)
        fprintf(stderr, "  %s\n", test->name);
    return 2;
}
