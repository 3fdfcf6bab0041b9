#include "options.h"
#include "case.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: measure [OPTION ...]   bandwidth of mublas' kernels, of cuBLAS and of a read roof\n"
    "  -r LIST    routines of axpy,gemv,symv,trmv (symv: hemv for complex types); default all\n"
    "  -t LETTERS types of sdczw; default all\n"
    "  -f LETTERS only these flags, of LU NTC nu (n, u: diagonal); default all\n"
    "  -n LIST    sizes n or, gemv only, MxN (axpy: n*n/2 elements); default: powers of two, tile edges, "
    "tall and wide shapes\n"
    "  -l LIST    layouts of aligned,odd,shifted for sizes from -n; default aligned\n"
    "  -s SHAPE   by this launch shape: \"chosen\", or edge,Tx,Ty,U,m,order,groups,variant in numbers, as\n"
    "             src/gpu/launch.h has them; may be given again; not where it does not suit\n"
    "  -c, -w     only cold, only warm second-level cache; default both\n"
    "  -k N       replays of a graph at most; default 15\n"
    "  -b MS      milliseconds for the replays of one graph; default 30\n"
    "  -T SECONDS begin no case after this; default 300\n"
    "  -m MIB     memory for rotating operands at most; default 4200\n"
    "  -o FILE    write comma-separated values\n"
    "  -G         no graphs: plain launches by the wall clock (not comparable)\n"
    "  -P, -R     no peers, no roof\n";

static void __attribute__((noreturn)) bad(const char *option, const char *text)
{
    fprintf(stderr, "measure: %s: cannot use '%s' (-h explains the options)\n", option, text);
    exit(2);
}

static double number(const char *option, const char *text, double least)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= least))
        bad(option, text);
    return value;
}

/* Set chosen[i] for every name of the comma-separated list. */
static void choose(const char *option, const char *text, const char *const *names, int count, bool *chosen)
{
    char *copy = strdup(text), *rest = copy;
    memset(chosen, 0, (size_t)count * sizeof *chosen);
    for (char *word; (word = strsep(&rest, ","));) {
        int i = 0;
        while (i < count && (!names[i] || strcmp(word, names[i]) != 0))
            i++;
        if (i == count)
            bad(option, word);
        chosen[i] = true;
    }
    free(copy);
}

static void choose_types(struct options *options, const char *text)
{
    memset(options->types, 0, sizeof options->types);
    for (const char *letter = text; *letter; letter++) {
        int type = 0;
        while (type < TYPE_COUNT && case_type_letter((enum blas_type)type) != *letter)
            type++;
        if (type == TYPE_COUNT)
            bad("-t", text);
        options->types[type] = true;
    }
}

/* A group of which no letter is given stays whole. */
static const char *choose_group(const char *text, const char *all)
{
    char *chosen = calloc(1, strlen(all) + 1);
    for (const char *letter = all; *letter; letter++)
        if (strchr(text, *letter))
            chosen[strlen(chosen)] = *letter;
    return *chosen ? chosen : all;
}

static void choose_flags(struct options *options, const char *text)
{
    if (!*text || text[strspn(text, "LUNTCnu")])
        bad("-f", text);
    options->uplos = choose_group(text, "LU");
    options->transes = choose_group(text, "NTC");
    options->diags = choose_group(text, "nu");
}

static void choose_sizes(struct options *options, const char *text)
{
    char *copy = strdup(text), *rest = copy;
    for (char *word; (word = strsep(&rest, ","));) {
        char *columns = strchr(word, 'x');
        if (columns && columns > word)
            *columns++ = '\0';
        else
            columns = word;
        const double m = number("-n", word, 1), n = number("-n", columns, 1);
        if (options->size_count == OPTIONS_SIZES_MAX || m >= 0x1p31 || n >= 0x1p31)
            bad("-n", word);
        options->sizes[options->size_count].m = (int64_t)m;
        options->sizes[options->size_count++].n = (int64_t)n;
    }
    free(copy);
}

static void open_csv(struct options *options, const char *path)
{
    options->csv = fopen(path, "w");
    if (!options->csv) {
        fprintf(stderr, "measure: -o: cannot write %s: %s\n", path, strerror(errno));
        exit(2);
    }
}

static void read_option(struct options *options, int letter)
{
    static const char *const families[FAMILY_COUNT] = {
        [FAMILY_AXPY] = "axpy", [FAMILY_GEMV] = "gemv", [FAMILY_SYMV] = "symv", [FAMILY_TRMV] = "trmv"};
    static const char *const layouts[LAYOUT_COUNT] = {"aligned", "odd", "shifted"};
    switch (letter) {
    case 'r': choose("-r", optarg, families, FAMILY_COUNT, options->families); break;
    case 't': choose_types(options, optarg); break;
    case 'f': choose_flags(options, optarg); break;
    case 'n': choose_sizes(options, optarg); break;
    case 'l': choose("-l", optarg, layouts, LAYOUT_COUNT, options->layouts); break;
    case 's':
        if (!shape_list_add(&options->shapes, optarg))
            bad("-s", optarg);
        break;
    case 'c': options->warm = false; break;
    case 'w': options->cold = false; break;
    case 'k': options->replays = (int)number("-k", optarg, 1); break;
    case 'b': options->budget_seconds = 1e-3 * number("-b", optarg, 0); break;
    case 'T': options->time_limit = number("-T", optarg, 0); break;
    case 'm': options->pool_bytes = (size_t)(number("-m", optarg, 1) * 0x1p20); break;
    case 'o': open_csv(options, optarg); break;
    case 'G': options->plain = true; break;
    case 'P': options->peers = false; break;
    case 'R': options->roof = false; break;
    case 'h': fputs(help, stdout); exit(0);
    default: fputs(help, stderr); exit(2);
    }
}

struct options options_read(int count, char **arguments)
{
    struct options options = {
        .families = {[FAMILY_AXPY] = true, [FAMILY_GEMV] = true, [FAMILY_SYMV] = true, [FAMILY_TRMV] = true},
        .uplos = "LU", .transes = "NTC", .diags = "nu",
        .cold = true, .warm = true, .layouts = {true}, .replays = 15, .budget_seconds = 0.03,
        .time_limit = 300, .peers = true, .roof = true, .pool_bytes = (size_t)4200 << 20,
    };
    memset(options.types, 1, sizeof options.types);
    for (int letter; (letter = getopt(count, arguments, "r:t:f:n:l:s:cwk:b:T:m:o:GPRh")) != -1;)
        read_option(&options, letter);
    if (optind < count)
        bad("argument", arguments[optind]);
    if (!options.cold && !options.warm)
        bad("-c -w", "both");
    return options;
}
