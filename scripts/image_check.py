"""Run the image's entry points where there is no Docker: `python -m scripts.image_check FOLDER`.

Installs into FOLDER what the Dockerfile installs, then runs every service as the image does: as
another user without rights, over a root that nobody may write, with a home and a scratch folder
of their own, migrations first, probes at their own port. Asks a question, verifies its answer,
and stops them. Needs root, to become that user, and bubblewrap, to make the root read-only. With
WHEELS naming a folder that scripts/wheels.sh filled, the install has no network.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parent.parent
SERVICES = ("audit", "memory", "executor", "planner", "gateway")
USER = 10001
HOME, OPT = "/var/lib/assay", "/opt/assay"
PYTHON = Path(sys.base_prefix)
START_SECONDS = 90.0


class Image:
    """What a container of the image would be, with bubblewrap."""

    def __init__(self, folder: Path) -> None:
        self.opt, self.home, self.logs = folder / "opt", folder / "home", folder / "logs"
        self.settings: dict[str, str] = {}

    def command(self, *words: str, **settings: str) -> list[str]:
        """`words` in the container, with the image's environment and more settings."""
        texts = {
            "PATH": f"{OPT}/bin:/usr/bin:/bin",
            "ASSAY_HOME": HOME,
            "ASSAY_MODEL_FOLDER": f"{OPT}/model",
            "MPLCONFIGDIR": "/tmp/matplotlib",
            "PYTHONDONTWRITEBYTECODE": "1",
            **self.settings,
            **settings,
        }
        return [
            *("bwrap", "--die-with-parent", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"),
            *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
            *("--perms", "1777", "--tmpfs", "/tmp"),
            # A Python in somebody's home folder is let be seen; the image's is nobody's.
            *("--tmpfs", "/root"),
            *(word for way in _ways_to(PYTHON) for word in ("--perms", "0755", "--dir", way)),
            *("--ro-bind", str(PYTHON), str(PYTHON)),
            *("--tmpfs", "/opt", "--ro-bind", str(self.opt), OPT),
            *("--tmpfs", "/var/lib", "--bind", str(self.home), HOME),
            *(
                word
                for folder in ("/root", "/opt", "/var/lib")
                for word in ("--remount-ro", folder)
            ),
            *("--clearenv", "--chdir", "/tmp"),
            *(word for key, value in texts.items() for word in ("--setenv", key, value)),
            *("setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"),
            *("--no-new-privs", "--bounding-set=-all", "--inh-caps=-all", "--", *words),
        ]

    def run(self, *words: str, **settings: str) -> str:
        """What a command says that must succeed; ends the check where it does not."""
        done = subprocess.run(
            self.command(*words, **settings), capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(
                f"image: {' '.join(words)} ended with {done.returncode}:\n"
                f"{done.stdout}{done.stderr}"
            )
        return done.stdout

    def serve(self, name: str, health: int) -> subprocess.Popen[bytes]:
        """One service, as its Deployment runs it."""
        with (self.logs / f"{name}.log").open("wb") as log:
            return subprocess.Popen(
                self.command(
                    *("python", "-m", "services", name), ASSAY_HEALTH=f"127.0.0.1:{health}"
                ),
                stdout=log,
                stderr=log,
            )


def _ways_to(place: Path) -> list[str]:
    return [str(way) for way in reversed(place.parents) if way.is_relative_to("/root")][1:]


def main(arguments: Sequence[str]) -> int:
    """Install, run, ask, verify, stop; what fails is told with the log of the service."""
    if os.geteuid() or not shutil.which("bwrap"):
        print("image: skipped: needs root, to become another user, and bubblewrap")
        return 0
    image = Image(Path(arguments[0]).resolve())
    for folder in (image.home, image.logs):
        folder.mkdir(parents=True, exist_ok=True)
    os.chown(image.home, USER, USER)
    install(image.opt)
    parts = json.loads((image.opt / "sbom.cdx.json").read_text())["components"]
    print(f"image: installed; {len(parts)} parts in its list")
    ports = free_ports(2 * len(SERVICES))
    image.settings = {
        f"ASSAY_{name.upper()}_ADDRESS": f"127.0.0.1:{ports.pop()}" for name in SERVICES
    } | {"ASSAY_MESH_KEY": "k" * 40, "ASSAY_MIGRATIONS": "check"}
    print(image.run("python", "-m", "services", "migrate"), end="")
    (image.home / "sales.csv").write_text("region,amount\nNorth,3\nSouth,4\nNorth,5\n")
    started: list[subprocess.Popen[bytes]] = []
    try:
        probes = {name: ports.pop() for name in SERVICES}
        started += [image.serve(name, port) for name, port in probes.items()]
        for process, (name, port) in zip(started, probes.items(), strict=True):
            await_health(image, process, name, port)
        asked(image)
    finally:
        for process in reversed(started):
            stop(process)
        codes = [process.wait(60) for process in started]
    print(f"image: stopped, with {codes}")
    return int(any(codes))


def install(to: Path) -> None:
    """Install the image's content: with WHEELS from that folder, in a place without a network."""
    apart = ["bwrap", "--die-with-parent", "--unshare-net", "--dev-bind", "/", "/"]
    command = ["sh", str(ROOT / "scripts/image.sh"), str(to)]
    subprocess.run([*apart, *command] if os.environ.get("WHEELS") else command, check=True)


def asked(image: Image) -> None:
    """Ask the mesh a question by the gateway, and verify the answer's proof."""
    server = ("--server", image.settings["ASSAY_GATEWAY_ADDRESS"])
    question = ("total amount by region", "--data", f"{HOME}/sales.csv", "--json")
    value = json.loads(image.run("assay", "ask", *question, *server, HOME="/tmp"))
    print(image.run("assay", "verify", value["job"], *server, HOME="/tmp"), end="")


def stop(process: subprocess.Popen[bytes]) -> None:
    """Ask a service to stop, as Kubernetes does; bubblewrap itself would not pass that on."""
    with suppress(psutil.NoSuchProcess):
        for child in psutil.Process(process.pid).children():
            child.terminate()


def await_health(image: Image, process: subprocess.Popen[bytes], name: str, port: int) -> None:
    """Return once the probe's port says that the service serves."""
    probe = (
        "import grpc; from grpc_health.v1 import health_pb2 as pb, health_pb2_grpc as rpc;"
        f"c = grpc.insecure_channel('127.0.0.1:{port}');"
        "print(rpc.HealthStub(c).Check(pb.HealthCheckRequest(), timeout=2).status)"
    )
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        asked_health = subprocess.run(
            image.command("python", "-c", probe), capture_output=True, text=True, check=False
        )
        if asked_health.stdout.strip() == "1":
            return
    raise SystemExit(f"image: {name} does not serve:\n{(image.logs / f'{name}.log').read_text()}")


def free_ports(number: int) -> list[int]:
    """Ports that nobody has now."""
    held = [socket.socket() for _ in range(number)]
    for each in held:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in held]
    for each in held:
        each.close()
    return ports


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
