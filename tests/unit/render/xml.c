// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/xml.h"

#include "test.h"

static void check(const char *text, const char *want)
{
	struct str out = { 0 };

	xml_add(&out, view_of(text));
	CHECK_STR(str_text(&out), want);
	str_release(&out);
}

TEST(markup_is_escaped)
{
	check("<a b=\"c\" d='e'>&]]>", "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;]]&gt;");
}

TEST(characters_that_xml_forbids_are_replaced)
{
	check("a\x01\x1f\x7f", "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	check("\xef\xbf\xbe\xef\xbf\xbf", "\xef\xbf\xbd\xef\xbf\xbd");
	check("\xff\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(text_in_other_scripts_is_kept)
{
	check("gr\xc3\xbc\xc3\x9f \xf0\x9f\x94\xa5", "gr\xc3\xbc\xc3\x9f \xf0\x9f\x94\xa5");
}
