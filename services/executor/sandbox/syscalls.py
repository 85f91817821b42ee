"""Which system calls foreign code may make: a list of what is allowed, all else refused.

Numerical code needs memory, files, time and threads. It needs no sockets, processes, signals to
others, mounts, kernel keys, tracing or programs, so none of these exist for it.
"""

from __future__ import annotations

import base64
import errno
import tempfile
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyseccomp

ALLOWED = """
    read readv pread64 preadv preadv2 write writev pwrite64 pwritev pwritev2 close close_range
    open openat lseek stat fstat lstat newfstatat statx access faccessat faccessat2 readlink
    readlinkat getdents getdents64 getcwd chdir fchdir ftruncate fallocate fsync fdatasync
    umask statfs fstatfs fadvise64 copy_file_range sendfile flock dup dup2 dup3
    pipe pipe2 poll ppoll select pselect6 epoll_create1 epoll_ctl epoll_wait epoll_pwait eventfd2
    brk mmap munmap mremap mprotect madvise msync membarrier
    futex futex_waitv set_robust_list get_robust_list rseq set_tid_address arch_prctl
    sched_yield sched_getaffinity sched_getparam sched_getscheduler getcpu getpriority
    exit exit_group wait4 waitid restart_syscall
    rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend
    sigaltstack alarm setitimer getitimer pause
    clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time times
    getpid gettid getppid getuid geteuid getgid getegid getresuid getresgid getgroups getpgrp
    getpgid getsid uname sysinfo getrusage getrlimit getrandom
""".split()

# What changes a folder or a file by its name: for a run that has a folder of its own. Without one,
# nothing but the filter keeps it from files of its own user's: landlock knows neither modes nor
# times, and old versions of it no truncation.
ON_FILES = """
    mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 symlink symlinkat truncate
    chmod fchmod fchmodat fchmodat2 utime utimes futimesat utimensat
""".split()

# Refused with "operation not permitted", which people understand; whatever is named nowhere is
# "not implemented", which libraries understand.
REFUSED = """
    socket socketpair connect bind listen accept accept4 sendto sendmsg recvfrom recvmsg
    fork vfork execve execveat kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo
    pidfd_open pidfd_getfd pidfd_send_signal ptrace process_vm_readv process_vm_writev kcmp
    process_madvise mount umount2 pivot_root chroot unshare setns fsopen fsmount fsconfig
    move_mount open_tree mount_setattr
    mknod mknodat link linkat chown fchown lchown fchownat setxattr lsetxattr fsetxattr
    setuid setgid setreuid setregid setresuid setresgid setgroups setfsuid setfsgid capset
    setrlimit setpriority sched_setaffinity sched_setscheduler sched_setparam sched_setattr
    ioprio_set setsid setpgid personality
    bpf perf_event_open keyctl add_key request_key userfaultfd memfd_create memfd_secret
    io_uring_setup io_uring_enter io_uring_register io_setup io_submit
    kexec_load kexec_file_load init_module finit_module delete_module reboot swapon swapoff
    open_by_handle_at name_to_handle_at quotactl acct syslog iopl ioperm
    settimeofday clock_settime clock_adjtime adjtimex sethostname setdomainname
    shmget shmat shmctl semget semop semctl msgget msgsnd msgrcv msgctl mq_open mq_unlink
    timer_create signalfd4 inotify_init1 fanotify_init vmsplice splice tee mlock mlock2 mlockall
    seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self
""".split()

_CLONE_THREAD = 0x00010000
# Calls whose argument at this position must be one of these.
_BY_ARGUMENT = (
    ("prctl", 0, (15, 16, 0x53564D41)),  # name a thread, read its name, name a mapping
    ("ioctl", 1, (0x5401, 0x5450, 0x5451)),  # is it a terminal, keep or close on exec
    ("fcntl", 1, (0, 1, 2, 3, 4, 5, 6, 7, 1030, 1034)),  # duplicate, flags, locks, seals
)


@cache
def filter_program(*, threads: bool, files: bool) -> str:
    """The filter as the kernel's own program for it, in base64.

    System calls of another architecture kill. `threads` allows new threads, never processes;
    `files` allows to change files by their names, as far as other walls do.
    Raises RuntimeError where libseccomp is not installed, and ImportError without pyseccomp.
    """
    import pyseccomp

    rules = pyseccomp.SyscallFilter(pyseccomp.ERRNO(errno.ENOSYS))
    allow, refuse, arg = pyseccomp.ALLOW, pyseccomp.ERRNO(errno.EPERM), pyseccomp.Arg
    for name in ALLOWED:
        _add(rules, allow, name)
    for name in ON_FILES:
        _add(rules, allow if files else refuse, name)
    for name in REFUSED:
        _add(rules, refuse, name)
    thread = allow if threads else pyseccomp.ERRNO(errno.EAGAIN)
    _add(rules, thread, "clone", arg(0, pyseccomp.MASKED_EQ, _CLONE_THREAD, _CLONE_THREAD))
    _add(rules, refuse, "clone", arg(0, pyseccomp.MASKED_EQ, _CLONE_THREAD, 0))
    for name, position, values in _BY_ARGUMENT:
        for value in values:
            _add(rules, allow, name, arg(position, pyseccomp.EQ, value))
    own, unchanged = arg(0, pyseccomp.EQ, 0), arg(2, pyseccomp.EQ, 0)
    _add(rules, allow, "prlimit64", own, unchanged)
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return base64.b64encode(file.read()).decode()


def _add(
    rules: pyseccomp.SyscallFilter, action: int, name: str, *conditions: pyseccomp.Arg
) -> None:
    import pyseccomp

    number = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name)
    if isinstance(number, int) and number >= 0:  # negative: not on this architecture
        rules.add_rule(action, number, *conditions)
