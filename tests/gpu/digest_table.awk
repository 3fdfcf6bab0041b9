# The table of kept digests of lines "name digest": up to 16 cases whose names differ by their second word alone
# are a row, `name-*-size word=digest ...`. `kernel_digests --model | awk -f tests/gpu/digest_table.awk`
/^#/ { print; next }
{
    count = split($1, part, "-")
    row = part[1] "-*"
    for (i = 3; i <= count; i++)
        row = row "-" part[i]
    if (!(row in at) || cases[at[row]]++ == 16) {
        at[row] = ++rows
        cases[rows] = 1
        line[rows] = row
    }
    line[at[row]] = line[at[row]] " " part[2] "=" $2
}
END { for (i = 1; i <= rows; i++) print line[i] }
