/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The square root, so that nothing links libm for one function. */
#ifndef BASE_ROOT_H
#define BASE_ROOT_H

/* Returns 0 for 0 and for negative numbers. */
static inline double square_root(double x)
{
	double root = x > 1 ? x : 1, next;

	if (x <= 0)
		return 0;
	/* Newton's method from above: each step is smaller until the precision ends. */
	while ((next = (root + x / root) / 2) < root)
		root = next;
	return root;
}

#endif
