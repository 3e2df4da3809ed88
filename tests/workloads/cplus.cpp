// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// cplus [SECONDS]: C++ names of every kind on one stack: a namespace, an anonymous one, a class
// template, a method with a std::string argument, an operator, a lambda.  First of all it calls
// shop::price(int) once, shop::price(const char *, const std::string &) twice, and three times
// shop::price(int, unsigned long).
#include <ctime>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

static double cpu_seconds()
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

namespace shop {
__attribute__((noinline)) int price(int item)
{
	__asm__ volatile("" ::: "memory");
	return item;
}

__attribute__((noinline)) int price(const char *item, const std::string &currency)
{
	__asm__ volatile("" ::: "memory");
	return int(currency.size()) + item[0];
}

__attribute__((noinline)) int price(int item, unsigned long count)
{
	__asm__ volatile("" ::: "memory");
	return item * int(count);
}

namespace {
__attribute__((noinline)) void secret(double until)
{
	do {
		for (volatile int i = 0; i < 50000; i = i + 1)
			;
	} while (cpu_seconds() < until);
	__asm__ volatile("" ::: "memory");
}
} // namespace

template <typename Key, typename Value> class Basket {
      public:
	__attribute__((noinline)) void fill(const std::string &label, std::vector<Value> &to,
					    double until)
	{
		to.push_back(Value(label.size()));
		secret(until);
		__asm__ volatile("" ::: "memory");
	}
	__attribute__((noinline)) int operator()(const std::map<Key, std::string> &m, double until)
	{
		std::vector<Value> v;

		fill(m.begin()->second, v, until);
		__asm__ volatile("" ::: "memory");
		return int(v.size());
	}
};
} // namespace shop

template <typename F> __attribute__((noinline)) static int call(F f)
{
	int r = f();

	__asm__ volatile("" ::: "memory");
	return r;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	shop::Basket<int, unsigned long> basket;
	std::map<int, std::string> m = { { 1, "one" } };
	int sum = shop::price(7);

	for (int i = 0; i < 2; i++)
		sum += shop::price("item", m[1]);
	for (int i = 0; i < 3; i++)
		sum += shop::price(i, 5);
	if (sum == 0)
		return 2;

	return call([&]() __attribute__((noinline)) { return basket(m, seconds); }) != 1;
}
