/* guarded TYPES: every routine that mublas offloads, with every flag, on operands of which only the pages
 * that hold elements can be touched: not the other triangle, nor what lies between columns or the elements of
 * a vector, nor what is before and behind. These pages are protected or not mapped at all, before the first
 * call or between two. Results are those of the host BLAS, called by its handle on twins in ordinary memory,
 * and what lies beside elements stays. One line for each routine and type. */
#include "element.h"
#include "guarded_operand.h"
#include "interface_call.h"
#include "tap.h"

#include <dlfcn.h>
#include <string.h>

void dgemm_(void);
static void (*volatile linked)(void) = dgemm_; /* so that the host BLAS is among the program's libraries */

enum { PANEL = 5, COLUMN_BYTES = 9000, GAP_BYTES = 9600, CALLS = 3 };

/* Letters as in interface_call.h. Operands: v a vector; f full, p full and op of it; t a triangle, k a packed
 * one. */
static const struct routine {
    const char *name, *types, *letters, *operands;
} routines[] = {
    {"axpy", "sdcz", "ns1i2i", "vv"},          {"gemv", "sdcz", "tnns1l2is3i", "fvv"},
    {"symv", "sd", "uns1l2is3i", "tvv"},       {"hemv", "cz", "uns1l2is3i", "tvv"},
    {"spmv", "sd", "uns12is3i", "kvv"},        {"hpmv", "cz", "uns12is3i", "kvv"},
    {"trmv", "sdcz", "utdn1l2i", "tv"},        {"gemm", "sdcz", "ttnnks1l2ls3l", "ppf"},
    {"symm", "sdcz", "eunns1l2ls3l", "tff"},   {"hemm", "cz", "eunns1l2ls3l", "tff"},
    {"syrk", "sdcz", "utnks1ls3l", "p.t"},     {"herk", "cz", "utnkr1lr3l", "p.t"},
    {"syr2k", "sdcz", "utnks1l2ls3l", "ppt"},  {"her2k", "cz", "utnks1l2lr3l", "ppt"},
    {"trmm", "sdcz", "eutdnns1l3l", "t.f"},    {"trsm", "sdcz", "eutdnns1l3l", "t.f"},
};

struct call {
    const struct routine *routine;
    char type, uplo, diag, side, trans[2];
    int64_t m, n, k, increments[2];
    bool beta_is_zero;
    struct guarded operands[3];
};

static void *host_blas;
static const struct interface fortran = {"", "_", 32, false};

static bool is_in_place(const struct routine *routine)
{
    return strncmp(routine->name, "tr", 2) == 0;
}

static int output_of(const struct routine *routine)
{
    for (int i = 2; i > 0; i--)
        if (strchr(routine->letters, '1' + i))
            return i;
    return 0;
}

static void shape_matrix(struct guarded *operand, char part, int64_t rows, int64_t columns, int gap)
{
    const int64_t size = (int64_t)element_bytes(operand->type);
    operand->part = part;
    operand->rows = rows;
    operand->columns = columns;
    operand->ld = rows + gap * GAP_BYTES / size;
}

/* Rows and columns of a full operand that op is applied to. */
static void shape_full(struct call *call, int which, int64_t rows, int64_t columns, int gap)
{
    const bool across = call->routine->operands[which] == 'p' &&
                        call->trans[strcmp(call->routine->name, "gemm") == 0 ? which : 0] != 'N';
    shape_matrix(&call->operands[which], 'F', across ? columns : rows, across ? rows : columns, gap);
}

static void shape_vector(struct call *call, int which)
{
    const char *name = call->routine->name;
    const bool first = which == (strcmp(name, "axpy") == 0 ? 0 : 1), across = call->trans[0] != 'N';
    const int64_t increment = call->increments[first ? 0 : 1];
    call->operands[which] = (struct guarded){
        .type = call->type, .rows = 1, .part = 'F', .ld = increment < 0 ? -increment : increment,
        .columns = strcmp(name, "gemv") == 0 && first == across ? call->m : call->n};
}

static void shape_operand(struct call *call, int which, int gap)
{
    const bool update = strchr("sh", call->routine->name[0]) && strchr(call->routine->letters, 'k'),
               c = which == 2;
    const bool gemm = strcmp(call->routine->name, "gemm") == 0;
    const int64_t order = strchr(call->routine->letters, 'e') && call->side == 'L' ? call->m : call->n;
    switch (call->routine->operands[which]) {
    case 'v': shape_vector(call, which); break;
    case 't': shape_matrix(&call->operands[which], call->uplo, order, order, gap); break;
    case 'k': shape_matrix(&call->operands[which], 'F', order * (order + 1) / 2, 1, 0); break;
    default:
        if (update)
            shape_full(call, which, call->n, call->k, gap);
        else if (gemm && !c)
            shape_full(call, which, which ? call->k : call->m, which ? call->n : call->k, gap);
        else
            shape_full(call, which, call->m, call->n, gap);
    }
}

static void perform(const struct call *call, void *function, bool twin)
{
    union argument arguments[ARGUMENTS_MAX];
    const char *letters = call->routine->letters;
    int transposition = 0, size = strchr(letters, 'e') || strstr(call->routine->name, "gem") ? 0 : 1,
        operand = 0, scalar = 0, increment = 0;
    for (int i = 0; letters[i]; i++)
        switch (letters[i]) {
        case 'e': arguments[i].flag = call->side; break;
        case 'u': arguments[i].flag = call->uplo; break;
        case 't': arguments[i].flag = call->trans[transposition++]; break;
        case 'd': arguments[i].flag = call->diag; break;
        case 'n': arguments[i].integer = size++ ? call->n : call->m; break;
        case 'k': arguments[i].integer = call->k; break;
        case 'l': arguments[i].integer = call->operands[operand].ld; break;
        case 'i': arguments[i].integer = call->increments[increment++]; break;
        case 's': case 'r':
            arguments[i].scalar[0] = scalar++ ? call->beta_is_zero ? 0 : 0.5 : -0.75;
            arguments[i].scalar[1] = 0;
            break;
        default:
            operand = letters[i] - '1';
            arguments[i].operand = guarded_data(&call->operands[operand], twin);
        }
    interface_call(&fortran, function, call->type, letters, arguments);
}

/* Several calls, the pages without elements taken away before the first or after it, and some changes
 * between. */
static bool call_is_right(struct call *call, enum guard guard, bool late, struct random *random)
{
    char name[16];
    snprintf(name, sizeof name, "%c%s_", call->type, call->routine->name);
    void *const function = dlsym(RTLD_DEFAULT, name), *const host_function = dlsym(host_blas, name);
    const int output = output_of(call->routine);
    bool right = function && host_function && function != host_function;
    for (int i = 0; i < 3; i++)
        if (call->routine->operands[i] && call->routine->operands[i] != '.') {
            guarded_make(&call->operands[i]);
            if (i != output || !call->beta_is_zero)
                guarded_fill(&call->operands[i], i == 0 && is_in_place(call->routine), random);
        }
    for (int round = 0; round < CALLS && right; round++) {
        for (int i = 0; i < 3; i++)
            if (round == late && call->operands[i].memory)
                guarded_close(&call->operands[i], guard);
        perform(call, host_function, true);
        perform(call, function, false);
        for (int i = 0; i < 3; i++) {
            right = (!call->operands[i].memory || guarded_agrees(&call->operands[i])) && right;
            if (call->operands[i].memory && round % 2)
                guarded_change(&call->operands[i], random);
        }
    }
    for (int i = 0; i < 3; i++)
        if (call->operands[i].memory)
            guarded_free(&call->operands[i]);
    return right;
}

static bool try_flags(struct call call, int variant, struct random *random)
{
    static const int64_t increments[] = {1, -1, 2, -2};
    const int64_t size = (int64_t)element_bytes(call.type), large = COLUMN_BYTES / size;
    const bool by_rank = strchr(call.routine->letters, 'k') && strcmp(call.routine->name, "gemm") != 0;
    const bool on_right = strchr(call.routine->letters, 'e') && call.side == 'R';
    call.m = on_right ? PANEL : large + (int64_t)random_below(random, 50);
    const bool narrow = strcmp(call.routine->name, "gemm") == 0 ||
                        (strchr(call.routine->letters, 'e') && !on_right) ||
                        (strcmp(call.routine->name, "gemv") == 0 && variant % 2);
    call.n = narrow ? 3 * PANEL : large + (int64_t)random_below(random, 50);
    call.k = by_rank ? PANEL : 2 * PANEL;
    for (int i = 0; i < 2; i++)
        call.increments[i] = variant % 3 == 2 - i ? (variant % 2 ? -1 : 1) * (COLUMN_BYTES / size + i)
                                                 : increments[random_below(random, 4)];
    call.beta_is_zero = strchr(call.routine->letters, '3') && !is_in_place(call.routine) && variant % 3 == 0;
    for (int i = 0; i < 3; i++) {
        call.operands[i] = (struct guarded){.type = call.type};
        if (!call.routine->operands[i] || call.routine->operands[i] == '.')
            continue;
        shape_operand(&call, i, (variant + i) % 3 != 0);
        call.operands[i].lead = (int64_t)random_below(random, 4096 / (size_t)size);
    }
    const bool right = call_is_right(&call, variant % 2 ? GUARD_UNMAP : GUARD_PROTECT, variant / 2 % 2,
                                     random);
    if (!right)
        printf(
            "# %c%s: uplo %c trans %c%c diag %c side %c, m %lld n %lld, incx %lld incy %lld, pages %s %s\n",
            call.type, call.routine->name, call.uplo, call.trans[0], call.trans[1], call.diag, call.side,
            (long long)call.m, (long long)call.n, (long long)call.increments[0],
            (long long)call.increments[1], variant % 2 ? "unmapped" : "protected",
            variant / 2 % 2 ? "between two calls" : "before the first");
    return right;
}

/* The flags' alternatives, and for each several variants of what else differs. */
static void test_routine(const struct routine *routine, char type, struct random *random)
{
    const char *letters = routine->letters;
    const char *uplos = strchr(letters, 'u') ? "UL" : "L", *sides = strchr(letters, 'e') ? "LR" : "L";
    const bool few = type == 's'; /* the most elements; d has all */
    const char *diags = strchr(letters, 'd') && !few ? "NU" : "N";
    const char *transes = !strchr(letters, 't') ? "N" : few ? "NT" : "NTC";
    const char *second = !strstr(letters, "tt") ? "N" : few ? "NT" : "NTC";
    if (strncmp(routine->name, "her", 3) == 0 || (strncmp(routine->name, "syr", 3) == 0 && is_complex(type)))
        transes = routine->name[0] == 'h' ? "NC" : "NT";
    /* Others have flags enough. */
    const int ways = type == 'd' && !strchr(letters, 'd') && !strstr(letters, "3l") ? 2 : 1;
    int calls = 0, wrong = 0;
    for (const char *side = sides; *side; side++)
        for (const char *uplo = uplos; *uplo; uplo++)
            for (const char *trans = transes; *trans; trans++)
                for (const char *other = second; *other; other++)
                    for (const char *diag = diags; *diag; diag++)
                        for (int way = 0; way < ways; way++, calls++) {
                            struct call call = {.routine = routine,
                                                .type = type,
                                                .uplo = *uplo,
                                                .diag = *diag,
                                                .side = *side,
                                                .trans = {*trans, *other}};
                            wrong += !try_flags(call, calls + (int)(calls / 4), random);
                        }
    tap_ok(wrong == 0, "%c%s: %d of %d sequences of calls wrong", type, routine->name, wrong, calls);
}

int main(int count, char **words)
{
    struct random random = {20260301u};
    host_blas = dlopen("libblas.so.3", RTLD_NOW);
    if (!host_blas || !linked)
        return 2;
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++)
        for (const char *type = count > 1 ? words[1] : "sdcz"; *type; type++)
            if (strchr(routines[i].types, *type))
                test_routine(&routines[i], *type, &random);
    return tap_done();
}
