# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# awk -v name=NAME -v gz=FILE: bpftool's skeleton on stdin, with the object compressed in FILE in place of
# the string that holds it: an object is a third of the binary, and compresses to a quarter.

# A file that does not open the object drops this function, and the bytes with it.
index($0, "static inline const void *" name "__elf_bytes(") == 1 {
	sub(/inline/, "__attribute__((noinline, unused))")
}
$0 == "static __attribute__((noinline, unused)) const void *" name "__elf_bytes(size_t *sz)" {
	print "#include \"run/prog.h\"\n"
	print $0 "\n{"
	print "\t__asm__ volatile(\".pushsection .rodata." name "_gz,\\\"a\\\"\\n" name "_gz:\\n.incbin \\\"" gz "\\\"\\n" name "_gz_end:\\n.popsection\\n\");"
	print "\textern const unsigned char " name "_gz[], " name "_gz_end[];"
	print "\tstatic struct prog_packed packed = { .gz = " name "_gz, .end = " name "_gz_end };\n"
	print "\treturn prog_unpack(&packed, sz);"
	is_skipped = 1
	n++
}
/^}/ { is_skipped = 0 }
!is_skipped { print }
END { exit n != 1 }
