/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Short integer names and macros used everywhere. */
#ifndef BASE_TYPES_H
#define BASE_TYPES_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kernel's types: printf's %llu fits u64 on every architecture, and uapi structs need no
 * casts. */
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;

#define ARRAY_SIZE(a)	  (sizeof(a) / sizeof((a)[0]))
#define PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define MUST_CHECK	  __attribute__((warn_unused_result))

#define NS_PER_US  1000ULL
#define NS_PER_MS  1000000ULL
#define NS_PER_SEC 1000000000ULL

#endif
