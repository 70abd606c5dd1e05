//! Work on two threads.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Applies `work` to each of `items` on two threads, and returns the results in the order of the items. Whichever thread is
/// free takes the next item, so a large one keeps nobody waiting. Starting a thread takes about as long as reading a dozen
/// small files: it is for the caller to know that there is more to do.
///
/// Where no further thread is to be had, this one does everything. A panic of `work` goes on in the caller.
pub fn on_two_threads<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let take = || -> Vec<(usize, R)> {
        let mut done = Vec::with_capacity(items.len() / 2);
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return done };
            done.push((at, work(item)));
        }
    };
    let mut done = std::thread::scope(|scope| {
        let other = std::thread::Builder::new().spawn_scoped(scope, take);
        let mut done = take();
        match other.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(others)) => done.extend(others),
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(_) => {}
        }
        done
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::thread::ThreadId;

    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for count in [0_u32, 1, 2, 3, 1_000] {
            let items: Vec<u32> = (0..count).collect();
            assert_eq!(
                on_two_threads(&items, |item| item * 2),
                items.iter().map(|item| item * 2).collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn two_threads_work() {
        let both = Barrier::new(2);
        let threads: Vec<ThreadId> = on_two_threads(&[(), ()], |()| {
            both.wait();
            std::thread::current().id()
        });
        assert_ne!(threads.first(), threads.last());
    }

    #[test]
    fn a_panic_goes_on_in_the_caller() {
        let items: Vec<u32> = (0..100).collect();
        let run = || on_two_threads(&items, |item| assert_ne!(*item, 50));
        assert!(std::panic::catch_unwind(run).is_err());
    }
}
