#include "gpu/vendor/vendor_library.h"
#include "common/loader.h"
#include "common/log.h"
#include "gpu/driver.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { CANDIDATES_MAX = 16, REASON_BYTES = 512, REASONS_BYTES = 2048 };

/* The candidates that were tried, and why they were refused. */
struct trial {
    void *handles[CANDIDATES_MAX];
    int count;
    char reasons[REASONS_BYTES];
};

static const struct vendor_provider *offered;

void vendor_library_offer(const struct vendor_provider *provider)
{
    offered = provider;
}

const struct vendor_provider *vendor_library_provider(void)
{
    return driver_is_provided() ? offered : NULL;
}

/* `words`: the loader's when it is not. */
static bool is_there(const char *candidate, char words[REASON_BYTES])
{
    const char *error;
    const bool found = loader_finds(candidate, &error);
    snprintf(words, REASON_BYTES, "%s", found ? "" : error);
    return found;
}

/* The candidate of that number; NULL behind the last. */
static const char *candidate_at(const struct vendor_library *library, const char *named, int number)
{
    if (*named)
        return number == 0 ? named : NULL;
    return number < CANDIDATES_MAX ? library->candidates[number] : NULL;
}

static void log_missing(const struct vendor_library *library, const char *named, const char *words)
{
    char names[REASON_BYTES] = "";
    /* A user who has no driver either misses nothing. */
    const enum log_level level = is_there(driver_file(), names) ? LOG_WARNING : LOG_INFO;
    *names = '\0';
    for (int i = 0; library->candidates[i]; i++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", library->candidates[i]);
    }
    if (*named)
        log_message(LOG_ERROR, "%s=%s cannot be used: %s; %s", library->setting, named, words,
                    library->consequence);
    else
        log_message(level, "%s was not found (%s; %s names another); %s", library->name, names,
                    library->setting, library->consequence);
}

const char *vendor_library_find(const struct vendor_library *library, const char *named)
{
    char words[REASON_BYTES] = "";
    const char *candidate;
    for (int i = 0; (candidate = candidate_at(library, named, i)); i++)
        if (is_there(candidate, words))
            return candidate;
    log_missing(library, named, words);
    return NULL;
}

static void refuse(const struct vendor_library *library, struct trial *trial, const char *candidate,
                   const char *reason)
{
    const size_t used = strlen(trial->reasons);
    for (const struct vendor_symbol *symbol = library->symbols; symbol->name; symbol++)
        memset(symbol->address, 0, sizeof(vendor_function *));
    snprintf(trial->reasons + used, sizeof trial->reasons - used, "%s%s: %s", used ? "; " : "", candidate,
             reason);
    log_message(LOG_INFO, "%s: %s is not used: %s", library->name, candidate, reason);
}

/* The name of a symbol that is needed and missing; NULL: all are there. */
static const char *look_up(const struct vendor_library *library, void *handle)
{
    for (const struct vendor_symbol *symbol = library->symbols; symbol->name; symbol++) {
        const struct vendor_provider *const provider = vendor_library_provider();
        void *address = provider ? provider->symbol(symbol->name) : loader_symbol(handle, symbol->name);
        if (!address && !symbol->is_optional)
            return symbol->name;
        memcpy(symbol->address, &address, sizeof address);
    }
    return NULL;
}

/* NULL, or why the candidate cannot be used; `text` may hold that. */
static const char *open_candidate(const struct vendor_library *library, struct trial *trial,
                                  const char *candidate, char text[REASON_BYTES])
{
    const char *error;
    void *handle = loader_open_or_why(candidate, RTLD_NOW | RTLD_LOCAL, &error);
    if (!handle) {
        snprintf(text, REASON_BYTES, "%s", error ? error : "it cannot be opened");
        return text;
    }
    exit_gate_install(); /* to be before what it has registered */
    for (int i = 0; i < trial->count; i++)
        if (trial->handles[i] == handle)
            return "it is one of those before";
    trial->handles[trial->count++] = handle;
    const char *missing = look_up(library, handle);
    if (missing) {
        snprintf(text, REASON_BYTES, "it lacks %s", missing);
        return text;
    }
    if (exit_gate_is_closed())
        return "the process ends";
    const int status = library->create ? library->create() : 0;
    const char *wrong = status == 0 && library->trial ? library->trial() : NULL;
    exit_gate_install(); /* again: it may have registered more */
    if (status == 0)
        return wrong;
    snprintf(text, REASON_BYTES, "its handle cannot be created (status %d)", status);
    return text;
}

void vendor_library_load(const char *file)
{
    const char *error;
    if (!vendor_library_provider() && loader_open_or_why(file, RTLD_NOW | RTLD_LOCAL, &error))
        exit_gate_install(); /* to be before what it has registered */
}

/* Takes the functions of a library that another has opened. */
static bool open_provided(const struct vendor_library *library, const struct vendor_provider *provider)
{
    const char *wrong = NULL;
    if (!provider->open(library->name))
        wrong = "the service has none";
    else if ((wrong = look_up(library, NULL)) == NULL)
        wrong = library->trial ? library->trial() : NULL;
    if (wrong)
        log_message(LOG_WARNING, "%s cannot be used; %s (%s)", library->name, library->consequence, wrong);
    return !wrong;
}

bool vendor_library_open(const struct vendor_library *library, const char *named)
{
    if (vendor_library_provider())
        return open_provided(library, vendor_library_provider());
    struct trial trial = {.count = 0};
    char text[REASON_BYTES] = "";
    const char *candidate;
    for (int i = 0; (candidate = candidate_at(library, named, i)) && !exit_gate_is_closed(); i++) {
        if (!is_there(candidate, text))
            continue;
        const char *reason = open_candidate(library, &trial, candidate, text);
        if (!reason)
            return true;
        refuse(library, &trial, candidate, reason);
    }
    if (exit_gate_is_closed())
        return false;
    if (!*trial.reasons)
        log_missing(library, named, text);
    else
        log_message(LOG_WARNING, "%s%s cannot be used; %s (%s)", library->name, *named ? " as set" : "",
                    library->consequence, trial.reasons);
    return false;
}
