# The table of kept digests of lines "name digest": up to 12 cases whose names differ by their last word alone, as a
# rule the size, are a row, `name-flags-* size=digest ...`. `kernel_digests --model | awk -f tests/gpu/digest_table.awk`
/^#/ { print; next }
{
    count = split($1, part, "-")
    row = ""
    for (i = 1; i < count; i++)
        row = row part[i] "-"
    row = row "*"
    if (!(row in at) || cases[at[row]]++ == 12) {
        at[row] = ++rows
        cases[rows] = 1
        line[rows] = row
    }
    line[at[row]] = line[at[row]] " " part[count] "=" $2
}
END { for (i = 1; i <= rows; i++) print line[i] }
