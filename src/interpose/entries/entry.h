/* entry.h - the tables that stubs jump through, and the stubs of thunks.S; and what entries_fortran.c and
 * entries_cblas.c share: the reading of flags, and the entries themselves. Its sizes are also read by the
 * assembler. */
#ifndef MUBLAS_ENTRY_H
#define MUBLAS_ENTRY_H

#include "host/thunks.h"

/* As the stubs of host/thunks.h: one that counts per symbol, and one per slot of entry_slots that asks where
 * to enter. Each stub of a kind takes as many bytes as stand here, so that its number tells its address. */
#define COUNT_THUNK_BYTES 32
#define ENTER_THUNK_BYTES 32

#ifndef __ASSEMBLER__
extern const char count_thunks[], enter_thunks[];

#define COUNT_THUNK(number) THUNK(count_thunks, COUNT_THUNK_BYTES, number)
#define ENTER_THUNK(number) THUNK(enter_thunks, ENTER_THUNK_BYTES, number)

#include "host/host_blas.h"
#include "interpose/call/program_call.h"
#include "interpose/entries/pack.h"
#include "interpose/policy.h"
#include "interpose/purchase/device_use.h"

/* The tables hold where calls go on that stay on the host, with their counters, and the entries of offloaded
 * symbols whose names do not tell the width of integers, one for each width. */

/* The targets that counted calls jump to, by symbol; NULL: not known. forwarding.c fills them, thunks.S reads
 * them. */
extern host_function *counted_targets[SYMBOL_COUNT];

/* Count a forwarded call from the return address `caller`; where it goes on. For the counting stubs of
 * thunks.S. */
host_function *forwarding_count(enum symbol symbol, const void *caller);

/* Returns what host_blas_function does, for a call that goes on as if it had not passed its gate, counted if
 * calls are; in a few nanoseconds. To jump through forward_slots instead takes a sibling call, by which alone
 * thunks know the caller. */
host_function *forwarding_pass_on(enum symbol symbol, const void *caller);

/* SLOT_dgemv_, SLOT_cblas_dgemv, ...: the symbols whose names do not tell the width. */
enum entry_slot {
#define SLOT_32(symbol)
#define SLOT_64(symbol)
#define SLOT_DETECTED(symbol) SLOT_##symbol,
#define FORWARDED_SYMBOL(...)
#define OFFLOADED_SYMBOL(symbol, interface, width, ...) SLOT_##width(symbol)
#include "host/symbols.def"
#undef SLOT_32
#undef SLOT_64
#undef SLOT_DETECTED
    SLOT_COUNT
};

/* Returns the function in which a call from the return address `caller` goes on: asks its host for the width.
 * For the entering stubs of thunks.S. */
host_function *width_entries_enter(enum entry_slot slot, const void *caller);

/* Flags of BLAS calls are read as reference BLAS reads them: letters in Fortran, enumerators in CBLAS. Each
 * function sets its result and returns true, or returns false for an illegal flag. */

/* For the real types conjugation is no operation: never TRANS_CONJUGATE. */
static inline enum blas_trans argument_conjugate(enum blas_type type)
{
    return type == TYPE_C || type == TYPE_Z ? TRANS_CONJUGATE : TRANS_TRANSPOSE;
}

/* A letter in upper case, as LSAME compares. */
static inline char argument_letter(const char *flag)
{
    return *flag >= 'a' && *flag <= 'z' ? (char)(*flag - 'a' + 'A') : *flag;
}

static inline bool argument_fortran_uplo(const char *flag, enum blas_uplo *uplo)
{
    char letter = argument_letter(flag);
    *uplo = letter == 'U' ? UPLO_UPPER : UPLO_LOWER;
    return letter == 'U' || letter == 'L';
}

static inline bool argument_fortran_side(const char *flag, enum blas_side *side)
{
    char letter = argument_letter(flag);
    *side = letter == 'R' ? SIDE_RIGHT : SIDE_LEFT;
    return letter == 'L' || letter == 'R';
}

static inline bool argument_fortran_diag(const char *flag, enum blas_diag *diag)
{
    char letter = argument_letter(flag);
    *diag = letter == 'U' ? DIAG_UNIT : DIAG_NON_UNIT;
    return letter == 'U' || letter == 'N';
}

static inline bool argument_fortran_trans(const char *flag, enum blas_type type, enum blas_trans *trans)
{
    char letter = argument_letter(flag);
    *trans = letter == 'N' ? TRANS_NONE : letter == 'T' ? TRANS_TRANSPOSE : argument_conjugate(type);
    return letter == 'N' || letter == 'T' || letter == 'C';
}

/* The enumerators of CBLAS (cblas.h of reference BLAS). */
enum cblas_flag {
    CBLAS_ROW_MAJOR = 101,
    CBLAS_COLUMN_MAJOR = 102,
    CBLAS_NO_TRANS = 111,
    CBLAS_TRANS = 112,
    CBLAS_CONJ_TRANS = 113,
    CBLAS_UPPER = 121,
    CBLAS_LOWER = 122,
    CBLAS_NON_UNIT = 131,
    CBLAS_UNIT = 132,
    CBLAS_LEFT = 141,
    CBLAS_RIGHT = 142
};

/* The layout of a call whose flags are read. */
static inline bool argument_cblas_layout(int layout, struct blas_call *call)
{
    if (layout == CBLAS_ROW_MAJOR)
        pack_row_major(call);
    return layout == CBLAS_ROW_MAJOR || layout == CBLAS_COLUMN_MAJOR;
}

static inline bool argument_cblas_uplo(int flag, enum blas_uplo *uplo)
{
    *uplo = flag == CBLAS_UPPER ? UPLO_UPPER : UPLO_LOWER;
    return flag == CBLAS_UPPER || flag == CBLAS_LOWER;
}

static inline bool argument_cblas_side(int flag, enum blas_side *side)
{
    *side = flag == CBLAS_RIGHT ? SIDE_RIGHT : SIDE_LEFT;
    return flag == CBLAS_LEFT || flag == CBLAS_RIGHT;
}

static inline bool argument_cblas_diag(int flag, enum blas_diag *diag)
{
    *diag = flag == CBLAS_UNIT ? DIAG_UNIT : DIAG_NON_UNIT;
    return flag == CBLAS_UNIT || flag == CBLAS_NON_UNIT;
}

static inline bool argument_cblas_trans(int flag, enum blas_type type, enum blas_trans *trans)
{
    *trans = flag == CBLAS_NO_TRANS ? TRANS_NONE
             : flag == CBLAS_TRANS  ? TRANS_TRANSPOSE
                                    : argument_conjugate(type);
    return flag == CBLAS_NO_TRANS || flag == CBLAS_TRANS || flag == CBLAS_CONJ_TRANS;
}

/* ENTRY defines the function entry32_SYMBOL or entry64_SYMBOL that forward.S jumps to, where the interface's
 * width is this inclusion's; see entry.inc. */

/* A handler that moved the stack by 8 leaves it so for its thread; many hosts need none that is aligned. */
#if defined __x86_64__
#define ALIGNS_STACK __attribute__((force_align_arg_pointer))
#else
#define ALIGNS_STACK
#endif

#define ENTRY(prefix, suffix, width, name) ENTRY_OF_WIDTH(width, prefix##name##suffix)
#define ENTRY_OF_WIDTH(width, symbol) JOIN(ENTRY_, INTEGER_BITS, _##width)(symbol)
#define ENTRY_32_DETECTED(symbol) DEFINE_ENTRY(entry32_##symbol, SYMBOL_##symbol)
#define ENTRY_32_32(symbol) DEFINE_ENTRY(entry32_##symbol, SYMBOL_##symbol)
#define ENTRY_32_64(symbol)
#define ENTRY_64_DETECTED(symbol) DEFINE_ENTRY(entry64_##symbol, SYMBOL_##symbol)
#define ENTRY_64_32(symbol)
#define ENTRY_64_64(symbol) DEFINE_ENTRY(entry64_##symbol, SYMBOL_##symbol)

#define DEFINE_ENTRY(entry, number)                                                                          \
    void entry(PARAMETERS HIDDEN_PARAMETERS);                                                                \
    void entry(PARAMETERS HIDDEN_PARAMETERS)                                                                 \
    {                                                                                                        \
        const uint64_t shape = KNOWN_SHAPE(number, SHAPE);                                                   \
        host_function *host;                                                                                 \
        if (known_shapes_look_up(shape, model_in_force()) == SHAPE_NEVER_PAYS) {                             \
            host = forwarding_pass_on(number, __builtin_return_address(0));                                  \
        } else {                                                                                             \
            if (LOCAL(perform, ROUTINE)(number, shape, __builtin_return_address(0),                          \
                                        ARGUMENTS HIDDEN_ARGUMENTS))                                         \
                return;                                                                                      \
            call_count_rejected(number, __builtin_return_address(0));                                     \
            host = host_blas_function(number, __builtin_return_address(0));                                  \
        }                                                                                                    \
        ((LOCAL(signature, ROUTINE) *)host)(ARGUMENTS HIDDEN_ARGUMENTS);                                     \
    }

#endif /* __ASSEMBLER__ */
#endif
