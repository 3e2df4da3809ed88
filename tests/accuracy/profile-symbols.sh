#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Names out of files: of every language, from every kind of symbol file, and never a wrong one.
#
# long: a program for each source of names, 26 s
# kernels: 6.1
# shared: its counts do not depend on the CPU time that it gets

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/accuracy/common.bash
. tests/accuracy/common.bash
need awk jq
copied_symbols

fast=(-q -U -e cpu-clock -F 299)

cplusplus()
{
	[ -x "$WORK/cplus" ] || skip_because 'no g++'
	profile "${fast[@]}" -o "$TMP/c.folded" -o "$TMP/c.json" -- "$WORK/cplus" 0.4 >/dev/null || fail "exit status $?"
	has "$TMP/c.folded" 'shop::\(anonymous namespace\)::secret'
	has "$TMP/c.folded" 'shop::Basket<int, unsigned long>::fill[;(]'
	has "$TMP/c.folded" 'shop::Basket<int, unsigned long>::operator\(\)[;(]'
	lacks "$TMP/c.folded" '_ZN4shop|std::char_traits'
	profile "${fast[@]}" --names full -o "$TMP/c.folded" -- "$WORK/cplus" 0.3 >/dev/null || fail "exit status $?"
	has "$TMP/c.folded" 'Basket<int, unsigned long>::fill\(std::__cxx11::basic_string<char, std::char_traits<char>'
	profile "${fast[@]}" --names mangled -o "$TMP/c.folded" -- "$WORK/cplus" 0.3 >/dev/null || fail "exit status $?"
	has "$TMP/c.folded" '_ZN4shop'
	lacks "$TMP/c.folded" 'shop::'
}
check 'C++ names: short, full and mangled' cplusplus

rust()
{
	[ -x "$WORK/rusty-$1" ] || skip_because 'no rustc'
	profile "${fast[@]}" -o "$TMP/r.folded" -- "$WORK/rusty-$1" 0.4 >/dev/null || fail "exit status $?"
	has "$TMP/r.folded" "$2"
	lacks "$TMP/r.folded" '_ZN|_R[NI]|\$LT\$|::h[0-9a-f]{16}'
}
check 'Rust names, legacy mangling' rust legacy '<rusty::garage::Motor<T> as rusty::garage::Engine>::turn'
check 'Rust names, v0 mangling' rust v0 '<rusty::garage::Motor<.*> as rusty::garage::Engine>::turn'

# Without its table of symbols a program has only its own name.
stripped()
{
	local dir

	have strip
	dir=$(tmpdir)
	strip -s -o "$dir/bare" "$WORK/shares" || fail 'strip'
	profile "${fast[@]}" -o "$TMP/s.folded" -o "$TMP/s.json" -o "$TMP/s.txt" -- "$dir/bare" 0.4 >/dev/null ||
		fail "exit status $?"
	at_least "$(total "$TMP/s.folded" '^bare;.*\[bare\]')" 20 'samples in [bare]'
	lacks "$TMP/s.folded" 'burn_|;_init[ ;]|deregister_tm_clones'
	has "$TMP/s.txt" 'bare\+0x[0-9a-f]+'
	jq_last -e '.symbols.stripped > 0' "$TMP/s.json" >/dev/null || fail "$(tail -n 1 "$TMP/s.json")"
}
check 'a stripped program gives module+offset and no wrong neighbour' stripped

# Symbols of a stripped program are found elsewhere.
minidebug()
{
	local dir

	have xz objcopy
	dir=$(tmpdir)
	objcopy -S --keep-symbol=burn_hot --keep-symbol=burn_warm --keep-symbol=burn_cool \
		"$WORK/shares" "$dir/mini" || fail objcopy
	xz -k "$dir/mini" || fail xz
	objcopy -S --add-section ".gnu_debugdata=$dir/mini.xz" "$WORK/shares" "$dir/prog" || fail objcopy
	rm -f "$dir/mini" "$dir/mini.xz"
	profile "${fast[@]}" -o "$TMP/m.folded" -- "$dir/prog" 0.4 >/dev/null || fail "exit status $?"
	at_least "$(total "$TMP/m.folded" ';burn_hot')" 10 'samples'
}
check '.gnu_debugdata gives names' minidebug

debuglink()
{
	local dir

	have objcopy
	dir=$(tmpdir)
	mkdir "$dir/.debug"
	objcopy --only-keep-debug "$WORK/shares" "$dir/.debug/prog.debug" || fail objcopy
	objcopy -S --remove-section .note.gnu.build-id \
		--add-gnu-debuglink="$dir/.debug/prog.debug" "$WORK/shares" "$dir/prog" || fail objcopy
	profile "${fast[@]}" -o "$TMP/l.folded" -- "$dir/prog" 0.4 >/dev/null || fail "exit status $?"
	at_least "$(total "$TMP/l.folded" ';burn_hot')" 10 'samples'
	# A debug file that is not of this program must not be believed.
	objcopy --only-keep-debug "$WORK/chain" "$dir/.debug/prog.debug" || fail objcopy
	profile "${fast[@]}" -o "$TMP/l.folded" -- "$dir/prog" 0.3 >/dev/null || fail "exit status $?"
	lacks "$TMP/l.folded" 'burn_|bottom|step_'
}
check '.gnu_debuglink gives names, and only when its checksum is right' debuglink

buildid()
{
	local dir debug

	dir=$(tmpdir)
	debug_path /usr/lib/debug "$WORK/shares"
	if [ -e "$debug" ] || ! mkdir -p "${debug%/*}" 2>/dev/null; then
		skip_because "cannot write $debug"
	fi
	objcopy -S "$WORK/shares" "$dir/prog" || fail objcopy
	objcopy --only-keep-debug "$WORK/shares" "$debug" || fail objcopy
	profile "${fast[@]}" -o "$TMP/b.folded" -- "$dir/prog" 0.4 >/dev/null
	rm -f "$debug"
	rmdir -p "${debug%/*}" 2>/dev/null
	at_least "$(total "$TMP/b.folded" ';burn_hot')" 10 'samples'
}
check 'a debug file under its build id gives names' buildid

hostile_map_names()
{
	profile "${fast[@]}" -o "$TMP/h.folded" -o "$TMP/h.json" -- "$WORK/jit" "$(slow 0.4)" \
		$'Main;<b>\e[31m"x" \xff 12' >/dev/null || fail "exit status $?"
	has "$TMP/h.folded" 'Main:<b>'
	lacks "$TMP/h.folded" $'\e|Main;'
	grep -Eqv '^[^;]+(;[^;]+)* [0-9]+$' "$TMP/h.folded" && fail 'lines that are no folded stacks'
	jq -es . "$TMP/h.json" >/dev/null || fail 'no JSON'
}
check 'names in a perf map cannot break the output' hostile_map_names

# planted KIND: a file that another user may leave at /tmp/perf-PID.map must not hang or mislead bperf.
planted()
{
	local map status=0

	start jit 20 nomap
	map=/tmp/perf-$PID.map
	later "rm -rf $map"
	case $1 in
	fifo) mkfifo "$map" ;;
	symlink)
		echo '0 ffffffffffffffff stolen_secret' >"$TMP/target"
		ln -s "$TMP/target" "$map"
		;;
	foreign)
		echo '0 ffffffffffffffff stolen_secret' >"$map"
		chown 65533 "$map"
		;;
	device) ln -s /dev/zero "$map" ;;
	directory) mkdir "$map" ;;
	garbage) head -c 300000 /dev/urandom >"$map" ;;
	esac
	timeout -s KILL 30 "$BPERF" profile -q -f -e cpu-clock -F 299 -p "$PID" 0.4 >"$TMP/fifo.folded" || status=$?
	stop
	rm -rf "$map"
	((status == 0)) || fail "exit status $status"
	at_least "$(total "$TMP/fifo.folded" ';run_jit;\[')" 10 'samples in unnamed code'
	lacks "$TMP/fifo.folded" stolen_secret
}
for kind in fifo symlink foreign device directory garbage; do
	check "a perf map that is not one ($kind) is left alone" planted "$kind"
done

# broken FOLDER: copies of shares whose section headers lie; the kernel does not look at those.
broken()
{
	python3 - "$WORK/shares" "$1" <<'PY'
import os, struct, sys

src = open(sys.argv[1], "rb").read()
e = struct.unpack_from("<16sHHIQQQIHHHHHH", src, 0)
shoff, shnum = e[6], e[12]
secs = [struct.unpack_from("<IIQQQQIIQQ", src, shoff + i * 64) for i in range(shnum)]
sym = [i for i, s in enumerate(secs) if s[1] == 2][0]
text, off, n = secs[sym][6], secs[sym][4], secs[sym][5] // 24
at = lambda i, field: shoff + i * 64 + field
MAX = 2**64 - 1
cases = {
    "shoff-max": [(40, "Q", MAX)],
    "shoff-odd": [(40, "Q", shoff + 1)],
    "shnum-max": [(60, "H", 0xFFFF)],
    "shnum-escaped": [(60, "H", 0), (at(0, 32), "Q", 2**62)],
    "shentsize-0": [(58, "H", 0)],
    "symtab-size": [(at(sym, 32), "Q", MAX)],
    "symtab-offset": [(at(sym, 24), "Q", MAX - 63)],
    "symtab-entsize": [(at(sym, 56), "Q", 0)],
    "symtab-link": [(at(sym, 40), "I", sym)],
    "symtab-zlib": [(at(sym, 8), "Q", 0x800)],
    "strtab-size": [(at(text, 32), "Q", MAX)],
    "strtab-offset": [(at(text, 24), "Q", 2**63)],
    "sym-everywhere": [(off + i * 24 + 8, "Q", 0) for i in range(n)]
    + [(off + i * 24 + 16, "Q", MAX) for i in range(n)],
    "sym-nameless": [(off + i * 24, "I", 2**32 - 1) for i in range(n)],
    "sparse": [(at(sym, 32), "Q", 8 << 30)],
}
for name, edits in cases.items():
    b = bytearray(src)
    for offset, kind, value in edits:
        struct.pack_into("<" + kind, b, offset, value)
    path = os.path.join(sys.argv[2], name)
    with open(path, "wb") as f:
        f.write(b)
        if name == "sparse":
            f.truncate(9 << 30)
    os.chmod(path, 0o755)
PY
}

lying_files()
{
	local dir f status

	[ "$(uname -m)" = x86_64 ] || [ "$(uname -m)" = aarch64 ] || skip_because 'no 64-bit little-endian ELF here'
	have python3
	dir=$(tmpdir)
	broken "$dir" || fail 'cannot make the files'
	for f in "$dir"/*; do
		status=0
		timeout -s KILL "$(slow 20)" "$BPERF" profile -q -e cpu-clock -F 499 -o "$TMP/bad.folded" -- "$f" 0.04 \
			>/dev/null 2>"$TMP/err" || status=$?
		((status == 0)) || fail "${f##*/}: exit status $status" "$(cat "$TMP/err")"
		at_least "$(total "$TMP/bad.folded" "^${f##*/}" )" 5 "samples of ${f##*/}"
	done
}
check 'ELF files that lie about themselves do no harm and take no time' lying_files
