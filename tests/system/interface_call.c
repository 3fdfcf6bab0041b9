#include "interface_call.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GARBAGE (INT64_C(0x5aa5feed) << 32)

struct interface interface_read(int count, char **words)
{
    if (count != 4 || (strcmp(words[0], "fortran") && strcmp(words[0], "cblas")) ||
        (strcmp(words[3], "32") && strcmp(words[3], "64"))) {
        fprintf(stderr, "an interface is fortran|cblas PREFIX SUFFIX 32|64\n");
        exit(2);
    }
    return (struct interface){words[1], words[2], atoi(words[3]), words[0][0] == 'c'};
}

/* interface_table.c */
struct interface_row {
    const char *symbol;
    void *function;
};

static const struct interface_row *find_table(void)
{
    static const char path[] = "tests/system/.libs/interface_table.so";
    void *library = dlopen(path, RTLD_NOW);
    const struct interface_row *table = library ? dlsym(library, "interface_table") : NULL;
    if (!table) {
        fprintf(stderr, "run this from the build directory: %s\n", dlerror());
        exit(2);
    }
    return table;
}

void *interface_function(const struct interface *interface, const char *routine)
{
    static const struct interface_row *table;
    char symbol[64];
    snprintf(symbol, sizeof symbol, "%s%s%s", interface->prefix, routine, interface->suffix);
    if (!table)
        table = find_table();
    for (const struct interface_row *row = table; row->symbol; row++)
        if (row->function && strcmp(row->symbol, symbol) == 0)
            return row->function;
    fprintf(stderr, "no %s in this process\n", symbol);
    exit(2);
}

/* The enumerator of CBLAS for a Fortran letter; an illegal one for an illegal letter. */
static int enumerator(char letter, char flag)
{
    static const struct {
        char letter;
        const char *flags;
        int first;
    } kinds[] = {{'o', "RC", 101}, {'t', "NTC", 111}, {'u', "UL", 121}, {'d', "NU", 131}, {'e', "LR", 141}};
    char upper = flag >= 'a' && flag <= 'z' ? (char)(flag - 'a' + 'A') : flag;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *at = upper ? strchr(kinds[i].flags, upper) : NULL;
        if (kinds[i].letter == letter && at)
            return kinds[i].first + (int)(at - kinds[i].flags);
    }
    return 199;
}

static void store_scalar(char type, const double *value, double *storage)
{
    float *single = (float *)storage;
    for (int part = 0; part < 2; part++)
        if (type == 's' || type == 'c')
            single[part] = (float)value[part];
        else
            storage[part] = value[part];
}

/* Integer and floating arguments are counted apart in the calling conventions of x86-64
 * and aarch64, and only the former, a word each, are ever too many for the registers:
 * so one function type serves every routine, and words too many harm nobody. */
typedef void any_routine(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t,
                         int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, double, double);

struct words {
    int64_t words[ARGUMENTS_MAX];
    double reals[2];
    int count, real_count;
    /* Words point to these. */
    int64_t integers[ARGUMENTS_MAX];
    double scalars[ARGUMENTS_MAX][2];
    int lengths;
};

static void add_word(struct words *words, int64_t word)
{
    words->words[words->count++] = word;
}

static void add_argument(struct words *words, const struct interface *interface, char type, char letter,
                         const union argument *argument)
{
    int64_t *integer = &words->integers[words->count];
    double *scalar = words->scalars[words->count];
    bool complex = type == 'c' || type == 'z';
    switch (letter) {
    case 'o': case 't': case 'u': case 'd': case 'e':
        words->lengths += !interface->cblas;
        if (interface->cblas)
            add_word(words, enumerator(letter, argument->flag) | GARBAGE);
        else
            add_word(words, (intptr_t)&argument->flag);
        break;
    case 'n': case 'k': case 'l': case 'i':
        *integer = interface->bits == 64 ? argument->integer : (argument->integer & 0xffffffff) | GARBAGE;
        add_word(words, interface->cblas ? *integer : (intptr_t)integer);
        break;
    case 's': case 'r':
        store_scalar(type, argument->scalar, scalar);
        if (interface->cblas && (letter == 'r' || !complex))
            words->reals[words->real_count++] = *scalar;
        else
            add_word(words, (intptr_t)scalar);
        break;
    default:
        add_word(words, (intptr_t)argument->operand);
    }
}

void interface_call(const struct interface *interface, void *function, char type, const char *letters,
                    const union argument *arguments)
{
    struct words words = {.count = 0};
    for (int i = 0; letters[i]; i++)
        if (letters[i] != 'o' || interface->cblas)
            add_argument(&words, interface, type, letters[i], &arguments[i]);
    while (words.lengths-- > 0)
        add_word(&words, 1);
    const int64_t *w = words.words;
    ((any_routine *)function)(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12],
                              w[13], w[14], w[15], words.reals[0], words.reals[1]);
}
