#include "scalapack/engine.h"
#include "common/whole_number.h"

/* A descriptor's integers (ScaLAPACK Users' Guide, section 4.3.3), from 0. */
enum { DTYPE, CTXT, M_, N_, MB, NB, RSRC, CSRC, LLD, DESCRIPTOR_LENGTH };
enum { BLOCK_CYCLIC = 1 };
/* Behind a matrix's own position. */
enum { ROW_INDEX = 1, COLUMN_INDEX, DESCRIPTOR };

union blas_scalar parallel_scalar(const struct parallel_call *call, enum parallel_word word, bool is_real)
{
    const enum blas_type type = call->routine->type;
    union blas_scalar scalar = {.z = {0, 0}};
    memcpy(&scalar, parallel_address(call, word), blas_element_bytes(type) / (is_real ? 2 : 1));
    return scalar;
}

struct parallel_matrix *parallel_matrix_of(struct parallel_call *call, char letter)
{
    for (int i = 0; i < call->routine->signature.matrix_count; i++)
        if (call->routine->signature.matrices[i].letter == letter)
            return &call->matrices[i];
    return NULL;
}

static const int32_t *descriptor_of(const struct parallel_call *call, int number)
{
    return frame_address(call->frame, call->routine->signature.matrices[number].position + DESCRIPTOR);
}

/* From 0. */
static int64_t index_of(const struct parallel_call *call, int number, int which)
{
    int32_t index;
    memcpy(&index, frame_address(call->frame, call->routine->signature.matrices[number].position + which),
           sizeof index);
    return (int64_t)index - 1;
}

bool parallel_call_is_query(const struct parallel_call *call)
{
    static const enum parallel_word lengths[] = {WORD_lwork, WORD_lrwork, WORD_liwork};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        if (parallel_has(call, lengths[i]) && parallel_integer(call, lengths[i]) == -1)
            return true;
    return false;
}

static bool has_null(const struct parallel_call *call)
{
    for (int i = 1; i <= call->routine->signature.arguments; i++)
        if (!frame_address(call->frame, i))
            return true;
    return false;
}

/* With integers of 64 bits the upper half of M_, which is the fifth and sixth word, would be 0. */
bool parallel_call_begin(struct parallel_call *call, const struct parallel_routine *routine,
                         const struct lapack_frame *frame)
{
    *call = (struct parallel_call){.routine = routine, .frame = frame};
    const int32_t *const descriptor = descriptor_of(call, 0);
    if (!descriptor || descriptor[DTYPE] != BLOCK_CYCLIC || descriptor[NB] < 1 || descriptor[CTXT] < 0)
        return false;
    call->context = descriptor[CTXT];
    return true;
}

static int64_t size_of(const struct parallel_call *call, enum parallel_word word)
{
    if (word == WORD_order)
        word = parallel_letter(call, WORD_side) == 'L' ? WORD_m : WORD_n;
    return parallel_integer(call, word);
}

/* Without floating point, which would leave flags behind. Sizes have 31 bits. */
bool parallel_call_reaches(const struct parallel_call *call, int64_t order)
{
    static const enum parallel_word sizes[] = {WORD_m, WORD_n, WORD_k, WORD_nrhs};
    unsigned __int128 product = 1, wanted = 1;
    int64_t largest = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (!parallel_has(call, sizes[i]))
            continue;
        const int64_t size = parallel_integer(call, sizes[i]);
        if (size < 1)
            return false;
        largest = larger(largest, size);
        product *= (unsigned __int128)size;
        wanted *= (unsigned __int128)order;
    }
    return call->routine->kind == KIND_PRODUCT ? product >= wanted : largest >= order;
}

/* Uplo of a symmetric or triangular matrix, else a transposition. False: an illegal letter. */
static bool read_flag(const struct parallel_call *call, struct parallel_matrix *matrix)
{
    const enum parallel_word flag = matrix->signature->flag;
    const char letter = flag == WORD_none ? 'N' : parallel_letter(call, flag);
    matrix->part = PART_FULL;
    if (flag == WORD_uplo) {
        matrix->part = letter == 'U' ? PART_UPPER : PART_LOWER;
        return letter == 'U' || letter == 'L';
    }
    if (letter != 'N') {
        const int64_t rows = matrix->distribution.rows;
        matrix->distribution.rows = matrix->distribution.columns;
        matrix->distribution.columns = rows;
    }
    return letter == 'N' || letter == 'T' || letter == 'C';
}

static bool read_descriptor(const struct parallel_call *call, int number, struct distribution *of)
{
    const int32_t *const descriptor = descriptor_of(call, number);
    of->first_row = index_of(call, number, ROW_INDEX);
    of->first_column = index_of(call, number, COLUMN_INDEX);
    of->row_block = descriptor[MB];
    of->column_block = descriptor[NB];
    of->row_source = descriptor[RSRC];
    of->column_source = descriptor[CSRC];
    of->ld = descriptor[LLD];
    if (descriptor[DTYPE] != BLOCK_CYCLIC || descriptor[CTXT] != call->context || of->row_block < 1 ||
        of->column_block < 1 || of->row_source < 0 || of->row_source >= call->place.rows ||
        of->column_source < 0 || of->column_source >= call->place.columns)
        return false;
    const int64_t mine = distribution_count(descriptor[M_], of->row_block, call->place.row, of->row_source,
                                            call->place.rows);
    return of->ld >= larger(1, mine) && of->first_row >= 0 && of->first_column >= 0 &&
           of->first_row + of->rows <= descriptor[M_] && of->first_column + of->columns <= descriptor[N_];
}

static bool are_of_one_size(const struct parallel_call *call, int number)
{
    const int32_t *const one = descriptor_of(call, number), *const other = descriptor_of(call, 0);
    return one[M_] == other[M_] && one[N_] == other[N_];
}

static int first_column_owner(const struct parallel_call *call, const struct distribution *of)
{
    return distribution_owner(of->first_column, of->column_block, of->column_source, call->place.columns);
}

/* Square blocks, and a submatrix that begins with one; all matrices alike. */
static bool is_plain(const struct parallel_call *call, int number)
{
    const struct distribution *const of = &call->matrices[number].distribution;
    const struct distribution *const first = &call->matrices[0].distribution;
    return of->row_block == of->column_block && of->first_row % of->row_block == 0 &&
           of->first_column % of->column_block == 0 && of->row_block == first->row_block &&
           of->row_source == first->row_source && of->first_row == first->first_row &&
           (call->routine->kind == KIND_FACTOR || first_column_owner(call, of) == first_column_owner(call, first)) &&
           (call->routine->kind != KIND_EIGEN ||
            (of->first_column == first->first_column && are_of_one_size(call, number)));
}

static bool read_matrix(struct parallel_call *call, int number, bool is_strict)
{
    struct parallel_matrix *const matrix = &call->matrices[number];
    matrix->distribution.rows = size_of(call, matrix->signature->rows);
    matrix->distribution.columns = size_of(call, matrix->signature->columns);
    return read_flag(call, matrix) && matrix->distribution.rows >= 1 && matrix->distribution.columns >= 1 &&
           read_descriptor(call, number, &matrix->distribution) && (!is_strict || is_plain(call, number));
}

/* Two parts of one array that share no element. */
static bool are_apart(const struct distribution *one, const struct distribution *other)
{
    return one->first_row >= other->first_row + other->rows ||
           other->first_row >= one->first_row + one->rows ||
           one->first_column >= other->first_column + other->columns ||
           other->first_column >= one->first_column + one->columns;
}

static size_t local_bytes(const struct parallel_call *call, const struct parallel_matrix *matrix)
{
    const struct distribution *const of = &matrix->distribution;
    const int64_t columns = distribution_count(of->first_column + of->columns, of->column_block,
                                               call->place.column, of->column_source, call->place.columns);
    return (size_t)(columns * of->ld) * blas_element_bytes(call->routine->type);
}

static bool overlap(const struct parallel_call *call, const struct parallel_matrix *one,
                    const struct parallel_matrix *other)
{
    const uintptr_t begin = (uintptr_t)one->local, other_begin = (uintptr_t)other->local;
    const size_t bytes = local_bytes(call, one), other_bytes = local_bytes(call, other);
    if (bytes == 0 || other_bytes == 0 || begin + bytes <= other_begin || other_begin + other_bytes <= begin)
        return false;
    return begin != other_begin || one->distribution.ld != other->distribution.ld ||
           one->distribution.row_block != other->distribution.row_block ||
           one->distribution.column_block != other->distribution.column_block ||
           !are_apart(&one->distribution, &other->distribution);
}

/* Fortran forbids that a result overlaps with anything, and the host's result is what the program knows. */
static bool results_overlap(const struct parallel_call *call)
{
    const int count = call->routine->signature.matrix_count;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            if (i != j && call->matrices[i].is_used && call->matrices[j].is_used &&
                call->matrices[i].access != PARALLEL_READ &&
                overlap(call, &call->matrices[i], &call->matrices[j]))
                return true;
    return false;
}

/* Without vectors neither Z nor its descriptor is looked at. */
static bool references(const struct parallel_call *call, const struct matrix_signature *matrix)
{
    return matrix->letter != 'Z' || parallel_letter(call, WORD_jobz) == 'V';
}

bool parallel_call_read(struct parallel_call *call, bool is_strict)
{
    const struct signature *const signature = &call->routine->signature;
    if (has_null(call))
        return false;
    for (int i = 0; i < signature->matrix_count; i++) {
        struct parallel_matrix *const matrix = &call->matrices[i];
        matrix->signature = &signature->matrices[i];
        matrix->local = matrix->whole = frame_address(call->frame, matrix->signature->position);
        matrix->access = matrix->signature->access;
        matrix->is_used = references(call, matrix->signature);
        if (matrix->is_used && !read_matrix(call, i, is_strict))
            return false;
    }
    return !results_overlap(call);
}

/* Columns at distances that are powers of two share cache sets. */
static int64_t whole_ld(int64_t rows, size_t element_bytes)
{
    enum { LINE = 64, TROUBLE = 1024 };
    const int64_t unit = (int64_t)(LINE / element_bytes);
    const int64_t ld = round_up(rows, unit);
    return ld * (int64_t)element_bytes % TROUBLE == 0 ? ld + unit : ld;
}

/* All eigenvectors take A's place, as LAPACK's do: half of the memory. */
static struct parallel_matrix *place_taken_by(struct parallel_call *call, const struct parallel_matrix *matrix)
{
    const bool takes = matrix->signature->letter == 'Z' &&
                       (!parallel_has(call, WORD_range) || parallel_letter(call, WORD_range) == 'A');
    return takes ? parallel_matrix_of(call, 'A') : NULL;
}

void parallel_call_lay_out(struct parallel_call *call, size_t control_bytes, size_t vector_bytes)
{
    enum { PAGE = 4096 };
    const size_t element = blas_element_bytes(call->routine->type);
    size_t offset = control_bytes;
    call->vector_offset = offset;
    offset += (size_t)round_up((int64_t)vector_bytes, PAGE);
    for (int i = 0; i < call->routine->signature.matrix_count; i++) {
        struct parallel_matrix *const matrix = &call->matrices[i];
        const struct parallel_matrix *const taken = matrix->is_used ? place_taken_by(call, matrix) : NULL;
        if (taken) {
            matrix->offset = taken->offset;
            matrix->ld = taken->ld;
        }
        if (!matrix->is_used || taken)
            continue;
        matrix->offset = offset;
        matrix->ld = whole_ld(matrix->distribution.rows, element);
        offset += (size_t)round_up(matrix->ld * matrix->distribution.columns * (int64_t)element, PAGE);
    }
    call->arena_bytes = offset;
}

void parallel_call_place(struct parallel_call *call, unsigned char *arena)
{
    for (int i = 0; i < call->routine->signature.matrix_count; i++)
        if (call->matrices[i].is_used)
            call->matrices[i].whole = arena + call->matrices[i].offset;
}

/* One process has all blocks, one behind the other. */
void parallel_call_place_alone(struct parallel_call *call)
{
    for (int i = 0; i < call->routine->signature.matrix_count; i++) {
        struct parallel_matrix *const matrix = &call->matrices[i];
        const struct distribution *const of = &matrix->distribution;
        if (!matrix->is_used)
            continue;
        matrix->ld = of->ld;
        matrix->whole = (unsigned char *)matrix->local + (size_t)(of->first_row + of->first_column * of->ld) *
                                                             blas_element_bytes(call->routine->type);
    }
}

/* FNV-1a. */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *const at = bytes;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Limits that the range does not reference are whatever was there, on each process something else. */
static bool has_range(const struct parallel_call *call, char range)
{
    return parallel_has(call, WORD_range) && parallel_letter(call, WORD_range) == range;
}

static uint64_t hash_word(const struct parallel_call *call, uint64_t hash, enum parallel_word word)
{
    const size_t element = blas_element_bytes(call->routine->type);
    const size_t real = blas_real_bytes(call->routine->type);
    char letter;
    switch (word) {
    case WORD_jobz:
    case WORD_range:
    case WORD_uplo:
    case WORD_side:
    case WORD_trans:
    case WORD_transb:
    case WORD_diag: letter = parallel_letter(call, word); return hash_bytes(hash, &letter, 1);
    case WORD_itype:
    case WORD_m:
    case WORD_n:
    case WORD_k:
    case WORD_nrhs: return hash_bytes(hash, parallel_address(call, word), sizeof(int32_t));
    case WORD_il:
    case WORD_iu:
        return has_range(call, 'I') ? hash_bytes(hash, parallel_address(call, word), sizeof(int32_t)) : hash;
    case WORD_vl:
    case WORD_vu: return has_range(call, 'V') ? hash_bytes(hash, parallel_address(call, word), real) : hash;
    case WORD_alpha:
    case WORD_beta:
        return hash_bytes(hash, parallel_address(call, word),
                          call->routine->kind == KIND_PRODUCT && call->routine->family == FAMILY_HERK ? real
                                                                                                    : element);
    default: return hash; /* results, workspaces, and what the routes do not look at */
    }
}

int32_t parallel_call_hash(const struct parallel_call *call, uint64_t seed)
{
    uint64_t hash = hash_bytes(UINT64_C(0xcbf29ce484222325), &seed, sizeof seed);
    hash = hash_bytes(hash, call->routine->name, strlen(call->routine->name));
    for (int word = 0; word < WORD_order; word++)
        if (parallel_has(call, (enum parallel_word)word))
            hash = hash_word(call, hash, (enum parallel_word)word);
    for (int i = 0; i < call->routine->signature.matrix_count; i++) {
        const struct parallel_matrix *const matrix = &call->matrices[i];
        struct distribution of = matrix->distribution;
        const int32_t facts[] = {matrix->is_used, (int32_t)matrix->access, (int32_t)matrix->part,
                                 (int32_t)of.rows, (int32_t)of.columns, (int32_t)of.first_row,
                                 (int32_t)of.first_column, (int32_t)of.row_block, (int32_t)of.column_block,
                                 of.row_source, of.column_source};
        hash = hash_bytes(hash, facts, sizeof facts);
    }
    return (int32_t)((hash ^ hash >> 30) & ((1 << 30) - 1));
}
