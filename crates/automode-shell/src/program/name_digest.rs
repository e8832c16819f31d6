//! Where the name of a program stands among its slots; the build script fills them with the same.

/// A digest of a name.
pub const fn name_digest(name: &str) -> u32 {
    let mut rest = name.as_bytes();
    let mut mixed = 0x811c_9dc5_u32;
    while let [first, behind @ ..] = rest {
        mixed = (mixed ^ *first as u32).wrapping_mul(0x0100_0193);
        rest = behind;
    }
    mixed ^ (mixed >> 15)
}
