#include "judged_file.h"

#include "border_calls.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char judged_file_header[] =
    "routine,m,n,k,side,uplo,trans,trans_b,diag,host_us,device_us,choice,loss,host_expected_us,"
    "device_expected_us,built_in_choice,built_in_loss,built_in_host_us,built_in_device_us,"
    "host_rounds_us,device_rounds_us\n";

enum { HOST_ROUNDS = 19, FIELDS = 21 };

/* Cuts the line at its commas. */
static bool split(char *line, char *fields[FIELDS])
{
    int count = 0;
    line[strcspn(line, "\n")] = 0;
    for (char *next = line; next; count++) {
        char *comma = strchr(next, ',');
        if (count == FIELDS)
            return false;
        fields[count] = next;
        if (comma)
            *comma++ = 0;
        next = comma;
    }
    return count == FIELDS;
}

static bool read_integer(const char *text, int64_t most, int64_t *value)
{
    char *end;
    *value = strtoll(text, &end, 10);
    return end != text && !*end && *value >= 0 && *value <= most;
}

static bool read_time(const char *text, double *us)
{
    char *end;
    *us = strtod(text, &end);
    return end != text && !*end && *us > 0 && isfinite(*us);
}

static bool read_rounds(char *text, double *rounds, int *timed)
{
    enum { MOST = JUDGED_ROUNDS * JUDGED_PROCESSES };
    int count = 0;
    for (char *next, *at = text; at; at = next) {
        char *space = strchr(at, ' ');
        next = space ? space + 1 : NULL;
        if (space)
            *space = 0;
        char *end;
        const double us = count < MOST ? strtod(at, &end) : 0; /* inf: could not be timed in that round */
        if (!(us > 0) || end == at || *end)
            return false;
        rounds[count++] = us;
    }
    *timed = count;
    return true;
}

static bool read_call(char *const fields[FIELDS], struct blas_call *call)
{
    static const int64_t greatest = (int64_t)1 << 40; /* the products of two fit */
    const int routine = routine_named(fields[0]);
    int64_t flags[5];
    const int64_t most[] = {SIDE_RIGHT, UPLO_UPPER, TRANS_CONJUGATE, TRANS_CONJUGATE, DIAG_UNIT};
    if (routine < 0)
        return false;
    *call = (struct blas_call){.family = routine_family(routine), .type = routine_type(routine)};
    if (!read_integer(fields[1], greatest, &call->m) || !read_integer(fields[2], greatest, &call->n) ||
        !read_integer(fields[3], greatest, &call->k))
        return false;
    for (int i = 0; i < 5; i++)
        if (!read_integer(fields[4 + i], most[i], &flags[i]))
            return false;
    call->side = (enum blas_side)flags[0];
    call->uplo = (enum blas_uplo)flags[1];
    call->trans = (enum blas_trans)flags[2];
    call->trans_b = (enum blas_trans)flags[3];
    call->diag = (enum blas_diag)flags[4];
    border_call_lay_out(call);
    return true;
}

static bool read_line(char *line, struct judged_call *judged)
{
    char *fields[FIELDS];
    int timed;
    const bool good = split(line, fields) && read_call(fields, &judged->call) &&
                      read_time(fields[9], &judged->us[SIDE_HOST]) &&
                      read_time(fields[10], &judged->us[SIDE_DEVICE]) &&
                      read_rounds(fields[HOST_ROUNDS], judged->rounds[SIDE_HOST], &judged->timed) &&
                      read_rounds(fields[HOST_ROUNDS + 1], judged->rounds[SIDE_DEVICE], &timed) &&
                      timed == judged->timed;
    if (good)
        judged_call_sum_up(judged);
    return good;
}

/* A phrase; NULL: all is well. */
static const char *read_lines(FILE *stream, int count, struct judged_call *judged, int *number)
{
    static int counts[ROUTINES];
    const char *fault = NULL;
    char *line = NULL;
    size_t room = 0;
    memset(counts, 0, sizeof counts);
    *number = 1;
    if (getline(&line, &room, stream) < 0 || strcmp(line, judged_file_header) != 0)
        fault = "is not the output of crossovers";
    while (!fault && getline(&line, &room, stream) >= 0) {
        struct judged_call one = {.timed = 0};
        ++*number;
        if (!read_line(line, &one)) {
            fault = "is not a judged call";
            break;
        }
        const int routine = routine_of(one.call.family, one.call.type);
        if (counts[routine] == count)
            fault = "is one call of its routine more than --calls says";
        else
            judged[routine * count + counts[routine]++] = one;
    }
    free(line);
    return fault;
}

bool judged_file_read(const char *path, const char *who, int count, struct judged_call *judged)
{
    int number = 0;
    FILE *stream = fopen(path, "re");
    for (int i = 0; i < ROUTINES * count; i++)
        judged[i].us[SIDE_HOST] = judged[i].us[SIDE_DEVICE] = HUGE_VAL;
    if (!stream) {
        fprintf(stderr, "%s: %s: %m\n", who, path);
        return false;
    }
    const char *fault = read_lines(stream, count, judged, &number);
    fclose(stream);
    if (fault)
        fprintf(stderr, "%s: %s: line %d %s\n", who, path, number, fault);
    return !fault;
}
