/* SPDX-License-Identifier: BSD-3-Clause */
/* Unpacks base64 and gzip (RFC 1951, 1952).  Browsers have DecompressionStream only since 2023. */

function base64Bytes(text) {
  var binary = atob(text.trim()), bytes = new Uint8Array(binary.length);
  for (var i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

var INFLATE_MAX_BITS = 15, INFLATE_FAST_BITS = 10;
var LENGTH_BASE = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
var LENGTH_EXTRA = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
var DISTANCE_BASE = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
                     8193, 12289, 16385, 24577];
var DISTANCE_EXTRA = [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13];
var CODE_LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

function reversedBits(value, count) {
  var reversed = 0;
  for (; count > 0; count--, value >>= 1) reversed = reversed << 1 | value & 1;
  return reversed;
}

/* A Huffman code.  `fast` has for each value of the next bits the symbol and its length; longer codes are found bit by
   bit in `counts` and `symbols`, which are in the order of the codes. */
function makeCode(lengths) {
  var counts = new Uint16Array(INFLATE_MAX_BITS + 1), offsets = new Uint16Array(INFLATE_MAX_BITS + 2);
  var symbols = new Uint16Array(lengths.length), fast = new Uint16Array(1 << INFLATE_FAST_BITS), code = 0, i, length, symbol;
  for (i = 0; i < lengths.length; i++) counts[lengths[i]]++;
  counts[0] = 0;
  for (i = 1; i <= INFLATE_MAX_BITS; i++) offsets[i + 1] = offsets[i] + counts[i];
  for (i = 0; i < lengths.length; i++) if (lengths[i]) symbols[offsets[lengths[i]]++] = i;
  for (length = 1, i = 0; length <= INFLATE_FAST_BITS; length++, code <<= 1) {
    for (symbol = 0; symbol < counts[length]; symbol++, i++, code++) {
      for (var at = reversedBits(code, length); at < fast.length; at += 1 << length) fast[at] = symbols[i] << 4 | length;
    }
  }
  return { counts: counts, symbols: symbols, fast: fast };
}

function fixedLengths() {
  var lengths = new Uint8Array(288);
  for (var i = 0; i < 288; i++) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
  return lengths;
}

/* Unpacks a stream of deflate blocks to exactly `size` bytes. */
function inflate(bytes, at, size) {
  var out = new Uint8Array(size), n = 0, word = 0, nBits = 0, isLast = false;

  function fill(count) {
    for (; nBits < count; nBits += 8) word |= (at < bytes.length ? bytes[at++] : 0) << nBits;
  }

  function bits(count) {
    var value;
    fill(count);
    value = word & (1 << count) - 1;
    word >>>= count;
    nBits -= count;
    return value;
  }

  function symbolOf(code) {
    var found, value = 0, first = 0, index = 0;
    fill(INFLATE_MAX_BITS);
    found = code.fast[word & (1 << INFLATE_FAST_BITS) - 1];
    if (found) {
      word >>>= found & 15;
      nBits -= found & 15;
      return found >> 4;
    }
    for (var length = 1; length <= INFLATE_MAX_BITS; length++) {
      value |= word >>> length - 1 & 1;
      if (value - first < code.counts[length]) {
        word >>>= length;
        nBits -= length;
        return code.symbols[index + value - first];
      }
      index += code.counts[length];
      first = first + code.counts[length] << 1;
      value <<= 1;
    }
    throw new Error("the data of this page is damaged");
  }

  function copyStored() {
    var length;
    at -= nBits >> 3; /* whole bytes that were read ahead */
    word = nBits = 0;
    length = bytes[at] | bytes[at + 1] << 8;
    out.set(bytes.subarray(at + 4, at + 4 + length), n);
    at += 4 + length;
    n += length;
  }

  function readLengths() {
    var nLiterals = bits(5) + 257, nDistances = bits(5) + 1, nLengths = bits(4) + 4, ofLengths = new Uint8Array(19);
    var lengths = new Uint8Array(nLiterals + nDistances), i = 0, code, symbol, repeat, value;
    for (i = 0; i < nLengths; i++) ofLengths[CODE_LENGTH_ORDER[i]] = bits(3);
    code = makeCode(ofLengths);
    for (i = 0; i < lengths.length;) {
      symbol = symbolOf(code);
      if (symbol < 16) {
        lengths[i++] = symbol;
        continue;
      }
      value = symbol === 16 ? lengths[i - 1] : 0;
      repeat = symbol === 16 ? 3 + bits(2) : symbol === 17 ? 3 + bits(3) : 11 + bits(7);
      for (; repeat > 0; repeat--) lengths[i++] = value;
    }
    return [makeCode(lengths.subarray(0, nLiterals)), makeCode(lengths.subarray(nLiterals))];
  }

  function expand(literals, distances) {
    var symbol, length, distance;
    while ((symbol = symbolOf(literals)) !== 256) {
      if (symbol < 256) {
        out[n++] = symbol;
        continue;
      }
      length = LENGTH_BASE[symbol - 257] + bits(LENGTH_EXTRA[symbol - 257]);
      symbol = symbolOf(distances);
      distance = DISTANCE_BASE[symbol] + bits(DISTANCE_EXTRA[symbol]);
      for (; length > 0; length--, n++) out[n] = out[n - distance];
    }
  }

  while (!isLast) {
    isLast = bits(1) === 1;
    switch (bits(2)) {
    case 0: copyStored(); break;
    case 1: expand(makeCode(fixedLengths()), makeCode(new Uint8Array(30).fill(5))); break;
    default: expand.apply(null, readLengths());
    }
  }
  if (n !== size) throw new Error("the data of this page is incomplete");
  return out;
}

/* wperf writes a header of 10 bytes, and at the end a checksum and the unpacked size. */
function gunzip(bytes) {
  var end = bytes.length - 4;
  return inflate(bytes, 10, (bytes[end] | bytes[end + 1] << 8 | bytes[end + 2] << 16 | bytes[end + 3] << 24) >>> 0);
}
