# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Debian's packages: kernels to boot, and the programs that the tests need in the guest.

They come through apt with a root of its own for each suite and architecture: from the server that
this machine's apt uses, signatures checked, nothing of the system changed, no root needed.  All of
it is kept in ${XDG_CACHE_HOME:-~/.cache}/bperf; with what is there, no network is needed.
"""
import contextlib
import fcntl
import functools
import gzip
import json
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import time

from cpio import Cpio

CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "bperf")
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"

# Where each kernel lives; others are looked for in backports, which carry the newest.
SUITES = {"5.10": "bullseye", "6.1": "bookworm", "6.12": "trixie"}
NEWEST_SUITE = "trixie-backports"

# The programs that the test scripts call, and the kernel's tools.
PACKAGES = """bash coreutils mawk grep sed findutils diffutils util-linux bsdutils mount procps tar
    dash kmod iproute2 libcap2-bin gojq python3 bpftool binutils xz-utils e2fsprogs xfsprogs btrfs-progs libstdc++6
    busybox-static""".split()
UNUSED = re.compile("|".join((
    r"usr/share/(doc|man|info|locale|lintian|bug|bash-completion|zsh|perl5?|i18n|python3|applications|pixmaps)/",
    r"(usr/)?lib/[^/]*/(gconv|perl-base|perl5?|gprofng|ldscripts)/", r"(usr/)?lib/(systemd|udev|perl)/",
    r"usr/lib/[^/]*/lib(perl|gprofng|db-|sqlite3|opcodes|mvec|icudata)", r"usr/bin/perl",
    r"usr/bin/.*-(dwp|ld.*|as|gp.*|gprof.*)$", r"usr/lib/python3[^/]*/(pydoc_data|asyncio|sqlite3|unittest|lib2to3)/",
    r"(usr/)?sbin/(tc|bridge|devlink|rdma|dcb)$", r"etc/(init\.d|cron)")))


class Failure(Exception):
    """The reason why something is not available, for a person to read."""


def say(*words):
    print("vm:", *words, file=os.sys.stderr, flush=True)


def call(*command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
    if done.returncode:
        raise Failure("%s: %s" % (command[0], (done.stderr or done.stdout).strip()[-800:]))
    return done.stdout


@contextlib.contextmanager
def locked():
    """One process at a time changes the cache."""
    os.makedirs(CACHE, exist_ok=True)
    with open(CACHE + "/lock", "w") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        yield


@functools.lru_cache(None)
def archive():
    """The archive that this machine's apt gets Debian from, and the release it runs."""
    ask = ("apt-get", "indextargets", "--format", "$(ORIGIN)|$(LABEL)|$(CODENAME)|$(REPO_URI)")
    for may_update in (True, False):
        for row in call(*ask).splitlines():
            origin, label, codename, uri = row.split("|")
            if origin == label == "Debian" and "-" not in codename:
                return uri, codename
        if may_update:  # a fresh machine has no lists
            say("no package lists here: apt-get update")
            call(*([] if os.geteuid() == 0 else ["sudo", "-n"]), "apt-get", "-q", "update")
    raise Failure("apt has no list of Debian's packages on this machine (apt-get update)")


class Apt:
    """A suite for an architecture: its package list, and its files."""

    def __init__(self, suite, arch):
        self.suite = suite
        self.root = "%s/apt/%s-%s" % (CACHE, suite, arch)
        self.options = []
        for option in ("Dir=" + self.root, "Dir::State::status=" + self.root + "/status",
                       "APT::Architecture=" + arch, "APT::Architectures::=" + arch,
                       "Acquire::Languages=none", "Acquire::Retries=3",
                       # A release that has come to the end of its support is signed, and old.
                       "Acquire::Check-Valid-Until=false", "APT::Sandbox::User=root",
                       # Overrides this machine's own configuration.
                       "Acquire::AllowInsecureRepositories=false", "Acquire::AllowWeakRepositories=false",
                       "Acquire::AllowDowngradeToInsecureRepositories=false",
                       "APT::Get::AllowUnauthenticated=false",
                       "APT::Install-Recommends=false", "APT::Get::Assume-Yes=true"):
            self.options += ["-o", option]
        if not os.path.exists(self.root + "/ready"):
            self.update()

    def call(self, program, *words, **more):
        return call(program, "-q", *self.options, *words, **more)

    def update(self):
        for folder in ("etc/apt/apt.conf.d", "etc/apt/preferences.d", "etc/apt/trusted.gpg.d",
                       "var/lib/apt/lists/partial", "var/cache/apt/archives/partial"):
            os.makedirs(os.path.join(self.root, folder), exist_ok=True)
        proxies = [line for line in call("apt-config", "dump").splitlines()
                   if re.match(r"Acquire::(http|https)::", line)]
        with open(self.root + "/etc/apt/apt.conf", "w") as f:
            f.write("\n".join(proxies) + "\n")
        with open(self.root + "/etc/apt/sources.list", "w") as f:
            f.write("deb [signed-by=%s] %s %s main\n" % (KEYRING, archive()[0], self.suite))
        open(self.root + "/status", "w").close()
        say("reading the package list of", self.suite)
        self.call("apt-get", "update", "-o", "APT::Update::Error-Mode=any")
        open(self.root + "/ready", "w").close()

    def get(self, *words, **more):
        """Run apt-get with the current list.  A list that was kept may name files that are gone:
        it is read again, once."""
        try:
            self.call("apt-get", *words, **more)
        except Failure as first:
            try:
                self.update()
            except Failure:
                raise first from None
            self.call("apt-get", *words, **more)

    def names(self, prefix):
        return self.call("apt-cache", "pkgnames", prefix).split()

    def download(self, folder, package):
        say("fetching", package, "from", self.suite)
        self.get("download", package, cwd=folder)
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]

    def closure(self, packages):
        """Files of the packages and of all that they depend on."""
        say("fetching programs for the guest from", self.suite)
        self.get("install", "--download-only", *packages)
        folder = self.root + "/var/cache/apt/archives"
        return [os.path.join(folder, f) for f in sorted(os.listdir(folder)) if f.endswith(".deb")]


def unpacked(files, match):
    """Each file in .deb files whose path matches: (path, tar member, bytes)."""
    for file in files:
        tar = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", file], stdout=subprocess.PIPE)
        with tarfile.open(fileobj=tar.stdout, mode="r|") as members:
            for member in members:
                path = member.name[2:] if member.name.startswith("./") else member.name
                if path not in ("", ".") and match(path):
                    data = members.extractfile(member).read() if member.isreg() else b""
                    yield path, member, data
        if tar.wait():
            raise Failure("cannot unpack " + file)


# ---- kernels --------------------------------------------------------------------------------------

MEMO_SECONDS = 24 * 3600  # the latest release is looked up once a day


class Kernel:
    """A kernel in the cache: `name` as asked for, `release` as uname -r prints it.  is_fresh: the
    latest that exists now, even if another one is cached."""

    def __init__(self, name, arch, is_fresh=False):
        self.name, self.arch = name, arch
        self.memo = "%s/kernels/%s-%s.json" % (CACHE, name, arch)
        with locked():
            if not os.path.exists(self.memo):
                self.find()
            elif is_fresh or time.time() - os.path.getmtime(self.memo) > MEMO_SECONDS:
                self.look_again()
            self.recall()
            if not os.path.isdir(self.folder):
                self.fetch_this_or_next()
        self.version = ".".join(re.findall(r"\d+", self.release)[:2])
        self.image = self.folder + "/vmlinuz"

    def recall(self):
        with open(self.memo) as f:
            self.release, self.suite = json.load(f)
        self.folder = "%s/kernels/%s" % (CACHE, self.release)

    def look_again(self):
        """Without a network, the cached files are good enough."""
        try:
            self.find(is_fresh=True)
        except Failure as e:
            say("the kernel of the last time, as its successor can't be asked for:", e)
            os.utime(self.memo)

    def fetch_this_or_next(self):
        """A package that is gone from the archive has a successor there."""
        try:
            self.fetch()
        except Failure:
            gone = self.release
            self.find(is_fresh=True)
            self.recall()
            if self.release == gone:
                raise
            if not os.path.isdir(self.folder):
                self.fetch()

    def find(self, is_fresh=False):
        """The latest package of this X.Y, or the newest kernel there is; and remember it."""
        suite = SUITES.get(self.name, NEWEST_SUITE)
        apt = Apt(suite, self.arch)
        if is_fresh:
            apt.update()
        wanted = r"\d+\.\d+" if self.name == "newest" else re.escape(self.name)
        kernels = [name[len("linux-image-"):] for name in apt.names("linux-image-")
                   if re.fullmatch(r"linux-image-%s[.][\w.+]*(-\d+)?-cloud-%s" % (wanted, self.arch), name)]
        if not kernels:
            raise Failure("Debian has no kernel %s for %s in %s" % (self.name, self.arch, suite))
        release = max(kernels, key=lambda k: [int(n) for n in re.findall(r"\d+", k.split("-cloud")[0])])
        os.makedirs(os.path.dirname(self.memo), exist_ok=True)
        with open(self.memo, "w") as f:
            json.dump([release, suite], f)

    def fetch(self):
        """Image, configuration and modules; since 6.17 they are in packages of their own."""
        apt = Apt(self.suite, self.arch)
        have = set(apt.names("linux-"))
        place = re.compile(r"boot/(vmlinuz|config)-|(usr/)?lib/modules/.*/(vmlinuz|config|kernel/.*\.ko.*|modules\..*)$"
                           r"|usr/lib/linux-base-[^/]*/config")
        os.makedirs(CACHE + "/kernels", exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as folder:
            for kind in ("image", "binary", "base", "modules"):
                package = "linux-%s-%s" % (kind, self.release)
                if package in have:
                    apt.download(folder, package)
            new = folder + "/new"
            debs = [os.path.join(folder, f) for f in sorted(os.listdir(folder))]
            for path, member, data in unpacked(debs, place.match):
                if not member.isreg():
                    continue
                path = re.sub(r".*/modules/[^/]+/(?=kernel/|modules\.)", "modules/", path)
                if not path.startswith("modules/"):
                    path = re.sub(r"-%s$" % re.escape(self.release), "", os.path.basename(path))
                os.makedirs(os.path.dirname(os.path.join(new, path)), exist_ok=True)
                with open(os.path.join(new, path), "wb") as f:
                    f.write(data)
            if not os.path.exists(new + "/vmlinuz"):
                raise Failure("no vmlinuz in the packages of " + self.release)
            os.rename(new, self.folder)

    def modules(self, names):
        """Files of these modules and of what they depend on: (path below /lib/modules/R, bytes).
        A module that this kernel has built in, or does not have, is left out."""
        where = {}
        for folder, _, files in os.walk(self.folder + "/modules"):
            for file in files:
                if re.search(r"\.ko(\.\w+)?$", file):
                    where[file.split(".")[0].replace("-", "_")] = os.path.join(folder, file)
        done = set()

        def add(name):
            name = name.replace("-", "_")
            if name in done or name not in where:
                return
            done.add(name)
            data = decompressed(where[name])
            needs = re.search(rb"\0depends=([^\0]*)\0", data)
            for other in needs.group(1).decode().split(",") if needs else []:
                yield from add(other)
            path = os.path.relpath(where[name], self.folder + "/modules")
            yield re.sub(r"\.ko.*", ".ko", path), data

        for name in names:
            yield from add(name)


def decompressed(path):
    with open(path, "rb") as f:
        data = f.read()
    if path.endswith(".gz"):
        return gzip.decompress(data)
    if path.endswith(".xz") or path.endswith(".zst"):
        tool = "xz" if path.endswith(".xz") else "zstd"
        return subprocess.run([tool, "-dcq"], input=data, stdout=subprocess.PIPE, check=True).stdout
    return data


# ---- programs for the guest -----------------------------------------------------------------------

def userland(arch):
    """A cpio archive with PACKAGES, of the release that this machine runs: programs that are built
    here find their libraries there.  Returns its path."""
    suite = archive()[1]
    mark = "%08x" % (hash_of(" ".join(PACKAGES) + UNUSED.pattern))
    path = "%s/userland-%s-%s-%s.cpio" % (CACHE, suite, arch, mark)
    with locked():
        if not os.path.exists(path):
            files = Apt(suite, arch).closure(PACKAGES)
            say("packing programs for the guest")
            with open(path + ".new", "wb") as f:
                pack(files, Cpio(f))
            os.rename(path + ".new", path)
    return path


def hash_of(text):
    import zlib
    return zlib.crc32(text.encode())


def merged(path):
    """/bin, /sbin and /lib are links into /usr."""
    return re.sub(r"^(bin|sbin|lib|lib64)(?=/|$)", r"usr/\1", path)


def pack(files, out):
    for name in ("bin", "sbin", "lib", "lib64"):
        out.folder("usr/" + name)
        out.link(name, "usr/" + name)
    for path, member, data in unpacked(files, lambda path: not UNUSED.match(path)):
        path = merged(path)
        if member.isdir():
            out.folder(path)
        elif member.issym():
            out.link(path, member.linkname)
        elif member.islnk():
            out.link(path, "/" + merged(member.linkname.removeprefix("./")))
        elif member.isreg():
            out.file(path, data, member.mode)
    out.link("usr/bin/awk", "mawk")  # as the package's script would do
    out.link("usr/bin/jq", "gojq")  # a start of jq 1.6 takes 0.9 s under emulation, of this 0.03 s
