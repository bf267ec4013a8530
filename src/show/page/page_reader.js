/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the columns of numbers that the data of all pages consist of. */

function Reader(bytes) {
  this.bytes = bytes;
  this.at = 0;
}

Reader.prototype.number = function () {
  var value = 0, factor = 1, byte;
  do {
    byte = this.bytes[this.at++];
    value += (byte & 127) * factor;
    factor *= 128;
  } while (byte & 128);
  return value;
};

Reader.prototype.column = function (n, Type) {
  var values = new Type(n);
  for (var i = 0; i < n; i++) values[i] = this.number();
  return values;
};

/* Numbers of 32 bits with a fraction; NaN where there is none. */
Reader.prototype.fractions = function (n) {
  var view = new DataView(this.bytes.buffer, this.bytes.byteOffset + this.at, 4 * n), values = new Float32Array(n);
  for (var i = 0; i < n; i++) values[i] = view.getFloat32(4 * i, true);
  this.at += 4 * n;
  return values;
};

Reader.prototype.texts = function () {
  var n = this.number(), lengths = this.column(n, Uint32Array), decoder = new TextDecoder("utf-8"), texts = new Array(n);
  for (var i = 0; i < n; i++) {
    texts[i] = decoder.decode(this.bytes.subarray(this.at, this.at + lengths[i]));
    this.at += lengths[i];
  }
  return texts;
};

/* A table of numbers by the names of its columns, and their number `n`. */
Reader.prototype.table = function (names) {
  var table = { n: this.number() };
  for (var i = 0; i < names.length; i++) table[names[i]] = this.column(table.n, Uint32Array);
  return table;
};

/* What was measured, in lines. */
function readFacts(reader, texts) {
  var facts = [];
  for (var i = reader.number(); i > 0; i--) facts.push({ label: texts[reader.number()], text: texts[reader.number()] });
  return facts;
}
