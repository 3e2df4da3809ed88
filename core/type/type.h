/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * C's types, with the address space as part of a pointer.  Members of a struct are looked up in its
 * BTF when needed, never copied.  Compare types by type_same(), not by their pointers.
 */
#ifndef TYPE_TYPE_H
#define TYPE_TYPE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/types.h"

struct btf; /* libbpf's */

/* Where an address is valid. */
enum space {
	SPACE_NONE,   /* not an address */
	SPACE_CTX,    /* the program's context: plain loads at constant offsets */
	SPACE_KERNEL, /* bpf_probe_read_kernel */
	SPACE_USER,   /* bpf_probe_read_user */
	SPACE_EITHER, /* decided at run time: user if the address is a user address, otherwise
			 kernel */
	SPACE_OWN,    /* our scratch memory: a saved or copied value */
	SPACE_N,
};

enum type_kind {
	TYPE_VOID,
	TYPE_INT, /* char, _Bool and plain enums are ints: is_char, is_bool, names */
	TYPE_POINTER,
	TYPE_ARRAY,
	TYPE_STRUCT,
	TYPE_UNION,
	TYPE_FUNC,
	TYPE_STRING, /* a value in our own memory: bytes up to a NUL, at most `size` with it */
	TYPE_BYTES,  /* a value in our own memory: `size` bytes, shown as `show` says */
	TYPE_STACK,  /* $kstack, $ustack: `space` is KERNEL or USER */
	TYPE_N,
};

/* How a value is printed without a format.  Type and name determine it; user space only. */
enum show {
	SHOW_DEFAULT, /* signed or unsigned decimal; strings as text */
	SHOW_HEX,     /* flags, masks, addresses */
	SHOW_OCTAL,   /* permissions of files */
	SHOW_CHAR,
	SHOW_BOOL,
	SHOW_POINTER,
	SHOW_ERRNO,    /* return values: negative ones by errno name */
	SHOW_NS,       /* a duration in nanoseconds */
	SHOW_TIME,     /* CLOCK_MONOTONIC nanoseconds */
	SHOW_NAMES,    /* by `names` */
	SHOW_SYSCALL,  /* a system call number */
	SHOW_DEV,      /* dev_t of the kernel (20 bits minor), by its name in /proc/diskstats */
	SHOW_CGROUP,   /* id, by path where known */
	SHOW_KSYM,     /* a kernel address, by symbol */
	SHOW_USYM,     /* a user address, by symbol */
	SHOW_SITE,     /* index of a site of the plan: $func, $probe */
	SHOW_IP4,      /* TYPE_BYTES of 4 */
	SHOW_IP6,      /* TYPE_BYTES of 16 */
	SHOW_IP,       /* TYPE_BYTES of 20: u32 family, then 4 or 16 bytes */
	SHOW_SOCKADDR, /* TYPE_BYTES: the start of a struct sockaddr */
	SHOW_MAC,      /* TYPE_BYTES of 6 */
	SHOW_BUFFER,   /* TYPE_BYTES: escaped bytes */
	SHOW_TEXT,     /* TYPE_BYTES: text in quotes, other bytes escaped */
	SHOW_JOINED,   /* TYPE_STRING: several, with a space between them */
	SHOW_QUOTED,   /* TYPE_STRING: several, with TREE_QUOTED_MARK between them */
	SHOW_N,
};

/* Names of values: an enumeration, a tracepoint's __print_flags or __print_symbolic. */
struct type_name {
	u64 value;
	const char *name;
};

struct type_names {
	const struct type_name *items;
	u32 n;
	bool is_flags; /* values are bits, joined by `|` */
	u64 number;    /* is_flags: these bits are one number, whose values have names too */
	/* The names depend on the value of another argument of the call, which has this name.  The
	 * members above are for its other values.  NULL: they do not. */
	const char *by;
	const struct type_case *cases;
	u32 n_cases;
};

struct type_case {
	u64 value; /* the value of `by` */
	const struct type_names *names;
};

struct type {
	enum type_kind kind;
	u32 size; /* bytes; 0: void, function, or an array or struct of unknown size */
	bool is_signed, is_char, is_bool;
	enum show show;
	enum space space;      /* POINTER: where it points to; STACK: which one */
	const struct type *to; /* POINTER, ARRAY; BYTES: the type of the numbers in it, or NULL */
	u32 n;	       /* ARRAY: number of elements; BYTES with `to`: number of numbers; 0: as
			* many as were read, but if all `size` bytes were read, the last number
			* only means that there are more; STACK: number of innermost frames, 0:
			* all */
	bool is_const; /* POINTER: the function that has it does not write to what it points to */
	bool is_open;  /* BYTES: as many as were read, but if all `size` bytes were read, the
			* last byte only means that there are more */
	bool is_apart; /* STRING of a key: a long one is kept apart (bpf/abi/keytext.h) */
	bool is_plain; /* INT: the register in which a function of unknown type returned; an int
			* fills only the lower half */
	const char *name;      /* as in C, without pointers: "int", "struct sock"; may be NULL */
	const struct btf *btf; /* STRUCT, UNION, FUNC: the BTF that describes it; else NULL */
	u32 btf_id;
	const struct type_names *names; /* for SHOW_NAMES */
};

static inline bool type_is_scalar(const struct type *t)
{
	return t->kind == TYPE_INT || t->kind == TYPE_POINTER;
}

/* The most BTFs.  Names are looked up in their order. */
#define TYPES_MAX_BTF 8

/* A symbol of the running kernel (host/ksymbols.h). */
struct type_symbol {
	int errnum; /* from reading the kernel's symbols; 0: none */
	u32 n_found;
	bool is_hidden, has_data;
	u64 addr, offsets;
};

/*
 * The types of one compilation: BTFs (borrowed), built-in user-space structs, memory.  Many scopes
 * may share one.
 */
struct types {
	struct arena *arena;
	const struct btf *btf[TYPES_MAX_BTF]; /* vmlinux, module, the binary's own... */
	u32 n_btf;
	const struct btf *user; /* the target binary's own; borrowed, NULL: none */
	struct btf *own;	/* built-in user-space structs, made when first needed; owned */
	u32 string_size;	/* -Z + 1: TYPE_STRING's default size */
	u32 key_string_size;	/* the same for those in keys */
	u8 pointer_size;	/* the target's; 8 */
	/* For kaddr(); NULL: no kernel is known. */
	void (*find_symbol)(void *ctx, const char *name, struct type_symbol *out);
	void *find_ctx;
};

void types_init(struct types *t, struct arena *a, u32 string_size);
void types_add_btf(struct types *t, const struct btf *btf); /* NULL is ignored */

/* Set the BTF of the binary that contains the user sites: types of user memory are looked up there
 * first. */
void types_set_user_btf(struct types *t, const struct btf *btf);
void types_release(struct types *t);

/* Basic types.  type_int() covers char to long long; the result has C's name. */
const struct type *type_int(struct types *t, u32 size, bool is_signed);
const struct type *type_pointer(struct types *t, const struct type *to, enum space space);
const struct type *type_array(struct types *t, const struct type *of, u32 n);
const struct type *type_string(struct types *t, u32 size); /* 0: the default size */
const struct type *type_bytes(struct types *t, u32 size, enum show show);
const struct type *type_shown(struct types *t, const struct type *type, enum show show);
const struct type *type_named(struct types *t, const struct type *type,
			      const struct type_names *names);

/*
 * The type with this id, modifiers and typedefs resolved (the outermost typedef's name is kept as
 * `name`).  Pointers point into `space` unless a BTF type tag says user (or percpu: kernel).
 * NULL when the BTF is broken there.
 */
const struct type *type_of_btf(struct types *t, const struct btf *btf, u32 id, enum space space);

/* By a C name ("struct sock", "size_t", "unsigned long"), the same everywhere.  NULL: unknown. */
const struct type *type_by_name(struct types *t, const char *name, enum space space);

/* Is it a floating-point number (TYPE_BYTES here)? */
bool type_is_float(const struct type *t);

/* "struct sock *", "u64", "char[16]".  Written to buf, which is returned. */
const char *type_text(const struct type *t, char *buf, size_t size);

bool type_same(const struct type *a, const struct type *b);

/* Is the number shown as text: a name, an error, a symbol, a time of day, a character? */
bool type_has_words(const struct type *t);

#endif
