/* generate_lapack.c - what follows from the signatures of LAPACK in routines.def, for the build:
 *   generate_lapack rows     ROUTE(name, family, type, order, words, .uplo = 1, ...) for each routine, with the
 *                            numbers of its arguments and, as .writes_a = 1, its results
 *   generate_lapack places   LAPACK_PLACES and LAPACK_RESULTS, the names of all arguments and results
 * Runs on the machine that builds, and writes to standard output. Exit status: 0, or 1 with a line that
 * says which row cannot be read. */
#include "common/generate_words.h"

#include <ctype.h>

static const struct {
    const char *family, *names[2], *signature;
} lapack[] = {
#define LAPACK_FAMILY(NAME, real, complex, KIND, operations, signature) {#NAME, {#real, #complex}, signature},
#include "common/routines.def"
};
enum { LAPACK_COUNT = sizeof lapack / sizeof *lapack };

/* A word of a signature, without its mark, '*' or '!'. */
struct word {
    char name[NAME_MOST];
    bool is_order, is_result;
};

/* The arguments of one kind of types. Real types have no rwork and lrwork, complex ones no wi and realiwork. */
static int read_words(int family, bool is_complex, struct word words[ARGUMENTS_MOST])
{
    char text[256], *rest = text;
    int count = 0;
    if (strlen(lapack[family].signature) >= sizeof text)
        refuse(lapack[family].family, lapack[family].signature);
    strcpy(text, lapack[family].signature);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        const size_t length = strcspn(word, "*!");
        if (count == ARGUMENTS_MOST || length >= NAME_MOST || strlen(word) > length + 1)
            refuse(lapack[family].family, word);
        struct word *const read = &words[count];
        *read = (struct word){.is_order = word[length] == '*', .is_result = word[length] == '!'};
        memcpy(read->name, word, length);
        count += !is_one_of(read->name, is_complex ? "wi realiwork" : "rwork lrwork");
    }
    return count;
}

static void print_route(int family, char type)
{
    const bool is_complex = type == 'c' || type == 'z';
    struct word words[ARGUMENTS_MOST];
    const int count = read_words(family, is_complex, words);
    int order = 0, starred = 0;
    for (int i = 0; i < count; i++) {
        order = strcmp(words[i].name, "n") == 0 ? i + 1 : order;
        starred = words[i].is_order ? i + 1 : starred;
    }
    if (!order && !starred)
        refuse(lapack[family].family, lapack[family].signature);
    printf("ROUTE(%c%s, %s, %c, %d, %d", type, lapack[family].names[is_complex], lapack[family].family,
           toupper(type), starred ? starred : order, count);
    for (int i = 0; i < count; i++)
        printf(", .%s = %d", words[i].name, i + 1);
    for (int i = 0; i < count; i++)
        if (words[i].is_result)
            printf(", .writes_%s = 1", words[i].name);
    printf(")\n");
}

static void print_lapack(void)
{
    for (int family = 0; family < LAPACK_COUNT; family++)
        for (const char *type = "sdcz"; *type; type++)
            print_route(family, *type);
}

/* All the names of arguments, or of results. */
static void print_names(const char *macro, const char *prefix, bool results)
{
    char seen[1024] = "";
    printf("#define %s", macro);
    for (int i = 0; i < 2 * LAPACK_COUNT; i++) {
        struct word words[ARGUMENTS_MOST];
        const int count = read_words(i / 2, i % 2, words);
        for (int j = 0; j < count; j++) {
            if ((results && !words[j].is_result) || is_one_of(words[j].name, seen))
                continue;
            if (strlen(seen) + NAME_MOST + 1 >= sizeof seen)
                refuse(lapack[i / 2].family, words[j].name);
            printf("%s %s%s", *seen ? "," : "", prefix, words[j].name);
            strcat(strcat(seen, *seen ? " " : ""), words[j].name);
        }
    }
    printf("\n");
}

int main(int count, char **arguments)
{
    const char *wanted = count == 2 ? arguments[1] : "";
    printf("/* Made by generate_lapack.c of common/routines.def. */\n");
    if (strcmp(wanted, "rows") == 0)
        print_lapack();
    else if (strcmp(wanted, "places") == 0) {
        print_names("LAPACK_PLACES", "", false);
        print_names("LAPACK_RESULTS", "writes_", true);
    } else {
        fprintf(stderr, "generate_lapack: 'rows' or 'places' is wanted, not '%s'\n", wanted);
        return 1;
    }
    return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
