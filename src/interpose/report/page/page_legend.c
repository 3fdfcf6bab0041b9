#include "interpose/report/page/page_parts.h"

void page_print_legend(FILE *stream)
{
    fputs("<p class=\"legend\"><i class=\"host\"></i>host BLAS and LAPACK <i class=\"device\"></i>GPU, "
          "computing <i class=\"link\"></i>copies <i class=\"other\"></i>other time of calls on the "
          "GPU</p>\n",
          stream);
}
