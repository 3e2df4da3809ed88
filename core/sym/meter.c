// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/meter.h"

#include "base/clock.h"

/* The unit of work is a step of about 5 ns: a system call costs 64 steps, and each byte that it
 * copies a sixteenth.  Reading the thread's CPU clock is a system call too, so it is read only
 * about every 0.2 ms. */
#define STEPS_PER_READ 64
#define BYTES_PER_STEP 16
#define LOOK_STEPS     32768

void meter_begin(struct meter *m)
{
	m->cpu_began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - m->cpu_ns;
	m->unlooked = 0;
	m->over = METER_GOES_ON;
}

static enum meter_over look(struct meter *m)
{
	m->unlooked = 0;
	m->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - m->cpu_began_ns;
	if (m->max_cpu_ns && m->cpu_ns > m->max_cpu_ns)
		return METER_CPU;
	return m->deadline_ns && now_ns() >= m->deadline_ns ? METER_LATE : METER_GOES_ON;
}

static bool spend(struct meter *m, u64 bytes, u64 reads, u64 steps)
{
	if (!m)
		return true;
	if (m->over)
		return false;
	m->bytes += bytes;
	m->reads += reads;
	if (m->unlooked + steps < LOOK_STEPS)
		m->unlooked += (u32)steps;
	else
		m->over = look(m);
	if (m->stop && *m->stop)
		m->over = METER_STOPPED;
	else if (m->max_bytes && m->bytes > m->max_bytes)
		m->over = METER_BYTES;
	else if (m->max_reads && m->reads > m->max_reads)
		m->over = METER_READS;
	if (!spend(m->up, bytes, reads, steps) && !m->over)
		m->over = METER_ABOVE;
	return !m->over;
}

bool meter_read(struct meter *m, u64 n)
{
	return spend(m, n, 1, STEPS_PER_READ + n / BYTES_PER_STEP);
}

bool meter_step(struct meter *m, u64 n)
{
	return spend(m, 0, 0, n);
}

bool meter_keep(struct meter *m, u64 n)
{
	if (!m)
		return true;
	m->kept += n;
	if (!m->over && m->max_kept && m->kept > m->max_kept)
		m->over = METER_KEPT;
	if (!meter_keep(m->up, n) && !m->over)
		m->over = METER_ABOVE;
	return !m->over;
}

void meter_refuse(struct meter *m)
{
	if (m)
		m->is_refused = true;
}

bool meter_is_over(struct meter *m)
{
	return m && !spend(m, 0, 0, LOOK_STEPS);
}
