// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// rusty [SECONDS]: Rust names: a module, a trait method on a generic type, a closure.  Built twice,
// with legacy and with v0 mangling.
use std::hint::black_box;

#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

extern "C" {
    fn clock_gettime(clock: i32, t: *mut Timespec) -> i32;
}

/// CPU time of the process, so that a busy machine makes the run longer, with as many samples.
fn cpu_seconds() -> f64 {
    let mut t = Timespec { seconds: 0, nanoseconds: 0 };
    unsafe { clock_gettime(2, &mut t) };
    t.seconds as f64 + t.nanoseconds as f64 / 1e9
}

pub mod garage {
    use super::*;

    pub trait Engine {
        fn turn(&self, until: f64) -> u64;
    }

    pub struct Motor<T> {
        pub size: T,
    }

    impl<T: Into<u64> + Copy> Engine for Motor<T> {
        #[inline(never)]
        fn turn(&self, until: f64) -> u64 {
            let mut n = self.size.into();
            while cpu_seconds() < until {
                for i in 0..50000u64 {
                    n = black_box(n.wrapping_mul(31).wrapping_add(i));
                }
            }
            black_box(n)
        }
    }
}

#[inline(never)]
fn drive(engine: &dyn garage::Engine, until: f64) -> u64 {
    let run = |e: &dyn garage::Engine| black_box(e.turn(until));
    black_box(run(engine))
}

fn main() {
    let seconds: f64 = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(1.0);
    let n = drive(&garage::Motor { size: 7u32 }, seconds);
    std::process::exit((black_box(n) == 1) as i32);
}
