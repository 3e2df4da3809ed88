# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# make            build/bperf, one static file
# make run        install what is missing, build, run `bperf profile 5` (ARGS= for something else)
# make check      install what is missing, build, pass all tests
# make deps       only the first step of both
# make SAN=1 ...  a dynamic build with address and undefined-behaviour sanitizers in build/san
# V=1 shows the commands.

VERSION := 0.1.0

# ---- where things are -------------------------------------------------------------------------

O := build$(if $(SAN),/san)
CLANG ?= clang
LLVM_STRIP ?= $(firstword $(shell command -v llvm-strip llvm-strip-14 llvm-strip-19 2>/dev/null) llvm-strip)
BPFTOOL ?= $(firstword $(shell PATH="$$PATH:/usr/sbin:/sbin" command -v bpftool 2>/dev/null) bpftool)
PREFIX ?= /usr/local
ARCH ?= $(shell uname -m)
BPF_ARCH := $(patsubst aarch64,arm64,$(patsubst x86_64,x86,$(ARCH)))

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' $(1) $(2))

# ---- flags ------------------------------------------------------------------------------------

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wpointer-arith \
	-Wwrite-strings -Wundef -Wformat=2 -Wimplicit-fallthrough -Werror
CPPFLAGS += -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DBPERF_VERSION='"$(VERSION)"' \
	-I. -Icore -I$(O)/gen
CFLAGS ?= -O2 -g
CFLAGS += -std=gnu11 $(WARN) -ffile-prefix-map=$(CURDIR)=. -ffunction-sections -fdata-sections
BPF_CFLAGS := -g -O2 -target bpf -mcpu=v3 -D__TARGET_ARCH_$(BPF_ARCH) -Wall -Wextra \
	-Wno-unused-parameter -Werror -I. -Ibpf
LIBS := -lbpf -lelf -llzma -liberty -lz

ifdef SAN
CFLAGS += -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
LDFLAGS += -fsanitize=address,undefined
else
CFLAGS += -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fPIE
LDFLAGS += -static-pie -Wl,--gc-sections -Wl,--build-id=sha1
endif

# ---- what is built ----------------------------------------------------------------------------

LIB_SRC := $(wildcard core/*/*.c)
CMD_SRC := $(wildcard cmd/*.c)
BPF_SRC := $(wildcard bpf/*.bpf.c)
UNIT_SRC := $(wildcard tests/unit/*.c)
WORK_SRC := $(wildcard tests/work/*.c)
LIB_OBJ := $(LIB_SRC:%.c=$(O)/%.o)
CMD_OBJ := $(CMD_SRC:%.c=$(O)/%.o)
SKEL := $(BPF_SRC:bpf/%.bpf.c=$(O)/gen/%.skel.h)
UNIT := $(UNIT_SRC:tests/unit/%.c=$(O)/tests/unit/%)
WORK := $(WORK_SRC:tests/work/%.c=$(O)/tests/work/%)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:
all: $(O)/bperf

$(O)/bperf: $(O)/bperf.debug
	$(call say,STRIP,$@)
	$(Q)strip -o $@ $<

$(O)/bperf.debug: $(CMD_OBJ) $(O)/libbperf.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(O)/libbperf.a: $(LIB_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcD $@ $(sort $^)

$(O)/%.o: %.c Makefile
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(O)/gen/%.bpf.o: bpf/%.bpf.c Makefile
	$(call say,BPF,$<)
	$(Q)mkdir -p $(@D) && $(CLANG) $(BPF_CFLAGS) -MMD -MP -c -o $@ $< && $(LLVM_STRIP) -g $@

$(O)/gen/%.skel.h: $(O)/gen/%.bpf.o
	$(call say,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@

# A command's object needs its own skeleton before its dependency file exists.
$(CMD_OBJ): | $(SKEL)

# ---- tests ------------------------------------------------------------------------------------

$(O)/tests/unit/%: tests/unit/%.c $(O)/libbperf.a Makefile
	$(call say,TEST,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS) -Itests/unit $(CFLAGS) -MMD -MP $(LDFLAGS) -o $@ $< \
		$(O)/libbperf.a $(LIBS)

$(O)/tests/work/%: tests/work/%.c Makefile
	$(call say,WORK,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS) -O1 -g -std=gnu11 -Wall -Wextra -Werror \
		-fno-omit-frame-pointer -fno-optimize-sibling-calls -MMD -MP -o $@ $< -pthread

# ---- workloads --------------------------------------------------------------------------------
# C++ and Rust ones are built where there is a compiler for them; tests that want them skip.

WORK_LIB := $(O)/tests/work/plug.so
WORK_CXX := $(if $(shell command -v $(CXX) 2>/dev/null),$(O)/tests/work/cplus)
WORK_RUST := $(if $(shell command -v rustc 2>/dev/null),$(addprefix $(O)/tests/work/rusty-,legacy v0))
WORK += $(WORK_CXX) $(WORK_RUST)

$(WORK_LIB): tests/work/plug.so.c Makefile
	$(call say,WORK,$@)
	$(Q)mkdir -p $(@D) && $(CC) -O1 -g -std=gnu11 -Wall -Wextra -Werror -fno-omit-frame-pointer \
		-fno-optimize-sibling-calls -fPIC -shared -MMD -MP -MF $@.d -o $@ $<

$(O)/tests/work/cplus: tests/work/cplus.cpp Makefile
	$(call say,WORK,$@)
	$(Q)mkdir -p $(@D) && $(CXX) -O1 -g -Wall -Wextra -Werror -fno-omit-frame-pointer \
		-fno-optimize-sibling-calls -o $@ $<

# A toolchain that is there but does not work is no reason to fail: say so and go on.
$(WORK_RUST): $(O)/tests/work/rusty-%: tests/work/rusty.rs Makefile
	$(call say,WORK,$@)
	$(Q)mkdir -p $(@D) && $(if $(filter legacy,$*),RUSTC_BOOTSTRAP=1) rustc --edition 2021 -O -g \
		$(if $(filter legacy,$*),-Z unstable-options) -C force-frame-pointers=yes \
		-C symbol-mangling-version=$* -o $@ $< \
		|| echo "rustc cannot build $< ($* mangling): skipped"

unit: $(UNIT)
work: $(WORK)

clean:
	rm -rf build

.PHONY: all unit work clean

-include $(LIB_OBJ:.o=.d) $(CMD_OBJ:.o=.d) $(UNIT:=.d) $(WORK:=.d) \
	$(BPF_SRC:bpf/%.bpf.c=$(O)/gen/%.bpf.d)
