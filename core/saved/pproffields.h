/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Field numbers of google/pprof's profile.proto, for the code that writes it (render/pprof.c) and
 * the code that reads it.  Only the first 14 fields of Profile are used, which are the same in all
 * versions.
 */
#ifndef SAVED_PPROFFIELDS_H
#define SAVED_PPROFFIELDS_H

enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME_NS = 9,
	PROFILE_DURATION_NS = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE = 14,
};
enum {
	TYPE_TYPE = 1,
	TYPE_UNIT = 2
};
enum {
	SAMPLE_LOCATION = 1,
	SAMPLE_VALUE = 2,
	SAMPLE_LABEL = 3
};
enum {
	LABEL_KEY = 1,
	LABEL_STR = 2,
	LABEL_NUM = 3
};
enum {
	MAPPING_ID = 1,
	MAPPING_FILE = 5,
	MAPPING_BUILD_ID = 6,
	MAPPING_HAS_FUNCTIONS = 7
};
enum {
	LOCATION_ID = 1,
	LOCATION_MAPPING = 2,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4
};
enum {
	LINE_FUNCTION = 1
};
enum {
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3
};

#define KERNEL_MAPPING "[kernel.kallsyms]" /* the name that readers expect for the kernel */

#endif
