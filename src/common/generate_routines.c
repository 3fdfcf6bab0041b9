/* generate_routines.c - what follows from the signatures of BLAS in routines.def, for the build:
 *   generate_routines rows      C macros, also for assembly: FORTRAN_GATE_name, CBLAS_GATE_name, SIGNATURE_NAME
 *                               (struct blas_signature)
 *   generate_routines entries   the bodies of the entries, for each type a block for each family
 *                               (interpose/entries/entry.inc)
 * Runs on the machine that builds, and writes to standard output. Exit status: 0, or 1 with a line that
 * says which row cannot be read. generate_lapack.c does the same for LAPACK's. */
#include "common/generate_words.h"

#include <ctype.h>

enum kind { KIND_FLAG, KIND_SIZE, KIND_SCALAR, KIND_MATRIX, KIND_LD, KIND_VECTOR, KIND_INCREMENT };

struct argument {
    enum kind kind;
    char name[NAME_MOST];    /* as the entry's parameter: "transa", "a" */
    char option[NAME_MOST];  /* behind '=': "NT", "real" */
    char sizes[2][2];        /* rows and columns, or a length: not transposed, transposed */
    bool is_triangle, is_packed, is_written;
};

struct row {
    const char *family, *name, *types, *gated, *signature;
    struct argument arguments[ARGUMENTS_MOST];
    int count;
};

static struct row rows[] = {
#define FAMILY(NAME, name, types, gated, products, computed, signature, ...) \
    {#NAME, #name, #types, #gated, signature, {{0}}, 0},
#include "common/routines.def"
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

/* "m" or "m|k": in sizes[0] where the operand is not transposed, in sizes[1] where it is; what follows. */
static const char *read_size(const char *text, char sizes[2])
{
    sizes[0] = sizes[1] = text[0];
    if (!text[0] || text[1] != '|')
        return text + (text[0] != '\0');
    sizes[1] = text[2];
    return text + 3;
}

/* A(m|k,k|m), A(n,n,uplo)!, A(n,n,uplo,packed), x(n|m). */
static bool read_operand(const char *word, struct argument *argument)
{
    char sizes[2][2] = {{0}};
    const char *rest = read_size(word + 2, sizes[0]);
    argument->kind = isupper((unsigned char)word[0]) ? KIND_MATRIX : KIND_VECTOR;
    argument->name[0] = (char)tolower((unsigned char)word[0]);
    if (argument->kind == KIND_MATRIX && *rest == ',')
        rest = read_size(rest + 1, sizes[1]);
    argument->is_triangle = strncmp(rest, ",uplo", 5) == 0;
    rest += argument->is_triangle ? 5 : 0;
    argument->is_packed = strncmp(rest, ",packed", 7) == 0;
    rest += argument->is_packed ? 7 : 0;
    memcpy(argument->sizes, sizes, sizeof sizes);
    argument->is_written = strcmp(rest, ")!") == 0;
    return argument->is_written || strcmp(rest, ")") == 0;
}

static bool read_argument(const char *word, struct argument *argument)
{
    if (word[0] && word[1] == '(')
        return read_operand(word, argument);
    const size_t length = strcspn(word, "=");
    if (length >= NAME_MOST || strlen(word) - length >= NAME_MOST)
        return false;
    memcpy(argument->name, word, length);
    strcpy(argument->option, word + length + (word[length] == '='));
    if (is_one_of(argument->name, "side uplo trans transa transb diag"))
        argument->kind = KIND_FLAG;
    else if (is_one_of(argument->name, "m n k"))
        argument->kind = KIND_SIZE;
    else if (is_one_of(argument->name, "alpha beta"))
        argument->kind = KIND_SCALAR;
    else if (is_one_of(argument->name, "lda ldb ldc"))
        argument->kind = KIND_LD;
    else if (is_one_of(argument->name, "incx incy"))
        argument->kind = KIND_INCREMENT;
    else
        return false;
    return true;
}

static void read_row(struct row *row)
{
    char text[ROW_MOST], *rest = text;
    copy_signature(row->name, row->signature, text);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (row->count == ARGUMENTS_MOST || !read_argument(word, &row->arguments[row->count++]))
            refuse(row->name, word);
}

static const struct argument *argument_named(const struct row *row, const char *name)
{
    for (int i = 0; i < row->count; i++)
        if (strcmp(row->arguments[i].name, name) == 0)
            return &row->arguments[i];
    return NULL;
}

static bool has_flags(const struct row *row)
{
    return row->arguments[0].kind == KIND_FLAG;
}

static bool is_complex_scalar(const struct argument *argument)
{
    return strcmp(argument->option, "real") != 0;
}

/* The member of struct blas_call: a matrix that is written is c, whatever the routine calls it. */
static char member_of(const struct row *row, char operand)
{
    const char name[] = {operand, '\0'};
    const struct argument *argument = argument_named(row, name);
    if (!argument)
        refuse(row->name, name);
    return argument->kind == KIND_MATRIX && argument->is_written ? 'c' : operand;
}

/* The gate's sizes by their positions, which CBLAS counts with the layout in front. */
static void print_gate(const struct row *row, const char *language, const char *of[3], int shift)
{
    const char sizes[4][4] = {"n", "mn", "mnk", "nnk"};
    const char *const names[4] = {"N", "MN", "MNK", "NNK"};
    for (int i = 0; i < 4; i++) {
        if (strcmp(row->gated, names[i]) != 0)
            continue;
        const size_t count = strlen(sizes[i]);
        printf("#define %s_GATE_%s %s(", language, row->name, of[count - 1]);
        for (size_t j = 0; j < count; j++) {
            const char name[] = {sizes[i][j], '\0'};
            const struct argument *argument = argument_named(row, name);
            if (!argument)
                refuse(row->name, name);
            printf("%s%d", j ? ", " : "", (int)(argument - row->arguments) + 1 + shift);
        }
        printf(")\n");
    }
}

static const char *size_name(char size)
{
    return size == 'm' ? "SIZE_M" : size == 'n' ? "SIZE_N" : size == 'k' ? "SIZE_K" : "SIZE_ORDER";
}

/* ARGUMENT_TRANS_B for transb, ARGUMENT_LDC for the ldb of a B that is written. */
static void print_argument_name(const struct row *row, const struct argument *argument)
{
    const char *name = argument->name;
    if (strcmp(name, "transa") == 0)
        printf("ARGUMENT_TRANS");
    else if (strcmp(name, "transb") == 0)
        printf("ARGUMENT_TRANS_B");
    else if (argument->kind == KIND_LD)
        printf("ARGUMENT_LD%c", toupper(member_of(row, name[2])));
    else if (argument->kind == KIND_MATRIX)
        printf("ARGUMENT_%c", toupper(member_of(row, name[0])));
    else
        for (printf("ARGUMENT_"); *name; name++)
            putchar(toupper((unsigned char)*name));
}

static void print_operand(const struct row *row, const struct argument *argument)
{
    const bool by_trans_b = argument->name[0] == 'b' && argument_named(row, "transb");
    printf("{");
    print_argument_name(row, argument);
    printf(", {{%s, %s}, {%s, %s}}, %d, %d, %d}, ", size_name(argument->sizes[0][0]),
           size_name(argument->sizes[0][1]), size_name(argument->sizes[1][0]),
           size_name(argument->sizes[1][1]), by_trans_b, argument->is_triangle,
           argument->is_packed);
}

/* The operand that is written comes first. */
static void print_signature(const struct row *row)
{
    const char *transpositions = "TRANSPOSE_ANY";
    printf("#define SIGNATURE_%s {{", row->family);
    for (int i = 0; i < row->count; i++) {
        print_argument_name(row, &row->arguments[i]);
        printf(", ");
        if (row->arguments[i].kind == KIND_FLAG && row->arguments[i].option[0])
            transpositions = row->arguments[i].option[1] == 'C' ? "TRANSPOSE_ADJOINT" : "TRANSPOSE_PLAIN";
    }
    printf("}, %d, {", row->count);
    int operands = 0;
    for (int written = 1; written >= 0; written--)
        for (int i = 0; i < row->count; i++) {
            const enum kind kind = row->arguments[i].kind;
            if ((kind == KIND_MATRIX || kind == KIND_VECTOR) && row->arguments[i].is_written == written) {
                print_operand(row, &row->arguments[i]);
                operands++;
            }
        }
    printf("}, %d, %s}\n", operands, transpositions);
}

static void print_parameter(const struct argument *argument)
{
    switch (argument->kind) {
    case KIND_FLAG: printf("FLAG %s", argument->name); break;
    case KIND_SCALAR:
        printf("%s %s", is_complex_scalar(argument) ? "FACTOR" : "REAL_FACTOR", argument->name);
        break;
    case KIND_MATRIX:
    case KIND_VECTOR: printf("%sSCALAR *%s", argument->is_written ? "" : "const ", argument->name); break;
    case KIND_SIZE:
    case KIND_LD:
    case KIND_INCREMENT: printf("COUNT %s", argument->name); break;
    }
}

/* The flags and integers that times depend on. */
static void print_shape(const struct row *row)
{
    const char *comma = "";
    for (int i = 0; i < row->count; i++) {
        const struct argument *argument = &row->arguments[i];
        const enum kind kind = argument->kind;
        if (kind == KIND_FLAG)
            printf("%sFLAG_OF(%s)", comma, argument->name);
        else if (kind == KIND_SIZE || kind == KIND_LD)
            printf("%sCOUNT_OF(%s)", comma, argument->name);
        else
            continue;
        comma = ", ";
    }
}

static void print_hidden(const struct row *row)
{
    const char *const forms[] = {"#define HIDDEN_PARAMETERS", "#define HIDDEN_ARGUMENTS"};
    for (int form = 0; form < 2; form++) {
        printf("%s%s", forms[form], has_flags(row) ? " HIDDEN(" : "");
        for (int i = 0; i < row->count && row->arguments[i].kind == KIND_FLAG; i++)
            printf("%s%s%s_length", i ? ", " : "", form ? "" : "size_t ", row->arguments[i].name);
        printf("%s\n", has_flags(row) ? ")" : "");
    }
}

static void print_macros(const struct row *row)
{
    const char *layout = has_flags(row) ? "LAYOUT_" : "";
    printf("#define ROUTINE %s\n#define PARAMETERS %s%s", row->name, layout, *layout ? "PARAMETER " : "");
    for (int i = 0; i < row->count; i++) {
        printf("%s", i ? ", " : "");
        print_parameter(&row->arguments[i]);
    }
    printf("\n#define ARGUMENTS %s%s", layout, *layout ? "ARGUMENT " : "");
    for (int i = 0; i < row->count; i++)
        printf("%s%s", i ? ", " : "", row->arguments[i].name);
    printf("\n#define SHAPE %s%s", layout, *layout ? "ARGUMENT " : "");
    print_shape(row);
    printf("\n");
    print_hidden(row);
}

/* The members of the call that need no check. */
static void print_members(const struct row *row)
{
    for (int i = 0; i < row->count; i++) {
        const struct argument *argument = &row->arguments[i];
        const char *name = argument->name;
        if (argument->kind == KIND_SIZE)
            printf("        .%s = COUNT_OF(%s),\n", name, name);
        else if (argument->kind == KIND_MATRIX && argument->is_packed)
            printf("        .%c = {.pointer = (void *)%s},\n", member_of(row, name[0]), name);
        else if (argument->kind == KIND_MATRIX)
            printf("        .%c = {.pointer = (void *)%s, .ld = COUNT_OF(ld%s)},\n",
                   member_of(row, name[0]), name, name);
        else if (argument->kind == KIND_VECTOR)
            printf("        .%s = {.pointer = (void *)%s, .increment = COUNT_OF(inc%s)},\n", name, name,
                   name);
    }
}

static void print_checks(const struct row *row)
{
    for (int i = 0; i < row->count && row->arguments[i].kind == KIND_FLAG; i++) {
        const char *name = row->arguments[i].name;
        const char *member = strcmp(name, "transa") == 0   ? "trans"
                             : strcmp(name, "transb") == 0 ? "trans_b"
                                                           : name;
        for (printf("READ_"); *member; member++)
            putchar(toupper((unsigned char)*member));
        printf("(%s) && ", name);
    }
    printf("%spack_legal(call)", has_flags(row) ? "READ_LAYOUT && " : "");
}

static void print_entry(const struct row *row)
{
    print_macros(row);
    printf("static bool LOCAL(pack, ROUTINE)(struct blas_call *call, PARAMETERS)\n{\n"
           "    *call = (struct blas_call){\n        .family = FAMILY_%s, .type = ELEMENT_TYPE,\n",
           row->family);
    print_members(row);
    printf("    };\n    if (!(");
    print_checks(row);
    printf("))\n        return false;\n");
    for (int i = 0; i < row->count; i++)
        if (row->arguments[i].kind == KIND_SCALAR)
            printf("    call->%s = %sFACTOR_OF(%s);\n", row->arguments[i].name,
                   is_complex_scalar(&row->arguments[i]) ? "" : "REAL_", row->arguments[i].name);
    printf("    return pack_scalars(call);\n}\n#include \"interpose/entries/entry.inc\"\n\n");
}

static void print_entries(void)
{
    for (const char *type = "SDCZ"; *type; type++) {
        const char *const others = strchr("SD", *type) ? "COMPLEX" : "REAL";
        printf("#define PRECISION_%c\n#include \"interpose/entries/precision.h\"\n\n", *type);
        for (const struct row *row = rows; row < rows + ROW_COUNT; row++)
            if (strcmp(row->types, others) != 0)
                print_entry(row);
        printf("#undef PRECISION_%c\n\n", *type);
    }
}

static void print_rows(void)
{
    static const char *by_address[] = {"SIZE", "PRODUCT", "CUBE"};
    static const char *by_value[] = {"VALUE", "VALUE_PRODUCT", "VALUE_CUBE"};
    for (const struct row *row = rows; row < rows + ROW_COUNT; row++) {
        print_gate(row, "FORTRAN", by_address, 0);
        print_gate(row, "CBLAS", by_value, has_flags(row));
        print_signature(row);
    }
}

int main(int count, char **arguments)
{
    const char *wanted = count == 2 ? arguments[1] : "";
    for (struct row *row = rows; row < rows + ROW_COUNT; row++)
        read_row(row);
    printf("/* Made by generate_routines.c of common/routines.def. */\n");
    if (strcmp(wanted, "rows") == 0)
        print_rows();
    else if (strcmp(wanted, "entries") == 0)
        print_entries();
    else {
        fprintf(stderr, "generate_routines: 'rows' or 'entries' is wanted, not '%s'\n", wanted);
        return 1;
    }
    return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
