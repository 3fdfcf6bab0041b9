/* Every illegal argument of every routine that mublas offloads, quick returns,
 * operands that overlap and operands that only seem to: prints what the program's own xerbla_ was told and a digest
 * of the operands afterwards, to be compared between the host BLAS alone and the
 * shim. With "jump", xerbla_ leaves by longjmp. Data are small integers, so sums
 * are exact in any order. */
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 40, LD = 48, ARENA = 8 * LD * LD, ARGUMENTS_MAX = 12 };

typedef void blas_routine(const void *, const void *, const void *, const void *, const void *, const void *,
                          const void *, const void *, const void *, const void *, const void *, const void *, size_t,
                          size_t, size_t);
void saxpy_(void), daxpy_(void), sgemv_(void), dgemv_(void), ssymv_(void), dsymv_(void), strmv_(void), dtrmv_(void),
    ssyr2k_(void), dsyr2k_(void);
__attribute__((visibility("default"))) void xerbla_(const char *name, const int *info, size_t name_length);

/* Arguments by letter: t u d flags (operation, triangle, diagonal), n k sizes,
 * s scalar, l leading dimension, i increment, 1 2 3 operands in the arena. */
static const struct {
    const char *name, *arguments;
    void (*single)(void), (*twice)(void);
} routines[] = {
    {"axpy", "ns1i2i", saxpy_, daxpy_},
    {"gemv", "tnns1l2is3i", sgemv_, dgemv_},
    {"symv", "uns1l2is3i", ssymv_, dsymv_},
    {"trmv", "utdn1l2i", strmv_, dtrmv_},
    {"syr2k", "utnks1l2ls3l", ssyr2k_, dsyr2k_},
};

static union {
    float single[ARENA];
    double twice[ARENA];
} arena;
static jmp_buf back;
static int jump, reports;

void xerbla_(const char *name, const int *info, size_t name_length)
{
    printf("  xerbla: '%.*s' %d\n", (int)strnlen(name, name_length < 16 ? name_length : 16), name, *info);
    reports++;
    if (jump)
        longjmp(back, 1);
}

/* One argument list, as values and as the pointers passed. */
struct call {
    const char *letters;
    int twice; /* double precision */
    union {
        char flag;
        int integer;
        float single;
        double twice;
    } values[ARGUMENTS_MAX];
    size_t offsets[ARGUMENTS_MAX]; /* of operands in the arena, elements */
};

static void set_scalar(struct call *call, int position, double value)
{
    if (call->twice)
        call->values[position].twice = value;
    else
        call->values[position].single = (float)value;
}

static void make_legal(struct call *call, const char *letters, int twice)
{
    memset(call, 0, sizeof *call);
    call->letters = letters;
    call->twice = twice;
    for (int i = 0; letters[i]; i++)
        switch (letters[i]) {
        case 't': call->values[i].flag = 'n'; break;
        case 'u': call->values[i].flag = 'L'; break;
        case 'd': call->values[i].flag = 'u'; break;
        case 'n': case 'k': call->values[i].integer = SIZE; break;
        case 'l': call->values[i].integer = LD; break;
        case 'i': call->values[i].integer = -2; break;
        case 's': set_scalar(call, i, 2); break;
        default: call->offsets[i] = (size_t)(letters[i] - '1') * 2 * LD * LD;
        }
}

static void fill_arena(int twice)
{
    for (int i = 0; i < ARENA; i++) {
        int value = (i * 7 + i / 11) % 9 - 4;
        if (twice)
            arena.twice[i] = value;
        else
            arena.single[i] = (float)value;
    }
}

static uint64_t digest(void)
{
    uint64_t hash = 1469598103934665603u;
    for (size_t i = 0; i < sizeof arena; i++)
        hash = (hash ^ ((unsigned char *)&arena)[i]) * 1099511628211u;
    return hash;
}

static void perform(const struct call *call, void (*routine)(void), const char *what)
{
    const void *p[ARGUMENTS_MAX] = {0};
    size_t bytes = call->twice ? sizeof(double) : sizeof(float);
    printf("%s\n", what);
    for (int i = 0; call->letters[i]; i++)
        p[i] = strchr("123", call->letters[i]) ? (char *)&arena + bytes * call->offsets[i] : (char *)&call->values[i];
    /* Surplus arguments are harmless; the first hidden length follows the last pointer. */
    switch (strlen(call->letters)) {
    case 6: p[6] = p[7] = p[8] = p[9] = p[10] = p[11] = (void *)1; break;
    case 8: p[8] = p[9] = p[10] = p[11] = (void *)1; break;
    case 10: p[10] = p[11] = (void *)1; break;
    case 11: p[11] = (void *)1; break;
    }
    if (setjmp(back) == 0)
        ((blas_routine *)routine)(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10], p[11], 1, 1, 1);
    printf("  digest %016llx\n", (unsigned long long)digest());
}

static void try_value(const char *name, const char *letters, int twice, void (*routine)(void), int position,
                      double value)
{
    struct call call;
    char what[80];
    make_legal(&call, letters, twice);
    fill_arena(twice);
    switch (letters[position]) {
    case 't': case 'u': case 'd': call.values[position].flag = (char)value; break;
    case 's': set_scalar(&call, position, value); break;
    default: call.values[position].integer = (int)value;
    }
    snprintf(what, sizeof what, "%c%s argument %d = %g", twice ? 'd' : 's', name, position + 1, value);
    perform(&call, routine, what);
}

static void try_position(const char *name, const char *letters, int twice, void (*routine)(void), int position)
{
    static const struct {
        char letter;
        int count;
        double values[6];
    } tries[] = {
        {'t', 6, {'X', ' ', 0, 'T', 'c', 'U'}}, {'u', 6, {'X', ' ', 'N', 'U', 'l', 'u'}},
        {'d', 6, {'X', ' ', 'L', 'N', 'n', 'U'}}, {'n', 4, {-1, -2147483647, 0, 1}},
        {'k', 4, {-1, -2147483647, 0, 1}}, {'l', 4, {SIZE - 1, 0, -LD, SIZE}}, {'i', 3, {0, 1, 3}}, {'s', 3, {0, 1, -1}},
    };
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++)
        for (int j = 0; tries[i].letter == letters[position] && j < tries[i].count; j++)
            try_value(name, letters, twice, routine, position, tries[i].values[j]);
}

/* Two illegal arguments: the first one counts, whichever the host thinks that is. */
static void try_pairs(const char *name, const char *letters, int twice, void (*routine)(void))
{
    int illegal_before = -1;
    for (int i = 0; letters[i]; i++) {
        if (!strchr("tudnkl", letters[i]))
            continue;
        if (illegal_before >= 0) {
            struct call call;
            char what[80];
            make_legal(&call, letters, twice);
            fill_arena(twice);
            for (int j = illegal_before; j <= i; j += i - illegal_before)
                call.values[j].integer = strchr("tud", letters[j]) ? 'X' : -1;
            snprintf(what, sizeof what, "%c%s arguments %d and %d", twice ? 'd' : 's', name, illegal_before + 1, i + 1);
            perform(&call, routine, what);
        }
        illegal_before = i;
    }
}

/* The output begins inside another operand. */
static void try_overlap(const char *name, const char *letters, int twice, void (*routine)(void))
{
    const char *output = strrchr(letters, '3') ? strrchr(letters, '3') : strrchr(letters, '2');
    struct call call;
    char what[80];
    make_legal(&call, letters, twice);
    fill_arena(twice);
    call.offsets[output - letters] = 0;
    snprintf(what, sizeof what, "%c%s overlapping", twice ? 'd' : 's', name);
    perform(&call, routine, what);
}

/* The output is the row below the matrix, between its columns in memory: legal, and
 * LAPACK's dlabrd does it. */
static void try_beside(const char *name, const char *letters, int twice, void (*routine)(void))
{
    const char *output = strrchr(letters, '3');
    struct call call;
    char what[80];
    if (!output || output[1] != 'i')
        return;
    make_legal(&call, letters, twice);
    fill_arena(twice);
    call.offsets[output - letters] = SIZE;
    call.values[output + 1 - letters].integer = LD;
    snprintf(what, sizeof what, "%c%s beside", twice ? 'd' : 's', name);
    perform(&call, routine, what);
    perform(&call, routine, "and again");
}

int main(int count, char **arguments)
{
    jump = count > 1 && strcmp(arguments[1], "jump") == 0;
    for (size_t r = 0; r < sizeof routines / sizeof *routines; r++)
        for (int twice = 0; twice < 2; twice++) {
            void (*routine)(void) = twice ? routines[r].twice : routines[r].single;
            const char *letters = routines[r].arguments;
            for (int position = 0; letters[position]; position++)
                try_position(routines[r].name, letters, twice, routine, position);
            try_pairs(routines[r].name, letters, twice, routine);
            try_overlap(routines[r].name, letters, twice, routine);
            try_beside(routines[r].name, letters, twice, routine);
        }
    printf("%d errors reported\n", reports);
    return 0;
}
