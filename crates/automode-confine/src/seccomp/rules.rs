//! Which calls are refused, and which are looked at.
//!
//! Refused: what reaches past namespaces and path rules (keyrings, virtual sockets, tracing,
//! new namespaces, the asynchronous ring that no filter sees into).

use libc::{EACCES, EAFNOSUPPORT, ENOSYS, EPERM, EPROTONOSUPPORT};

use super::program::{ArgumentCondition, FilterAnswer, FilterRule};

const INTERNET: [i32; 2] = [libc::AF_INET, libc::AF_INET6];
const NEW_USER_NAMESPACE: u32 = 0x1000_0000;
const FAST_OPEN: u32 = 0x2000_0000;
const SOCKET_TYPE: u32 = 0xf;
/// Numbers that the library does not know yet; they are the same everywhere.
const SETXATTRAT: i64 = 463;
const REMOVEXATTRAT: i64 = 466;
const FILE_SETATTR: i64 = 469;

/// Refused under every backend.
#[must_use]
pub(crate) fn refused() -> Vec<FilterRule> {
    let mut rules: Vec<FilterRule> = [
        libc::SYS_add_key,
        libc::SYS_request_key,
        libc::SYS_keyctl,
        libc::SYS_bpf,
        libc::SYS_perf_event_open,
        libc::SYS_userfaultfd,
        libc::SYS_ptrace,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_setns,
        libc::SYS_mount,
        libc::SYS_umount2,
        libc::SYS_pivot_root,
        libc::SYS_fsopen,
        libc::SYS_fsmount,
        libc::SYS_fspick,
        libc::SYS_move_mount,
        libc::SYS_open_tree,
        libc::SYS_mount_setattr,
        libc::SYS_kexec_load,
        libc::SYS_init_module,
        libc::SYS_finit_module,
        libc::SYS_delete_module,
        libc::SYS_open_by_handle_at,
    ]
    .into_iter()
    .map(|call| fails(call, EPERM, Vec::new()))
    .collect();
    rules.extend(
        [
            libc::SYS_io_uring_setup,
            libc::SYS_io_uring_enter,
            libc::SYS_io_uring_register,
            libc::SYS_clone3,
        ]
        .map(|call| fails(call, ENOSYS, Vec::new())),
    );
    for call in [libc::SYS_unshare, libc::SYS_clone] {
        rules.push(fails(call, EPERM, vec![has(0, NEW_USER_NAMESPACE)]));
    }
    // Typing into the terminal that the person sees.
    for request in [0x5412, 0x541c] {
        rules.push(fails(
            libc::SYS_ioctl,
            EPERM,
            vec![is(1, u32::MAX, request)],
        ));
    }
    let known = [
        libc::AF_UNIX,
        libc::AF_INET,
        libc::AF_INET6,
        libc::AF_NETLINK,
    ];
    let unknown = known
        .into_iter()
        .map(|family| is_not(0, number(family)))
        .collect();
    rules.push(fails(libc::SYS_socket, EAFNOSUPPORT, unknown));
    let routes = vec![is(0, u32::MAX, number(libc::AF_NETLINK)), is_not(2, 0)];
    rules.push(fails(libc::SYS_socket, EAFNOSUPPORT, routes));
    rules
}

/// Refused where the network is the machine's own: every way out that is no connection.
#[must_use]
pub(crate) fn refused_without_namespaces() -> Vec<FilterRule> {
    let mut rules = Vec::new();
    let is_not_stream = ArgumentCondition::IsNot {
        argument: 1,
        mask: SOCKET_TYPE,
        value: number(libc::SOCK_STREAM),
    };
    for family in INTERNET {
        let own = is(0, u32::MAX, number(family));
        rules.push(fails(libc::SYS_socket, EACCES, vec![own, is_not_stream]));
        // Some protocols connect without the call that is watched.
        let unknown = vec![own, is_not(2, 0), is_not(2, number(libc::IPPROTO_TCP))];
        rules.push(fails(libc::SYS_socket, EPROTONOSUPPORT, unknown));
    }
    // A datagram names its receiver itself; the raw type is another name for it.
    for call in [libc::SYS_socket, libc::SYS_socketpair] {
        let datagram = vec![
            is(0, u32::MAX, number(libc::AF_UNIX)),
            is_not_stream,
            ArgumentCondition::IsNot {
                argument: 1,
                mask: SOCKET_TYPE,
                value: number(libc::SOCK_SEQPACKET),
            },
        ];
        rules.push(fails(call, EACCES, datagram));
    }
    for (call, flags) in [
        (libc::SYS_sendto, 3),
        (libc::SYS_sendmsg, 2),
        (libc::SYS_sendmmsg, 3),
    ] {
        rules.push(fails(call, EACCES, vec![has(flags, FAST_OPEN)]));
    }
    // Memory and queues that every process of the user shares.
    let shared = [
        libc::SYS_shmget,
        libc::SYS_shmat,
        libc::SYS_shmctl,
        libc::SYS_msgget,
        libc::SYS_msgsnd,
        libc::SYS_msgrcv,
        libc::SYS_msgctl,
        libc::SYS_semget,
        libc::SYS_semop,
        libc::SYS_semtimedop,
        libc::SYS_semctl,
        libc::SYS_mq_open,
        libc::SYS_mq_unlink,
    ];
    rules.extend(shared.map(|call| fails(call, EACCES, Vec::new())));
    // Attributes, and old forms of times: no path rule covers them.
    let attributes = [
        libc::SYS_setxattr,
        libc::SYS_lsetxattr,
        libc::SYS_removexattr,
        libc::SYS_lremovexattr,
        libc::SYS_fsetxattr,
        libc::SYS_fremovexattr,
        SETXATTRAT,
        REMOVEXATTRAT,
        FILE_SETATTR,
    ];
    // Limits and turns of another process of the same user.
    for (call, whose) in [
        (libc::SYS_prlimit64, 0),
        (libc::SYS_sched_setaffinity, 0),
        (libc::SYS_sched_setattr, 0),
        (libc::SYS_sched_setparam, 0),
        (libc::SYS_sched_setscheduler, 0),
        (libc::SYS_ioprio_set, 1),
        (libc::SYS_setpriority, 1),
    ] {
        rules.push(fails(call, EPERM, vec![is_not(whose, 0)]));
    }
    rules.extend(attributes.map(|call| fails(call, EPERM, Vec::new())));
    #[cfg(target_arch = "x86_64")]
    rules.extend(
        [libc::SYS_utime, libc::SYS_utimes, libc::SYS_futimesat]
            .map(|call| fails(call, EPERM, Vec::new())),
    );
    rules
}

/// Calls on a path's rights and times, which path rules do not know.
pub(crate) const METADATA_CALLS: &[i64] = &[
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_utimensat,
    libc::SYS_fchownat,
    libc::SYS_fchmod,
    libc::SYS_fchown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
];

#[must_use]
pub(crate) fn watched_metadata() -> Vec<FilterRule> {
    let calls = METADATA_CALLS.iter();
    calls.map(|call| asks(*call, Vec::new())).collect()
}

/// Decided by whoever holds the listener.
#[must_use]
pub(crate) fn watched_network() -> Vec<FilterRule> {
    [libc::SYS_connect, libc::SYS_bind, libc::SYS_listen]
        .map(|call| asks(call, Vec::new()))
        .into()
}

/// Told to whoever holds the listener; the namespace decides.
#[must_use]
pub(crate) fn reported_network() -> Vec<FilterRule> {
    vec![asks(libc::SYS_connect, Vec::new())]
}

/// Attempts to change files, told to whoever holds the listener.
#[must_use]
pub(crate) fn reported_writes() -> Vec<FilterRule> {
    const CHANGING: [i32; 3] = [libc::O_WRONLY, libc::O_RDWR, libc::O_CREAT];
    let mut rules = Vec::new();
    for flag in CHANGING {
        rules.push(asks(libc::SYS_openat, vec![has(2, number(flag))]));
        #[cfg(target_arch = "x86_64")]
        rules.push(asks(libc::SYS_open, vec![has(1, number(flag))]));
    }
    rules.extend(
        [libc::SYS_unlinkat, libc::SYS_mkdirat, libc::SYS_renameat2]
            .map(|call| asks(call, Vec::new())),
    );
    #[cfg(target_arch = "x86_64")]
    rules.extend(
        [
            libc::SYS_creat,
            libc::SYS_unlink,
            libc::SYS_mkdir,
            libc::SYS_rmdir,
            libc::SYS_rename,
            libc::SYS_renameat,
            libc::SYS_truncate,
        ]
        .map(|call| asks(call, Vec::new())),
    );
    rules
}

fn fails(call: i64, error: i32, when: Vec<ArgumentCondition>) -> FilterRule {
    FilterRule {
        call,
        when,
        answer: FilterAnswer::Fail(error),
    }
}

fn asks(call: i64, when: Vec<ArgumentCondition>) -> FilterRule {
    FilterRule {
        call,
        when,
        answer: FilterAnswer::Notify,
    }
}

fn is(argument: u8, mask: u32, value: u32) -> ArgumentCondition {
    ArgumentCondition::Is {
        argument,
        mask,
        value,
    }
}

fn is_not(argument: u8, value: u32) -> ArgumentCondition {
    ArgumentCondition::IsNot {
        argument,
        mask: u32::MAX,
        value,
    }
}

fn has(argument: u8, flag: u32) -> ArgumentCondition {
    ArgumentCondition::Is {
        argument,
        mask: flag,
        value: flag,
    }
}

fn number(value: i32) -> u32 {
    value.unsigned_abs()
}
