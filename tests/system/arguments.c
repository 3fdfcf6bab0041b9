/* arguments WAY LANGUAGE PREFIX SUFFIX BITS: every illegal argument of every routine that mublas
 * offloads, by the symbols of one interface, quick returns, operands that overlap and
 * operands that only seem to. Prints what the program's own xerbla_ or cblas_xerbla was
 * told and a digest of the operands afterwards, to be compared between the host BLAS
 * alone and the shim. With WAY "jump" they leave by longjmp, with "return" they return.
 * Data are small integers, so sums are exact in any order. */
#include "interface_call.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 40, LD = 48, ARENA = 16 * LD * LD };

__attribute__((visibility("default"))) void xerbla_(const char *name, const int *info, size_t name_length);
__attribute__((visibility("default"))) void cblas_xerbla(int64_t info, const char *name, const char *format,
                                                         ...);

static const struct {
    const char *name, *types, *letters;
} routines[] = {
    {"axpy", "sdcz", "ns1i2i"}, {"gemv", "sdcz", "otnns1l2is3i"}, {"symv", "sd", "ouns1l2is3i"},
    {"hemv", "cz", "ouns1l2is3i"}, {"spmv", "sd", "ouns12is3i"}, {"hpmv", "cz", "ouns12is3i"},
    {"trmv", "sdcz", "outdn1l2i"}, {"gemm", "sdcz", "ottnnks1l2ls3l"},
    {"symm", "sdcz", "oeunns1l2ls3l"}, {"hemm", "cz", "oeunns1l2ls3l"}, {"syrk", "sdcz", "outnks1ls2l"},
    {"herk", "cz", "outnkr1lr2l"}, {"syr2k", "sdcz", "outnks1l2ls3l"}, {"her2k", "cz", "outnks1l2lr3l"},
    {"trmm", "sdcz", "oeutdnns1l2l"}, {"trsm", "sdcz", "oeutdnns1l2l"},
};

static union arena {
    float single[ARENA];
    double twice[ARENA];
} arena;
static jmp_buf back;
static int jump, reports;
static struct interface interface;
static char layout = 'C'; /* of legal calls */

static void leave(void)
{
    reports++;
    if (jump)
        longjmp(back, 1);
}

void xerbla_(const char *name, const int *info, size_t name_length)
{
    printf("  xerbla: '%.*s' %d\n", (int)strnlen(name, name_length < 16 ? name_length : 16), name, *info);
    leave();
}

void cblas_xerbla(int64_t info, const char *name, const char *format, ...)
{
    (void)format;
    printf("  cblas_xerbla: '%s' %d\n", name, (int)info);
    leave();
}

/* One argument list; operands are counted in elements from the arena's start. */
struct call {
    const char *routine, *letters;
    char type;
    union argument arguments[ARGUMENTS_MAX];
};

static size_t element_bytes(char type)
{
    return (type == 's' || type == 'c' ? sizeof(float) : sizeof(double)) << (type == 'c' || type == 'z');
}

static void set_operand(struct call *call, int position, size_t element)
{
    call->arguments[position].operand = (char *)&arena + element * element_bytes(call->type);
}

static struct call make_legal(const char *routine, const char *letters, char type)
{
    struct call call = {.routine = routine, .letters = letters, .type = type};
    for (int i = 0; letters[i]; i++)
        switch (letters[i]) {
        case 'o': call.arguments[i].flag = layout; break;
        case 't': call.arguments[i].flag = 'n'; break;
        case 'u': call.arguments[i].flag = 'L'; break;
        case 'd': call.arguments[i].flag = 'u'; break;
        case 'e': call.arguments[i].flag = 'r'; break;
        case 'n': case 'k': call.arguments[i].integer = SIZE; break;
        case 'l': call.arguments[i].integer = LD; break;
        case 'i': call.arguments[i].integer = -2; break;
        case 's': case 'r': call.arguments[i].scalar[0] = 2; break;
        default: set_operand(&call, i, (size_t)(letters[i] - '1') * 2 * LD * LD);
        }
    return call;
}

static void set_arena(char type, int i, int value)
{
    if (type == 's' || type == 'c')
        arena.single[i] = (float)value;
    else
        arena.twice[i] = value;
}

/* Small integers. A solve's triangle, the first operand, is of 2s, and real: the solutions are exact then,
 * too, in any order and by whatever way of dividing. */
static void make_pattern(char type, bool solve)
{
    const int parts = type == 'c' || type == 'z' ? 2 : 1;
    for (int i = 0; i < ARENA; i++)
        set_arena(type, i, (i * 7 + i / 11) % 9 - 4);
    for (int i = 0; solve && i < 2 * LD * LD * parts; i++)
        set_arena(type, i, i % parts == 0 ? 2 : 0);
}

/* A thousand calls of a run begin with the same operands: a copy of them is kept. */
static void fill_arena(const struct call *call)
{
    static union arena pattern;
    static char type;
    static bool solve;
    const bool solves = strcmp(call->routine, "trsm") == 0;
    if (type == call->type && solve == solves) {
        memcpy(&arena, &pattern, sizeof arena);
        return;
    }
    type = call->type;
    solve = solves;
    make_pattern(type, solve);
    memcpy(&pattern, &arena, sizeof pattern);
}

static inline uint64_t mixed(uint64_t hash, bool single, size_t i)
{
    const double value = 0.0 + (single ? (double)arena.single[i] : arena.twice[i]);
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 1099511628211u;
    return hash ^ hash >> 32; /* small integers differ in their high bits only */
}

/* Digests the values: which sign a zero has is nobody's promise. In strands, whose steps need not wait for
 * each other. */
static uint64_t digest(char type)
{
    const bool single = type == 's' || type == 'c';
    uint64_t first = 1469598103934665603u, second = 0, third = 0, fourth = 0;
    for (size_t i = 0; i < ARENA; i += 4) {
        first = mixed(first, single, i);
        second = mixed(second, single, i + 1);
        third = mixed(third, single, i + 2);
        fourth = mixed(fourth, single, i + 3);
    }
    return ((first * 31 + second) * 31 + third) * 31 + fourth;
}

/* True if an illegal flag makes the reference's CBLAS (3.11) complain and forget to return: it goes on with a
 * letter that it never set. */
static bool has_no_meaning(const struct call *call)
{
    static const struct {
        char type;
        const char *routine;
        char letter;
        const char *legal;
    } slips[] = {{'s', "gemv", 't', "ntcNTC"}, {'c', "trmm", 'd', "nuNU"}};
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
        if (jump || !interface.cblas || call->type != slips[i].type ||
            strcmp(call->routine, slips[i].routine))
            continue;
        const char flag = call->arguments[strchr(call->letters, slips[i].letter) - call->letters].flag;
        if (!flag || !strchr(slips[i].legal, flag))
            return true;
    }
    return false;
}

static void perform(const struct call *call, const char *what)
{
    char name[16];
    if (has_no_meaning(call))
        return;
    printf("%c%s layout %c %s\n", call->type, call->routine, layout, what);
    snprintf(name, sizeof name, "%c%s", call->type, call->routine);
    if (setjmp(back) == 0)
        interface_call(&interface, interface_function(&interface, name), call->type, call->letters,
                       call->arguments);
    printf("  digest %016llx\n", (unsigned long long)digest(call->type));
}

static void try_value(struct call call, int position, double value)
{
    char what[80];
    fill_arena(&call);
    switch (call.letters[position]) {
    case 'o': case 't': case 'u': case 'd': case 'e': call.arguments[position].flag = (char)value; break;
    case 's': case 'r': call.arguments[position].scalar[0] = value; break;
    default: call.arguments[position].integer = (int64_t)value;
    }
    snprintf(what, sizeof what, "argument %d = %g", position + 1, value);
    perform(&call, what);
}

/* The last values are for 64-bit integers: the low half alone would be legal. */
static void try_position(const struct call *call, int position)
{
    static const struct {
        char letter;
        int count, count_of_64;
        double values[6];
    } tries[] = {
        {'o', 3, 3, {'X', 0, 'R'}},
        {'t', 6, 6, {'X', ' ', 0, 'T', 'c', 'U'}},
        {'u', 6, 6, {'X', ' ', 'N', 'U', 'l', 'u'}},
        {'d', 6, 6, {'X', ' ', 'L', 'N', 'n', 'U'}},
        {'e', 6, 6, {'X', ' ', 0, 'U', 'l', 'R'}},
        {'n', 4, 5, {-1, -2147483647, 0, 1, SIZE - 0x1p32}},
        {'k', 4, 5, {-1, -2147483647, 0, 1, SIZE - 0x1p32}},
        {'l', 4, 5, {SIZE - 1, 0, -LD, SIZE, LD - 0x1p32}},
        {'i', 3, 3, {0, 1, 3}},
        {'s', 3, 3, {0, 1, -1}},
        {'r', 3, 3, {0, 1, -1}},
    };
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        int count = interface.bits == 64 ? tries[i].count_of_64 : tries[i].count;
        for (int j = 0; tries[i].letter == call->letters[position] && j < count; j++)
            try_value(*call, position, tries[i].values[j]);
    }
}

/* Two illegal arguments: the first one counts, whichever the host thinks that is. */
static void try_pairs(const struct call *legal)
{
    int illegal_before = -1;
    for (int i = 0; legal->letters[i]; i++) {
        char letter = legal->letters[i], what[80];
        if (!strchr("otudenkl", letter) || (letter == 'o' && !interface.cblas))
            continue;
        if (illegal_before >= 0) {
            struct call call = *legal;
            fill_arena(&call);
            for (int j = illegal_before; j <= i; j += i - illegal_before)
                if (strchr("otude", call.letters[j]))
                    call.arguments[j].flag = 'X';
                else
                    call.arguments[j].integer = -1;
            snprintf(what, sizeof what, "arguments %d and %d", illegal_before + 1, i + 1);
            perform(&call, what);
        }
        illegal_before = i;
    }
}

/* The output begins inside another operand. */
static void try_overlap(struct call call)
{
    const char *output = strrchr(call.letters, '3') ? strrchr(call.letters, '3') : strrchr(call.letters, '2');
    fill_arena(&call);
    set_operand(&call, (int)(output - call.letters), 0);
    perform(&call, "overlapping");
}

/* The output is the row below the matrix, between its columns in memory: legal, and
 * LAPACK's dlabrd does it. */
static void try_beside(struct call call)
{
    const char *output = strrchr(call.letters, '3');
    if (!output || output[1] != 'i')
        return;
    fill_arena(&call);
    set_operand(&call, (int)(output - call.letters), SIZE);
    call.arguments[output + 1 - call.letters].integer = LD;
    perform(&call, "beside");
    perform(&call, "beside again");
}

static void try_routine(const char *routine, const char *letters, char type)
{
    struct call call = make_legal(routine, letters, type);
    for (int position = 0; letters[position]; position++)
        if (letters[position] != 'o' || interface.cblas)
            try_position(&call, position);
    try_pairs(&call);
    try_overlap(call);
    try_beside(call);
}

int main(int count, char **words)
{
    interface = interface_read(count - 2, words + 2);
    jump = strcmp(words[1], "jump") == 0;
    for (const char *each = interface.cblas ? "CR" : "C"; *each; each++)
        for (size_t r = 0; r < sizeof routines / sizeof *routines; r++)
            for (const char *type = routines[r].types; *type; type++) {
                layout = *each;
                try_routine(routines[r].name, routines[r].letters, *type);
            }
    printf("%d errors reported\n", reports);
    return 0;
}
