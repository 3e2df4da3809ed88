# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A cpio archive ("newc") as the kernel unpacks it.  Archives may follow each other, and a
later file replaces an earlier one.  Nothing is compressed: unpacking is slow under emulation."""
import os
import stat


class Cpio:
    def __init__(self, f):
        self.f = f
        self.count = 0
        self.folders = {""}

    def entry(self, path, mode, data=b"", device=(0, 0)):
        name = path.encode() + b"\0"
        self.count += 1
        fields = (self.count, mode, 0, 0, 1, 0, len(data), 0, 0) + device + (len(name), 0)
        self.f.write(b"070701" + b"".join(b"%08X" % field for field in fields) + name)
        self.pad()
        self.f.write(data)
        self.pad()

    def pad(self):
        self.f.write(b"\0" * (-self.f.tell() % 4))

    def folder(self, path, mode=0o755):
        path = path.strip("/")
        if path in self.folders:
            return
        self.folder(os.path.dirname(path))
        self.folders.add(path)
        self.entry(path, stat.S_IFDIR | mode)

    def file(self, path, data, mode=0o644):
        self.folder(os.path.dirname(path))
        self.entry(path.strip("/"), stat.S_IFREG | stat.S_IMODE(mode), data)

    def link(self, path, to):
        self.folder(os.path.dirname(path))
        self.entry(path.strip("/"), stat.S_IFLNK | 0o777, to.encode())

    def device(self, path, major, minor):
        self.folder(os.path.dirname(path))
        self.entry(path.strip("/"), stat.S_IFCHR | 0o600, device=(major, minor))

    def copy(self, here, path):
        """A file or a whole folder of this machine."""
        if os.path.islink(here):
            self.link(path, os.readlink(here))
        elif os.path.isdir(here):
            self.folder(path)
            for name in sorted(os.listdir(here)):
                self.copy(os.path.join(here, name), os.path.join(path, name))
        elif os.path.isfile(here):
            with open(here, "rb") as f:
                self.file(path, f.read(), os.stat(here).st_mode)

    def end(self):
        self.entry("TRAILER!!!", 0)
        self.f.write(b"\0" * (-self.f.tell() % 512))
