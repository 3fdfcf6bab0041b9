/* page_style.h - the page's style sheet: light, dark, and on paper. */
#ifndef MUBLAS_PAGE_STYLE_H
#define MUBLAS_PAGE_STYLE_H

static const char page_style[] =
    ":root{--ground:#fff;--text:#1a1d21;--faint:#596069;--line:#d5d9de;--host:#c2570c;--device:#1b67b2;"
    "--link:#2b8a5b;--other:#8a919c;--rest:#dfe3e8}\n"
    "@media (prefers-color-scheme:dark){:root{--ground:#14171b;--text:#e6e8eb;--faint:#a2aab4;--line:#363c44;"
    "--host:#f2994a;--device:#5aa9f0;--link:#57c48f;--other:#7d8590;--rest:#2a3038}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:1.5rem;max-width:64rem;background:var(--ground);color:var(--text);"
    "font:15px/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.5rem;margin:0;overflow-wrap:anywhere}code{overflow-wrap:anywhere}"
    "h2{font-size:1.1rem;margin:2rem 0 .5rem}\n"
    ".note,small{color:var(--faint);font-size:.85rem}p{margin:.4rem 0}li{margin:.3rem "
    "0;overflow-wrap:anywhere}\n"
    ".figures{display:flex;flex-wrap:wrap;gap:1rem;margin-top:1rem}\n"
    ".figure{flex:1 1 12rem;border:1px solid var(--line);border-radius:.5rem;padding:.7rem .9rem}\n"
    ".figure b{display:block;font-size:1.5rem}.figure span,.figure small{display:block}\n"
    ".legend i{display:inline-block;width:.8rem;height:.8rem;margin:0 .3rem 0 0;border-radius:2px}\n"
    ".host{background:var(--host);fill:var(--host)}.device{background:var(--device);fill:var(--device)}\n"
    ".link{background:var(--link);fill:var(--link)}.other{background:var(--other);fill:var(--other)}.rest{background:var(--rest)}\n"
    ".call{background:var(--faint)}.unsure{background:repeating-linear-gradient(45deg,var(--faint) 0 4px,"
    "var(--rest) 4px 8px)}\n"
    ".row{display:flex;align-items:center;gap:.6rem;margin:.2rem 0}.name{flex:0 0 9rem;text-align:right;"
    "overflow-wrap:anywhere}\n"
    ".bar{flex:1;display:flex;height:1.1rem;background:color-mix(in srgb,var(--line) 40%,transparent)}"
    ".bar i{display:block;height:100%}\n"
    ".whole{height:1.8rem;border-radius:.3rem;overflow:hidden}.legend span{display:inline-block;"
    "margin-right:1.2rem;padding-left:1.1rem;text-indent:-1.1rem}\n"
    ".value{flex:0 0 6rem;font-variant-numeric:tabular-nums}\n"
    "svg{shape-rendering:crispEdges;display:block;width:100%;height:12rem;border:1px solid "
    "var(--line);border-width:0 0 1px 1px}\n"
    ".axis{display:flex;justify-content:space-between;color:var(--faint);font-size:.85rem}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;margin:.8rem 0;font-size:.9rem}\n"
    "th,td{padding:.2rem .6rem;border-bottom:1px solid var(--line);text-align:right;"
    "font-variant-numeric:tabular-nums}\n"
    "tbody th,tfoot th,thead th:first-child,.text{text-align:left}tfoot{font-weight:bold}"
    "#setup td{overflow-wrap:anywhere}\n"
    "summary{cursor:pointer}pre{overflow-x:auto;font-size:.8rem}\n";

#endif
