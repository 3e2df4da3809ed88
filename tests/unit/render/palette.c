// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Colors of pictures: labels can be read, and frames that differ in kind look different. */
#include "base/root.h"
#include "render/svg.h"

#include "reports.h"
#include "test.h"

/* The color of labels (core/render/flame.css). */
static const struct rgb ink = { 0x1c, 0x1a, 0x17 };

/* Relative luminance as WCAG defines it, but x^2.5 for its x^2.4: darker, so that a contrast with
 * ink is not overestimated. */
static double channel(u8 value)
{
	double x = value / 255.0, base = (x + 0.055) / 1.055;

	return x <= 0.03928 ? x / 12.92 : base * base * square_root(base);
}

static double luminance(struct rgb c)
{
	return 0.2126 * channel(c.r) + 0.7152 * channel(c.g) + 0.0722 * channel(c.b);
}

TEST(labels_have_contrast)
{
	const struct run_info times = { .unit = UNIT_NS }, samples = { .unit = UNIT_SAMPLES };
	const struct palette *all[] = { palette_of(&times), palette_of(&samples),
					palette_of_changes(), palette_of_ratios() };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		for (int t = 0; t < TINT_N; t++)
			for (u32 shade = 0; palette_has(all[i], t) && shade < TINT_SHADES;
			     shade++) {
				struct rgb c = palette_shade(all[i], t, shade);

				CHECK((luminance(c) + 0.05) / (luminance(ink) + 0.05) >= 4.5);
			}
}

static enum tint tint(const struct report *r, struct step step)
{
	return tint_of(palette_of(r->run), r, &step);
}

TEST(frames_of_waiting_are_told_apart)
{
	static const struct frame frames[] = {
		{ .name = "schedule", .kind = FRAME_KERNEL },
		{ .name = "read", .kind = FRAME_USER },
		{ .name = FRAME_ON_CPU, .kind = FRAME_NOTE },
		{ .name = "[blocked]", .kind = FRAME_NOTE },
	};
	enum tint seen[6];
	struct sample s;

	sample_init(&s, frames, 4);
	sample_waits(&s, "offwake", SHAPE_STACK);
	for (u32 i = 0; i < 4; i++)
		seen[i] = tint(&s.report, (struct step){ .what = STEP_FRAME, .frame = i });
	seen[4] =
		tint(&s.report, (struct step){ .what = STEP_FRAME, .frame = 1, .is_waker = true });
	seen[5] = tint(&s.report, (struct step){ .what = STEP_WAKER });
	CHECK(seen[4] == seen[5]);
	for (u32 i = 0; i < 5; i++)
		for (u32 k = 0; k < i; k++)
			CHECK(seen[i] != seen[k]);
	/* "[unknown waker]" is not a waker. */
	CHECK(tint(&s.report, (struct step){ .what = STEP_END }) == seen[3]);
	sample_release(&s);
}
