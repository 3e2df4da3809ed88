/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the kernel side has to know of the kernel's functions: where they lie. */
#ifndef CMD_WAITRANGES_H
#define CMD_WAITRANGES_H

#include "bpf/wait.h"

#include "sym/places.h"

/* Places of the kinds from `first` to `last` as few ranges, by address: those that lie beside each
 * other are one.  How many there are; what is beyond `max` has no room in `out`, and what `out` has
 * more holds no address. */
u32 wait_ranges(const struct places *places, enum place_kind first, enum place_kind last,
		struct wait_range *out, u32 max);

#endif
