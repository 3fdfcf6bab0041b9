mublas_SOURCES += src/command/inspect/info.c

# Looking into programs: the command alone links libelf, never the library.
inspect_sources = src/command/inspect/program.c src/command/inspect/elf_object.c \
	src/command/inspect/link_map.h src/command/inspect/elf_symbols.c src/command/inspect/interception.c \
	src/command/inspect/report.c src/command/inspect/verdict.c src/command/inspect/link_map.c \
	src/command/inspect/loader_cache.c
if LIBELF
mublas_SOURCES += $(inspect_sources)
mublas_LDADD += $(LIBELF_LIBS)
else
mublas_CPPFLAGS += -DWITHOUT_LIBELF
endif
