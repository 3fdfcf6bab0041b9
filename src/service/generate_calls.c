/* generate_calls.c - what follows from ways and directions of parameters in gpu/driver.def, for the build:
 *   generate_calls header   numbers of the calls, their records and answers, a hash of all, and what fills
 *                           the client's table with its own functions of each way (service/calls.h)
 *   generate_calls client   the client's functions of the driver's table (client/calls.inc)
 *   generate_calls server   the server's functions, and the table of them (server/calls.inc)
 * Runs on the machine that builds, and writes to standard output. Exit status: 0, or 1 with a line that says
 * which row cannot be read. generate_vendor.c does the same for NVIDIA's libraries. */
#include "service/generate_text.h"

#include <stdint.h>
#include <stdlib.h>

enum { TEXT_BYTES = 96 };

/* How a parameter travels. */
enum direction {
    BY_VALUE,
    BACK,      /* *name comes back */
    TEXT_BACK, /* so many bytes of text do */
    INSIDE,    /* an address of the client's device memory, with so many bytes behind it */
    STREAM, EVENT, FUNCTION, DEVICE /* handles, which the server knows by number */
};

struct parameter {
    enum direction direction;
    char type[WORD_MOST], name[WORD_MOST];
    char bytes[WORD_MOST]; /* of INSIDE, an expression of other parameters */
};

struct row {
    const char *member, *parameters_text, *way;
    struct parameter parameters[PARAMETERS_MOST];
    int count;
};

static struct row rows[] = {
#define DRIVER_FUNCTION(member, symbol, parameters, way) {#member, #parameters, #way, {{0}}, 0},
#include "gpu/driver.def"
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

static void refuse(const struct row *row, const char *why)
{
    fprintf(stderr, "driver.def, %s: %s in %s\n", row->member, why, row->parameters_text);
    exit(1);
}

static bool travels(const struct row *row)
{
    return strcmp(row->way, "ASKED") == 0 || strcmp(row->way, "QUEUED") == 0;
}

static bool is_queued(const struct row *row)
{
    return strcmp(row->way, "QUEUED") == 0;
}

/* "WITHIN(rows * pitch)" out of the text, which then is without it. */
static void take_within(struct parameter *parameter, char *text)
{
    char *const begin = strstr(text, "WITHIN(");
    char *const end = begin ? strchr(begin, ')') : NULL;
    if (!end)
        return;
    parameter->direction = INSIDE;
    snprintf(parameter->bytes, sizeof parameter->bytes, "%.*s", (int)(end - begin - 7), begin + 7);
    memmove(begin, end + 1, strlen(end + 1) + 1);
}

static void read_parameter(const struct row *row, char *text, struct parameter *parameter)
{
    parameter->direction = BY_VALUE;
    take_within(parameter, text);
    if (take_word(text, "RESULT_TEXT "))
        parameter->direction = TEXT_BACK;
    else if (take_word(text, "RESULT "))
        parameter->direction = BACK;
    if (!take_name(text, parameter->name) || !*parameter->name || !*text || strlen(text) >= WORD_MOST)
        refuse(row, "a parameter without name or type");
    const bool comes_back = parameter->direction == BACK || parameter->direction == TEXT_BACK;
    if (comes_back != (strchr(text, '*') != NULL))
        refuse(row, "a pointer without direction, or a direction without pointer");
    if (comes_back)
        *strchr(text, '*') = '\0';
    trim(text);
    strcpy(parameter->type, text);
    if (strcmp(text, "CUstream") == 0)
        parameter->direction = STREAM;
    else if (strcmp(text, "CUevent") == 0)
        parameter->direction = EVENT;
    else if (strcmp(text, "CUfunction") == 0)
        parameter->direction = FUNCTION;
    else if (strcmp(text, "CUdevice") == 0)
        parameter->direction = DEVICE;
}

static void read_row(struct row *row)
{
    char text[512];
    const char *at = row->parameters_text + 1;
    while (*at && *at != ')') {
        size_t length = 0;
        for (int depth = 0; at[length] && (depth > 0 || (at[length] != ',' && at[length] != ')')); length++)
            depth += (at[length] == '(') - (at[length] == ')');
        if (length >= sizeof text || row->count == PARAMETERS_MOST)
            refuse(row, "too much");
        memcpy(text, at, length);
        text[length] = '\0';
        read_parameter(row, text, &row->parameters[row->count++]);
        at += length + (at[length] == ',');
    }
}

static void upper(const char *text, char *result)
{
    size_t i = 0;
    for (; text[i]; i++)
        result[i] = (char)toupper((unsigned char)text[i]);
    result[i] = '\0';
}

static bool comes_back(const struct parameter *parameter)
{
    return parameter->direction == BACK || parameter->direction == TEXT_BACK;
}

static bool is_handle(const struct parameter *parameter)
{
    return parameter->direction >= STREAM;
}

/* Every struct has a member, as C wants it. */
static void print_structs(const struct row *row)
{
    printf("struct call_%s {\n    uint32_t unused;\n", row->member);
    for (int i = 0; i < row->count; i++)
        if (!comes_back(&row->parameters[i]))
            printf("    %s %s;\n", is_handle(&row->parameters[i]) ? "uint32_t" : row->parameters[i].type,
                   row->parameters[i].name);
    printf("};\nstruct answer_%s {\n    uint32_t unused;\n", row->member);
    for (int i = 0; i < row->count; i++) {
        const struct parameter *const parameter = &row->parameters[i];
        if (parameter->direction == TEXT_BACK)
            printf("    char %s[%d];\n", parameter->name, TEXT_BYTES);
        else if (parameter->direction == BACK)
            printf("    %s %s;\n", parameter->type, parameter->name);
    }
    printf("};\n");
}

static uint64_t hash_rows(void)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (int i = 0; i < ROW_COUNT; i++)
        for (const char *text = rows[i].parameters_text; *text; text++)
            hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return hash;
}

/* SERVICE_FILL_LOCAL(table) and its like: what the client has by itself, whose file has a function for each,
 * or does not compile. */
static void print_fill(const char *way)
{
    printf("#define SERVICE_FILL_%s(table) \\\n", way);
    for (int i = 0; i < ROW_COUNT; i++)
        if (strcmp(rows[i].way, way) == 0)
            printf("    (table)->%s = %s; \\\n", rows[i].member, rows[i].member);
    printf("\n");
}

static void print_header(void)
{
    char name[WORD_MOST];
    printf("/* Made by generate_calls. */\n#include \"service/message.h\"\n\n"
           "static const uint64_t service_calls_hash __attribute__((unused)) = UINT64_C(0x%016llx);\n"
           "enum service_generated_call {\n    SERVICE_BEFORE_GENERATED = SERVICE_FIRST_GENERATED - 1,\n",
           (unsigned long long)hash_rows());
    for (int i = 0; i < ROW_COUNT; i++)
        if (travels(&rows[i])) {
            upper(rows[i].member, name);
            printf("    SERVICE_GENERATED_%s,\n", name);
        }
    printf("    SERVICE_CALLS\n};\n");
    for (int i = 0; i < ROW_COUNT; i++)
        if (travels(&rows[i]))
            print_structs(&rows[i]);
    print_fill("LOCAL");
    print_fill("WORK");
    print_fill("MEMORY");
}

static void print_client_call(const struct row *row)
{
    char name[WORD_MOST];
    upper(row->member, name);
    printf("static CUresult ask_%s(", row->member);
    for (int i = 0; i < row->count; i++)
        printf("%s%s %s%s", i ? ", " : "", row->parameters[i].type,
               comes_back(&row->parameters[i]) ? "*" : "", row->parameters[i].name);
    printf(")\n{\n    struct call_%s call;\n    memset(&call, 0, sizeof call);\n", row->member);
    for (int i = 0; i < row->count; i++) {
        const struct parameter *const parameter = &row->parameters[i];
        if (!comes_back(parameter))
            printf("    call.%s = %s%s;\n", parameter->name,
                   !is_handle(parameter) ? "" :
                   parameter->direction == DEVICE ? "(uint32_t)" : "(uint32_t)(uintptr_t)", parameter->name);
        if (parameter->direction == STREAM && is_queued(row))
            printf("    link_stream_is_used(%s);\n", parameter->name);
    }
    if (is_queued(row)) {
        printf("    return link_post(SERVICE_GENERATED_%s, &call, sizeof call);\n}\n", name);
        return;
    }
    printf("    struct answer_%s answer;\n"
           "    const CUresult result = link_ask(SERVICE_GENERATED_%s, &call, sizeof call, &answer, sizeof answer);\n",
           row->member, name);
    printf("    if (result != CUDA_SUCCESS)\n        return result;\n");
    for (int i = 0; i < row->count; i++) {
        const struct parameter *const parameter = &row->parameters[i];
        if (parameter->direction == TEXT_BACK)
            printf("    snprintf(%s, (size_t)length, \"%%.%ds\", answer.%s);\n", parameter->name,
                   TEXT_BYTES - 1, parameter->name);
        else if (parameter->direction == BACK)
            printf("    *%s = answer.%s;\n", parameter->name, parameter->name);
    }
    printf("    return CUDA_SUCCESS;\n}\n");
}

static void print_client(void)
{
    for (int i = 0; i < ROW_COUNT; i++)
        if (travels(&rows[i]))
            print_client_call(&rows[i]);
    printf("static void fill_generated(struct driver *table)\n{\n");
    for (int i = 0; i < ROW_COUNT; i++)
        if (travels(&rows[i]))
            printf("    table->%s = ask_%s;\n", rows[i].member, rows[i].member);
    printf("}\n");
}

/* An expression of other parameters, each behind "call->"; no product wraps. */
static void print_expression(const struct row *row, const char *text)
{
    while (*text) {
        size_t length = 0;
        while (isalnum((unsigned char)text[length]) || text[length] == '_')
            length++;
        bool is_parameter = false;
        for (int i = 0; i < row->count; i++)
            is_parameter |= length > 0 && strlen(row->parameters[i].name) == length &&
                            strncmp(row->parameters[i].name, text, length) == 0;
        printf("%s%.*s", is_parameter ? "(unsigned __int128)call->" : "", (int)(length ? length : 1), text);
        text += length ? length : 1;
    }
}

/* A handle's number becomes the server's own. */
static void print_handle(const struct parameter *parameter)
{
    const char *const name = parameter->name;
    const char *const finder = parameter->direction == STREAM ? "session_stream" :
                               parameter->direction == EVENT  ? "session_event" : "session_function";
    printf("    %s %s;\n    if (!%s(session, call->%s, &%s))\n        return CUDA_ERROR_INVALID_HANDLE;\n",
           parameter->type, name, finder, name, name);
}

static void print_checks(const struct row *row)
{
    for (int i = 0; i < row->count; i++) {
        const struct parameter *const parameter = &row->parameters[i];
        if (is_handle(parameter) && parameter->direction != DEVICE)
            print_handle(parameter);
        if (strcmp(parameter->name, "attribute") == 0)
            printf("    if (!session_may_ask(call->attribute, %d))\n        return CUDA_ERROR_INVALID_VALUE;\n",
                   strncmp(row->member, "function", 8) == 0);
        if (parameter->direction == INSIDE) {
            printf("    if (!session_owns(session, call->%s, ", parameter->name);
            print_expression(row, parameter->bytes);
            printf("))\n        return CUDA_ERROR_INVALID_VALUE;\n");
        }
    }
}

/* The length of a text is the room's for the answer. */
static void print_argument(const struct row *row, const struct parameter *parameter)
{
    const struct parameter *text = NULL;
    for (int i = 0; i < row->count; i++)
        if (row->parameters[i].direction == TEXT_BACK)
            text = &row->parameters[i];
    if (text && strcmp(parameter->name, "length") == 0)
        printf("(int)sizeof answer->%s", text->name);
    else if (comes_back(parameter))
        printf("%sanswer->%s", parameter->direction == BACK ? "&" : "", parameter->name);
    else if (parameter->direction == DEVICE)
        printf("session_device(session)");
    else
        printf("%s%s", is_handle(parameter) ? "" : "call->", parameter->name);
}

static void print_server_call(const struct row *row)
{
    printf("static CUresult serve_%s(struct session *session, const void *payload, size_t bytes, void *back)\n{\n"
           "    const struct call_%s *const call = payload;\n    struct answer_%s *const answer = back;\n"
           "    (void)session, (void)bytes, (void)call, (void)answer;\n",
           row->member, row->member, row->member);
    print_checks(row);
    printf("    return driver()->%s(", row->member);
    for (int i = 0; i < row->count; i++) {
        printf("%s", i ? ", " : "");
        print_argument(row, &row->parameters[i]);
    }
    printf(");\n}\n");
}

static void print_server(void)
{
    char name[WORD_MOST];
    for (int i = 0; i < ROW_COUNT; i++)
        if (travels(&rows[i]))
            print_server_call(&rows[i]);
    printf("#define GENERATED_CALLS \\\n");
    for (int i = 0; i < ROW_COUNT; i++)
        if (travels(&rows[i])) {
            upper(rows[i].member, name);
            printf("    [SERVICE_GENERATED_%s] = {serve_%s, sizeof(struct call_%s), sizeof(struct answer_%s), %s}, \\\n",
                   name, rows[i].member, rows[i].member, rows[i].member,
                   is_queued(&rows[i]) ? "true" : "false");
        }
    printf("\n");
}

int main(int count, char **arguments)
{
    const char *const what = count == 2 ? arguments[1] : "";
    for (int i = 0; i < ROW_COUNT; i++)
        if (travels(&rows[i]))
            read_row(&rows[i]);
    if (strcmp(what, "header") == 0)
        print_header();
    else if (strcmp(what, "client") == 0)
        print_client();
    else if (strcmp(what, "server") == 0)
        print_server();
    else
        return 1;
    return 0;
}
