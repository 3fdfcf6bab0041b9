#include "lapack_call.h"

#include "../element.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARAMETERS_MAX = 32 };

enum kind { FLAG, VALUE, MEMORY };

#define FLAG_OF(field) {#field, FLAG, offsetof(struct lapack_call, field)}
#define VALUE_OF(field) {#field, VALUE, offsetof(struct lapack_call, field)}
#define MEMORY_OF(field) {#field, MEMORY, offsetof(struct lapack_call, field)}
static const struct parameter {
    const char *name;
    enum kind kind;
    size_t offset;
} parameters[] = {
    FLAG_OF(jobz), FLAG_OF(range), FLAG_OF(uplo), FLAG_OF(trans), FLAG_OF(side), FLAG_OF(diag), FLAG_OF(vect),
    FLAG_OF(jobu), FLAG_OF(jobvt), FLAG_OF(jobvl), FLAG_OF(jobvr), FLAG_OF(compz), FLAG_OF(balanc), FLAG_OF(sense),
    VALUE_OF(itype), VALUE_OF(m), VALUE_OF(n), VALUE_OF(k), VALUE_OF(nrhs), VALUE_OF(lda), VALUE_OF(ldb),
    VALUE_OF(ldc), VALUE_OF(ldz), VALUE_OF(ldu), VALUE_OF(ldvt), VALUE_OF(ldvl), VALUE_OF(ldvr), VALUE_OF(il),
    VALUE_OF(iu), VALUE_OF(lwork), VALUE_OF(lrwork), VALUE_OF(liwork), VALUE_OF(found), VALUE_OF(info),
    VALUE_OF(vl), VALUE_OF(vu), VALUE_OF(abstol), VALUE_OF(rcond), VALUE_OF(rank),
    MEMORY_OF(a), MEMORY_OF(b), MEMORY_OF(c), MEMORY_OF(d), MEMORY_OF(e), MEMORY_OF(s), MEMORY_OF(tau),
    MEMORY_OF(u), MEMORY_OF(vt), MEMORY_OF(w), MEMORY_OF(wi), MEMORY_OF(left), MEMORY_OF(right), MEMORY_OF(z),
    {"ilo", VALUE, offsetof(struct lapack_call, il)}, {"ihi", VALUE, offsetof(struct lapack_call, iu)},
    {"abnrm", VALUE, offsetof(struct lapack_call, rcond)}, {"scale", MEMORY, offsetof(struct lapack_call, s)},
    {"rconde", MEMORY, offsetof(struct lapack_call, d)}, {"rcondv", MEMORY, offsetof(struct lapack_call, e)},
    {"ap", MEMORY, offsetof(struct lapack_call, a)}, {"bp", MEMORY, offsetof(struct lapack_call, b)},
    {"tauq", MEMORY, offsetof(struct lapack_call, tau)}, {"taup", MEMORY, offsetof(struct lapack_call, w)},
    MEMORY_OF(work), MEMORY_OF(rwork), MEMORY_OF(iwork), MEMORY_OF(ifail), MEMORY_OF(isuppz), MEMORY_OF(ipiv),
};

static const struct lapack_routine routines[] = {
    {"syev", "sd", "jobz uplo n a lda w work lwork info"},
    {"heev", "cz", "jobz uplo n a lda w work lwork rwork info"},
    {"syevd", "sd", "jobz uplo n a lda w work lwork iwork liwork info"},
    {"heevd", "cz", "jobz uplo n a lda w work lwork rwork lrwork iwork liwork info"},
    {"syevr", "sd",
     "jobz range uplo n a lda vl vu il iu abstol found w z ldz isuppz work lwork iwork liwork info"},
    {"heevr", "cz",
     "jobz range uplo n a lda vl vu il iu abstol found w z ldz isuppz work lwork rwork lrwork iwork liwork "
     "info"},
    {"syevx", "sd", "jobz range uplo n a lda vl vu il iu abstol found w z ldz work lwork iwork ifail info"},
    {"heevx", "cz",
     "jobz range uplo n a lda vl vu il iu abstol found w z ldz work lwork rwork iwork ifail info"},
    {"sygv", "sd", "itype jobz uplo n a lda b ldb w work lwork info"},
    {"hegv", "cz", "itype jobz uplo n a lda b ldb w work lwork rwork info"},
    {"sygvd", "sd", "itype jobz uplo n a lda b ldb w work lwork iwork liwork info"},
    {"hegvd", "cz", "itype jobz uplo n a lda b ldb w work lwork rwork lrwork iwork liwork info"},
    {"sygvx", "sd",
     "itype jobz range uplo n a lda b ldb vl vu il iu abstol found w z ldz work lwork iwork ifail info"},
    {"hegvx", "cz",
     "itype jobz range uplo n a lda b ldb vl vu il iu abstol found w z ldz work lwork rwork iwork ifail "
     "info"},
    {"spev", "sd", "jobz uplo n ap w z ldz work info"},
    {"hpev", "cz", "jobz uplo n ap w z ldz work rwork info"},
    {"spevd", "sd", "jobz uplo n ap w z ldz work lwork iwork liwork info"},
    {"hpevd", "cz", "jobz uplo n ap w z ldz work lwork rwork lrwork iwork liwork info"},
    {"spevx", "sd", "jobz range uplo n ap vl vu il iu abstol found w z ldz work iwork ifail info"},
    {"hpevx", "cz", "jobz range uplo n ap vl vu il iu abstol found w z ldz work rwork iwork ifail info"},
    {"spgv", "sd", "itype jobz uplo n ap bp w z ldz work info"},
    {"hpgv", "cz", "itype jobz uplo n ap bp w z ldz work rwork info"},
    {"spgvd", "sd", "itype jobz uplo n ap bp w z ldz work lwork iwork liwork info"},
    {"hpgvd", "cz", "itype jobz uplo n ap bp w z ldz work lwork rwork lrwork iwork liwork info"},
    {"spgvx", "sd", "itype jobz range uplo n ap bp vl vu il iu abstol found w z ldz work iwork ifail info"},
    {"hpgvx", "cz", "itype jobz range uplo n ap bp vl vu il iu abstol found w z ldz work rwork iwork ifail info"},
    {"pptrf", "sdcz", "uplo n ap info"},
    {"pptrs", "sdcz", "uplo n nrhs ap b ldb info"},
    {"ppsv", "sdcz", "uplo n nrhs ap b ldb info"},
    {"pptri", "sdcz", "uplo n ap info"},
    {"sytrd", "sd", "uplo n a lda d e tau work lwork info"},
    {"hetrd", "cz", "uplo n a lda d e tau work lwork info"},
    {"orgtr", "sd", "uplo n a lda tau work lwork info"},
    {"ungtr", "cz", "uplo n a lda tau work lwork info"},
    {"ormtr", "sd", "side uplo trans m n a lda tau c ldc work lwork info"},
    {"unmtr", "cz", "side uplo trans m n a lda tau c ldc work lwork info"},
    {"sygst", "sd", "itype uplo n a lda b ldb info"},
    {"hegst", "cz", "itype uplo n a lda b ldb info"},
    {"stedc", "sd", "compz n d e z ldz work lwork iwork liwork info"},
    {"stedc", "cz", "compz n d e z ldz work lwork rwork lrwork iwork liwork info"},
    {"potrf", "sdcz", "uplo n a lda info"},
    {"potrs", "sdcz", "uplo n nrhs a lda b ldb info"},
    {"posv", "sdcz", "uplo n nrhs a lda b ldb info"},
    {"potri", "sdcz", "uplo n a lda info"},
    {"trtri", "sdcz", "uplo diag n a lda info"},
    {"trtrs", "sdcz", "uplo trans diag n nrhs a lda b ldb info"},
    {"getrf", "sdcz", "m n a lda ipiv info"},
    {"getrs", "sdcz", "trans n nrhs a lda ipiv b ldb info"},
    {"gesv", "sdcz", "n nrhs a lda ipiv b ldb info"},
    {"getri", "sdcz", "n a lda ipiv work lwork info"},
    {"geqrf", "sdcz", "m n a lda tau work lwork info"},
    {"orgqr", "sd", "m n k a lda tau work lwork info"},
    {"ungqr", "cz", "m n k a lda tau work lwork info"},
    {"ormqr", "sd", "side trans m n k a lda tau c ldc work lwork info"},
    {"unmqr", "cz", "side trans m n k a lda tau c ldc work lwork info"},
    {"gels", "sdcz", "trans m n nrhs a lda b ldb work lwork info"},
    {"gelsd", "sd", "m n nrhs a lda b ldb s rcond rank work lwork iwork info"},
    {"gelsd", "cz", "m n nrhs a lda b ldb s rcond rank work lwork rwork iwork info"},
    {"gelss", "sd", "m n nrhs a lda b ldb s rcond rank work lwork info"},
    {"gelss", "cz", "m n nrhs a lda b ldb s rcond rank work lwork rwork info"},
    {"gesdd", "sd", "jobz m n a lda s u ldu vt ldvt work lwork iwork info"},
    {"gesdd", "cz", "jobz m n a lda s u ldu vt ldvt work lwork rwork iwork info"},
    {"gesvd", "sd", "jobu jobvt m n a lda s u ldu vt ldvt work lwork info"},
    {"gesvd", "cz", "jobu jobvt m n a lda s u ldu vt ldvt work lwork rwork info"},
    {"gebrd", "sdcz", "m n a lda d e tauq taup work lwork info"},
    {"orgbr", "sd", "vect m n k a lda tau work lwork info"},
    {"ungbr", "cz", "vect m n k a lda tau work lwork info"},
    {"ormbr", "sd", "vect side trans m n k a lda tau c ldc work lwork info"},
    {"unmbr", "cz", "vect side trans m n k a lda tau c ldc work lwork info"},
    {"geev", "sd", "jobvl jobvr n a lda w wi left ldvl right ldvr work lwork info"},
    {"geev", "cz", "jobvl jobvr n a lda w left ldvl right ldvr work lwork rwork info"},
    {"geevx", "sd",
     "balanc jobvl jobvr sense n a lda w wi left ldvl right ldvr ilo ihi scale abnrm rconde rcondv work lwork iwork "
     "info"},
    {"geevx", "cz",
     "balanc jobvl jobvr sense n a lda w left ldvl right ldvr ilo ihi scale abnrm rconde rcondv work lwork rwork info"},
};

#define EVERY(name) REAL(name) COMPLEX(name)
#define REAL(name) void s##name##_(void); void d##name##_(void);
#define COMPLEX(name) void c##name##_(void); void z##name##_(void);
#include "lapack_names.def"
#undef REAL
#undef COMPLEX
#define REAL(name) {"s" #name, s##name##_}, {"d" #name, d##name##_},
#define COMPLEX(name) {"c" #name, c##name##_}, {"z" #name, z##name##_},
static const struct linked {
    const char *name;
    void (*function)(void);
} linked[] = {
#include "lapack_names.def"
};

const struct lapack_routine *lapack_routine(const char *name, char type)
{
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++)
        if (strcmp(routines[i].name, name) == 0 && strchr(routines[i].types, type))
            return &routines[i];
    return NULL;
}

void lapack_name(const struct lapack_routine *routine, char type, char name[16])
{
    snprintf(name, 16, "%c%s", type, routine->name);
}

void *lapack_linked(const struct lapack_routine *routine, char type)
{
    char name[16];
    lapack_name(routine, type, name);
    for (size_t i = 0; i < sizeof linked / sizeof *linked; i++)
        if (strcmp(linked[i].name, name) == 0)
            return (void *)linked[i].function;
    abort();
}

int lapack_position(const struct lapack_routine *routine, const char *parameter)
{
    const char *rest = routine->parameters;
    const size_t length = strlen(parameter);
    for (int position = 1; *rest; position++, rest += *rest == ' ') {
        const size_t word = strcspn(rest, " ");
        if (word == length && memcmp(rest, parameter, length) == 0)
            return position;
        rest += word;
    }
    return 0;
}

static const struct parameter *find_parameter(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
        if (strlen(parameters[i].name) == length && memcmp(parameters[i].name, name, length) == 0)
            return &parameters[i];
    abort();
}

static bool is_absent(const struct lapack_call *call, const char *name)
{
    char word[16];
    snprintf(word, sizeof word, " %s ", name);
    return call->absent && strstr(call->absent, word);
}

/* A list that is longer than the interface's is harmless: the caller removes what it passed. */
static void perform(void *function, void **list)
{
    typedef void *p;
    void (*call)(p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p,
                 p);
    memcpy(&call, &function, sizeof call);
    call(list[0], list[1], list[2], list[3], list[4], list[5], list[6], list[7], list[8], list[9], list[10],
         list[11], list[12], list[13], list[14], list[15], list[16], list[17], list[18], list[19], list[20],
         list[21], list[22], list[23], list[24], list[25], list[26], list[27], list[28], list[29], list[30],
         list[31]);
}

void lapack_perform(struct lapack_call *call, void *function)
{
    void *list[PARAMETERS_MAX] = {NULL};
    int count = 0, flags = 0;
    for (const char *rest = call->routine->parameters; *rest; rest += *rest == ' ') {
        const size_t length = strcspn(rest, " ");
        const struct parameter *parameter = find_parameter(rest, length);
        char *const field = (char *)call + parameter->offset;
        if (parameter->kind == MEMORY)
            memcpy(&list[count], field, sizeof *list);
        else if (!is_absent(call, parameter->name))
            list[count] = field;
        flags += parameter->kind == FLAG;
        count++;
        rest += length;
    }
    for (int i = 0; i < flags; i++) /* Fortran's lengths of the strings */
        list[count++] = (void *)(intptr_t)1;
    perform(function, list);
}

union lapack_real lapack_real_of(char type, double value)
{
    union lapack_real real = {.real = value};
    if (is_single(type))
        real.single = (float)value;
    return real;
}

static int complaints, complaint_info;
static char complaint_name[16];

/* Takes the place of LAPACK's, which stops the program. */
__attribute__((visibility("default"))) void xerbla_(const char *name, const int *info, size_t length);
void xerbla_(const char *name, const int *info, size_t length)
{
    while (length > 0 && name[length - 1] == ' ')
        length--;
    snprintf(complaint_name, sizeof complaint_name, "%.*s", (int)length, name);
    complaint_info = *info;
    complaints++;
}

int lapack_complaints(char name[16], int *info)
{
    const int count = complaints;
    memcpy(name, complaint_name, sizeof complaint_name);
    *info = complaint_info;
    complaints = 0;
    return count;
}
