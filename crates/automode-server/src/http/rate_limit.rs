//! How often somebody may try.
//!
//! Buckets that fill again, in memory and by replica: a brake for guessing and for
//! a client gone wild, not an exact count.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::HttpRefusal;

/// Buckets that are kept; a full table forgets those that are full again.
const MOST: usize = 100_000;

/// All buckets.
#[derive(Default)]
pub struct RateLimit {
    buckets: Mutex<HashMap<String, Bucket>>,
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
        if buckets.len() >= MOST {
            buckets.retain(|_, bucket| now.duration_since(bucket.looked).as_secs() < 60);
        }
        let bucket = buckets.entry(name.to_owned()).or_insert(Bucket {
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
}
