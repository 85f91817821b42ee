"""Stands for a program that another process forks: `python -I -S standing_for.py SOCKET MODULE …`.

It gives that command its streams, folder, environment and signals, and ends as it does. Only what
the interpreter has at hand is imported: commands are begun by the hundred.
"""

import _signal  # type: ignore[import-not-found]
import _socket
import marshal
import os
import sys

SIGNALS = (_signal.SIGHUP, _signal.SIGINT, _signal.SIGTERM, _signal.SIGQUIT)


def main() -> None:
    folder = os.getcwd()  # noqa: PTH109 - pathlib takes as long to import as all the rest
    given = marshal.dumps((sys.argv[2], sys.argv[3:], folder, dict(os.environ)))
    streams = b"".join(number.to_bytes(4, sys.byteorder) for number in (0, 1, 2))
    server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    server.connect(sys.argv[1])
    for number in SIGNALS:
        _signal.signal(number, lambda caught, _: server.send(bytes([caught])))
    rights = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)]
    server.sendmsg([len(given).to_bytes(4, "big")], rights)
    server.sendall(given)
    server.recv(4)  # its pid
    told = server.recv(4)
    code = int.from_bytes(told, "big", signed=True) if told else 70
    if code < 0:  # it was ended by a signal
        if -code != _signal.SIGKILL:
            _signal.signal(-code, _signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


main()
