# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# make            build/bperf, one static file
# make run        install what is missing, build, show a small load (ARGS='profile 5': run that instead)
# make check      install what is missing, build, pass this machine's tests in some minutes (TESTS= for some)
# make check-vm   tests on other kernels, under QEMU
# make check-all  everything: long tests, lint, sanitizers, other kernels, builds on Debian 12, 13 and sid
# make ARCH=arm64 cross-builds build/arm64/bperf; make check-arm64 tests it under QEMU
# make deps       only the first step of run and check
# make install    PREFIX=/usr/local DESTDIR=; uninstall removes exactly what install created
# make lint       no findings of the compiler, clang-tidy, clang-format and shellcheck
# make fuzz       FUZZ_SECONDS=20 for each of tests/fuzz/*.c, with the sanitizers
# make dist       the files of a release, in build/dist
# make SAN=1 ...  a dynamic build with clang's address and undefined-behaviour sanitizers in build/san
# make clean      removes build/, which contains all that a build creates
# V=1 shows the commands; WERROR=1 turns warnings into errors; CC=clang works too.

VERSION := 0.1.0

# ---- where things are -------------------------------------------------------------------------

# ARCH=arm64 on another machine: Debian's cross compiler, in a folder of its own.
MACHINE := $(shell uname -m)
ARCH ?= $(MACHINE)
GNU_ARCH := $(patsubst arm64,aarch64,$(ARCH))
CROSS := $(if $(filter-out $(MACHINE),$(GNU_ARCH)),$(GNU_ARCH)-linux-gnu-)
BPF_ARCH := $(patsubst aarch64,arm64,$(patsubst x86_64,x86,$(GNU_ARCH)))
O := build$(if $(CROSS),/$(BPF_ARCH))$(if $(SAN),/san)
CLANG ?= clang
ifeq ($(origin CC),default)
CC := $(if $(CROSS),$(CROSS)gcc,$(if $(SAN),$(CLANG),gcc))
endif
ifeq ($(origin CXX),default)
CXX := $(CROSS)g++
endif
ifeq ($(origin AR),default)
AR := $(CROSS)ar
endif
# Debian's clang-N finds the llvm-strip of its own version, whatever is in PATH.
LLVM_STRIP ?= $(shell $(CLANG) -print-prog-name=llvm-strip)
BPFTOOL ?= $(firstword $(shell PATH="$$PATH:/usr/sbin:/sbin" command -v bpftool 2>/dev/null) bpftool)
STRIP ?= $(CROSS)strip
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)

Q := $(if $(V),,@)
tab := $(shell printf '\t')
say = $(if $(V),,$(info $()  $(1)$(tab)$(2)))

# Keep the path by which this folder was reached, perhaps a symbolic link, out of debug information.
export PWD := $(CURDIR)
export LC_ALL := C

# ---- flags ------------------------------------------------------------------------------------
# CFLAGS, CPPFLAGS and LDFLAGS are the caller's; they come last.

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wpointer-arith \
	-Wwrite-strings -Wundef -Wformat=2 -Wimplicit-fallthrough
# A newer compiler may warn of more; that must not break a build.
ERROR := $(if $(WERROR),-Werror)
# Sanitizers double the time of a compilation; without most of the optimizer it takes two thirds, and a sixth
# less with only the lines that their reports name.
CFLAGS ?= $(if $(SAN),-O1 -g1,-O2 -g)
ALL_CPPFLAGS = -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DBPERF_VERSION='"$(VERSION)"' \
	-I. -Icore -I$(O)/gen $(CPPFLAGS)
ALL_CFLAGS = -std=gnu11 -fsigned-char $(WARN) $(ERROR) '-ffile-prefix-map=$(CURDIR)=.' -ffunction-sections \
	-fdata-sections $(MODE_CFLAGS) $(CFLAGS)
ALL_LDFLAGS = $(MODE_LDFLAGS) $(LDFLAGS)
BPF_CFLAGS = -g -O2 -gno-column-info -target bpf -mcpu=v3 -D__TARGET_ARCH_$(BPF_ARCH) -Wall -Wextra \
	-Wno-unused-parameter $(ERROR) '-ffile-prefix-map=$(CURDIR)=.' -I. -Ibpf

# A program with asan cannot be linked statically.  A release is linked statically; tests/tools/link.sh finds
# out once how that is done here (gen/libs).  One library with sanitizers serves the unit tests and the fuzzers;
# what clang adds for these (fuzzer-no-link) does nothing in the others.  Tests ask for gcc's macro.
ifdef SAN
MODE_CFLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer \
	$(if $(findstring clang,$(CC)),-fsanitize=fuzzer-no-link -D__SANITIZE_ADDRESS__)
MODE_LDFLAGS := -fsanitize=address,undefined
else
MODE_CFLAGS := -fstack-protector-strong -fPIE \
	$(if $(filter -O0,$(CFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
MODE_LDFLAGS := -Wl,--gc-sections -Wl,--build-id=sha1 -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack
endif

# ---- targets ----------------------------------------------------------------------------------

LIB_SRC := $(sort $(wildcard core/*/*.c))
CMD_SRC := $(sort $(wildcard cmd/*.c))
BPF_SRC := $(sort $(wildcard bpf/*.bpf.c))
UNIT_SRC := $(sort $(wildcard tests/unit/*/*.c))
WORK_SRC := $(sort $(wildcard tests/workloads/*.c))
FUZZ_SRC := $(sort $(wildcard tests/fuzz/*.c))
LIB_OBJ := $(LIB_SRC:%.c=$(O)/%.o)
CMD_OBJ := $(CMD_SRC:%.c=$(O)/%.o)
SKEL := $(BPF_SRC:bpf/%.bpf.c=$(O)/gen/%.skel.h)
UNIT_OBJ := $(UNIT_SRC:%.c=$(O)/%.o)
UNIT := $(patsubst %/,$(O)/%/all,$(sort $(dir $(UNIT_SRC))))
WORK := $(WORK_SRC:tests/workloads/%.c=$(O)/tests/workloads/%)
FUZZERS := $(FUZZ_SRC:tests/fuzz/%.c=$(O)/tests/fuzz/%)

.DEFAULT_GOAL := all

# gcc -MMD does not see what .incbin reads.
$(O)/core/render/assets.o: $(wildcard core/render/*.js core/render/*.css)

# A page lets only its scripts run: its Content-Security-Policy has their hashes.
$(O)/core/render/html.o: $(O)/gen/scripthash.h
$(O)/gen/scripthash.h: core/render/flame.js core/render/html.js core/render/timeline.js
	$(Q)mkdir -p $(@D) && for f in $^; do n=$${f##*/}; h=$$(sha256sum <$$f | sed 's/ .*//; s/../\\x&/g'); \
		echo "#define HASH_OF_$${n%.js} \"'sha256-$$(bash -c 'printf "$$1"' - "$$h" | base64)'\""; done >$@

# The entry as ncurses takes it from the environment.
$(O)/core/live/screen.o: $(O)/gen/fallback.h
$(O)/gen/fallback.h: core/live/fallback.ti
	$(Q)mkdir -p $(@D) && rm -rf $@.db && tic -x -o $@.db $< && { echo '#define FALLBACK_NAME "bperf"'; \
		echo "#define FALLBACK_ENTRY \"$$(infocmp -A $@.db -x -0 -Q2 bperf | grep '^b64:')\""; } >$@

# ---- embedded files ---------------------------------------------------------------------------
# Recipes, man pages, completions and the JSON schema, as one compressed stream in the binary (cmd/embed.h).
# Recipes are needed most often and come first.  Pages with text from shared.man are next to each other,
# since gzip finds a repetition only within 32 KB.  The folders are prerequisites so that make notices the
# removal of a file too.

RECIPES := $(sort $(wildcard cmd/recipes/*.bperf))
PAGES := $(sort $(wildcard cmd/*.[1-8]))
SHARING := $(patsubst %,cmd/%.8,argdist funccount trace top profile wakeup offwake chain offcpu)
MAN := $(patsubst cmd/%,$(O)/man/%,$(SHARING) $(filter-out $(SHARING),$(PAGES)))
EMBED := $(O)/gen/recipes $(MAN) $(sort $(wildcard cmd/*.json completions/*))
CMD_OBJ += $(O)/gen/embedded.o

# Text that several pages share is written once, in cmd/shared.man.
$(O)/man/%: cmd/% cmd/shared.man tests/tools/man.awk
	$(Q)mkdir -p $(@D) && awk -f tests/tools/man.awk cmd/shared.man $< >$@

# A line "#= NAME", and the recipe without its licence.
$(O)/gen/recipes: $(RECIPES) cmd/recipes
	$(Q)mkdir -p $(@D) && for f in $(RECIPES); do b=$${f##*/}; echo "#= $${b%.bperf}"; \
		sed '/^# SPDX-License-Identifier/d' $$f; done >$@

$(O)/gen/embedded.gz: $(EMBED) cmd completions
	$(Q)cat $(EMBED) | gzip -9n >$@

$(O)/gen/embedded.c: $(O)/gen/embedded.gz
	$(call say,EMBED,$@)
	$(Q){ echo '#include "cmd/embed.h"'; echo 'EMBED_STREAM("$<")'; \
		echo 'const struct embedded embedded_files[] = {'; at=0; for f in $(EMBED); do \
		n=$$(($$(wc -c <$$f))); echo "{ \"$${f##*/}\", $$at, $$n },"; at=$$((at + n)); done; \
		echo '{ 0 } };'; } >$@

$(O)/gen/embedded.o: $(O)/gen/embedded.c $(O)/gen/flags
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

.DELETE_ON_ERROR:
.SECONDARY:
all: $(O)/bperf

# Three stamps, rewritten when their text changes: everything that the build of the program depends on (flags,
# compiler versions, the static libraries of this machine), the same for BPF objects, and the list of objects.
STATIC_LIBS := $(wildcard $(foreach d,/usr/lib /usr/lib64 /usr/lib/$(GNU_ARCH)-linux-gnu,\
	$(addprefix $(d)/,libbpf.a libelf.a libz.a liblzma.a libiberty.a libjansson.a libncursesw.a libtinfo.a libc.a)))
ifneq ($(filter-out clean deps deps-check run check check-vm check-all check-arm64 uninstall,$(or $(MAKECMDGOALS),all)),)
FLAGS_NOW := $(strip $(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS) \
	$(shell { $(CC) --version | head -n1; stat -c '%n %s %Y' $(STATIC_LIBS); } 2>/dev/null))
BPF_FLAGS_NOW := $(strip $(CLANG) $(BPF_CFLAGS) $(BPFTOOL) \
	$(shell { $(CLANG) --version | head -n1; $(BPFTOOL) version | head -n1; } 2>/dev/null))
OBJECTS_NOW := $(strip $(CMD_OBJ) $(LIB_OBJ))
stamp = $(shell mkdir -p $(dir $(1)))$(file >$(1),$(2))
ifneq ($(file <$(O)/gen/flags),$(FLAGS_NOW))
$(call stamp,$(O)/gen/flags,$(FLAGS_NOW))
endif
ifneq ($(file <$(O)/gen/bpf-flags),$(BPF_FLAGS_NOW))
$(call stamp,$(O)/gen/bpf-flags,$(BPF_FLAGS_NOW))
endif
ifneq ($(file <$(O)/gen/objects),$(OBJECTS_NOW))
$(call stamp,$(O)/gen/objects,$(OBJECTS_NOW))
endif
# Folders of what is made most often.  A rule of one plain command needs no shell, and so half of the processes.
$(shell mkdir -p $(O)/tests/codegen $(sort $(dir $(LIB_OBJ) $(CMD_OBJ) $(UNIT_OBJ))))
endif

$(O)/bperf: $(O)/bperf.debug
	$(call say,STRIP,$@)
	$(Q)$(STRIP) -R .comment -o $@ $<

link = $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(1) $(O)/libbperf.a $$(cat $(O)/gen/libs)

$(O)/bperf.debug: $(CMD_OBJ) $(O)/libbperf.a $(O)/gen/libs $(O)/gen/objects
	$(call say,LINK,$@)
	$(Q)$(call link,$(CMD_OBJ))

$(O)/libbperf.a: $(LIB_OBJ) $(O)/gen/objects
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcD $@ $(LIB_OBJ)

$(O)/gen/libs: tests/tools/link.sh $(O)/gen/flags
	$(call say,PROBE,$@)
	$(Q)tests/tools/link.sh $(if $(SAN),dynamic,static) $@ $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS)

$(O)/%.o: %.c $(O)/gen/flags
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# Each instruction's place in the source is removed before the optimizer runs (places.awk says why).
$(O)/gen/%.bpf.o: bpf/%.bpf.c $(O)/gen/bpf-flags tests/tools/places.awk
	$(call say,BPF,$<)
	$(Q)mkdir -p $(@D) && $(CLANG) $(BPF_CFLAGS) -MMD -MP -MF $(@:.o=.d) -MT $@ -Xclang -disable-llvm-passes -S \
		-emit-llvm -o $(@:.o=.all.ll) $< && awk -f tests/tools/places.awk $(@:.o=.all.ll) >$(@:.o=.ll) && \
		$(CLANG) -O2 -target bpf -mcpu=v3 -c -o $@ $(@:.o=.ll) && \
		$(LLVM_STRIP) -g -R .rel.BTF -R .rel.BTF.ext --wildcard -N 'LBB*' $@ && rm $(@:.o=.all.ll) $(@:.o=.ll)

$(O)/gen/%.skel.h: $(O)/gen/%.bpf.o tests/tools/skel.awk
	$(call say,SKEL,$@)
	$(Q)gzip -9nc $< >$<.gz && $(BPFTOOL) gen skeleton $< name $*_bpf >$@.full && \
		awk -v name=$*_bpf -v gz=$<.gz -f tests/tools/skel.awk $@.full >$@ && rm $@.full

# An object needs its skeleton before its dependency file exists.
$(CMD_OBJ) $(LIB_OBJ): | $(SKEL)

# ---- unit tests -------------------------------------------------------------------------------

# The tests of a folder are one program, since a link takes as long as three compilations.  Links to it have
# the names of the files (tests/unit/main.c).

# A literal argv is fine in a test: opt_parse takes char **, as main does.
UNIT_FLAGS := -Itests/unit -Wno-write-strings
TEST_MAIN := $(O)/tests/unit/main.o
$(UNIT_OBJ) $(TEST_MAIN): ALL_CFLAGS += $(UNIT_FLAGS)
$(UNIT_OBJ): | $(SKEL)

unit_in = $(filter $(1)/%,$(UNIT_OBJ))
define unit_rules
$(1)/all: $(unit_in)
$(patsubst %.o,%,$(unit_in)): $(1)/all ;
endef
$(foreach d,$(UNIT:%/all=%),$(eval $(call unit_rules,$(d))))

$(UNIT): $(TEST_MAIN) $(O)/libbperf.a $(O)/gen/libs
	$(call say,TEST,$@)
	$(Q)$(call link,$(filter %.o,$^))
	$(Q)for f in $(patsubst $(@D)/%.o,%,$(call unit_in,$(@D))); do ln -f $@ $(@D)/$$f; done

# Not optimised: above -O0, gcc omits the frame in functions that do not need one (shrink-wrapping leaves no
# prologue), and their callers vanish from the stack.
$(O)/tests/workloads/%: tests/workloads/%.c $(O)/gen/flags
	$(call say,WORK,$@)
	$(Q)mkdir -p $(@D) && $(CC) -D_GNU_SOURCE -I. -O0 -g -std=gnu11 -Wall -Wextra $(ERROR) \
		-fno-omit-frame-pointer -mno-omit-leaf-frame-pointer \
		-fno-optimize-sibling-calls -MMD -MP -MF $@.d -o $@ $< -pthread

# ---- workloads --------------------------------------------------------------------------------
# C++ and Rust workloads are built if there is a compiler for them; without one, the tests that need them
# skip.

WORK_LIB := $(O)/tests/workloads/plug.so
# Without frame pointers, as distributions build.
WORK_FRAMELESS := $(addprefix $(O)/tests/workloads/,frameless frameless-bare frameless.so)
FRAMELESS_FLAGS := -O2 -g -fomit-frame-pointer -fasynchronous-unwind-tables -fno-optimize-sibling-calls \
	$(if $(filter aarch64,$(GNU_ARCH)),-mbranch-protection=standard)
WORK_CXX := $(if $(shell command -v $(CXX) 2>/dev/null),$(O)/tests/workloads/cplus)
WORK_RUST := $(if $(CROSS),,$(if $(shell command -v rustc 2>/dev/null),\
	$(addprefix $(O)/tests/workloads/rusty-,legacy v0)))
WORK += $(WORK_CXX) $(WORK_RUST) $(filter %-bare,$(WORK_FRAMELESS))

$(WORK_LIB): tests/workloads/plug.so.c $(O)/gen/flags
	$(call say,WORK,$@)
	$(Q)mkdir -p $(@D) && $(CC) -O0 -g -std=gnu11 -Wall -Wextra $(ERROR) -fno-omit-frame-pointer \
		-mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls -fPIC -shared \
		-MMD -MP -MF $@.d -o $@ $<

FRAMELESS = mkdir -p $(@D) && $(CC) -D_GNU_SOURCE -I. -std=gnu11 -Wall -Wextra $(ERROR) \
	$(FRAMELESS_FLAGS) $(1) -MMD -MP -MF $@.d -o $@ $< -pthread

$(filter-out %-bare,$(WORK_FRAMELESS)): $(O)/tests/workloads/%: tests/workloads/%.c $(O)/gen/flags
	$(call say,WORK,$@)
	$(Q)$(call FRAMELESS,$(if $(filter %.so,$@),-fPIC -shared))

$(filter %-bare,$(WORK_FRAMELESS)): tests/workloads/frameless.c $(O)/gen/flags
	$(call say,WORK,$@)
	$(Q)$(call FRAMELESS,-DFRAMELESS_BARE -static -s)

$(O)/tests/workloads/cplus: tests/workloads/cplus.cpp $(O)/gen/flags
	$(call say,WORK,$@)
	$(Q)mkdir -p $(@D) && $(CXX) -O0 -g -Wall -Wextra $(ERROR) -fno-omit-frame-pointer \
		-mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls -o $@ $<

# A toolchain that is installed but does not work must not fail the build: say so and go on.
$(WORK_RUST): $(O)/tests/workloads/rusty-%: tests/workloads/rusty.rs $(O)/gen/flags
	$(call say,WORK,$@)
	$(Q)mkdir -p $(@D) && $(if $(filter legacy,$*),RUSTC_BOOTSTRAP=1) MAKEFLAGS= rustc --edition 2021 -O -g \
		$(if $(filter legacy,$*),-Z unstable-options) -C force-frame-pointers=yes \
		-C symbol-mangling-version=$* -o $@ $< \
		|| echo "rustc cannot build $< ($* mangling): skipped"

# ---- benchmark --------------------------------------------------------------------------------
# `make bench`, as root, measures bperf and the other tools that are installed.  ARGS="--quick --only ns"
# narrows it.

BENCH := $(O)/tests/bench/bare $(O)/tests/bench/bare.bpf.o $(O)/tests/bench/spawn \
	$(O)/tests/bench/events $(O)/tests/bench/stranger

$(O)/tests/bench/%: tests/bench/%.c Makefile
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) -O2 -D_GNU_SOURCE -std=gnu11 -Wall -Wextra $(ERROR) -o $@ $< \
		$(if $(filter bare,$*),-lbpf)

$(O)/tests/bench/%.bpf.o: tests/bench/%.bpf.c Makefile
	$(call say,BPF,$@)
	$(Q)mkdir -p $(@D) && $(CLANG) -g -O2 -target bpf -mcpu=v3 -Wall $(ERROR) \
		-I/usr/include/$(GNU_ARCH)-linux-gnu -c -o $@ $<

bench: $(O)/bperf $(WORK) $(BENCH)
	$(Q)BPFTOOL=$(BPFTOOL) python3 tests/bench/profile.py $(ARGS)
	$(Q)BPFTOOL=$(BPFTOOL) python3 tests/bench/offcpu.py $(ARGS)
	$(Q)BPFTOOL=$(BPFTOOL) python3 tests/bench/counts.py $(ARGS)
	$(Q)BPFTOOL=$(BPFTOOL) python3 tests/bench/bystander.py $(ARGS)
	$(Q)BPFTOOL=$(BPFTOOL) python3 tests/bench/hostile.py $(ARGS)
	$(Q)BPFTOOL=$(BPFTOOL) python3 tests/bench/stacks.py $(ARGS)
	$(Q)BPFTOOL=$(BPFTOOL) python3 tests/bench/tools.py $(ARGS)

.PHONY: bench

# The types of tests/fixtures/btf as BTF, for the tests of expressions.
UNIT_BTF := $(patsubst tests/fixtures/btf/%.c,$(O)/tests/btf/%.o,$(wildcard tests/fixtures/btf/*.c))

$(O)/tests/btf/%.o: tests/fixtures/btf/%.c $(O)/gen/bpf-flags
	$(call say,BTF,$@)
	$(Q)mkdir -p $(@D) && $(CLANG) -target bpf -g -O2 -c -o $@ $<

# Random expressions: a program that compiles and runs them in the kernel, or evaluates them itself, and the
# values that the C compiler computes for them (tests/accuracy/expr-values.sh, tests/codegen/eval.sh).
# Whole programs: tests on one bench (tests/accuracy/expr-programs.sh).  They are built into the folder of
# the workloads because guests have that folder.  The C compiler's values are computed on the machine that
# builds: they are the same for every machine.
VALUES := $(O)/tests/workloads/values
VALUES_SRC := $(addprefix tests/codegen/,values.c batch.c evaluated.c random.c)
PROGRAMS_SRC := $(addprefix tests/codegen/,bench.c events.c cells.c spans.c kinds.c)
PROGRAMS_OBJ := $(PROGRAMS_SRC:%.c=$(O)/%.o)
VALUES_N := 3000

$(VALUES)/values: $(VALUES_SRC) $(wildcard tests/codegen/*.h) $(O)/libbperf.a $(O)/gen/libs
	$(call say,TEST,$@)
	$(Q)mkdir -p $(@D) && $(call link,$(VALUES_SRC) $(ALL_CPPFLAGS) -MMD -MP -MF $@.d)

$(PROGRAMS_OBJ): | $(O)/gen/probe.skel.h

$(VALUES)/programs: $(PROGRAMS_OBJ) $(TEST_MAIN) $(O)/libbperf.a $(O)/gen/libs
	$(call say,TEST,$@)
	$(Q)mkdir -p $(@D) && $(call link,$(PROGRAMS_OBJ) $(TEST_MAIN) -pthread)

$(VALUES)/thing.o: $(O)/tests/btf/thing.o
	$(Q)mkdir -p $(@D) && cp $< $@

ifneq ($(CROSS),)
$(VALUES)/want: $(VALUES)/values
	$(SUBMAKE) ARCH=$(MACHINE) build/tests/workloads/values/want
	$(Q)cp build/tests/workloads/values/want $@
else
$(VALUES)/want: $(VALUES)/values
	$(call say,CC,$@)
	$(Q)$< c 1 $(VALUES_N) >$@.c && $(CC) -O0 -w -fwrapv -fno-strict-aliasing -fsigned-char \
		-Itests/codegen -o $@.run $@.c && $@.run >$@
endif

unit: $(UNIT) $(UNIT_BTF)
work: $(WORK) $(addprefix $(VALUES)/,programs values thing.o want)

# ---- two commands do it all -------------------------------------------------------------------
# Each step is a make of its own, so that later steps find what deps installed.

SUBMAKE = +$(Q)$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(JOBS))

deps:
	$(Q)tests/tools/deps.sh build $(if $(CROSS),$(BPF_ARCH))

deps-check:
	$(Q)tests/tools/deps.sh build check $(if $(CROSS),$(BPF_ARCH))

run: deps
	$(SUBMAKE) all $(O)/tests/workloads/demo
	$(Q)exec $$([ "$$(id -u)" = 0 ] || echo sudo) $(if $(ARGS),$(O)/bperf $(ARGS),tests/tools/demo.sh)

check: deps-check
	$(SUBMAKE) all unit work
	$(Q)tests/run.sh $(TESTS)

# check-vm runs on other kernels, under QEMU (tests/vm/vm).  check-all adds all tests of this machine and
# builds on other releases of Debian (tests/tools/debian.sh), and prints one sum at the end.  What only the
# tests need is installed while the program is built: some workloads need it too.
check-vm check-all: deps
	$(SUBMAKE) deps-check all $(if $(filter %-all,$@),unit)
	$(SUBMAKE) work
	$(Q)tests/run.sh --$(@:check-%=%) $(TESTS)

check-arm64:
	$(Q)tests/tools/deps.sh build check arm64 check-arm64
	$(SUBMAKE) ARCH=arm64 all work
	$(Q)tests/run.sh --arm64 $(TESTS)

# ---- lint -------------------------------------------------------------------------------------
# clang-tidy with clang's own warnings, a folder at a time: to start it takes as long as to read a file.  It is
# repeated for files that have changed, or whose headers have: the compiler knows these when it has made the
# object; a fuzzer has none, and is compiled for that alone.  lint-warn shows clang's warnings without
# clang-tidy.  clang-tidy and clang-format differ between versions: 14 is used for both.  Findings of
# clang-tidy in skeletons are bpftool's and ignored; the analyzer does not read tests, whose leaks end with
# their processes.  shellcheck's 2015 and 2016 concern idioms that are intended here: A && B || C, and programs
# of other languages in single quotes.  The analyzer gives up on a function after LINT_NODES states.  Its own
# limit of 225000 takes four times as long, and finds nothing more in this tree.

LINT_SRC := $(LIB_SRC) $(CMD_SRC) $(UNIT_SRC) tests/unit/main.c $(FUZZ_SRC)
LINT_FMT := $(sort $(wildcard cmd/*.[ch] core/*/*.[ch] bpf/*.[ch] bpf/abi/*.h tests/unit/*.[ch] tests/unit/*/*.[ch] \
	tests/fixtures/*.[ch] tests/fuzz/*.[ch] tests/codegen/*.[ch] tests/workloads/*.[ch]))
LINT_SH := .ci/run $(sort $(wildcard tests/*.sh tests/*/*.sh tests/*/*/*.sh tests/*/*.bash tests/*/*/*.bash \
	completions/bperf.bash))
LINT_FLAGS = $(ALL_CPPFLAGS) -std=gnu11 $(WARN) -Werror -Wshorten-64-to-32 \
	$(if $(filter tests/%,$*),$(UNIT_FLAGS))
LINT := $(O)/lint
LINT_NODES ?= 40000
LLVM_14 = $(or $(shell command -v $(1)-14 || command -v $(1)),$(1))

$(LINT)/%.o: %.c $(O)/gen/flags | $(SKEL)
	$(call say,LINT,$<)
	$(Q)mkdir -p $(@D) && $(CLANG) $(LINT_FLAGS) -MMD -MP -MF $(@:.o=.d) -MT $@ -fsyntax-only $< && touch $@

LINT_TIDY := $(patsubst %/,$(LINT)/%.tidy,$(sort $(dir $(LINT_SRC))))
objects_in = $(patsubst %.c,$(if $(filter tests/fuzz,$(1)),$(LINT),$(O))/%.o,$(wildcard $(1)/*.c))
$(foreach t,$(LINT_TIDY),$(eval $(t): $(call objects_in,$(t:$(LINT)/%.tidy=%))))
# The sources to read: all when .clang-tidy has changed.
tidy_now = $(foreach o,$(filter %.o,$(if $(filter .clang-tidy,$?),$^,$?)),$*/$(basename $(notdir $(o))).c)
# clang-tidy 14 takes every va_list for uninitialized, except in the first file that it reads.
tidy_alone = $(shell grep -l va_start $(tidy_now))
tidy = $(call LLVM_14,clang-tidy) --quiet $(if $(filter tests/%,$*),--checks=-clang-analyzer-*) \
	$(1) -- $(LINT_FLAGS) -Xclang -analyzer-config -Xclang max-nodes=$(LINT_NODES) || status=1;

$(LINT_TIDY): $(LINT)/%.tidy: .clang-tidy
	$(call say,TIDY,$(words $(tidy_now)) files of $*)
	$(Q)mkdir -p $(@D) && { status=0; $(foreach f,$(tidy_alone),$(call tidy,$(f))) \
		$(if $(filter-out $(tidy_alone),$(tidy_now)),$(call tidy,$(filter-out $(tidy_alone),$(tidy_now)))) \
		[ $$status = 0 ]; } >$@.log 2>&1 || \
		{ grep -q '$(O)/gen/.* error: ' $@.log && ! grep ' error: ' $@.log | grep -qv '$(O)/gen/'; } || \
		{ grep -A 2 ' error: ' $@.log || cat $@.log; exit 1; }
	@touch $@

lint: lint-tidy lint-format lint-shell
lint-warn: $(LINT_SRC:%.c=$(LINT)/%.o)
lint-tidy: $(LINT_TIDY)
lint-format:
	$(call say,FORMAT,$(words $(LINT_FMT)) files)
	$(Q)$(call LLVM_14,clang-format) --dry-run -Werror $(LINT_FMT)
lint-shell:
	$(call say,SHELL,$(words $(LINT_SH)) files)
	$(Q)shellcheck -x -P SCRIPTDIR -e SC2015,SC2016 $(LINT_SH)

# ---- fuzz -------------------------------------------------------------------------------------
# Each fuzzer keeps the inputs that it found interesting in build/san/corpus.  It starts from the files in
# tests/fixtures/ that its source names in a line "seeds: PATTERN...", and from the hostile ones that
# tests/fixtures/seeds*.c make for it.  All seeds run once unchanged, because some are too big to be mutated
# a million times.
#
# A slow input counts as a crash, and so does an allocation whose size a file only claims.  An input may
# take 5 s of CPU time (tests/fuzz/fuzz.h): with the sanitizers the slowest seed takes 1.5 s, most of them
# some milliseconds.  libFuzzer's own limit is for hangs.  128 MB are enough for a compressed table of 64 MB
# while its buffer grows.

FUZZ_SECONDS ?= 20
FUZZ_MEMORY := -rss_limit_mb=1024 -malloc_limit_mb=128
FUZZ_MAX_BYTES := 65536
FUZZ_SEED_CPU_SECONDS := 5

fuzz:
	$(SUBMAKE) SAN=1 fuzz-all

$(O)/tests/fuzz/%: tests/fuzz/%.c $(O)/libbperf.a $(O)/gen/libs
	$(call say,FUZZER,$@)
	$(Q)mkdir -p $(@D) && $(call link,$< $(ALL_CPPFLAGS) $(UNIT_FLAGS) -fsanitize=fuzzer -MMD -MP -MF $@.d)

SEEDS_SRC := $(addprefix tests/fixtures/,seeds.c seeds_elf.c seeds_saved.c)

$(O)/tests/seeds: $(SEEDS_SRC) tests/fixtures/seeds.h $(O)/libbperf.a $(O)/gen/libs
	$(call say,SEEDS,$@)
	$(Q)mkdir -p $(@D) && $(call link,$(SEEDS_SRC) $(ALL_CPPFLAGS) $(UNIT_FLAGS) -MMD -MP -MF $@.d)

fuzz-%: $(O)/tests/fuzz/% $(O)/tests/seeds
	$(call say,FUZZ,$*)
	$(Q)rm -rf $(O)/seeds/$* && mkdir -p $(O)/corpus/$* $(O)/found $(O)/seeds/$*
	$(Q)for f in $$(sed -n 's|^.*seeds: *||; T; s| *\*/$$||; p' tests/fuzz/$*.c); do \
		[ ! -f $$f ] || cp -f $$f $(O)/seeds/$*/; done
	$(Q)$(O)/tests/seeds $* $(O)/seeds/$*
	$(Q)find $(O)/seeds/$* -type f -size -$$(($(FUZZ_MAX_BYTES) / 512)) -exec cp -f {} $(O)/corpus/$*/ \;
	$(Q)for f in $(O)/seeds/$*/*; do [ ! -f $$f ] || \
		(ulimit -t $(FUZZ_SEED_CPU_SECONDS); exec $< $(FUZZ_MEMORY) $$f) >$(O)/$*.log 2>&1 || \
		{ tail -n 60 $(O)/$*.log; echo "$*: fails or is slow: $$f"; exit 1; }; done
	$(Q)$< -max_total_time=$(FUZZ_SECONDS) -timeout=60 $(FUZZ_MEMORY) -max_len=$(FUZZ_MAX_BYTES) \
		-print_final_stats=1 -artifact_prefix=$(O)/found/$*- $(O)/corpus/$* >$(O)/$*.log 2>&1 || \
		{ tail -n 60 $(O)/$*.log; echo "$*: found something: $(O)/found"; exit 1; }
	$(Q)sed -n 's/^stat::number_of_executed_units: */$*: runs: /p' $(O)/$*.log

fuzz-expr: $(O)/tests/btf/kernel.o

fuzz-all: $(FUZZ_SRC:tests/fuzz/%.c=fuzz-%)

# ---- install, dist ----------------------------------------------------------------------------
# The page of cmd/profile.c, cmd/profile.8, is installed as bperf-profile.8.

man_name = $(if $(filter bperf%,$(notdir $(1))),,bperf-)$(notdir $(1))
INSTALLED := bin/bperf $(foreach m,$(MAN),share/man/man$(patsubst .%,%,$(suffix $(m)))/$(call man_name,$(m))) \
	share/bash-completion/completions/bperf share/zsh/site-functions/_bperf \
	share/fish/vendor_completions.d/bperf.fish
AT = $(DESTDIR)$(PREFIX)

install: all
	install -D -m 755 $(O)/bperf $(AT)/bin/bperf
	$(foreach m,$(MAN),install -D -m 644 $(m) \
		$(AT)/share/man/man$(patsubst .%,%,$(suffix $(m)))/$(call man_name,$(m)) &&) true
	install -D -m 644 completions/bperf.bash $(AT)/share/bash-completion/completions/bperf
	install -D -m 644 completions/_bperf $(AT)/share/zsh/site-functions/_bperf
	install -D -m 644 completions/bperf.fish $(AT)/share/fish/vendor_completions.d/bperf.fish

uninstall:
	rm -f $(addprefix $(AT)/,$(INSTALLED))

DIST := build/dist
NAME := bperf-$(VERSION)-linux-$(GNU_ARCH)
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 0)
TAR := tar --format=ustar --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
	--mtime=@$(SOURCE_DATE_EPOCH)

dist: all
	$(Q)git rev-parse -q --verify HEAD >/dev/null || { echo "dist: needs the git repository" >&2; exit 1; }
	$(Q)rm -rf $(DIST) && mkdir -p $(DIST)/$(NAME)/man $(DIST)/$(NAME)/completions
	$(Q)install -m 755 $(O)/bperf $(DIST)/$(NAME)/bperf
	$(Q)install -m 644 README.md LICENSE $(DIST)/$(NAME)
	$(Q)$(foreach m,$(MAN),install -m 644 $(m) $(DIST)/$(NAME)/man/$(call man_name,$(m)) &&) true
	$(Q)install -m 644 completions/bperf.bash completions/_bperf completions/bperf.fish \
		$(DIST)/$(NAME)/completions
	$(Q)$(TAR) -C $(DIST) -cf - $(NAME) | gzip -9n > $(DIST)/$(NAME).tar.gz
	$(Q)rm -rf $(DIST)/$(NAME)
	$(Q)install -m 755 $(O)/bperf $(DIST)/$(NAME)
	$(Q)git archive --format=tar --prefix=bperf-$(VERSION)/ HEAD | gzip -9n > $(DIST)/bperf-$(VERSION).tar.gz
	$(Q)cd $(DIST) && sha256sum bperf-* > SHA256SUMS && cat SHA256SUMS

clean:
	rm -rf build

.PHONY: all unit work deps deps-check run check check-vm check-all check-arm64 fuzz fuzz-all \
	lint lint-warn lint-tidy lint-format lint-shell install uninstall dist clean

-include $(LIB_OBJ:.o=.d) $(CMD_OBJ:.o=.d) $(PROGRAMS_OBJ:.o=.d) $(UNIT_OBJ:.o=.d) $(TEST_MAIN:.o=.d) $(addsuffix .d,$(VALUES)/values $(WORK) $(FUZZERS) $(O)/tests/seeds) \
	$(LINT_SRC:%.c=$(LINT)/%.d) $(BPF_SRC:bpf/%.bpf.c=$(O)/gen/%.bpf.d)
