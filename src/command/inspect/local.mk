mublas_SOURCES += src/command/inspect/info.c

# Looking into programs: the command alone links libelf, never the library.
inspect_sources = src/command/inspect/program.c \
	src/command/inspect/elf_object.c src/command/inspect/elf_object.h \
	src/command/inspect/elf_symbols.c \
	src/command/inspect/function_names.c src/command/inspect/function_names.h \
	src/command/inspect/interception.c src/command/inspect/interception.h \
	src/command/inspect/lapack_left.c \
	src/command/inspect/library_search.c src/command/inspect/library_search.h \
	src/command/inspect/link_map.c src/command/inspect/link_map.h \
	src/command/inspect/loader_cache.c src/command/inspect/loader_cache.h \
	src/command/inspect/losses.c \
	src/command/inspect/name_choice.c src/command/inspect/name_choice.h \
	src/command/inspect/notes.c \
	src/command/inspect/parallel_calls.c src/command/inspect/parallel_calls.h \
	src/command/inspect/report.c src/command/inspect/report.h
if LIBELF
mublas_SOURCES += $(inspect_sources)
mublas_LDADD += $(LIBELF_LIBS)
else
mublas_SOURCES += src/command/inspect/without_libelf.c
endif
