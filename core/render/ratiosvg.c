// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The colors, legends and tooltips of a flame graph that is colored by a ratio or a share. */
#include <stdio.h>

#include "render/ratio.h"
#include "render/units.h"

#define AT_MOST	 "\xe2\x89\xa4"
#define AT_LEAST "\xe2\x89\xa5"

/* Shade i + 1 begins at this factor between a ratio and that of the whole. */
static const double limits[TINT_SHADES - 1] = { 1.1, 1.25, 1.5, 2, 4 };

static u32 shade_of_factor(double less, double more)
{
	u32 shade = 0;

	while (shade < TINT_SHADES - 1 && more >= limits[shade] * less)
		shade++;
	return shade;
}

struct ratio_mark ratio_color(const struct ratio *part, const struct ratio *whole)
{
	struct ratio_value v = ratio_value(part, whole), all = ratio_value(whole, whole);

	switch (v.verdict) {
	case RATIO_LESS:
		return (struct ratio_mark){ TINT_LESS, shade_of_factor(v.at, all.at), "" };
	case RATIO_MORE:
		return (struct ratio_mark){ TINT_MORE, shade_of_factor(all.at, v.at), "" };
	case RATIO_NEAR:
		return (struct ratio_mark){ TINT_NEAR, 0, "" };
	default:
		return (struct ratio_mark){ TINT_EVEN, 0, "" };
	}
}

static struct ratio_mark mark(enum tint tint, u32 shade, const char *before, const struct str *text)
{
	struct ratio_mark m = { .tint = tint, .shade = shade };

	snprintf(m.text, sizeof(m.text), "%s%s", before, str_text(text));
	return m;
}

static struct ratio_mark ratio_mark(const struct ratio_scale *s, enum tint tint, u32 shade,
				    const char *before, double v)
{
	struct ratio_mark m;
	struct str text = { 0 };

	ratio_add_number(&text, s, v);
	m = mark(tint, shade, before, &text);
	str_release(&text);
	return m;
}

u32 ratio_marks(const struct ratio_scale *s, struct ratio_mark marks[RATIO_MARKS_MAX])
{
	struct ratio_value all = ratio_value(&s->whole, &s->whole);
	u32 n = 0;

	if (all.at > 0) {
		for (u32 i = TINT_SHADES - 1; i; i--)
			marks[n++] = ratio_mark(s, TINT_LESS, i, AT_MOST, all.at / limits[i - 1]);
		marks[n++] = ratio_mark(s, TINT_NEAR, 0, "near ", all.at);
		for (u32 i = 1; i < TINT_SHADES; i++)
			marks[n++] = ratio_mark(s, TINT_MORE, i, AT_LEAST, all.at * limits[i - 1]);
	}
	marks[n++] = (struct ratio_mark){ TINT_EVEN, 0, "too few samples" };
	return n;
}

void ratio_add_tip(struct str *out, const struct ratio_scale *s, const struct ratio *part)
{
	struct ratio_value v = ratio_value(part, &s->whole);

	str_adds(out, "; ");
	ratio_add_number(out, s, v.at);
	str_addc(out, ' ');
	ratio_add_unit(out, s);
	if (v.has_high) {
		str_adds(out, ", 95 % interval ");
		ratio_add_interval(out, s, &v);
	}
	if (v.verdict == RATIO_UNKNOWN)
		str_adds(out, ", too few samples");
}

/* ---- shares ---- */

double share_of_box(const struct flame_box *box)
{
	return box->value ? (double)box->other / (double)box->value : 0;
}

/* The shade is the distance from one half, in twelfths. */
struct ratio_mark share_color(const struct flame_box *box)
{
	double share = share_of_box(box);
	u32 shade = (u32)((share < 0.5 ? 0.5 - share : share - 0.5) * 2 * TINT_SHADES);

	if (!shade)
		return (struct ratio_mark){ TINT_NEAR, 0, "" };
	return (struct ratio_mark){ share < 0.5 ? TINT_LESS : TINT_MORE,
				    shade < TINT_SHADES ? shade : TINT_SHADES - 1, "" };
}

u32 share_marks(struct ratio_mark marks[RATIO_MARKS_MAX])
{
	u32 n = 0;

	for (u32 i = 0; i < 2 * TINT_SHADES - 1; i++) {
		u32 shade = i < TINT_SHADES ? TINT_SHADES - 1 - i : i - (TINT_SHADES - 1);
		double from_half = shade / (2.0 * TINT_SHADES) * 100;
		bool is_less = i < TINT_SHADES - 1;
		struct ratio_mark *m = &marks[n++];

		*m = (struct ratio_mark){ .tint = !shade    ? TINT_NEAR
						  : is_less ? TINT_LESS
							    : TINT_MORE,
					  .shade = shade };
		snprintf(m->text, sizeof(m->text), "%s%.0f %%",
			 !shade	   ? "near "
			 : is_less ? AT_MOST
				   : AT_LEAST,
			 is_less ? 50 - from_half : 50 + from_half);
	}
	return n;
}
