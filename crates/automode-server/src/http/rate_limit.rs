//! How often somebody may try.
//!
//! Buckets that fill again, in memory and by replica: a brake for guessing and for
//! a client gone wild, not an exact count.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::HttpRefusal;

/// Buckets that are kept; a full table forgets those that are full again.
const MOST: usize = 100_000;
/// How often a full table is looked through.
const SWEEPS: Duration = Duration::from_secs(1);
/// How long a bucket is kept that nobody takes from: by then it is full again.
const KEPT: Duration = Duration::from_secs(100);
/// The bucket of all for whom there is no room.
const CROWD: &str = "crowd";

/// All buckets.
#[derive(Default)]
pub struct RateLimit {
    buckets: Mutex<Buckets>,
}

#[derive(Default)]
struct Buckets {
    named: HashMap<String, Bucket>,
    swept: Option<Instant>,
}

struct Bucket {
    left: f64,
    looked: Instant,
}

/// How fast a bucket fills, and how much it holds.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    pub a_second: f64,
    pub burst: f64,
}

/// Guessing a token or a code.
pub const GUESS: Pace = Pace {
    a_second: 0.2,
    burst: 10.0,
};
/// Beginning to sign in through the provider; an office stands behind one address.
pub const START: Pace = Pace {
    a_second: 2.0,
    burst: 60.0,
};
/// A device that enrols; a whole office may stand behind one address.
pub const ENROL: Pace = Pace {
    a_second: 50.0,
    burst: 5_000.0,
};
/// A device's requests.
pub const DEVICE: Pace = Pace {
    a_second: 20.0,
    burst: 200.0,
};
/// Requests that no device signed; an office with a revoked device stands behind one address.
pub const STRANGER: Pace = Pace {
    a_second: 5.0,
    burst: 100.0,
};
/// A person's requests.
pub const PERSON: Pace = Pace {
    a_second: 20.0,
    burst: 200.0,
};

impl RateLimit {
    /// Takes one from the bucket of this name.
    ///
    /// # Errors
    /// A refusal where it is empty.
    pub fn take(&self, name: &str, pace: Pace) -> Result<(), HttpRefusal> {
        let now = Instant::now();
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let name = buckets.room_for(name, now);
        let bucket = buckets.named.entry(name.to_owned()).or_insert(Bucket {
            left: pace.burst,
            looked: now,
        });
        let since = now.duration_since(bucket.looked).as_secs_f64();
        bucket.left = (bucket.left + since * pace.a_second).min(pace.burst);
        bucket.looked = now;
        if bucket.left < 1.0 {
            return Err(HttpRefusal::too_often());
        }
        bucket.left -= 1.0;
        Ok(())
    }
}

impl Buckets {
    /// The name to count under. Names without end cost neither memory nor time without end.
    fn room_for<'a>(&mut self, name: &'a str, now: Instant) -> &'a str {
        if self.named.len() < MOST || self.named.contains_key(name) {
            return name;
        }
        if self
            .swept
            .is_none_or(|swept| now.duration_since(swept) >= SWEEPS)
        {
            self.swept = Some(now);
            self.named
                .retain(|_, bucket| now.duration_since(bucket.looked) < KEPT);
        }
        if self.named.len() < MOST { name } else { CROWD }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_empties_and_others_do_not() {
        let limit = RateLimit::default();
        let pace = Pace {
            a_second: 0.001,
            burst: 3.0,
        };
        let tries: Vec<bool> = (0..5).map(|_| limit.take("a", pace).is_ok()).collect();
        assert_eq!(tries, [true, true, true, false, false]);
        assert!(limit.take("b", pace).is_ok());
    }

    #[test]
    fn names_without_end_share_a_bucket() {
        let limit = RateLimit::default();
        let pace = Pace {
            a_second: 0.001,
            burst: 3.0,
        };
        for at in 0..MOST {
            assert!(limit.take(&format!("name {at}"), pace).is_ok());
        }
        let strangers = (0..10).map(|at| limit.take(&format!("stranger {at}"), pace).is_ok());
        assert_eq!(strangers.filter(|heard| *heard).count(), 3);
        assert!(limit.take("name 7", pace).is_ok(), "it has its own");
        let buckets = limit.buckets.lock().unwrap();
        assert_eq!(buckets.named.len(), MOST + 1);
    }
}
