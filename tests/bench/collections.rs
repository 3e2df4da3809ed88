// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// collections: sorts, hashes, formats, panics and catches it, in two threads, until it is killed.  A load
// for tests/bench/stacks.py.
use std::collections::{BTreeMap, HashMap};
use std::hint::black_box;
use std::panic;
use std::thread;
use std::time::Duration;

fn descend(depth: u32, text: &str) -> usize {
    if depth == 0 {
        panic!("bottom {}", text);
    }
    let copy = text.to_string();
    descend(depth - 1, &copy) + copy.len()
}

fn round(n: u64) -> usize {
    let mut words: Vec<String> = (0..500).map(|i| format!("{}", (i * 7919 + n) % 1000)).collect();
    let mut seen = HashMap::new();
    let mut tree = BTreeMap::new();
    words.sort_by(|a, b| b.cmp(a));
    for w in &words {
        *seen.entry(w.clone()).or_insert(0usize) += w.len();
        tree.insert(w.as_str(), n);
    }
    let caught = panic::catch_unwind(|| descend((n % 20) as u32, "text"));
    seen.len() + tree.len() + caught.unwrap_or(1)
}

fn work() {
    for n in 0u64.. {
        black_box(round(n));
        if n % 8 == 0 {
            thread::sleep(Duration::from_micros(200));
        }
    }
}

fn main() {
    panic::set_hook(Box::new(|_| {}));
    let other = thread::spawn(work);
    work();
    other.join().unwrap();
}
