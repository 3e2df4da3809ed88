/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A library without frame pointers, which frameless.c loads while it runs. */
#include "work.h"

void frameless_plug(void);
void frameless_plug(void)
{
	static volatile u64 sink;

	for (u64 i = 0; i < 50000; i++)
		sink += i * i;
}
