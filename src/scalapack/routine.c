#include "scalapack/routine.h"
#include "common/interruption.h"
#include "lapack/families.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *arguments;
    unsigned char type, kind, family;
} rows[PARALLEL_COUNT] = {
#define FAMILY_OF_EIGEN(family) LAPACK_##family
#define FAMILY_OF_FACTOR(family) LAPACK_##family
#define FAMILY_OF_REDUCTION(family) LAPACK_##family
#define FAMILY_OF_PRODUCT(family) FAMILY_##family
#define PARALLEL_SYMBOL(name, type, kind, family, arguments)                                               \
    {#name, arguments, TYPE_##type, KIND_##kind, FAMILY_OF_##kind(family)},
#include "scalapack/symbols.def"
};

static const char *const words[WORD_COUNT] = {
#define WORD(word) #word,
    PARALLEL_WORDS(WORD)
#undef WORD
    "o",
};

/* The word that begins the text, up to one of the letters of `ends`. */
static enum parallel_word read_word(const char **text, const char *ends)
{
    const size_t length = strcspn(*text, ends);
    int word = 0;
    while (word < WORD_COUNT && (strlen(words[word]) != length || strncmp(*text, words[word], length) != 0))
        word++;
    *text += length;
    return (enum parallel_word)word;
}

/* "A(n,n,uplo)!", behind the letter and the parenthesis. */
static bool read_matrix(const char **text, struct matrix_signature *matrix)
{
    matrix->rows = read_word(text, ",");
    if (matrix->rows == WORD_none || *(*text)++ != ',')
        return false;
    matrix->columns = read_word(text, ",)");
    matrix->flag = WORD_none;
    if (matrix->columns == WORD_none)
        return false;
    if (**text == ',') {
        ++*text;
        matrix->flag = read_word(text, ")");
        if (matrix->flag == WORD_none)
            return false;
    }
    if (*(*text)++ != ')')
        return false;
    matrix->access = **text == '!' ? PARALLEL_UPDATE : **text == '=' ? PARALLEL_WRITE : PARALLEL_READ;
    *text += matrix->access != PARALLEL_READ;
    return true;
}

static bool read_argument(const char **text, struct signature *signature)
{
    enum { OF_MATRIX = 4 };
    if ((*text)[1] == '(') {
        if (signature->matrix_count == PARALLEL_MATRICES_MAX)
            return false;
        struct matrix_signature *const matrix = &signature->matrices[signature->matrix_count++];
        matrix->letter = **text;
        matrix->position = signature->arguments + 1;
        signature->arguments += OF_MATRIX;
        *text += 2;
        return read_matrix(text, matrix);
    }
    const enum parallel_word word = read_word(text, " ");
    if (word >= WORD_order || signature->positions[word])
        return false;
    signature->positions[word] = (unsigned char)++signature->arguments;
    return true;
}

bool signature_read(const char *arguments, struct signature *signature)
{
    *signature = (struct signature){.matrix_count = 0};
    for (const char *text = arguments; *text; text += *text == ' ')
        if (!read_argument(&text, signature) || (*text && *text != ' '))
            return false;
    return signature->matrix_count > 0;
}

static struct parallel_routine routines[PARALLEL_COUNT];
static struct once read_once = ONCE_INIT;

static void read_all(void)
{
    for (int i = 0; i < PARALLEL_COUNT; i++) {
        routines[i] = (struct parallel_routine){.name = rows[i].name, .type = (enum blas_type)rows[i].type,
                                                .kind = (enum parallel_kind)rows[i].kind,
                                                .family = rows[i].family};
        if (!signature_read(rows[i].arguments, &routines[i].signature))
            abort(); /* a row that the unit test refuses */
    }
}

const struct parallel_routine *parallel_routine_of(enum parallel_symbol symbol)
{
    once_run(&read_once, read_all);
    return &routines[symbol];
}
