#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# memleak reports what was allocated and not freed: by programs, and by the kernel.
#
# kernels: 5.10 newest

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
# shellcheck source=tests/accuracy/tools.bash
. tests/accuracy/tools.bash
need jq python3
copied_symbols

PY=(/usr/bin/python3 -I -S -c)

leaks()
{
	tool memleak -C 60 -- "${PY[@]}" "
import ctypes
c = ctypes.CDLL(None)
c.malloc.restype = c.calloc.restype = ctypes.c_void_p
c.free.argtypes = [ctypes.c_void_p]
for i in range(60):
	p = c.malloc(12345)
	if i < 20: c.free(p)
for i in range(10): c.calloc(1, 54321)"
	# Both are called by the same frames.
	exactly "$(got '[.[] | select(.type == "stack" and .value >= 40 * 12345) | [.count, .value]] |
		map(select(.[0] == 50))')" "[[50,$((40 * 12345 + 10 * 54321))]]" 'what leaked, by stack'
	tool memleak -a -o 0 -z 54321 -Z 54321 --output "$TMP/out.folded" 60 -- "${PY[@]}" "
import ctypes
c = ctypes.CDLL(None)
c.calloc.restype = ctypes.c_void_p
print(*sorted(hex(c.calloc(1, 54321)) for i in range(10)))"
	exactly "$(sed -n 's/;.* 54321$//p' "$TMP/out.folded" | sort | xargs)" "$(cat "$TMP/stdout")" 'addresses of what leaked'
	tool memleak -o 0 -s 1000000 -z 54321 60 -- "${PY[@]}" "
import ctypes
c = ctypes.CDLL(None)
for i in range(10): c.calloc(1, 54321)"
	between "$(got '[.[] | select(.type == "stack" and .value >= 54321) | .count] | add // 0')" 0 2 'one in a million'
}
check 'memleak: what is not freed, by stack' leaks

allocators()
{
	tool memleak -a -C -z 20000 -T 1000 --output "$TMP/out.folded" 60 -- "${PY[@]}" "
import ctypes
c = ctypes.CDLL(None)
c.malloc.restype = c.realloc.restype = ctypes.c_void_p
c.realloc.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
out = (ctypes.c_void_p * 4)()
for i in range(10): c.calloc(1000, 33)
for i in range(4): c.posix_memalign(ctypes.byref(out, 8 * i), 64, 70007)
for i in range(5): c.aligned_alloc(64, 128064)
c.realloc(c.malloc(22221), 22222)
print(*sorted(map(hex, out)))"
	exactly "$(grep -oE ' (22221|22222|33000|70007|128064)$' "$TMP/out.folded" | sort -n | uniq -c | xargs)" \
		'1 22222 10 33000 4 70007 5 128064' 'sizes, by all ways to allocate'
	exactly "$(sed -n 's/^.*;\(0x[0-9a-f]*\);.* 70007$/\1/p; s/^\(0x[0-9a-f]*\);.* 70007$/\1/p' "$TMP/out.folded" | sort | xargs)" \
		"$(cat "$TMP/stdout")" 'addresses that were returned by a pointer'
}
check 'memleak: each way to allocate' allocators

# Thirty pipes that a child keeps, and fifty that were closed.
kernel_leaks()
{
	tool memleak -k -C -T 100000 60 -- "${PY[@]}" '
import os, time
for i in range(30): os.pipe()
for i in range(50):
	for fd in os.pipe(): os.close(fd)
if os.fork() == 0:
	for fd in 0, 1, 2: os.close(fd)
	time.sleep(10)'
	exactly "$(got '[.[] | select(.type == "stack" and (.kernel | any(.func == "alloc_pipe_info") and all(.func | test("slab|page|folio") | not))) | .count] | unique')" \
		'[30]' 'objects for each pipe'
}
check 'memleak: what the kernel has not freed' kernel_leaks

per_cpu()
{
	has_tracepoint percpu:percpu_alloc_percpu || skip_because 'no such tracepoint'
	need_mounts
	mkdir "$TMP/m"
	later "for i in 1 2 3 4 5; do umount '$TMP/m'; done 2>/dev/null"
	tool memleak --percpu -C 60 -- sh -c "for i in 1 2 3 4 5 6 7; do mount -t tmpfs none '$TMP/m'; done; umount '$TMP/m'; umount '$TMP/m'; sleep 0.5"
	exactly "$(got '[.[] | select(.type == "stack" and (.kernel | any(.func == "alloc_vfsmnt") and all(.func != "clone_mnt"))) | .count]')" '[5]' mounts
}
check 'memleak: what the kernel has for each CPU' per_cpu
