// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// throwing: throws exceptions through templates, callbacks and std::sort, in two threads, until it is
// killed.  A load for tests/bench/stacks.py.
#include <algorithm>
#include <functional>
#include <map>
#include <regex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct Thrown : std::runtime_error {
	using std::runtime_error::runtime_error;
};

static volatile unsigned long sink;

__attribute__((noinline)) static int descend(int depth, const std::string &text)
{
	std::vector<char> copy(text.begin(), text.end());

	if (!depth)
		throw Thrown("bottom " + text);
	sink += copy.size();
	return descend(depth - 1, text) + int(copy[0]);
}

static void thrown(int round)
{
	try {
		sink += descend(round % 20, "text " + std::to_string(round));
	} catch (const std::exception &e) {
		sink += std::string(e.what()).size();
	}
}

static void sorted(int round)
{
	std::vector<std::string> words;

	for (int i = 0; i < 500; i++)
		words.push_back(std::to_string((i * 7919 + round) % 1000));
	try {
		std::sort(words.begin(), words.end(), [&](const std::string &a, const std::string &b) {
			if (++sink % 100000 == 0)
				throw Thrown(a);
			return a < b;
		});
	} catch (const Thrown &) {
		sink++;
	}
}

static void matched(int round)
{
	static const std::regex pattern("(a|b)*c([0-9]+)");
	std::smatch found;
	std::string text = "abababac" + std::to_string(round);

	if (std::regex_match(text, found, pattern))
		sink += found.size();
}

static void work()
{
	const std::map<int, std::function<void(int)>> steps = { { 0, thrown }, { 1, sorted }, { 2, matched } };

	for (int round = 0;; round++) {
		steps.at(round % 3)(round);
		if (round % 64 == 0)
			std::this_thread::sleep_for(std::chrono::microseconds(200));
	}
}

int main()
{
	std::thread other(work);

	work();
	other.join();
}
