# Programs for a machine with a GPU; `make check` builds and does not run them.
