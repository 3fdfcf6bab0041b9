mublas_SOURCES += src/command/inspect/info.c src/command/inspect/info.h src/command/inspect/program.h

# Looking into programs: the command alone links libelf, never the library.
inspect_sources = src/command/inspect/program.c \
	src/command/inspect/elf_object.c src/command/inspect/elf_object.h \
	src/command/inspect/elf_symbols.c src/command/inspect/elf_symbols.h \
	src/command/inspect/interception.c src/command/inspect/interception.h \
	src/command/inspect/lapack_left.c src/command/inspect/lapack_left.h \
	src/command/inspect/library_search.c src/command/inspect/library_search.h \
	src/command/inspect/link_map.c src/command/inspect/link_map.h \
	src/command/inspect/loader_cache.c src/command/inspect/loader_cache.h \
	src/command/inspect/losses.c src/command/inspect/losses.h \
	src/command/inspect/name_choice.c src/command/inspect/name_choice.h \
	src/command/inspect/name_list.c src/command/inspect/name_list.h \
	src/command/inspect/notes.c src/command/inspect/notes.h \
	src/command/inspect/report.c src/command/inspect/report.h \
	src/command/inspect/symbol_index.c src/command/inspect/symbol_index.h
if LIBELF
mublas_SOURCES += $(inspect_sources)
mublas_LDADD += $(LIBELF_LIBS)
else
mublas_SOURCES += src/command/inspect/without_libelf.c
endif
