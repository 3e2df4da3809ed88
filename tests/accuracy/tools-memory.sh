#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Tools about memory report what was allocated, used, reclaimed and not freed: by programs, and by the kernel.
#
# kernels: 5.10 newest

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/tools.bash
. tests/accuracy/tools.bash
copied_symbols

# ---- leaks ------------------------------------------------------------------------------------

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

# ---- use and reclaim --------------------------------------------------------------------------

page_faults()
{
	tool faults -- "$WORK/faults" 3000
	between "$(got '[.[] | select(.type == "count" and .key.COMM == "faults") | .value] | add')" 12000 12400 \
		'page faults of the program, and of its start'
}
check 'faults: page faults by program' page_faults

caches()
{
	"$BPERF" list -v raw:kmem_cache_alloc | grep -q 'struct kmem_cache' || need_kernel_functions
	tool slabratetop 60 -- "${PY[@]}" '
import os
for i in range(500): os.close(os.open("/dev/null", os.O_RDONLY))'
	between "$(got '[.[] | select(.type == "table" and .key.CACHE == "filp") | .columns.ALLOCS] | add')" 500 1500 \
		'files of the program, and of its start'
}
check 'slabratetop: allocations by cache' caches

# small_cgroup: $cgroup is one with 20 MB of memory.
small_cgroup()
{
	local root limit=memory.max

	root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ "$root" ] && echo +memory >"$root/cgroup.subtree_control"
	grep -qs memory "$root/cgroup.subtree_control" || {
		root=$(awk '$3 == "cgroup" && $4 ~ /memory/ { print $2; exit }' /proc/mounts)
		limit=memory.limit_in_bytes
	}
	[ "$root" ] || skip_because 'no cgroups of memory'
	cgroup=$root/bperf-test.$$
	mkdir "$cgroup" 2>/dev/null || skip_because 'no cgroups can be made'
	later "rmdir '$cgroup'"
	echo 20M >"$cgroup/$limit" || skip_because 'no limits of memory'
	echo 0 >"$cgroup/memory.swap.max" 2>/dev/null
	return 0
}

# shellcheck disable=SC2016 # of the inner shell
killed()
{
	local cgroup

	has_tracepoint oom:mark_victim || need_kernel_functions
	small_cgroup 2>/dev/null
	tool_beside oomkill // sh -c 'sh -c "echo \$\$ >\"$1/cgroup.procs\"; echo \$\$; exec /usr/bin/python3 -I -S -c \"b = bytearray(100 << 20)\"" x "$1"; true' x "$cgroup"
	exactly "$(values tpid tcomm | grep "^$(cat "$TMP/program") ")" "$(cat "$TMP/program") python3" 'who was killed'
}
check 'oomkill: the killed process' killed

# ram_swap: swap space in memory, without read-ahead.
ram_swap()
{
	local cluster

	grep -q '^pswpin ' /proc/vmstat || skip_because 'no swap in this kernel'
	[ "$(wc -l </proc/swaps)" = 1 ] || skip_because 'this machine may swap already'
	modprobe brd rd_nr=1 rd_size=98304 2>/dev/null || skip_because 'no brd here'
	later 'modprobe -r brd'
	mkswap /dev/ram0 >/dev/null 2>&1 && swapon /dev/ram0 || skip_because 'no swap space can be added'
	later 'swapoff /dev/ram0'
	cluster=$(cat /proc/sys/vm/page-cluster)
	later "echo $cluster >/proc/sys/vm/page-cluster"
	echo 0 >/proc/sys/vm/page-cluster
}

from_swap()
{
	local n

	need_kernel_functions
	ram_swap 2>/dev/null
	tool swapin 60 -- "${PY[@]}" '
import mmap
def swapped():
	return int(next(x for x in open("/proc/vmstat") if x.startswith("pswpin ")).split()[1])
b = mmap.mmap(-1, 400 * 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
b.madvise(15) # MADV_NOHUGEPAGE
for i in range(0, len(b), 4096): b[i] = 1
b.madvise(21) # MADV_PAGEOUT
before = swapped()
for i in range(0, len(b), 4096): b[i]
print("read", swapped() - before)'
	n=$(got '[.[] | select(.type == "table" and .key.COMM == "python3") | .columns.COUNT] | add // 0')
	exactly "$n" "$(sed -n 's/^read //p' "$TMP/stdout")" 'reads, as the kernel counts them'
	between "$n" 380 400 'reads of 400 pages'
}
check 'swapin: as many as the kernel counts' from_swap

# 40 MB in a cgroup of 20 MB: the rest has to go to swap.
# shellcheck disable=SC2016 # of the inner shell
in_small_cgroup()
{
	tool "$@" -- sh -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$cgroup" "${PY[@]}" '
import time
start = time.monotonic()
b = bytearray(40 << 20)
for i in range(0, len(b), 4096): b[i] = 1
print("ms %.3f" % ((time.monotonic() - start) * 1000))'
}

reclaimed()
{
	local cgroup table='.[] | select(.type == "table") | .columns'

	has_tracepoint vmscan:mm_vmscan_memcg_reclaim_begin || skip_because 'no such tracepoint'
	ram_swap 2>/dev/null
	small_cgroup 2>/dev/null
	[ ! -e "$cgroup/memory.swap.max" ] || echo max >"$cgroup/memory.swap.max"
	in_small_cgroup vmscan 60
	between "$(got "[$table.PAGES] | add")" $((20 << 8)) $((80 << 8)) 'pages, of at least 20 MB'
	between "$(got "[$table.M_RECLAIMms] | add")" 0.001 "$(sed -n 's/^ms //p' "$TMP/stdout")" \
		"milliseconds, of the program's own"
	at_least "$(got "[$table.WRITEPAGE] | add")" 1 'writes to swap'
	exactly "$(got "[$table.D_RECLAIMms] | add")" 0 'milliseconds of reclaim for the whole machine'
	in_small_cgroup vmscan -d 60
	at_least "$(got '[.[] | select(.type == "hist" and .label == "cgroup reclaim (us)") | .count] | add // 0')" 1 'reclaims for the cgroup'
}
check 'vmscan: what a cgroup that is too small reclaims' reclaimed

# Guests have one NUMA node.  Another function in the place of the one that moves pages is seen as often as
# it is called.
moved_pages()
{
	need_kernel_functions
	"$BPERF" list 'k:migrate_misplaced_{folio,page}' >/dev/null 2>&1 || skip_because 'no NUMA balancing in this kernel'
	tool numamove 60 -- true
	[ -e /sys/devices/system/node/node1 ] ||
		exactly "$(got '[.[] | select(.type == "table") | .columns.NUMA_migrations] | add // 0')" 0 'moves on one node'
	sed 's,^probe .*,probe r:syscall:getppid,' <("$BPERF" numamove --show) >"$TMP/moves.bperf"
	tool "$TMP/moves.bperf" 60 -- "$WORK/calls" getppid 700
	exactly "$(got '[.[] | select(.type == "table") | .columns.NUMA_migrations] | add')" 700 'calls in its place'
	exactly "$(got '[.[] | select(.type == "table") | .columns | (.NUMA_migrations_ms * 1000 - ._NS / 1000 | fabs) < 1 and ._NS > 700] | unique')" '[true]' 'their time'
}
check 'numamove: pages that are moved' moved_pages

stalls()
{
	awk '/^allocstall/ { n += $2 } END { print n + 0 }' /proc/vmstat
}

reclaims()
{
	local before n

	before=$(stalls)
	tool_beside drsnoop // "$WORK/faults" 20000
	n=$(values lat_ns | wc -l)
	between "$n" 0 $(($(stalls) - before)) 'reclaims, at most as many as the kernel counts'
}
check 'drsnoop: no more than the kernel counts' reclaims

free_kb()
{
	awk '$1 == "nr_free_pages" { print $2 * 4 }' /proc/vmstat
}

# Calls in the place of reclaims, which cannot be forced.
free_memory()
{
	local before after

	all_symbols
	grep -q ' vm_zone_stat$' /proc/kallsyms || skip_because 'no variables among the symbols of this kernel'
	tool drsnoop -e --dry-run
	sed 's,^probe .*,probe span(syscall:getppid ; r:syscall:getppid),; s,nr_reclaimed,retval,' \
		<("$BPERF" drsnoop --show) >"$TMP/free.bperf"
	before=$(free_kb)
	tool "$TMP/free.bperf" -e -- "$WORK/calls" getppid 1
	after=$(free_kb)
	between "$(values free)" $((before < after ? before * 9 / 10 : after * 9 / 10)) \
		$((before > after ? before * 11 / 10 : after * 11 / 10)) 'KB free, as the kernel says before and after'
}
check 'drsnoop: how much memory is free' free_memory
