#include "command/run/offload_report.h"

#include <stdio.h>
#include <string.h>

/* "  dsymv   1200   919   281 ..." is the row, "  dsymv   281  upload not yet ..." a reason. */
static bool take_line(const char *line, const char *routine, struct offload_row *row)
{
    char name[48];
    unsigned long long calls, device, host;
    int behind = 0;
    if (sscanf(line, " %47s %llu %llu %llu", name, &calls, &device, &host) == 4 && strcmp(name,
                                                                                          routine) == 0) {
        row->calls = calls;
        row->on_device = device;
        row->on_host = host;
        return true;
    }
    if (sscanf(line, " %47s %llu %n", name, &calls, &behind) == 2 && strcmp(name, routine) == 0 &&
        !row->reason[0])
        snprintf(row->reason, sizeof row->reason, "%.*s", (int)strcspn(line + behind, "\n"), line + behind);
    return false;
}

bool offload_report_row(const char *path, const char *routine, struct offload_row *row)
{
    char line[512];
    bool found = false;
    FILE *stream = fopen(path, "re");
    memset(row, 0, sizeof *row);
    if (!stream)
        return false;
    while (fgets(line, sizeof line, stream))
        found |= take_line(line, routine, row);
    fclose(stream);
    return found;
}

bool offload_report_host(const char *path, char *host, size_t bytes)
{
    static const char label[] = "  host BLAS   ";
    char line[4096], *end;
    bool found = false;
    FILE *stream = fopen(path, "re");
    if (!stream)
        return false;
    while (!found && fgets(line, sizeof line, stream))
        if (strncmp(line, label, sizeof label - 1) == 0 && (end = strstr(line, " (")) != NULL) {
            *end = '\0';
            found = (size_t)snprintf(host, bytes, "%s", line + sizeof label - 1) < bytes;
        }
    fclose(stream);
    return found;
}
