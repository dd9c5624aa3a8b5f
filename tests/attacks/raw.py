"""Hostile Python that never saw the language's checker: what the jail has to hold alone.

Bodies of a generator ``action(obs)``. ``DENIED`` must end in an error, which is matched; one that
comes to its end has got through. ``FATAL`` must cost the worker, and the words say how.
"""

import os
import textwrap

SYSCALL = "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"


def _syscall(number: int, *arguments: int) -> str:
    """A system call that raises what it fails with."""
    given = ", ".join(f"ctypes.c_long({argument})" for argument in (number, *arguments))
    return (
        f"{SYSCALL}if libc.syscall({given}) < 0:\n"
        "    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))"
    )


def _say(data: str) -> str:
    """Write into whatever is open: among it is the worker's socket."""
    return (
        "import os, struct\nfor n in range(3, 64):\n    try:\n"
        f"        os.write(n, {data})\n    except OSError:\n        pass\nwhile True:\n    pass"
    )


def _elsewhere(body: str) -> str:
    """In the thread that makes worlds ahead."""
    return (
        "import gc\nfrom voxeldojo.engine.threads.world_maker import WorldMaker\n"
        "maker = next(each for each in gc.get_objects() if isinstance(each, WorldMaker))\n"
        f"def attack():\n{textwrap.indent(body, '    ')}\nmaker.run(attack)"
    )


# Of this process alone: the tests of another checkout may run beside these.
VICTIM, ESCAPED = (f"/tmp/rlgpt-jail-{what}-{os.getpid()}" for what in ("victim", "got-out"))
REFUSED = "PermissionError|Operation not permitted"

DENIED: dict[str, tuple[str, str]] = {
    # files
    "open_read": ("open('/etc/passwd').read()", REFUSED),
    "open_write": (f"open({ESCAPED!r}, 'w').write('x')", REFUSED),
    "open_append": (f"open({ESCAPED!r}, 'a')", REFUSED),
    "os_open_create": (f"import os\nos.open({ESCAPED!r}, os.O_CREAT)", REFUSED),
    "open_relative": ("open('x', 'w')", REFUSED),
    "list_root": ("import os\nos.listdir('/')", REFUSED),
    "stat_file": ("import os\nos.stat('/etc/passwd')", REFUSED),
    "unlink": (f"import os\nos.unlink({VICTIM!r})", REFUSED),
    "mkdir": (f"import os\nos.mkdir({ESCAPED!r})", REFUSED),
    "rename": (f"import os\nos.rename({VICTIM!r}, '/tmp/other')", REFUSED),
    "symlink": (f"import os\nos.symlink('/etc', {ESCAPED!r})", REFUSED),
    "hard_link": (f"import os\nos.link('/etc/passwd', {ESCAPED!r})", REFUSED),
    "chmod": (f"import os\nos.chmod({VICTIM!r}, 0o777)", REFUSED),
    "truncate": (f"import os\nos.truncate({VICTIM!r}, 0)", REFUSED),
    "chdir": ("import os\nos.chdir('/tmp')", REFUSED),
    "chroot": ("import os\nos.chroot('/tmp')", REFUSED),
    "mount": (_syscall(165), REFUSED),
    "fill_disk": (
        f"f = open({ESCAPED!r}, 'wb')\nwhile True:\n    f.write(bytes(1 << 20))",
        REFUSED,
    ),
    "named_temporary": ("import tempfile\ntempfile.TemporaryFile()", "Error"),
    "numpy_fromfile": ("import numpy\nnumpy.fromfile('/etc/passwd')", REFUSED),
    "memory_file": ("import os\nos.memfd_create('x')", REFUSED),
    "proc_mem": ("import os\nopen('/proc/self/mem', 'rb')", REFUSED),
    "parent_mem": ("import os\nopen(f'/proc/{os.getppid()}/mem', 'rb')", "Error"),
    "environ_file": ("open('/proc/self/environ').read()", REFUSED),
    "environ": ("import os\nraise RuntimeError(f'{dict(os.environ)}')", r"RuntimeError: \{\}"),
    "import_new_module": ("import sqlite3", "ImportError|ModuleNotFoundError|PermissionError"),
    "other_descriptors": (
        "import os\nfound = 0\nfor n in range(3, 64):\n    try:\n        os.lseek(n, 0, 1)\n"
        "    except OSError as error:\n        found += error.errno != 9\n"
        "if found <= 2:\n    raise RuntimeError('its socket and its pipe')",
        "its socket and its pipe",
    ),
    # the network
    "connect": ("import socket\nsocket.create_connection(('127.0.0.1', 9), 1)", "Error"),
    "udp": ("import socket\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM)", REFUSED),
    "unix_socket": ("import socket\nsocket.socket(socket.AF_UNIX)", REFUSED),
    "raw_socket": ("import socket\nsocket.socket(socket.AF_PACKET, socket.SOCK_RAW)", REFUSED),
    "socket_pair": ("import socket\nsocket.socketpair()", REFUSED),
    "resolve": ("import socket\nsocket.getaddrinfo('example.org', 80)", "Error"),
    # from its other thread
    "elsewhere_open": (_elsewhere("open('/etc/passwd').read()"), REFUSED),
    "elsewhere_write": (_elsewhere(f"open({ESCAPED!r}, 'w').write('x')"), REFUSED),
    "elsewhere_unix_socket": (
        _elsewhere("import socket\nsocket.socket(socket.AF_UNIX)"), REFUSED
    ),
    "elsewhere_fork": (_elsewhere("import os\nos.fork()"), REFUSED),
    "elsewhere_thread": (
        _elsewhere("import threading\nthreading.Thread(target=print).start()"), "Error"
    ),
    "elsewhere_kill": (_elsewhere("import os\nos.kill(os.getppid(), 9)"), REFUSED),
    "elsewhere_memory_file": (_elsewhere("import os\nos.memfd_create('x')"), REFUSED),
    # processes
    "fork": ("import os\nos.fork()", REFUSED),
    "fork_bomb": ("import os\nwhile True:\n    os.fork()", REFUSED),
    "vfork": (_syscall(58), REFUSED),
    "clone3": (_syscall(435), REFUSED),
    "execve": ("import os\nos.execv('/bin/true', ['true'])", REFUSED),
    "spawn": ("import os\nos.posix_spawn('/bin/true', ['true'], {})", REFUSED),
    "subprocess": ("import subprocess\nsubprocess.run(['true'])", REFUSED),
    "system": ("import os\nif os.system('true'):\n    raise PermissionError('it failed')", REFUSED),
    "thread": (
        "import threading\nthreading.Thread(target=print).start()", "can't start new thread"
    ),
    "kill_parent": ("import os\nos.kill(os.getppid(), 9)", REFUSED),
    "probe_parent": ("import os\nos.kill(os.getppid(), 0)", REFUSED),
    "kill_everybody": ("import os\nos.kill(-1, 9)", REFUSED),
    "kill_group": ("import os\nos.killpg(0, 9)", REFUSED),
    "pidfd": ("import os\nos.pidfd_open(os.getppid())", REFUSED),
    "ptrace": (f"{SYSCALL}if libc.ptrace(16, os.getppid(), 0, 0) < 0:\n"
               "    raise OSError(ctypes.get_errno(), 'ptrace')", "ptrace"),
    "read_other_memory": (_syscall(310), REFUSED),
    "write_other_memory": (_syscall(311), REFUSED),
    "set_uid": ("import os\nos.setuid(0)", REFUSED),
    "new_session": ("import os\nos.setsid()", REFUSED),
    "outlive_parent": (_syscall(157, 1, 0, 0, 0, 0), REFUSED),
    "more_limits": ("import resource\nresource.setrlimit(resource.RLIMIT_AS, (-1, -1))", "Error"),
    "priority": ("import os\nos.nice(-10)", REFUSED),
    "unshare": (_syscall(272, 0x10000000), REFUSED),
    "set_namespace": (_syscall(308), REFUSED),
    # less known calls of the kernel
    "bpf": (_syscall(321), REFUSED),
    "keys": (_syscall(250), REFUSED),
    "io_uring": (_syscall(425), REFUSED),
    "user_faults": (_syscall(323), REFUSED),
    "perf_events": (_syscall(298), REFUSED),
    "shared_memory_segment": (_syscall(29, 0, 4096, 0o1600), REFUSED),
    "message_queue": (_syscall(68, 0, 0o1600), REFUSED),
    "other_abi": (_syscall(0x40000000 + 39), REFUSED),
    "executable_memory": ("import mmap\nmmap.mmap(-1, 4096, prot=7)", REFUSED),
    "made_executable": (
        f"{SYSCALL}import mmap\nm = mmap.mmap(-1, 4096)\n"
        "a = ctypes.addressof(ctypes.c_char.from_buffer(m))\n"
        "if libc.mprotect(ctypes.c_void_p(a), 4096, 7):\n    raise PermissionError('no')",
        REFUSED,
    ),
    # memory
    "huge_block": ("x = bytearray(1 << 40)", "MemoryError"),
    "memory_flood": ("x = []\nwhile True:\n    x.append(bytearray(1 << 24))", "MemoryError"),
    "huge_array": ("import numpy\nx = numpy.ones(1 << 36)", "MemoryError"),
    "huge_text": ("x = 'x' * (1 << 36)", "MemoryError"),
}  # fmt: skip

FATAL: dict[str, tuple[str, str]] = {
    "loop": ("while True:\n    pass", "stopped responding inside line [34]"),
    "loop_in_c": (
        "import collections, itertools\ncollections.deque(itertools.repeat(0), maxlen=0)",
        "stopped responding inside line 4",
    ),
    "huge_power": ("x = 3 ** 3 ** 18", "stopped responding inside line 3"),
    "slow_pattern": ("import re\nre.match('(a+)+$', 'a' * 60 + 'b')", "stopped .* inside line 4"),
    "sleep": ("import time\ntime.sleep(1000)", "stopped responding inside line 4"),
    "deaf_loop": (
        "import signal\nfor n in range(1, 32):\n    try:\n"
        "        signal.signal(n, signal.SIG_IGN)\n    except Exception:\n        pass\n"
        "while True:\n    pass",
        "stopped responding inside a program",
    ),
    "swallowing_loop": (
        "while True:\n    try:\n        while True:\n            pass\n"
        "    except BaseException:\n        pass",
        "stopped responding inside line",
    ),
    "crash": ("import ctypes\nctypes.string_at(0)", r"died \(SIGSEGV\) inside line 4"),
    "stack": (
        "import sys\nsys.setrecursionlimit(10**9)\ndef f(x):\n    return [f(x) for _ in '1']\nf(0)",
        "died|stopped responding",
    ),
    "leave": ("import os\nos._exit(0)", r"died \(exit code 0\)"),
    "abort": ("import os\nos.abort()", "died"),
    "close_all": ("import os\nos.closerange(3, 64)\nwhile True:\n    pass", "closed its socket"),
    "garbage": (_say("b'\\xff' * 4096"), "is no answer"),
    "huge_answer": (_say("struct.pack('<IQ', 1, 1 << 62)"), "is no answer"),
    "many_frames": (_say("struct.pack('<I', 1 << 31)"), "is no answer"),
    "wrong_answer": (
        _say("struct.pack('<IQ', 1, 11) + b'\\x81\\xa4type\\xa4Evil'"),
        "is no answer",
    ),
    "half_an_answer": (_say("struct.pack('<IQ', 1, 11) + b'\\x81'"), "stopped responding"),
}
