/* Nothing that is printed as text is markup, and a page stays UTF-8 whatever comes. */
#include "interpose/report/report_file.h"
#include "tap.h"
#include "unit_test.h"

#include <string.h>

static void expect(const char *text, const char *wanted, const char *what)
{
    char *printed = NULL;
    size_t length;
    FILE *stream = open_memstream(&printed, &length);
    html_print(stream, text);
    fclose(stream);
    if (!tap_ok(strcmp(printed, wanted) == 0, "%s", what))
        printf("# %s, not %s\n", printed, wanted);
    free(printed);
}

UNIT_TEST(test_html)
{
    expect("plain text, 100%", "plain text, 100%", "plain text");
    expect("<script>alert(\"1\") && '2'</script>", "&lt;script&gt;alert(&quot;1&quot;) &amp;&amp; &#39;2&#39;&lt;/script&gt;",
           "markup");
    expect("Gr\303\266\303\237e \342\202\254 \360\237\230\200", "Gr\303\266\303\237e \342\202\254 \360\237\230\200",
           "characters of two, three and four bytes");
    expect("a\x01\x1b[31m\x7f\nb\t", "a&#xFFFD;&#xFFFD;[31m&#xFFFD;\nb\t", "control characters");
    expect("\xff<\xfe", "&#xFFFD;&lt;&#xFFFD;", "bytes of no character");
    expect("\xc0\xbc \xe0\x80\xbc", "&#xFFFD;&#xFFFD; &#xFFFD;&#xFFFD;&#xFFFD;", "overlong forms of <");
    expect("\xed\xa0\x80", "&#xFFFD;&#xFFFD;&#xFFFD;", "a surrogate");
    expect("\xf4\x90\x80\x80", "&#xFFFD;&#xFFFD;&#xFFFD;&#xFFFD;", "beyond the last character");
    expect("\xe2\x82", "&#xFFFD;&#xFFFD;", "a character cut short by the end");
    expect("\xc3<", "&#xFFFD;&lt;", "and by markup");
    expect("\xc2\x85", "&#xFFFD;&#xFFFD;", "a control character of two bytes");
    return tap_done();
}
