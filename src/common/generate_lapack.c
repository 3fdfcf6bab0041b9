/* generate_lapack.c - what follows from the signatures of LAPACK and of parallel routines, for the build:
 *   generate_lapack rows     ROUTE(name, family, type, order, words, .uplo = 1, ...) for each routine, with the
 *                            numbers of its arguments and, as .writes_a = 1, its results
 *   generate_lapack places   LAPACK_PLACES and LAPACK_RESULTS, the names of all arguments and results
 *   generate_lapack parallel the rows of scalapack/routines.def, each a struct parallel_routine (grid.h)
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
    char text[ROW_MOST], *rest = text;
    int count = 0;
    copy_signature(lapack[family].family, lapack[family].signature, text);
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

static const struct {
    const char *name, *type, *kind, *family, *arguments;
} parallel[] = {
#define PARALLEL_SYMBOL(name, type, kind, family, arguments) {#name, #type, #kind, #family, arguments},
#include "scalapack/routines.def"
};

/* The words of a matrix X(rows,columns,flag), which stands for X, IX, JX and DESCX. */
struct parallel_matrix {
    char letter, rows[NAME_MOST], columns[NAME_MOST], flag[NAME_MOST];
    const char *access;
};

/* False: it is no matrix. */
static bool read_matrix(const char *row, const char *word, struct parallel_matrix *matrix)
{
    int end = 0;
    if (word[1] != '(')
        return false;
    *matrix = (struct parallel_matrix){.flag = "none"};
    sscanf(word, "%c(%15[a-z],%15[a-z])%n", &matrix->letter, matrix->rows, matrix->columns, &end);
    if (end == 0)
        sscanf(word, "%c(%15[a-z],%15[a-z],%15[a-z])%n", &matrix->letter, matrix->rows, matrix->columns,
               matrix->flag, &end);
    const char *const mark = word + end;
    matrix->access = strcmp(mark, "!") == 0 ? "UPDATE" : strcmp(mark, "=") == 0 ? "WRITE" : "READ";
    if (end == 0 || strlen(mark) > 1 || (*mark && !strchr("!=", *mark)))
        refuse(row, word);
    return true;
}

static const char *size_word(const char *word)
{
    return strcmp(word, "o") == 0 ? "order" : word;
}

/* Words that the enumeration does not know, and those that come twice, are the compiler's to refuse. */
static void print_parallel(int row)
{
    enum { OF_MATRIX = 4 };
    const char *const name = parallel[row].name;
    char text[ROW_MOST], matrices[ROW_MOST] = "", *rest = text;
    int position = 1, count = 0;
    printf("{\"%s\", TYPE_%s, KIND_%s, FAMILY_OF_%s(%s), {{", name, parallel[row].type, parallel[row].kind,
           parallel[row].kind, parallel[row].family);
    copy_signature(name, parallel[row].arguments, text);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        struct parallel_matrix matrix;
        if (read_matrix(name, word, &matrix)) {
            const size_t used = strlen(matrices);
            snprintf(matrices + used, sizeof matrices - used,
                     "{'%c', %d, WORD_%s, WORD_%s, WORD_%s, PARALLEL_%s}, ", matrix.letter, position,
                     size_word(matrix.rows), size_word(matrix.columns), matrix.flag, matrix.access);
            position += OF_MATRIX;
            count++;
        } else {
            printf("[WORD_%s] = %d, ", word, position++);
        }
    }
    printf("}, {%s}, %d, %d}},\n", matrices, count, position - 1);
}

int main(int count, char **arguments)
{
    const char *wanted = count == 2 ? arguments[1] : "";
    printf("/* Made by generate_lapack.c of the tables of routines. */\n");
    if (strcmp(wanted, "rows") == 0)
        print_lapack();
    else if (strcmp(wanted, "places") == 0) {
        print_names("LAPACK_PLACES", "", false);
        print_names("LAPACK_RESULTS", "writes_", true);
    } else if (strcmp(wanted, "parallel") == 0) {
        for (size_t row = 0; row < sizeof parallel / sizeof *parallel; row++)
            print_parallel((int)row);
    } else {
        fprintf(stderr, "generate_lapack: 'rows', 'places' or 'parallel' is wanted, not '%s'\n", wanted);
        return 1;
    }
    return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
