// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "run/verifier.h"

#include <string.h>

/* The number in a log line "12: (85) call ..."; -1 for other lines. */
static s64 insn_of_line(const char *line)
{
	s64 n = 0;
	const char *c = line;

	for (; *c >= '0' && *c <= '9' && n < INT32_MAX; c++)
		n = n * 10 + (*c - '0');
	return c > line && c[0] == ':' && c[1] == ' ' && c[2] == '(' ? n : -1;
}

/* Instructions, registers ("12: R0=...", " R0=..."), source lines and totals are not sentences. */
static bool is_sentence(const char *line)
{
	static const char *const others[] = { ";",	     "processed ", "verification time",
					      "stack depth", "from ",	   "-- " };

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (!strncmp(line, others[i], strlen(others[i])))
			return false;
	return line[0] && line[0] != ' ' && !(line[0] >= '0' && line[0] <= '9');
}

/* Since 7.3 a section with reason, location and advice follows. */
static const char chapter[] = "Verification failed: ";

struct verdict verifier_read(char *log, s64 n_insns)
{
	struct verdict v = { -1, "" };
	char *save = NULL;

	for (char *line = strtok_r(log, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		s64 at = insn_of_line(line);

		if (!strncmp(line, chapter, sizeof(chapter) - 1)) {
			if (!v.said[0])
				v.said = line + sizeof(chapter) - 1;
			break;
		}
		if (at >= 0 && at < n_insns)
			v.insn = at;
		else if (at < 0 && is_sentence(line))
			v.said = line;
	}
	return v;
}
