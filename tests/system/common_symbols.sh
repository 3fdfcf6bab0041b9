#!/bin/bash
# Print the names that host BLAS libraries export in common, some a line: bash common_symbols.sh LIBRARY...
# tests/system/common_symbols.txt is what it prints for Debian 12's libblas3 3.11.0,
# libopenblas0-pthread 0.3.21 and libblis4-pthread 0.9.0 (tests/hosts/fetch.sh).
exports() { nm -D --defined-only "$1" | sed 's/@.*//' | awk '$2 ~ /[TWi]/ { print $3 }' | LC_ALL=C sort -u; }
common=$(exports "$1")
for library in "${@:2}"; do
    common=$(LC_ALL=C comm -12 <(echo "$common") <(exports "$library"))
done
fmt -w 110 <<< "$common"
