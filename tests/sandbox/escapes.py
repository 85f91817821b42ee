"""Ways out of a sandbox. Each sets `result` only when it got through."""

from __future__ import annotations

import os

REFUSED = {
    "connects to the internet": """
        import socket
        s = socket.create_connection(("1.1.1.1", 80), 2); result = "connected"
    """,
    "asks the cloud's metadata address": """
        import urllib.request
        result = urllib.request.urlopen("http://169.254.169.254/latest/", timeout=2).read()
    """,
    "resolves a name": """
        import socket
        result = str(socket.getaddrinfo("example.com", 80))
    """,
    "sends a datagram": """
        import socket
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b"x", ("127.0.0.1", 53))
        result = "sent"
    """,
    "opens a raw socket": """
        import socket
        result = str(socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
    """,
    "opens a netlink socket": """
        import socket
        result = str(socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))
    """,
    "connects to a unix socket": """
        import socket
        s = socket.socket(socket.AF_UNIX); s.connect("/var/run/docker.sock"); result = "connected"
    """,
    "listens on an abstract socket": """
        import socket
        s = socket.socket(socket.AF_UNIX); s.bind("\\0assay-escape"); result = "bound"
    """,
    "makes a pair of sockets": """
        import socket
        result = str(socket.socketpair())
    """,
    "reads the shadow file": "result = open('/etc/shadow').read()",
    "reads the password file": "result = open('/etc/passwd').read()",
    "lists the root's home": "import os; result = os.listdir('/root')",
    "reads its own environment from proc": "result = open('/proc/self/environ').read()",
    "reads its parent's environment": "result = open(f'/proc/{EXECUTOR}/environ').read()",
    "reads the executor's memory": "result = open(f'/proc/{EXECUTOR}/mem', 'rb').read(1)",
    "lists the processes": "import os; result = [p for p in os.listdir('/proc') if p.isdigit()]",
    "reads the kernel's symbols": "result = open('/proc/kallsyms').read(100)",
    "reads a disk": "result = open('/dev/vda', 'rb').read(1)",
    "reads through a symbolic link": """
        import os, tempfile
        link = tempfile.gettempdir() + "/link"
        os.symlink("/etc/shadow", link); result = open(link).read()
    """,
    "makes a hard link to a library": """
        import os
        os.link(os.__file__, os.environ["TMPDIR"] + "/os.py"); result = "linked"
    """,
    "climbs out of its folder": "result = open('../../../../etc/hostname').read()",
    "writes among the libraries": """
        import numpy
        open(numpy.__file__, "a").write("#"); result = "written"
    """,
    "writes beside the libraries": """
        import os
        open(os.path.dirname(os.__file__) + "/evil.py", "w").write(""); result = "written"
    """,
    "changes the mode of a library": """
        import numpy
        os.chmod(numpy.__file__, os.stat(numpy.__file__).st_mode & 0o777); result = "changed"
    """,
    "changes the mode of a library it has opened": """
        import numpy
        file = os.open(numpy.__file__, os.O_RDONLY)
        os.fchmod(file, os.fstat(file).st_mode & 0o777); result = "changed"
    """,
    "ages a library": """
        import numpy
        at = os.stat(numpy.__file__); os.utime(numpy.__file__, ns=(at.st_atime_ns, at.st_mtime_ns))
        result = "aged"
    """,
    "enters io_uring": "libc(syscall(426, 3, 0, 0, 0, 0, 0)); result = 'entered'",
    "runs a program by its file": "libc(syscall(322, -100, b'/bin/true', 0, 0, 0)); result = 'ran'",
    "turns the clock": "libc(syscall(305, 0, ctypes.create_string_buffer(208))); result = 'turned'",
    "asks the host of its machine": "import socket; result = str(socket.socket(40, 1))",
    "asks the kernel to encrypt": "import socket; result = str(socket.socket(38, 5))",
    "writes to the temporary folder of all": "open('/tmp/evil', 'w'); result = 'written'",
    "writes to shared memory": "open('/dev/shm/evil', 'w'); result = 'written'",
    "traces its parent": "libc(libc_.ptrace(16, os.getppid(), 0, 0)); result = 'attached'",
    "traces itself": "libc(libc_.ptrace(0, 0, 0, 0)); result = 'traced'",
    "reads memory of its parent": """
        buffer = ctypes.create_string_buffer(8)
        vector = (ctypes.c_uint64 * 2)(ctypes.addressof(buffer), 8)
        libc(libc_.process_vm_readv(os.getppid(), vector, 1, vector, 1, 0)); result = "read"
    """,
    "mounts": "libc(libc_.mount(b'none', b'/tmp', b'tmpfs', 0, None)); result = 'mounted'",
    "unmounts": "libc(libc_.umount2(b'/', 2)); result = 'unmounted'",
    "changes its root": "os.chroot('.'); result = 'changed'",
    "becomes root": "os.setuid(0); result = os.getuid()",
    "makes a setuid program": """
        place = os.environ["TMPDIR"] + "/su"
        open(place, "wb").write(b"#!/bin/sh"); os.chmod(place, 0o4755); os.execv(place, ["su"])
    """,
    "nests a user namespace": "libc(libc_.unshare(0x10000000)); result = 'nested'",
    "enters another namespace": "libc(libc_.setns(0, 0)); result = 'entered'",
    "sets up io_uring": "libc(syscall(425, 8, 0)); result = 'set up'",
    "adds a key to the kernel": "libc(syscall(248, b'user', b'a', b'b', 1, -3)); result = 'added'",
    "reads a keyring": "libc(syscall(250, 0, -3, 0)); result = 'read'",
    "loads a bpf program": "libc(syscall(321, 0, 0, 0)); result = 'loaded'",
    "counts performance events": "libc(syscall(298, 0, 0, -1, -1, 0)); result = 'counting'",
    "loads a kernel": "libc(syscall(246, 0, 0, 0, 0)); result = 'loaded'",
    "loads a module": "libc(syscall(175, 0, 0, b'')); result = 'loaded'",
    "handles page faults": "libc(syscall(323, 0)); result = 'handling'",
    "runs a program from memory": """
        file = os.memfd_create("program"); os.execv(f"/proc/self/fd/{file}", ["program"])
    """,
    "runs a shell": "import subprocess; result = subprocess.check_output(['/bin/sh', '-c', 'id'])",
    "runs python anew": "os.execv(__import__('sys').executable, ['python', '-c', ''])",
    "spawns": "os.posix_spawn('/bin/true', ['true'], {}); result = 'spawned'",
    "forks": "result = os.fork()",
    "clones a process": "libc(syscall(56, 17, 0, 0, 0, 0)); result = 'cloned'",
    "starts a pool of processes": """
        from concurrent.futures import ProcessPoolExecutor
        with ProcessPoolExecutor(2) as pool: result = list(pool.map(abs, [1]))
    """,
    "signals its parent": "os.kill(os.getppid(), 9); result = 'killed'",
    "signals the executor": "os.kill(EXECUTOR, 9); result = 'killed'",
    "signals everybody": "os.kill(-1, 9); result = 'killed'",
    "signals through a file's owner": """
        import fcntl
        r, w = os.pipe(); fcntl.fcntl(r, fcntl.F_SETOWN, os.getppid()); result = "owned"
    """,
    "types into a terminal": """
        import fcntl
        fcntl.ioctl(0, 0x5412, b"x"); result = "typed"
    """,
    "maps shared memory": "libc(syscall(29, 0, 4096, 0o1600)); result = 'mapped'",
    "opens a file by its handle": "libc(syscall(304, -100, 0, 0)); result = 'opened'",
    "sets the clock": "import time; time.clock_settime(0, 0); result = 'set'",
    "raises its own limits": """
        import resource
        resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096)); result = "raised"
    """,
    "raises its priority": "os.setpriority(0, 0, -5); result = 'raised'",
    "moves to every processor": "os.sched_setaffinity(0, {0}); result = 'moved'",
    "outlives its parent": "libc(libc_.prctl(1, 0, 0, 0, 0)); result = 'free'",
    "drops its filter": "libc(libc_.prctl(22, 0, 0, 0, 0)); result = 'dropped'",
    "imports Assay": "import services.executor.app; result = 'imported'",
    "reads the machine's memory": "result = open('/dev/mem', 'rb').read(1)",
    "reads what is mounted": "result = open('/proc/self/mountinfo').read()",
    "reads its limits as a group": "result = open('/sys/fs/cgroup/memory.max').read()",
    "reads the machine's id": "result = open('/etc/machine-id').read()",
    "opens the terminal": "result = open('/dev/tty', 'rb').read(1)",
    "moves a file out of its folder": """
        place = os.environ["TMPDIR"] + "/x"
        open(place, "w").write("x"); os.rename(place, "/tmp/x"); result = "moved"
    """,
    "leads a link out of its folder": """
        link = os.environ["TMPDIR"] + "/out"
        os.symlink("/tmp", link); open(link + "/evil", "w"); result = "written"
    """,
    "makes a device": "os.mknod(os.environ['TMPDIR'] + '/d', 0o20666, 0x101); result = 'made'",
    "clones itself into namespaces": """
        flags = (ctypes.c_uint64 * 11)(0x10000000 | 0x00020000, 0, 0, 0, 17)
        libc(syscall(435, flags, 88)); result = "cloned"
    """,
    "starts a thread in a namespace": """
        libc(syscall(56, 0x10000 | 0x800 | 0x100 | 0x40000000, 0, 0, 0, 0)); result = "started"
    """,
    "holds its parent by a descriptor": "libc(syscall(434, os.getppid(), 0)); result = 'held'",
    "takes a file of its parent's": "libc(syscall(438, 3, 0, 0)); result = 'taken'",
    "changes its parent's limits": """
        limit = (ctypes.c_uint64 * 2)(1, 1)
        libc(syscall(302, os.getppid(), 7, limit, 0)); result = "changed"
    """,
    "advises on its parent's memory": "libc(syscall(440, 3, 0, 0, 21, 0)); result = 'advised'",
    "makes itself traceable": "libc(libc_.prctl(4, 1, 0, 0, 0)); result = 'traceable'",
    "lets anybody trace it": "libc(libc_.prctl(0x59616D61, -1, 0, 0, 0)); result = 'let'",
    "opens a file system": "libc(syscall(430, b'tmpfs', 0)); result = 'opened'",
    "copies a tree of mounts": "libc(syscall(428, -100, b'/', 1)); result = 'copied'",
    "opens a queue of messages": "libc(syscall(240, b'q', 0o102, 0o600, 0)); result = 'opened'",
    "watches all files": "libc(syscall(300, 0, 0)); result = 'watching'",
    "gives pages to a pipe": "libc(syscall(278, 1, 0, 0, 0)); result = 'given'",
    "hides memory from the kernel": "libc(syscall(447, 0)); result = 'hidden'",
    "sets up asynchronous files": """
        context = ctypes.c_uint64()
        libc(syscall(206, 8, ctypes.byref(context))); result = "set up"
    """,
    "types into the console": "import fcntl; fcntl.ioctl(0, 0x541C, b'x'); result = 'typed'",
    "seals its reply": "import fcntl; fcntl.fcntl(3, 1033, 15); result = 'sealed'",
    "makes a pipe larger": "import fcntl; fcntl.fcntl(1, 1031, 1 << 20); result = 'larger'",
    "is told of changes to a folder": """
        import fcntl
        fcntl.fcntl(os.open(os.path.dirname(os.__file__), 0), 1026, 0xF); result = "told"
    """,
    "makes shared memory without a file": "os.memfd_create('x'); result = 'made'",
    "reads a frame it may not change": """
        import mmap
        mmap.mmap(3, 1 << 30)[0] = 1; result = "changed"
    """,
    "loads a library of its own": """
        place = os.environ["TMPDIR"] + "/evil.so"
        open(place, "wb").write(open(np.linalg._umath_linalg.__file__, "rb").read())
        ctypes.CDLL(place); result = "loaded"
    """,
    "shares memory with others": """
        from multiprocessing import shared_memory
        result = shared_memory.SharedMemory("evil", create=True, size=1 << 20).name
    """,
}

PREFACE = f"""
import ctypes, os
EXECUTOR = {os.getpid()}
libc_ = ctypes.CDLL(None, use_errno=True)
syscall = libc_.syscall
def libc(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
"""
