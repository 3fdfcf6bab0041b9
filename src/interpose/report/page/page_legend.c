#include "interpose/report/page/page_parts.h"

static const struct {
    const char *class, *meaning;
} words[ACTIVITY_COUNT] = {
    [ACTIVITY_HOST] = {"host", "host BLAS and LAPACK"},
    [ACTIVITY_DEVICE] = {"device", "GPU, computing"},
    [ACTIVITY_LINK] = {"link", "copies"},
    [ACTIVITY_OTHER] = {"other", "other time of calls on the GPU"},
};

const char *page_activity_class(enum activity activity)
{
    return words[activity].class;
}

const char *page_activity_meaning(enum activity activity)
{
    return words[activity].meaning;
}

void page_print_legend(FILE *stream, const bool is_shown[ACTIVITY_COUNT])
{
    fputs("<p class=\"legend\">", stream);
    for (int i = 0; i < ACTIVITY_COUNT; i++)
        if (is_shown[i])
            fprintf(stream, "<span><i class=\"%s\"></i>%s</span> ", words[i].class, words[i].meaning);
    fputs("</p>\n", stream);
}
