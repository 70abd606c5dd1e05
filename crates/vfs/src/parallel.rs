//! Parallel work on two threads.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Applies `work` to each of `items` on two threads, and returns the results in the order of the items. The next item
/// goes to the thread that is free, so a large item does not delay the others. Starting a thread takes about as long
/// as reading a dozen small files; the caller decides whether it is worth it.
///
/// If no thread can be started, this one does all the work. A panic of `work` is propagated to the caller.
pub fn map_on_two_threads<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
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
                map_on_two_threads(&items, |item| item * 2),
                items.iter().map(|item| item * 2).collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn two_threads_work() {
        let both = Barrier::new(2);
        let threads: Vec<ThreadId> = map_on_two_threads(&[(), ()], |()| {
            both.wait();
            std::thread::current().id()
        });
        assert_ne!(threads.first(), threads.last());
    }

    #[test]
    fn a_panic_is_propagated_to_the_caller() {
        let items: Vec<u32> = (0..100).collect();
        let run = || map_on_two_threads(&items, |item| assert_ne!(*item, 50));
        assert!(std::panic::catch_unwind(run).is_err());
    }
}
