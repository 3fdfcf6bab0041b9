mublas_SOURCES += src/command/serve/serve.c $(service_server_sources)
