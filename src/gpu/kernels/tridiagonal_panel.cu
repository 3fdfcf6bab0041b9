/* A panel of the reduction to tridiagonal form of a matrix that is read from device memory once for each
 * column.
 *
 * Within a panel the matrix A stays as it was at its beginning; what it should have become is A - V W' - W V'
 * with the panel's columns so far. For each column there are two barriers of the grid:
 *  - before the first: sums over tiles of A times u, by warps, in pieces; the scalars of u'A u by parts; and
 *    by each of the first parts one of the products W'u and V'u;
 *  - before the second: by chunks of rows, the sums of the pieces, the new columns of V and W and the next
 *    column with its chunks' sums of squares. What is needed of row c + 1, each block computes for itself.
 * A warp requests its next tile's elements before it works on those that it has, across barriers too.
 *
 * Rows, columns and tiles count from the panel's corner. Sizes: row_sums TRIDIAGONAL_SEGMENT elements for
 * each run and row of tiles; column_sums one for each row of tiles and column; products 2 TRIDIAGONAL_PANEL;
 * norms one for each chunk of the order, squares one for each part. */
#include "gpu/kernels/triangle_cut.h"

constexpr int SEGMENT = TRIDIAGONAL_SEGMENT, PANEL = TRIDIAGONAL_PANEL, PARTS = TRIDIAGONAL_PARTS;
constexpr int CHUNK = WARP; /* rows */
constexpr int PANEL_EACH = PANEL / BLOCK_WARPS; /* columns of V and W that a warp multiplies by */

/* A warp has a tile's column by two elements a thread: neighbours, or 32 apart where one fills 16 bytes. */
template <typename T> constexpr int row_apart = sizeof(T) == 16 ? WARP : 1;
template <typename T> DEVICE_FUNCTION int first_row(int lane) { return sizeof(T) == 16 ? lane : 2 * lane; }
DEVICE_FUNCTION void load_rows(const float *from, float (&rows)[2]) { load_two(from, rows); }
template <typename T> DEVICE_FUNCTION void load_rows(const T *from, T (&rows)[2])
{
    load_wide(from, rows);
    if constexpr (sizeof(T) == 16)
        load_wide(from + WARP, rows + 1);
}

template <typename T, int GROUP> struct column_group {
    T element[GROUP][2];
};
template <typename T, int GROUP>
DEVICE_FUNCTION void request(column_group<T, GROUP> &group, const T *from, int64_t ld)
{
    UNROLL
    for (int j = 0; j < GROUP; j++)
        load_rows(from + j * ld, group.element[j]);
}

/* In shared memory. */
template <typename T> struct panel_memory {
    using R = real_of<T>;
    T *sums, *next_sums;                /* WARP rows of each warp: of w0, and of the next column */
    T *with_v, *with_w;                 /* -W'u and -V'u: what V and W are multiplied by */
    T *pivot_v, *pivot_w;               /* -conj of row c + 1 of V and W */
    T *products, *pivots;               /* one of each warp */
    R *squares, *raised, *forms, *whole_forms;
};

template <typename T> DEVICE_FUNCTION panel_memory<T> panel_memory_layout()
{
    using R = real_of<T>;
    panel_memory<T> memory;
    memory.sums = static_cast<T *>(shared_memory());
    memory.next_sums = memory.sums + BLOCK_WARPS * WARP;
    memory.with_v = memory.next_sums + BLOCK_WARPS * WARP;
    memory.with_w = memory.with_v + PANEL;
    memory.pivot_v = memory.with_w + PANEL;
    memory.pivot_w = memory.pivot_v + PANEL;
    memory.products = memory.pivot_w + PANEL;
    memory.pivots = memory.products + BLOCK_WARPS;
    memory.squares = reinterpret_cast<R *>(memory.pivots + BLOCK_WARPS);
    memory.raised = memory.squares + BLOCK_WARPS;
    memory.forms = memory.raised + BLOCK_WARPS;
    memory.whole_forms = memory.forms + BLOCK_WARPS;
    return memory;
}

template <typename T, int GROUP> struct panel_work {
    using R = real_of<T>;
    const tridiagonal_panel_arguments &arguments;
    const panel_memory<T> memory;
    const triangle_cut<GROUP> cut;
    const int thread, lane, warp, rows, order; /* rows: of the padded order; both from the corner on */
    const T *const a;
    T *const v, *const w, *const column, *const row_sums, *const column_sums, *const products;
    R *const norms, *const squares;
    const int64_t ld;
    /* The warp's run, and the elements that it has requested. */
    int64_t begin, end;
    int run, begin_row, begin_group;
    column_group<T, GROUP> group;

    DEVICE_METHOD panel_work(const tridiagonal_panel_arguments &given)
        : arguments(given), memory(panel_memory_layout<T>()),
          cut(triangle_cut_of<GROUP>((int)(given.padded_order - given.first) / SEGMENT)),
          thread((int)thread_index()), lane(thread % WARP), warp(thread / WARP),
          rows((int)(given.padded_order - given.first)), order((int)(given.order - given.first)),
          a(static_cast<const T *>(given.a) + given.first * (given.ld + 1)),
          v(static_cast<T *>(given.v) + given.first), w(static_cast<T *>(given.w) + given.first),
          column(static_cast<T *>(given.column) + given.first), row_sums(static_cast<T *>(given.row_sums)),
          column_sums(static_cast<T *>(given.column_sums)), products(static_cast<T *>(given.products)),
          norms(static_cast<R *>(given.norms)), squares(static_cast<R *>(given.squares)), ld(given.ld),
          begin(0), end(0), run(0), begin_row(0), begin_group(0)
    {
    }

    DEVICE_METHOD T *panel_column(T *panel, int number) const
    {
        return panel + number * arguments.padded_order;
    }
    DEVICE_METHOD void request_group(int row, int number)
    {
        request(group, a + (int64_t)row * SEGMENT + first_row<T>(lane) + (int64_t)number * GROUP * ld, ld);
    }

    DEVICE_METHOD void start_run(int part)
    {
        run = part * BLOCK_WARPS + warp;
        begin = end = 0;
        if (part >= PARTS || run >= cut.runs)
            return;
        begin = cut.run_begin(run);
        end = cut.run_begin(run + 1);
        begin_row = cut.row_of(begin);
        begin_group = (int)(begin - cut.row_begin(begin_row));
        request_group(begin_row, begin_group);
    }

    /* u of the present column c. */
    DEVICE_METHOD T u_of(const reflector<T> &made, int c, int row, const T &value) const
    {
        return made.identity || row <= c ? T{} : row == c + 1 ? made.first : scaled(made.power, value);
    }
    DEVICE_METHOD T u_at(const reflector<T> &made, int c, int row) const
    {
        return u_of(made, c, row, load_partial(column + row));
    }

    /* The panel's first column, as it is in A. */
    DEVICE_METHOD void first_column()
    {
        UNROLL_BY(1)
        for (int chunk = (int)block_index() * BLOCK_WARPS + warp; chunk < rows / CHUNK;
             chunk += (int)block_count() * BLOCK_WARPS) {
            const int row = chunk * CHUNK + lane;
            const T value = load(a + row);
            store_partial(column + row, value);
            if (row == 0)
                store_diagonal(arguments.result, arguments.first, value);
            const R square = part_sum<WARP>(row > 1 ? real_product_added(value, value, R(0)) : R(0));
            if (lane == 0)
                store_partial(norms + chunk, square);
        }
    }

    DEVICE_METHOD reflector<T> make_reflector(int c) const
    {
        R sum = 0;
        UNROLL_BY(1)
        for (int chunk = (c + 1) / CHUNK + thread; chunk < rows / CHUNK; chunk += BLOCK_THREADS)
            sum = sum + load_partial(norms + chunk);
        const T alpha = load_partial(column + c + 1);
        return reflector_of(alpha, block_sum(sum, memory.squares), [&](R up) {
            R raised = 0;
            UNROLL_BY(1)
            for (int row = c + 2 + thread; row < order; row += BLOCK_THREADS) {
                const T value = scaled(up, load_partial(column + row));
                raised = real_product_added(value, value, raised);
            }
            return block_sum(raised, memory.raised);
        });
    }

    /* The warp's rows of the part's product: with a column of W, then of V. */
    DEVICE_METHOD T product_with_panel(int part, const reflector<T> &made, int c)
    {
        T sum = T{};
        if (part >= 2 * c)
            return sum;
        const T *const factor = part < c ? panel_column(w, part) : panel_column(v, part - c);
        const int each = (rows / CHUNK + BLOCK_WARPS - 1) / BLOCK_WARPS * CHUNK;
        const int stop = (warp + 1) * each < rows ? (warp + 1) * each : rows;
        UNROLL_BY(8)
        for (int row = warp * each + lane; row < stop; row += WARP)
            sum = fused(conjugate(load_partial(factor + row)), u_at(made, c, row), sum);
        return sum;
    }

    /* A group of columns: for its rows, into y; returns the sum of column `lane` modulo GROUP. */
    DEVICE_METHOD T multiply_group(const column_group<T, GROUP> &now, const T &u_column, const T (&u_row)[2],
                                   T (&y)[2], bool on_diagonal, int first_column, int row) const
    {
        T of_column[GROUP];
        UNROLL
        for (int j = 0; j < GROUP; j++) {
            const T factor = warp_value(u_column, j);
            y[0] = fused(now.element[j][0], factor, y[0]);
            y[1] = fused(now.element[j][1], factor, y[1]);
            T low = conjugate(now.element[j][0]), high = conjugate(now.element[j][1]);
            if (on_diagonal) {
                low = choose(first_column + j == row, T{}, low);
                high = choose(first_column + j == row + row_apart<T>, T{}, high);
            }
            of_column[j] = fused(high, u_row[1], product(low, u_row[0]));
        }
        return warp_sums(of_column, lane);
    }

    /* The run's sums, in pieces. Returns its share of u'A u, to be added up over the warp. */
    DEVICE_METHOD R multiply_run(const reflector<T> &made, int c)
    {
        R form = 0;
        int row = begin_row, number = begin_group;
        T u_column = begin < end ? u_at(made, c, number * GROUP + lane % GROUP) : T{};
        UNROLL_BY(1)
        for (int64_t at = begin; at < end; row++) {
            const int first = row * SEGMENT + first_row<T>(lane);
            const T u_row[2] = {u_at(made, c, first), u_at(made, c, first + row_apart<T>)};
            T y[2] = {T{}, T{}};
            const int64_t row_end = cut.row_begin(row + 1), stop = row_end < end ? row_end : end;
            UNROLL_BY(1)
            for (; at < stop; at++) {
                const column_group<T, GROUP> now = group;
                const T u_now = u_column;
                const bool last = at + 1 == end, row_ends = at + 1 == row_end;
                const int next_number = last ? begin_group : row_ends ? 0 : number + 1;
                request_group(last ? begin_row : row_ends ? row + 1 : row, next_number);
                u_column = load_partial(column + next_number * GROUP + lane % GROUP);
                const T sum = multiply_group(now, u_now, u_row, y, number * GROUP >= row * SEGMENT,
                                             number * GROUP, first);
                if (lane < GROUP) {
                    store_partial(column_sums + ((int64_t)number * cut.rows + row) * GROUP + lane, sum);
                    form = real_product_added(u_now, sum, form);
                }
                u_column = u_of(made, c, next_number * GROUP + lane % GROUP, u_column);
                number = next_number;
            }
            T *const piece = row_sums + ((int64_t)run + row) * SEGMENT + first_row<T>(lane);
            store_partial(piece, y[0]);
            store_partial(piece + row_apart<T>, y[1]);
            form = real_product_added(u_row[1], y[1], real_product_added(u_row[0], y[0], form));
        }
        return form;
    }

    DEVICE_METHOD void multiply_part(int part, const reflector<T> &made, int c)
    {
        const T product = part_sum<WARP>(product_with_panel(part, made, c));
        const R form = part_sum<WARP>(multiply_run(made, c));
        if (lane == 0) {
            memory.forms[warp] = form;
            memory.products[warp] = product;
        }
        block_barrier();
        if (warp > 0)
            return;
        const R whole_form = part_sum<BLOCK_WARPS>(memory.forms[lane % BLOCK_WARPS]);
        const T whole = part_sum<BLOCK_WARPS>(memory.products[lane % BLOCK_WARPS]);
        if (lane > 0)
            return;
        store_partial(squares + part, whole_form);
        if (part < 2 * c)
            store_partial(products + part, whole);
    }

    /* What a row's element of A u is made of. */
    struct pieces {
        int of_rows, of_columns;
        const T *row_piece, *column_piece;
    };
    DEVICE_METHOD pieces pieces_of(int row) const
    {
        const int tile = row / SEGMENT;
        const int low = cut.run_of(cut.row_begin(tile)), high = cut.run_of(cut.row_begin(tile + 1) - 1);
        return {high - low + 1, cut.rows - tile, row_sums + ((int64_t)low + tile) * SEGMENT + row % SEGMENT,
                column_sums + ((int64_t)(row / GROUP) * cut.rows + tile) * GROUP + row % GROUP};
    }
    /* Every step-th, from the first on. Loads wait for no condition: beyond the last one that is read
     * again. */
    template <int COUNT>
    DEVICE_METHOD T sum_of(T sum, const T *piece, int64_t apart, int first, int step, int count) const
    {
        UNROLL_BY(1)
        for (int i = first; i < count; i += COUNT * step) {
            T part[COUNT];
            UNROLL
            for (int j = 0; j < COUNT; j++)
                part[j] = load_partial(piece + (i + j * step < count ? i + j * step : count - 1) * apart);
            UNROLL
            for (int j = 0; j < COUNT; j++)
                if (i + j * step < count)
                    sum = sum + part[j];
        }
        return sum;
    }
    DEVICE_METHOD T pieces_sum(const pieces &of, int first, int step) const
    {
        const T of_rows = sum_of<4>(T{}, of.row_piece, SEGMENT, first, step, of.of_rows);
        return sum_of<8>(of_rows, of.column_piece, GROUP, first, step, of.of_columns);
    }

    /* What all blocks need, by the whole block: w at row c + 1, and the factors. A barrier in it. */
    struct pivot {
        update_factors<T> factors;
        T w;
    };
    DEVICE_METHOD pivot pivot_of(int c, const T &tau, const T &scale, const pieces &of)
    {
        T sum = pieces_sum(of, thread, BLOCK_THREADS);
        R form = 0;
        UNROLL_BY(1)
        for (int part = thread; part < PARTS; part += BLOCK_THREADS)
            form = form + load_partial(squares + part);
        if (thread < c) {
            const T with_w = load_partial(products + thread), with_v = load_partial(products + c + thread);
            const T row_v = load_partial(panel_column(v, thread) + c + 1);
            const T row_w = load_partial(panel_column(w, thread) + c + 1);
            memory.with_v[thread] = negated(with_w);
            memory.with_w[thread] = negated(with_v);
            memory.pivot_v[thread] = negated(conjugate(row_v));
            memory.pivot_w[thread] = negated(conjugate(row_w));
            sum = sum + negated(fused(row_v, with_w, product(row_w, with_v)));
            form = form + R(-2) * real_product_added(with_w, with_v, R(0));
        }
        sum = part_sum<WARP>(sum);
        form = part_sum<WARP>(form);
        if (lane == 0) {
            memory.pivots[warp] = sum;
            memory.whole_forms[warp] = form;
        }
        block_barrier();
        sum = part_sum<BLOCK_WARPS>(memory.pivots[lane % BLOCK_WARPS]);
        form = part_sum<BLOCK_WARPS>(memory.whole_forms[lane % BLOCK_WARPS]);
        const update_factors<T> factors = update_factors_of(tau, scale, form);
        return {factors, fused(factors.of_w0, sum, element_of<T>(factors.of_v))};
    }

    /* The chunk's rows of what the warps have left in shared memory, by the first warp. */
    DEVICE_METHOD T sum_of_warps(const T *sums) const
    {
        T part[BLOCK_WARPS / 2];
        UNROLL
        for (int i = 0; i < BLOCK_WARPS / 2; i++)
            part[i] = sums[i * WARP + lane] + sums[(i + BLOCK_WARPS / 2) * WARP + lane];
        UNROLL
        for (int half = BLOCK_WARPS / 4; half > 0; half /= 2)
            UNROLL
            for (int i = 0; i < half; i++)
                part[i] = part[i] + part[i + half];
        return part[0];
    }

    DEVICE_METHOD void finish_chunk(int chunk, int c, const reflector<T> &made, const T &scale,
                                    const pivot &at, const T &u, const T &old)
    {
        const int row = chunk * CHUNK + lane;
        const T next_sum = sum_of_warps(memory.next_sums), w0 = sum_of_warps(memory.sums);
        const T row_v = row == c + 1 ? one_as(T{}) : product(scale, u);
        const T row_w = fused(at.factors.of_w0, w0, scaled(at.factors.of_v, row_v));
        T next = fused(row_v, negated(conjugate(at.w)), old + next_sum) + negated(row_w);
        if (row <= c || row >= order)
            next = T{};
        if (row > c && row < order) {
            store_partial(panel_column(v, c) + row, row_v);
            store_partial(panel_column(w, c) + row, row_w);
            store_partial(column + row, next);
            store_result(result_element<T>(arguments.result, arguments.first + row, arguments.first + c),
                         row == c + 1 ? element_of<T>(made.beta) : row_v);
        }
        if (row == c + 1)
            store_diagonal(arguments.result, arguments.first + c + 1, next);
        const R square = part_sum<WARP>(row > c + 2 ? real_product_added(next, next, R(0)) : R(0));
        if (lane == 0)
            store_partial(norms + chunk, square);
    }

    /* Each block's chunks of rows; `at` is computed while the first one's elements, of_row, are under way. */
    DEVICE_METHOD void update_chunks(int c, const reflector<T> &made, const T &tau, const T &scale,
                                     const pieces &of_pivot, pieces of_row)
    {
        const int blocks = (int)block_count(), last = rows / CHUNK;
        pivot at{};
        bool pivot_is_there = false;
        UNROLL_BY(1)
        for (int chunk = (c + 1) / CHUNK + (int)block_index(); chunk < last || !pivot_is_there;
             chunk += blocks) {
            const int row = chunk * CHUNK + lane;
            const bool inside = chunk < last;
            T of_v[PANEL_EACH], of_w[PANEL_EACH], old = T{}, u = T{}, sum = T{}, next_sum = T{};
            UNROLL
            for (int i = 0; i < PANEL_EACH; i++) {
                const int number = warp + i * BLOCK_WARPS;
                const bool there = inside && number < c;
                of_v[i] = there ? load_partial(panel_column(v, number) + row) : T{};
                of_w[i] = there ? load_partial(panel_column(w, number) + row) : T{};
            }
            if (inside && warp == 0) {
                old = row > c ? load(a + row + (int64_t)(c + 1) * ld) : T{};
                u = u_at(made, c, row);
            }
            if (inside && pivot_is_there)
                of_row = pieces_of(row);
            if (inside)
                sum = pieces_sum(of_row, warp, BLOCK_WARPS);
            if (!pivot_is_there)
                at = pivot_of(c, tau, scale, of_pivot);
            pivot_is_there = true;
            if (!inside)
                break;
            UNROLL
            for (int i = 0; i < PANEL_EACH; i++) {
                const int number = warp + i * BLOCK_WARPS;
                if (number >= c)
                    continue;
                sum = fused(of_w[i], memory.with_w[number], fused(of_v[i], memory.with_v[number], sum));
                next_sum = fused(of_w[i], memory.pivot_v[number],
                                 fused(of_v[i], memory.pivot_w[number], next_sum));
            }
            memory.sums[warp * WARP + lane] = sum;
            memory.next_sums[warp * WARP + lane] = next_sum;
            block_barrier();
            if (warp == 0)
                finish_chunk(chunk, c, made, scale, at, u, old);
            if (chunk + blocks < last)
                block_barrier();
        }
    }

    DEVICE_METHOD void run_panel()
    {
        const int block = (int)block_index(), blocks = (int)block_count();
        const bool one_part_each = blocks >= PARTS;
        unsigned epoch = 0;
        first_column();
        grid_arrive(arguments.gate);
        if (one_part_each)
            start_run(block);
        if (!grid_await(arguments.gate, ++epoch))
            return;
        UNROLL_BY(1)
        for (int c = 0; c < PANEL; c++) {
            const reflector<T> made = make_reflector(c);
            UNROLL_BY(1)
            for (int part = block; part < PARTS; part += blocks) {
                if (!one_part_each)
                    start_run(part);
                multiply_part(part, made, c);
                if (!one_part_each)
                    block_barrier();
            }
            grid_arrive(arguments.gate);
            const T scale = made.scale(), tau = made.tau();
            if (block == 0 && thread == 0)
                store_reflector(arguments.result, arguments.first + c, made, tau);
            /* By divisions: while the others arrive. */
            const int row = ((c + 1) / CHUNK + block) * CHUNK + lane;
            const pieces of_pivot = pieces_of(c + 1), of_row = row < rows ? pieces_of(row) : of_pivot;
            if (!grid_await(arguments.gate, ++epoch))
                return;
            update_chunks(c, made, tau, scale, of_pivot, of_row);
            if (!grid_barrier(arguments.gate, epoch))
                return;
        }
    }
};

#define TRIDIAGONAL_PANEL_KERNEL(name, type, group)                          \
    KERNEL_FUNCTION name(const struct tridiagonal_panel_arguments arguments) \
    {                                                                        \
        panel_work<type, group>(arguments).run_panel();                      \
    }
TRIDIAGONAL_PANEL_KERNEL(ssytrd_panel, float, 8)
TRIDIAGONAL_PANEL_KERNEL(dsytrd_panel, double, 4)
TRIDIAGONAL_PANEL_KERNEL(chetrd_panel, complex_number<float>, 4)
TRIDIAGONAL_PANEL_KERNEL(zhetrd_panel, complex_number<double>, 2)
