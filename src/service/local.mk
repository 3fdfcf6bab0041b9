libmublas_core_la_SOURCES += src/service/client/answers.c src/service/client/connect.c \
	src/service/client/driver_calls.c src/service/client/link.c src/service/client/link.h \
	src/service/client/memory_calls.c src/service/client/vendor_calls.c src/service/client/vigil.c \
	src/service/client/window.c src/service/message.h src/service/rendezvous.c
# The server is the command's alone.
service_server_sources = src/service/server/device_pool.c src/service/server/segments.c src/service/server/server.c \
	src/service/server/server.h src/service/server/session.c src/service/server/session.h \
	src/service/server/session_calls.c src/service/server/session_memory.c src/service/server/session_streams.c \
	src/service/server/sessions.c src/service/server/vendor_handles.c src/service/server/vendor_worker.c \
	src/service/server/warm.c

# Both sides of a call, made from one list.
made_of_driver = src/service/calls.h src/service/vendor_calls.inc src/service/client/calls.inc src/service/server/calls.inc
src/service/generate_calls: src/service/generate_calls.c src/service/generate_text.h src/gpu/driver.def
	$(AM_V_GEN)$(MKDIR_P) src/service/client src/service/server && \
	$(CC_FOR_BUILD) -std=gnu11 -I$(top_srcdir)/src -o $@ $(top_srcdir)/src/service/generate_calls.c
src/service/generate_vendor: src/service/generate_vendor.c src/service/generate_text.h src/gpu/vendor/solver.def
	$(AM_V_GEN)$(MKDIR_P) src/service && \
	$(CC_FOR_BUILD) -std=gnu11 -I$(top_srcdir)/src -o $@ $(top_srcdir)/src/service/generate_vendor.c
src/service/calls.h: src/service/generate_calls
	$(AM_V_GEN)src/service/generate_calls header > $@.new && mv $@.new $@
src/service/client/calls.inc: src/service/generate_calls
	$(AM_V_GEN)src/service/generate_calls client > $@.new && mv $@.new $@
src/service/server/calls.inc: src/service/generate_calls
	$(AM_V_GEN)src/service/generate_calls server > $@.new && mv $@.new $@
src/service/vendor_calls.inc: src/service/generate_vendor
	$(AM_V_GEN)src/service/generate_vendor > $@.new && mv $@.new $@
src/service/made_of_driver.mk: $(made_of_driver)
	@touch $@
-include src/service/made_of_driver.mk
EXTRA_DIST += src/service/generate_calls.c src/service/generate_text.h src/service/generate_vendor.c
CLEANFILES += src/service/generate_calls src/service/generate_vendor src/service/made_of_driver.mk $(made_of_driver)
