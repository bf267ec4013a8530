// SPDX-License-Identifier: BSD-3-Clause
//! The peer of tests/bench/symbolize.py and tests/oracle_dwarf.py: gimli's addr2line on addresses from standard
//! input, printed as llvm-symbolizer does.
//!
//!     gimli-addr2line FILE [SUPPLEMENTARY-FILE]
use object::{CompressionFormat, Object, ObjectSection};
use std::borrow::Cow;
use std::io::{BufRead, Read, Write};

type Reader<'a> = gimli::EndianSlice<'a, gimli::LittleEndian>;

fn open(path: &str) -> &'static [u8] {
    let file = std::fs::File::open(path).unwrap_or_else(|e| panic!("{path}: {e}"));
    Box::leak(Box::new(unsafe { memmap2::Mmap::map(&file).unwrap() }))
}

fn unpack(bytes: object::CompressedData<'static>) -> Cow<'static, [u8]> {
    match bytes.format {
        CompressionFormat::Zlib => {
            let mut out = Vec::with_capacity(bytes.uncompressed_size as usize);
            flate2::read::ZlibDecoder::new(bytes.data).read_to_end(&mut out).unwrap();
            Cow::Owned(out)
        }
        _ => Cow::Borrowed(bytes.data),
    }
}

fn load(file: &object::File<'static>, id: gimli::SectionId) -> Result<Reader<'static>, ()> {
    let bytes = match file.section_by_name(id.name()).and_then(|s| s.compressed_data().ok()) {
        Some(bytes) => match unpack(bytes) {
            Cow::Borrowed(bytes) => bytes,
            Cow::Owned(bytes) => Vec::leak(bytes),
        },
        None => &[],
    };
    Ok(gimli::EndianSlice::new(bytes, gimli::LittleEndian))
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let file = object::File::parse(open(&args[1])).unwrap();
    let mut dwarf = gimli::Dwarf::load(|id| load(&file, id)).unwrap();
    if let Some(path) = args.get(2) {
        let supplementary = object::File::parse(open(path)).unwrap();
        dwarf.load_sup(|id| load(&supplementary, id)).unwrap();
    }
    let context = addr2line::Context::from_dwarf(dwarf).unwrap();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let addr = u64::from_str_radix(line.trim().trim_start_matches("0x"), 16).unwrap();
        let mut n = 0;
        if let Ok(mut frames) = context.find_frames(addr) {
            while let Ok(Some(frame)) = frames.next() {
                let name = frame.function.as_ref().and_then(|f| f.raw_name().ok());
                let place = frame.location.unwrap_or(addr2line::Location { file: None, line: None, column: None });
                n += 1;
                writeln!(out, "{}\n{}:{}:{}", name.as_deref().unwrap_or("??"), place.file.unwrap_or("??"),
                    place.line.unwrap_or(0), place.column.unwrap_or(0)).unwrap();
            }
        }
        writeln!(out, "{}", if n == 0 { "??\n??:0:0\n" } else { "" }).unwrap();
    }
}
