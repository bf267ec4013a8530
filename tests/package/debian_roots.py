"""Fresh Debian systems in folders, made by debootstrap, and commands that run in them: for tests by hand, as root.

PACKAGE_ROOTS=DIR keeps the systems there for the next run; otherwise they are made in /var/tmp and removed.
"""
import atexit
import functools
import os
import shutil
import subprocess
import tempfile

import harness
from harness import Context, Done, need_root, need_tool

# Mounts end with the namespace.
ENTER = """set -e
mount -t proc proc "$1/proc"; mount -t sysfs sysfs "$1/sys"; mount --bind /dev "$1/dev"
cd "$1"; ids=$2; home=$3; script=$4
exec chroot --userspec="$ids" . /bin/sh -c "cd $home; export HOME=$home; $script"
"""
# IDs and home folders.  `user` is nobody; `builder` has an account and may use sudo (add_builder).
USERS = {"root": ("0:0", "/"), "user": ("65534:65534", "/home/user"), "builder": ("1000:1000", "/home/builder")}


@functools.cache
def roots() -> str:
    if os.environ.get("PACKAGE_ROOTS"):
        os.makedirs(os.environ["PACKAGE_ROOTS"], exist_ok=True)
        return os.environ["PACKAGE_ROOTS"]
    folder = tempfile.mkdtemp(prefix="wperf-roots.", dir="/var/tmp")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def debootstrap(suite: str, root: str, packages: str) -> None:
    subprocess.run([need_tool("debootstrap"), "--variant=minbase", f"--include={packages}", suite, root], check=True,
                   stdout=subprocess.DEVNULL)


@functools.cache
def make_root(suite: str) -> str:
    need_root()
    root = f"{roots()}/{suite}"
    if not os.path.isdir(f"{root}/usr"):
        debootstrap(suite, root, "python3-minimal")
    return root


def fresh_home(root: str) -> str:
    """An empty home folder for nobody."""
    shutil.rmtree(f"{root}/home/user", ignore_errors=True)
    os.makedirs(f"{root}/home/user")
    os.chmod(f"{root}/home/user", 0o777)
    return f"{root}/home/user"


def inside(t: Context, root: str, script: str, user: str = "user", limit: float = 300) -> Done:
    harness.need_mounts()
    env = {"PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
    return t.run("unshare", "--mount", "--propagation", "private", "sh", "-c", ENTER, "sh", root, *USERS[user], script, limit=limit,
                 env=env)
