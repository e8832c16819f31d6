//! Bytes that git has compressed, taken apart within a bound.
//!
//! DEFLATE as RFC 1951 has it, inside the two bytes and the checksum of RFC 1950; the
//! checksum is not looked at, because a damaged object gives no tree that anything
//! equals. Whatever does not fit the format ends without a result.

/// The bytes behind a zlib stream, at most `most` of them.
pub(super) fn inflate(stream: &[u8], most: usize) -> Option<Vec<u8>> {
    let (header, body) = stream.split_at_checked(2)?;
    let is_deflate = header.first()? & 0x0f == 8 && header.get(1)? & 0x20 == 0;
    is_deflate.then_some(())?;
    let mut bits = Bits {
        bytes: body,
        at: 0,
        held: 0,
        count: 0,
    };
    let mut out = Vec::new();
    loop {
        let last = bits.take(1)?;
        match bits.take(2)? {
            0 => stored(&mut bits, &mut out, most)?,
            1 => {
                let (lengths, distances) = fixed();
                compressed(&mut bits, &mut out, most, &lengths, &distances)?;
            }
            2 => {
                let (lengths, distances) = dynamic(&mut bits)?;
                compressed(&mut bits, &mut out, most, &lengths, &distances)?;
            }
            _ => return None,
        }
        if last == 1 {
            return Some(out);
        }
    }
}

struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
    held: u32,
    count: u32,
}

impl Bits<'_> {
    fn take(&mut self, wanted: u32) -> Option<u32> {
        while self.count < wanted {
            let byte = *self.bytes.get(self.at)?;
            self.at = self.at.saturating_add(1);
            self.held |= u32::from(byte) << self.count;
            self.count = self.count.saturating_add(8);
        }
        let taken = self.held & (1_u32 << wanted).wrapping_sub(1);
        self.held >>= wanted;
        self.count = self.count.saturating_sub(wanted);
        Some(taken)
    }
}

/// A Huffman code by the number of codes of each length and the symbols in their order.
struct HuffmanCode {
    counts: [u16; 16],
    symbols: Vec<u16>,
}

impl HuffmanCode {
    fn new(lengths: &[u8]) -> Option<Self> {
        let mut counts = [0_u16; 16];
        for length in lengths {
            let count = counts.get_mut(usize::from(*length))?;
            *count = count.saturating_add(1);
        }
        if let Some(none) = counts.first_mut() {
            *none = 0;
        }
        let mut symbols: Vec<(u8, u16)> = lengths
            .iter()
            .zip(0_u16..)
            .filter(|(length, _)| **length > 0)
            .map(|(length, symbol)| (*length, symbol))
            .collect();
        symbols.sort_unstable();
        Some(Self {
            counts,
            symbols: symbols.into_iter().map(|(_, symbol)| symbol).collect(),
        })
    }

    fn next(&self, bits: &mut Bits<'_>) -> Option<u16> {
        let (mut code, mut first, mut index) = (0_i32, 0_i32, 0_i32);
        for count in self.counts.iter().skip(1) {
            code |= i32::try_from(bits.take(1)?).ok()?;
            let count = i32::from(*count);
            if code.wrapping_sub(count) < first {
                let at = index.wrapping_add(code.wrapping_sub(first));
                return self.symbols.get(usize::try_from(at).ok()?).copied();
            }
            index = index.wrapping_add(count);
            first = first.wrapping_add(count) << 1;
            code <<= 1;
        }
        None
    }
}

fn stored(bits: &mut Bits<'_>, out: &mut Vec<u8>, most: usize) -> Option<()> {
    // What is left of the byte is padding; whole bytes that were looked at already are given back.
    let whole = usize::try_from(bits.count / 8).ok()?;
    bits.at = bits.at.checked_sub(whole)?;
    (bits.held, bits.count) = (0, 0);
    let length = bits.take(16)?;
    let check = bits.take(16)?;
    (length == !check & 0xffff).then_some(())?;
    let end = bits.at.checked_add(usize::try_from(length).ok()?)?;
    out.extend_from_slice(bits.bytes.get(bits.at..end)?);
    bits.at = end;
    (out.len() <= most).then_some(())
}

fn fixed() -> (HuffmanCode, HuffmanCode) {
    let lengths: Vec<u8> = (0..288)
        .map(|symbol| match symbol {
            0..144 => 8,
            144..256 => 9,
            256..280 => 7,
            _ => 8,
        })
        .collect();
    let none = || HuffmanCode {
        counts: [0; 16],
        symbols: Vec::new(),
    };
    (
        HuffmanCode::new(&lengths).unwrap_or_else(none),
        HuffmanCode::new(&[5; 30]).unwrap_or_else(none),
    )
}

fn dynamic(bits: &mut Bits<'_>) -> Option<(HuffmanCode, HuffmanCode)> {
    const ORDER: [usize; 19] = [
        16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
    ];
    let take = |bits: &mut Bits<'_>, wanted, more: usize| {
        Some(
            usize::try_from(bits.take(wanted)?)
                .ok()?
                .saturating_add(more),
        )
    };
    let literals = take(bits, 5, 257)?;
    let distances = take(bits, 5, 1)?;
    let codes = take(bits, 4, 4)?;
    let mut lengths = [0_u8; 19];
    for at in ORDER.iter().take(codes) {
        *lengths.get_mut(*at)? = u8::try_from(bits.take(3)?).ok()?;
    }
    let code = HuffmanCode::new(&lengths)?;
    let wanted = literals.saturating_add(distances);
    let mut lengths: Vec<u8> = Vec::with_capacity(wanted);
    while lengths.len() < wanted {
        let (length, times) = match code.next(bits)? {
            symbol @ 0..16 => (u8::try_from(symbol).ok()?, 1),
            16 => (*lengths.last()?, take(bits, 2, 3)?),
            17 => (0, take(bits, 3, 3)?),
            _ => (0, take(bits, 7, 11)?),
        };
        lengths.extend(std::iter::repeat_n(length, times));
    }
    let (literal, distance) = lengths.split_at_checked(literals)?;
    Some((
        HuffmanCode::new(literal)?,
        HuffmanCode::new(distance.get(..distances)?)?,
    ))
}

fn compressed(
    bits: &mut Bits<'_>,
    out: &mut Vec<u8>,
    most: usize,
    lengths: &HuffmanCode,
    distances: &HuffmanCode,
) -> Option<()> {
    const BASE: [u16; 29] = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115,
        131, 163, 195, 227, 258,
    ];
    const EXTRA: [u8; 29] = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ];
    loop {
        let symbol = lengths.next(bits)?;
        match symbol {
            0..256 => out.push(u8::try_from(symbol).ok()?),
            256 => return Some(()),
            _ => {
                let at = usize::from(symbol).checked_sub(257)?;
                let more = bits.take(u32::from(*EXTRA.get(at)?))?;
                let length = u32::from(*BASE.get(at)?).saturating_add(more);
                let symbol = distances.next(bits)?;
                let distance = distance(bits, symbol)?;
                for _ in 0..length {
                    let from = out.len().checked_sub(distance)?;
                    out.push(*out.get(from)?);
                }
            }
        }
        if out.len() > most {
            return None;
        }
    }
}

fn distance(bits: &mut Bits<'_>, symbol: u16) -> Option<usize> {
    let symbol = u32::from(symbol);
    let distance = match symbol {
        0..4 => symbol.saturating_add(1),
        4..30 => {
            let extra = (symbol / 2).checked_sub(1)?;
            let base = (2 | symbol & 1) << extra;
            base.saturating_add(bits.take(extra)?).saturating_add(1)
        }
        _ => return None,
    };
    usize::try_from(distance).ok()
}
