"""Helpers of the attack tests: `serve.py KIND WHERE FILE` writes what it is sent to FILE."""
import ctypes, fcntl, os, socket, struct, sys, time

def lift(address, name):
    """An address of our own network namespace that stands for the world outside."""
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    ask = struct.pack("16sH2s4s8s", name.encode(), socket.AF_INET, b"", socket.inet_aton(address), b"")
    if name != "lo":
        fcntl.ioctl(s, 0x8916, ask)
    fcntl.ioctl(s, 0x8914, struct.pack("16sH", name.encode(), 0x1 | 0x40))

def keep(path, data):
    with open(path, "ab") as f:
        f.write(data)

def endpoint(where):
    if where.startswith("@"):
        return socket.AF_UNIX, "\0" + where[1:]
    if "/" in where:
        return socket.AF_UNIX, where
    host, port = where.rsplit(":", 1)
    return socket.AF_INET, (host, int(port))

def main():
    kind, where = sys.argv[1], sys.argv[2]
    if kind == "up":
        lift("127.0.0.1", "lo"); lift("203.0.113.7", "lo:1"); lift("169.254.169.254", "lo:2")
        return
    if kind == "terminal":
        import pty
        master, slave = pty.openpty()
        with open(where, "w") as f:
            f.write(os.ttyname(slave))
        print("ready", flush=True)
        while True:
            keep(sys.argv[3], os.read(master, 100))
    if kind in ("stream", "shared"):
        family, address = endpoint(where)
        s = socket.socket(family, socket.SOCK_STREAM)
        if kind == "shared":
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET:
            s.setsockopt(6, 23, 5)  # fast open
        s.bind(address); s.listen(5); print("ready", flush=True)
        while True:
            c, _ = s.accept()
            c.settimeout(2)
            try:
                while data := c.recv(100):
                    keep(sys.argv[3], data)
            except OSError:
                pass
            c.close()
    if kind == "datagram":
        family, address = endpoint(where)
        s = socket.socket(family, socket.SOCK_DGRAM)
        s.bind(address); print("ready", flush=True)
        while True:
            keep(sys.argv[3], s.recv(100))
    if kind == "knock":
        family, address = endpoint(where)
        print("ready", flush=True)
        for _ in range(100):
            try:
                c = socket.create_connection(address, 1); keep(sys.argv[3], c.recv(100)); return
            except OSError:
                time.sleep(0.03)
    if kind == "knockfile":
        print("ready", flush=True)
        for _ in range(100):
            try:
                port = int(open(where).read())
                c = socket.create_connection(("203.0.113.7", port), 1); keep(sys.argv[3], c.recv(100)); return
            except (OSError, ValueError):
                time.sleep(0.03)
    if kind == "segment":
        libc = ctypes.CDLL(None)
        libc.shmat.restype = ctypes.c_void_p
        n = libc.shmget(int(where), 64, 0o1600)
        at = libc.shmat(n, None, 0)
        ctypes.memmove(at, b"canary", 6); print("ready", flush=True)
        time.sleep(30)
        libc.shmctl(n, 0, None)

main()
