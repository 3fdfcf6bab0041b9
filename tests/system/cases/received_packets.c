/* The memory of an AF_XDP socket as a matrix, a packet a column. The kernel writes packets into pages that
 * the socket has pinned; /proc/self/status counts them neither under VmPin nor under VmLck. Right: 128, 192,
 * 256. Needs root (a network name space of its own and its loopback device are used). */
#include "case.h"

#include <arpa/inet.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <linux/if_xdp.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The payload starts behind 256 bytes, the socket's headroom and three headers: at a whole element. */
enum {
    CHUNK = 4096,
    COLUMNS = 64,
    ROWS = 400,
    HEADROOM = 6,
    FIRST = (256 + HEADROOM + 42) / 8,
    LD = CHUNK / 8,
    RING = 128
};
enum { FAMILY_XDP = 44, LEVEL_XDP = 283 };

static int bpf(int command, union bpf_attr *attributes)
{
    return (int)syscall(SYS_bpf, command, attributes, sizeof *attributes);
}

static void need(int good, const char *what)
{
    if (!good) {
        perror(what);
        exit(2);
    }
}

static int divert(int map)
{
    struct bpf_insn code[] = {
        {.code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = 1, .src_reg = BPF_PSEUDO_MAP_FD, .imm = map}, {0},
        {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 2, .imm = 0},
        {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 3, .imm = XDP_PASS},
        {.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_redirect_map}, {.code = BPF_JMP | BPF_EXIT}};
    union bpf_attr load = {.prog_type = BPF_PROG_TYPE_XDP, .insn_cnt = 6, .insns = (unsigned long)code,
                           .license = (unsigned long)"GPL"};
    return bpf(BPF_PROG_LOAD, &load);
}

int main(void)
{
    need(unshare(CLONE_NEWNET) == 0, "a network name space");
    struct ifreq loopback = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING | IFF_LOOPBACK};
    const int sender = socket(AF_INET, SOCK_DGRAM, 0);
    need(ioctl(sender, SIOCSIFFLAGS, &loopback) == 0, "loopback");
    union bpf_attr create = {
        .map_type = BPF_MAP_TYPE_XSKMAP, .key_size = 4, .value_size = 4, .max_entries = 1};
    const int map = bpf(BPF_MAP_CREATE, &create), program = divert(map);
    need(map >= 0 && program >= 0, "bpf");

    double *memory = mmap(NULL, CHUNK * COLUMNS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    double *a = memory + FIRST;
    for (int i = 0; i < CHUNK / 8 * COLUMNS; i++)
        memory[i] = 1;
    int bad = 0;
    for (int i = 0; i < 2; i++) /* resident before anybody else gets hold of it */
        bad += verdict("before there is a socket", first_row_sum(a, ROWS, COLUMNS, LD), COLUMNS);
    int receiver = socket(FAMILY_XDP, SOCK_RAW, 0);
    struct xdp_umem_reg region = {.addr = (unsigned long)memory, .len = CHUNK * COLUMNS, .chunk_size = CHUNK,
                                  .headroom = HEADROOM};
    const int ring = RING;
    struct xdp_mmap_offsets offsets;
    socklen_t length = sizeof offsets;
    need(receiver >= 0 && setsockopt(receiver, LEVEL_XDP, XDP_UMEM_REG, &region, sizeof region) == 0 &&
             setsockopt(receiver, LEVEL_XDP, XDP_UMEM_FILL_RING, &ring, sizeof ring) == 0 &&
             setsockopt(receiver, LEVEL_XDP, XDP_UMEM_COMPLETION_RING, &ring, sizeof ring) == 0 &&
             setsockopt(receiver, LEVEL_XDP, XDP_RX_RING, &ring, sizeof ring) == 0 &&
             getsockopt(receiver, LEVEL_XDP, XDP_MMAP_OFFSETS, &offsets, &length) == 0, "AF_XDP");
    char *fill = mmap(NULL, offsets.fr.desc + RING * sizeof(unsigned long), PROT_READ | PROT_WRITE,
                      MAP_SHARED, receiver, XDP_UMEM_PGOFF_FILL_RING);
    char *received = mmap(NULL, offsets.rx.desc + RING * sizeof(struct xdp_desc), PROT_READ | PROT_WRITE,
                          MAP_SHARED, receiver, XDP_PGOFF_RX_RING);
    struct sockaddr_xdp here = {
        .sxdp_family = FAMILY_XDP, .sxdp_ifindex = if_nametoindex("lo"), .sxdp_flags = XDP_COPY};
    need(fill != MAP_FAILED && received != MAP_FAILED && bind(receiver, (void *)&here, sizeof here) == 0,
         "bind");
    const int key = 0;
    union bpf_attr set = {
        .map_fd = (unsigned)map, .key = (unsigned long)&key, .value = (unsigned long)&receiver};
    union bpf_attr link = {.link_create = {.prog_fd = (unsigned)program, .target_ifindex = here.sxdp_ifindex,
                                           .attach_type = BPF_XDP, .flags = XDP_FLAGS_SKB_MODE}};
    need(bpf(BPF_MAP_UPDATE_ELEM, &set) == 0 && bpf(BPF_LINK_CREATE, &link) >= 0, "bpf link");

    for (int i = 0; i < 2; i++)
        bad += verdict("before", first_row_sum(a, ROWS, COLUMNS, LD), COLUMNS);
    volatile unsigned *filled = (unsigned *)(fill + offsets.fr.producer),
                      *come = (unsigned *)(received + offsets.rx.producer),
                      *taken = (unsigned *)(received + offsets.rx.consumer);
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (int round = 2; round < 5; round++) {
        double payload[ROWS];
        for (int i = 0; i < ROWS; i++)
            payload[i] = round;
        for (unsigned i = 0; i < COLUMNS; i++)
            ((unsigned long *)(fill + offsets.fr.desc))[(*filled + i) % RING] = (unsigned long)i * CHUNK;
        __sync_synchronize();
        *filled += COLUMNS;
        for (int i = 0; i < COLUMNS; i++)
            need(sendto(sender, payload, sizeof payload, 0, (void *)&to, sizeof to) == sizeof payload,
                 "send");
        for (int i = 0; i < 1000 && *come - *taken < COLUMNS; i++)
            usleep(1000);
        need(*come - *taken == COLUMNS && by_hand(a, COLUMNS, LD) == round * COLUMNS, "packets are missing");
        *taken += COLUMNS;
        bad += verdict("received", first_row_sum(a, ROWS, COLUMNS, LD), round * COLUMNS);
    }
    return bad != 0;
}
