/* Each row of routines.def against the argument list that ScaLAPACK documents for the routine, and what that
 * documentation says of its matrices: rows, columns, what tells which part is referenced, and what is done.
 */
#include "documented_lists.h"
#include "tap.h"
#include "unit_test.h"

static const char *const words[WORD_COUNT] = {
#define WORD(word) #word,
    PARALLEL_WORDS(WORD)
#undef WORD
        "o",
};

static int count_of(const char *list)
{
    int count = 1;
    for (; *list; list++)
        count += *list == ' ';
    return count;
}

/* M is a size, and in eigenproblems the number of eigenvalues. */
static const char *documented_name(enum parallel_word word, int kind, char name[16])
{
    const char *const lower = words[word];
    if (word == WORD_m && kind == KIND_EIGEN)
        return "none";
    switch (word) {
    case WORD_found: return kind == KIND_EIGEN ? "M" : "none";
    case WORD_itype: return "IBTYPE";
    default: break;
    }
    size_t i = 0;
    for (; lower[i] && i < 15; i++)
        name[i] = lower[i] >= 'a' && lower[i] <= 'z' ? (char)(lower[i] - 'a' + 'A') : lower[i];
    name[i] = 0;
    return name;
}

static bool positions_are_right(const struct parallel_routine *routine, const struct documented *as)
{
    const struct signature *const signature = &routine->signature;
    bool right = signature->arguments == count_of(as->arguments);
    for (int word = 0; word < WORD_order; word++) {
        char name[16];
        int place =
            documented_place(as->arguments, documented_name((enum parallel_word)word, as->kind, name));
        if (word == WORD_trans && place == 0)
            place = documented_place(as->arguments, "TRANSA");
        if (signature->positions[word] != place) {
            printf("# %s: %s is argument %d, not %d\n", routine->name, words[word], place,
                   signature->positions[word]);
            right = false;
        }
    }
    return right;
}

static bool matrices_are_right(const struct parallel_routine *routine, const struct documented *as)
{
    const char *text = as->matrices;
    const struct signature *const signature = &routine->signature;
    int number = 0;
    for (; *text && number < PARALLEL_MATRICES_MAX; number++) {
        const struct matrix_signature *const matrix = &signature->matrices[number];
        char letter[2], rows[8], columns[8], flag[8], access[2], name[2], all[32], wanted[32];
        int read = 0;
        sscanf(text, "%1s %7s %7s %7s %1s%n", letter, rows, columns, flag, access, &read);
        text += read + (text[read] == ',' ? 2 : 0);
        name[0] = matrix->letter;
        name[1] = 0;
        snprintf(all, sizeof all, "%s I%s J%s DESC%s", name, name, name, name);
        snprintf(wanted, sizeof wanted, "%s I%s J%s DESC%s", letter, letter, letter, letter);
        if (number >= signature->matrix_count || strcmp(all, wanted) != 0 ||
            matrix->position != documented_place(as->arguments, letter) || !strstr(as->arguments, wanted) ||
            strcmp(words[matrix->rows], rows) != 0 || strcmp(words[matrix->columns], columns) != 0 ||
            strcmp(matrix->flag == WORD_none ? "-" : words[matrix->flag], flag) != 0 ||
            "ruw"[matrix->access] != access[0])
            return false;
    }
    return !*text && number == signature->matrix_count;
}

static void test_rows(void)
{
    int wanted = 0;
    for (int i = 0; i < DOCUMENTED; i++)
        wanted += (int)strlen(documented[i].types);
    tap_ok(wanted == PARALLEL_COUNT, "%d routines are documented, and %d are in the table", wanted,
           (int)PARALLEL_COUNT);
    for (int symbol = 0; symbol < PARALLEL_COUNT; symbol++) {
        const struct parallel_routine *const routine = parallel_routine_of((enum parallel_symbol)symbol);
        const struct documented *const as = documented_find(routine->name);
        tap_ok(as && routine->name[0] == 'p' && "sdcz"[routine->type] == routine->name[1] &&
                   (int)routine->kind == as->kind && routine->family == as->family &&
                   positions_are_right(routine, as) && matrices_are_right(routine, as),
               "%s: arguments and matrices are where ScaLAPACK has them", routine->name);
    }
}

UNIT_TEST(test_scalapack_signatures)
{
    test_rows();
    return tap_done();
}
