//! Archives in their plainest form: nothing is compressed.

/// A tar archive of files, with their modes.
pub fn tar(files: &[(String, String, u32)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, text, mode) in files {
        let mut header = vec![0_u8; 512];
        let mut field = |at: usize, value: &str| {
            for (place, byte) in header.iter_mut().skip(at).zip(value.bytes()) {
                *place = byte;
            }
        };
        field(0, name);
        field(100, &format!("{mode:07o}"));
        field(108, "0001750");
        field(116, "0001750");
        field(124, &format!("{:011o}", text.len()));
        field(136, "14700000000");
        field(148, "        ");
        field(156, "0");
        field(257, "ustar");
        field(263, "00");
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        for (place, byte) in header
            .iter_mut()
            .skip(148)
            .zip(format!("{sum:06o}\0 ").bytes())
        {
            *place = byte;
        }
        bytes.extend(header);
        bytes.extend(text.bytes());
        bytes.resize(bytes.len().next_multiple_of(512), 0);
    }
    bytes.resize(bytes.len().saturating_add(1024), 0);
    bytes
}

/// The bytes as a gzip file of stored blocks.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    let count = bytes.chunks(65_535).len();
    for (index, block) in bytes.chunks(65_535).enumerate() {
        let length = u16::try_from(block.len()).unwrap_or(u16::MAX);
        packed.push(u8::from(index.saturating_add(1) == count));
        packed.extend(length.to_le_bytes());
        packed.extend((!length).to_le_bytes());
        packed.extend(block);
    }
    packed.extend(crc32(bytes).to_le_bytes());
    packed.extend(u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes());
    packed
}

/// A zip archive of stored files.
pub fn zip(files: &[(String, String, u32)]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    let short = |length: usize| u16::try_from(length).unwrap_or(u16::MAX).to_le_bytes();
    let long = |length: usize| u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes();
    for (name, text, mode) in files {
        let at = bytes.len();
        let mut shared = vec![20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0x5a];
        shared.extend(crc32(text.as_bytes()).to_le_bytes());
        shared.extend(long(text.len()));
        shared.extend(long(text.len()));
        shared.extend(short(name.len()));
        shared.extend([0, 0]);
        bytes.extend(*b"PK\x03\x04");
        bytes.extend(&shared);
        bytes.extend(name.bytes());
        bytes.extend(text.bytes());
        directory.extend(*b"PK\x01\x02\x14\x03");
        directory.extend(&shared);
        directory.extend([0, 0, 0, 0, 0, 0]);
        directory.extend(((0o100_000 | *mode) << 16).to_le_bytes());
        directory.extend(long(at));
        directory.extend(name.bytes());
    }
    let at = bytes.len();
    bytes.extend(&directory);
    bytes.extend(*b"PK\x05\x06\0\0\0\0");
    bytes.extend(short(files.len()));
    bytes.extend(short(files.len()));
    bytes.extend(long(directory.len()));
    bytes.extend(long(at));
    bytes.extend([0, 0]);
    bytes
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg());
        }
    }
    !sum
}

#[cfg(test)]
mod tests {
    use super::crc32;

    #[test]
    fn the_checksum_is_the_usual_one() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }
}
